// Which names of a conversation stand for something now: decides, from what was seen alone and
// everywhere in the same way, whether a line can be carried out.
#ifndef MODEL_CONVERSATION_LIVENESS_H_
#define MODEL_CONVERSATION_LIVENESS_H_

#include <vector>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"

namespace cm {

// Follows a run, record by record.
//
// A line is not applicable when it names what never came to be or is gone, when its lane still
// waits for an earlier call, when it speaks for a process that has exited, when the real library
// would die of it and the conversation does not ask for crashes, and, if it is a call or a wait,
// after a crash. An id is gone as soon as rdma_destroy_id was not refused, whether or not
// it has returned; so are the ids of a destroyed channel.
class Liveness {
 public:
  explicit Liveness(const Conversation& conversation);

  bool Applicable(const Line& line) const;
  void Observe(const Record& record);

  bool IdIsLive(IdRef id) const { return id.valid() && ids_[id.index].live; }
  bool ChannelIsLive(ChannelRef c) const { return c.valid() && channels_[c.index].live; }
  bool EventIsLive(EventRef e) const { return e.valid() && events_[e.index].live; }
  bool LaneWaits(Lane lane) const;
  // The channel that the id's events come on.
  ChannelRef ChannelOf(IdRef id) const { return ids_[id.index].channel; }

 private:
  struct Name {
    bool live = false;
    uint8_t side = 0;
    ChannelRef channel;         // of an id
    bool device_known = false;  // of an id: the library has a context for it
    bool has_qp = false;        // of an id
  };

  bool CallApplicable(Lane lane, const Call& call) const;
  bool WouldCrash(const Call& call) const;
  void EventFetched(const call::GetCmEvent& get, uint8_t side, const CmEvent& event);
  void CallAnswered(Lane lane, const Call& call, const Reply& reply,
                    const std::optional<CmEvent>& event);
  void MakeId(IdRef id, uint8_t side, ChannelRef channel) {
    ids_[id.index] = {.live = true, .side = side, .channel = channel};
  }
  Name& At(IdRef id) { return ids_[id.index]; }
  void SideExits(uint8_t side);

  const Conversation& conversation_;
  std::vector<Name> ids_;
  std::vector<Name> channels_;
  std::vector<Name> events_;
  struct WaitingCall {
    Lane lane;
    ChannelRef channel;  // that it needs
  };
  std::vector<WaitingCall> waiting_;
  std::vector<bool> exited_;  // by side
  bool crashed_ = false;
};

}  // namespace cm

#endif  // MODEL_CONVERSATION_LIVENESS_H_
