// Event channels: made, read, waited for, and the acknowledgement of their events.
#ifndef MODEL_ORACLE_JUDGE_CHANNELS_H_
#define MODEL_ORACLE_JUDGE_CHANNELS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Channels : JudgeBase {
 public:
  explicit Channels(JudgeContext& context) : JudgeBase(context) {}

  Verdict Create(Lane lane, const call::CreateEventChannel& call, const Reply& reply);
  Verdict Acknowledge(const call::AckCmEvent& call, const Reply& reply);
  // rdma_get_cm_event, when it is made or when it returns.
  Verdict Get(const Record& record, const call::GetCmEvent& call, const seen::Answered& answered);
  Verdict Returned(const Record& record, const call::GetCmEvent& call,
                   const seen::Released& released);
  // The channel becomes readable within a time, or stays quiet.
  Verdict Wait(const Record& record, ChannelRef channel, bool readable);
  // Nothing comes until the end of the window. False with a verdict when something had to. Where a
  // thread is in rdma_get_cm_event meanwhile, the library takes the events that it drops.
  enum class Watcher : uint8_t { kPoll, kReader };
  bool StaysQuiet(ChannelRef channel, Watcher watcher, const Window& window, Verdict* verdict);

 private:
  // Of a crowd the one whose request is shown is judged together with the listener.
  void JoinShown(const CmEvent& event, const Window& window, Aim* aim);
  // Those whose request it may be: of those that look alike, and of which the same may be so, one.
  std::vector<IdRef> MayBeShown(const CmEvent& event, const Window& window) const;
  // When the first of the requests that have to come must have come.
  int64_t ComeBy(const std::vector<IdRef>& asking, const Window& window) const;
  // When a request of one that is judged apart may come, at the earliest.
  int64_t ComesFrom(IdRef asker) const;
  // Whether the next event of the id may be that one.
  bool MayShow(IdRef id, CmEvent event, const Window& window);
  // One of a crowd has an event that the listener's kernel, or a full queue, has made.
  void JoinAnswered(const CmEvent& event, const Window& window);
  // Of those that look alike any may have been shown as well: the two change places where the event
  // has to be of another. False where that explains it as little.
  bool ExchangeFor(const CmEvent& event, const Window& window);
  // Those that may have been shown in place of the id, and of which other things may be so.
  std::vector<IdRef> MayHaveBeen(IdRef id) const;
  // Nothing has come to the listeners on the channel from those that are judged apart from them.
  bool CrowdsStayAway(ChannelRef channel, const Window& window, Verdict* verdict);
  // Whether a request of one that is judged apart may come to it.
  bool CrowdMayCome(ChannelRef channel, const Window& window) const;
  Verdict Fetched(const Record& record, const call::GetCmEvent& call, const CmEvent& event);
  // The same of the time that an event, or a wait for one, took too long.
  bool WaitedRightly(const Record& record, ChannelRef channel, Watcher watcher, Verdict* verdict);
  // Whether a fetch of an event of the id may have taken events of others, which the library drops.
  // Of the id itself those were followed, unless too much may be so.
  bool MayHaveDropped(IdRef owner) const;
  // The channel had nothing for its reader: EAGAIN, or the call waits.
  Verdict Nothing(const Record& record, ChannelRef channel, const Reply& reply);
  // An event was fetched, and not recorded.
  Verdict FetchedUnseen(const Record& record, const call::GetCmEvent& call);
  void Count(const call::GetCmEvent& call, IdRef owner, const std::vector<uint16_t>& memberships);
  std::vector<std::pair<IdRef, Pending>> Unread(const Possibility& p, ChannelRef channel) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_CHANNELS_H_
