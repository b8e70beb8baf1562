// Existing objects of a conversation's names: decides, from the observations alone and everywhere
// in the same way, whether a line can be carried out.
#ifndef MODEL_CONVERSATION_NAME_SCOPE_H_
#define MODEL_CONVERSATION_NAME_SCOPE_H_

#include <optional>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/field.h"
#include "model/vocabulary/misuse.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Follows a run, record by record.
//
// A line is not applicable when it names an object that was never created or was destroyed, when
// its lane waits for an earlier call, when its process has exited, when the real library or
// kernel would crash and the conversation lacks the capability, and, if it is a call or a wait,
// after a crash. A conversation with the capability misuse may call on destroyed objects. An id
// counts as destroyed as soon as rdma_destroy_id was not refused, whether or not it has returned;
// so do the ids of a destroyed channel.
class NameScope {
 public:
  // `over`: the transport of the profile that is carried out or judged, which may be read from a
  // file. Empty: that of the known profile that the conversation names.
  explicit NameScope(const Conversation& conversation,
                     std::optional<Transport> over = std::nullopt);

  // The reason why the line cannot be carried out now; empty when it can.
  std::optional<NotMade> WhyNot(const Line& line) const;
  // The misuse that the call would be now; empty when all its objects exist, or never existed.
  std::optional<Misuse> MisuseIn(const Call& call) const;
  // Stores both in a record of the line, before its observation.
  void Mark(Record* record) const;
  // True when one of the two calls frees an object of the other, or the library has no lock for
  // what both change: they cannot be concurrent.
  bool Contend(const Call& a, const Call& b) const;
  void Observe(const Record& record);

  bool IdIsLive(IdRef id) const { return id.valid() && ids_[id.index].live; }
  bool ChannelIsLive(ChannelRef c) const { return c.valid() && channels_[c.index].live; }
  bool EventIsLive(EventRef e) const { return e.valid() && events_[e.index].live; }
  bool HeldIsLive(HeldRef h) const { return h.valid() && held_[h.index].live; }
  bool LaneWaits(Lane lane) const;
  // The channel of the id's events.
  ChannelRef ChannelOf(IdRef id) const { return ids_[id.index].channel; }

 private:
  struct Name {
    bool live = false;
    bool made = false;  // it exists, or did
    uint8_t side = 0;
    ChannelRef channel;         // of an id
    bool device_known = false;  // of an id: the library has a context for it
    bool has_qp = false;        // of an id
    bool synchronous = false;   // of an id: without a channel of the application
    bool freed = false;         // by a call that names it; not by that of its channel
    int untold = 0;             // of an id: joins whose event is not acknowledged, or not fetched
    IdRef owner;                // of an event of a membership: the id
    bool gives_qps = false;     // of a listener: its requests come with queue pairs
    bool written_to = false;    // of an id: its calls may take another's event for theirs
    bool datagram = false;      // of an id
    bool tcp = true;            // of an id: of RDMA_PS_TCP, whose parameters are checked first
    bool has_srq = false;       // of an id
    bool connecting = false;    // of an id: its rdma_connect has no event yet
    bool knows_peer = false;    // of an id: its ESTABLISHED has reported a datagram service
    uint32_t length = 0;        // of a region
  };

  std::optional<NotMade> WhyNotLane(Lane lane) const;
  std::optional<NotMade> WhyNotCall(Lane lane, const Call& call) const;
  bool WouldCrash(const Call& call) const;
  bool EndsWaitOfKernel(const Name& id, CallKind kind) const;
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

  const Conversation* conversation_;
  std::vector<Name> ids_;
  std::vector<Name> channels_;
  std::vector<Name> events_;
  std::vector<Name> held_;     // lists and address infos not released
  std::vector<Name> regions_;  // registered memory regions
  struct WaitingCall {
    Lane lane;
    ChannelRef channel;  // used by it
    IdRef id;            // no other call may be made on it now
    IdRef queues;        // it waits for a completion of these
    CallKind kind = CallKind::kGetCmEvent;
  };
  std::vector<WaitingCall> waiting_;
  std::vector<bool> exited_;   // by side
  std::vector<bool> removed_;  // by side: its device was removed at some time
  std::vector<bool> halted_;   // by side: its host is not running
  bool crashed_ = false;
  bool over_iwarp_ = false;
  bool apart_ = false;  // a side's process exits, so each side has its own
};

// Marks every record of a parsed history: a group of concurrent calls by the objects that existed
// before all of them. `over`: as above.
void MarkRecords(History* history, std::optional<Transport> over = std::nullopt);

}  // namespace cm

#endif  // MODEL_CONVERSATION_NAME_SCOPE_H_
