// Which names of a conversation stand for something now: decides, from what was seen alone and
// everywhere in the same way, whether a line can be carried out.
#ifndef MODEL_CONVERSATION_NAME_SCOPE_H_
#define MODEL_CONVERSATION_NAME_SCOPE_H_

#include <optional>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/field.h"
#include "model/vocabulary/misuse.h"

namespace cm {

// Follows a run, record by record.
//
// A line is not applicable when it names what never came to be or is gone, when its lane still
// waits for an earlier call, when it speaks for a process that has exited, when the real library
// would die of it and the conversation does not ask for crashes, and, if it is a call or a wait,
// after a crash. A conversation that asks for misuse may call on what is gone. An id is gone as
// soon as rdma_destroy_id was not refused, whether or not it has returned; so are the ids of a
// destroyed channel.
class NameScope {
 public:
  explicit NameScope(const Conversation& conversation);

  // Why the line cannot be carried out now; empty when it can.
  std::optional<NotMade> WhyNot(const Line& line) const;
  // What the call would be if it were made now; empty when everything that it names is there, or
  // never was.
  std::optional<Misuse> MisuseIn(const Call& call) const;
  // Writes both into a record of the line, before what comes of it is observed.
  void Mark(Record* record) const;
  // One of the two takes away what the other one needs, or the library has no lock for what both
  // of them change: they cannot be made at once.
  bool Contend(const Call& a, const Call& b) const;
  void Observe(const Record& record);

  bool IdIsLive(IdRef id) const { return id.valid() && ids_[id.index].live; }
  bool ChannelIsLive(ChannelRef c) const { return c.valid() && channels_[c.index].live; }
  bool EventIsLive(EventRef e) const { return e.valid() && events_[e.index].live; }
  bool RegionIsLive(MrRef m) const { return m.valid() && regions_[m.index].live; }
  bool HeldIsLive(HeldRef h) const { return h.valid() && held_[h.index].live; }
  bool LaneWaits(Lane lane) const;
  // The channel that the id's events come on.
  ChannelRef ChannelOf(IdRef id) const { return ids_[id.index].channel; }

 private:
  struct Name {
    bool live = false;
    bool made = false;  // it is there, or was
    uint8_t side = 0;
    ChannelRef channel;         // of an id
    bool device_known = false;  // of an id: the library has a context for it
    bool has_qp = false;        // of an id
    bool synchronous = false;   // of an id: it has no channel of the application's
    bool freed = false;         // by a call that names it; an id not with its channel
    int untold = 0;             // of an id: joins whose event is not acknowledged, or not fetched
    IdRef owner;                // of an event of a membership: the id
    bool gives_qps = false;     // of a listener: its requests come with queue pairs
    bool written_to = false;    // of an id: what its calls take for theirs may be another's event
    bool datagram = false;      // of an id
    bool has_srq = false;       // of an id
    bool knows_peer = false;    // of an id: its ESTABLISHED has named a datagram service
    uint32_t length = 0;        // of a region
  };

  std::optional<NotMade> WhyNotLane(Lane lane) const;
  std::optional<NotMade> WhyNotCall(Lane lane, const Call& call) const;
  bool WouldCrash(const Call& call) const;
  template <typename Tag>
  std::optional<NotMade> WhyNotThere(uint8_t side, Ref<Tag> ref, const FieldInfo& info) const;
  bool WorkWouldCrash(const Name& id, CallKind kind, const call::Work& work) const;
  bool CompletionWaitedFor(IdRef id, const Call& call) const;
  // Waits for an event of a synchronous id.
  bool Completes(const Call& call) const;
  bool WaitedOn(IdRef id) const;
  bool NeedsChannel(const Call& call, ChannelRef channel) const;
  void EventFetched(const call::GetCmEvent& get, uint8_t side, const CmEvent& event);
  void CallAnswered(Lane lane, const Call& call, const Reply& reply,
                    const std::optional<CmEvent>& event);
  void Make(Lane lane, const Call& call);
  void Free(const Call& call);
  void Learn(Lane lane, const Call& call);
  void MakeId(IdRef id, uint8_t side, ChannelRef channel) {
    ids_[id.index] = {.live = true,
                      .made = true,
                      .side = side,
                      .channel = channel,
                      .synchronous = !channel.valid()};
  }
  std::vector<Name>& TableOf(IdRef) { return ids_; }
  std::vector<Name>& TableOf(ChannelRef) { return channels_; }
  std::vector<Name>& TableOf(EventRef) { return events_; }
  std::vector<Name>& TableOf(HeldRef) { return held_; }
  std::vector<Name>& TableOf(MrRef) { return regions_; }
  template <typename Tag>
  Name& At(Ref<Tag> ref) {
    return TableOf(ref)[ref.index];
  }
  template <typename Tag>
  const Name& At(Ref<Tag> ref) const {
    return const_cast<NameScope*>(this)->At(ref);
  }
  void SideExits(uint8_t side);
  void Suffer(const Fault& fault);

  const Conversation& conversation_;
  std::vector<Name> ids_;
  std::vector<Name> channels_;
  std::vector<Name> events_;
  std::vector<Name> held_;     // what was handed out and not given back
  std::vector<Name> regions_;  // of memory, registered
  struct WaitingCall {
    Lane lane;
    ChannelRef channel;  // that it needs
    IdRef id;            // that no other call may be made on meanwhile
    IdRef queues;        // whose completions it waits for
    CallKind kind = CallKind::kGetCmEvent;
  };
  std::vector<WaitingCall> waiting_;
  std::vector<bool> exited_;   // by side
  std::vector<bool> removed_;  // by side: its device was, at some time
  std::vector<bool> halted_;   // by side: its host is not running
  bool crashed_ = false;
  bool apart_ = false;  // a side's process exits, and each has one of its own
};

// Marks every record of a history that was read: a group of calls that are made at the same time by
// what was there before all of them.
void MarkRecords(History* history);

}  // namespace cm

#endif  // MODEL_CONVERSATION_NAME_SCOPE_H_
