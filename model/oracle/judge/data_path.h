// Regions, posted work, and what it completes with.
#ifndef MODEL_ORACLE_JUDGE_DATA_PATH_H_
#define MODEL_ORACLE_JUDGE_DATA_PATH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/belief/completion_events.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/work_tracker.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class DataPath : JudgeBase {
 public:
  // A message that found no receive comes again within that time, in ns.
  // source: IBA 9.7.5.2.8 RNR NAK timer, at most 655.36 ms
  static constexpr int64_t kComesAgain = 1'000'000'000;

  explicit DataPath(JudgeContext& context) : JudgeBase(context) {}

  // Calls on completion queues, when they are made or when they return.
  Verdict OnCq(const Record& record, const Call& call, const Reply& reply,
               const std::optional<Output>& output);
  // Whether a call on a completion queue may go on waiting.
  bool MayWait(const Call& call);
  Verdict Deregister(const call::DeregMr& dereg, const seen::Answered& answered);
  // Queue pairs are in error whose peers have refused a message long enough before.
  void AnswersArrive(Instant now);
  // What a permitted record says about queues.
  void Learn(const Record& record, const Line& line);
  // What a call on an id that is not judged may have done.
  void LearnUnjudged(const Call& call);

 private:
  struct DueCompletion {
    Completion completion;
    const WorkRule* rule = nullptr;
    size_t at = 0;  // the request, among all of its queue
  };

  // rdma_get_send_comp and rdma_get_recv_comp.
  Verdict Complete(const Record& record, const Call& call, const Reply& reply,
                   const std::optional<Output>& output);
  std::vector<DueCompletion> DueOfSends(IdRef id, const Ends& ends) const;
  std::vector<DueCompletion> DueOfReceives(IdRef id, const Ends& ends) const;
  // Nothing can be said about what completes at that queue of the id.
  bool IsUnknown(IdRef id, bool receives) const;
  bool AllMayBeSilent(IdRef id, const Ends& ends) const;
  Certainty NothingCompleted(IdRef id, bool receives, const Ends& ends) const;
  bool JudgeWork(const Record& record, bool receives, IdRef id, const Ends& ends,
                 const std::optional<Output>& output, Verdict* verdict);
  void QueuePairFailed(IdRef id);
  Verdict QueuePairDestroyed(IdRef id, const Reply& reply) const;
  bool HasWaitedForNothing(const Record& record, const Call& call);
  size_t PostedAtBothEnds(IdRef id) const;
  bool MayHaveNoRoomToRead(IdRef id) const;
  // What the queue is armed for, and whether that has completed since.
  CompletionEvents::Arming ArmingOf(const call::ReqNotifyCq& call, const Ends& ends) const;
  Certainty CompletedSince(IdRef id, bool receives, const Ends& ends,
                           const CompletionEvents::Arming& arming) const;
  CompletionEvents& EventsOf(IdRef id, bool receives, const Ends& ends);
  void LearnFromCq(const Call& call, const Ends& ends);
};

// Learns the peer and the device of the id's queue pair, as soon as they are certain, and those of
// that peer; then the phases of both.
Ends EndsOf(IdRef id, ConversationFacts& facts, Components& components);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_DATA_PATH_H_
