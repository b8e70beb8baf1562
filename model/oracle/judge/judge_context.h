// What the judges share.
#ifndef MODEL_ORACLE_JUDGE_JUDGE_CONTEXT_H_
#define MODEL_ORACLE_JUDGE_JUDGE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/fault_model.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/judge/learning.h"
#include "model/oracle/judge/search.h"
#include "model/oracle/machine/delivery.h"
#include "model/oracle/machine/effects.h"
#include "model/oracle/machine/machine.h"
#include "model/oracle/machine/steps.h"

namespace cm::model {

// A call that has not returned.
struct WaitingCall {
  // What it waits for.
  enum class For : uint8_t {
    kEvent,          // of the channel
    kEndOfId,        // or, without an id, the ends of all ids of the channel
    kEventOfId,      // a call on a synchronous id, or rdma_get_request
    kMigration,      // `count` acknowledgements
    kDisconnection,  // over iWARP
    kLeaving,        // acknowledgements of membership number `count`
    kCq,             // a completion, or an event of a completion queue
    kNothingJudged,  // its beginning was refused
  };
  For what;
  uint32_t line = 0;
  Lane lane;
  IdRef id;
  ChannelRef channel;
  int count = 0;
  bool due = false;  // it had to return while time passed
};

// A queue pair whose peer has refused a message of it: in error when the answer has arrived.
struct FailingPair {
  IdRef id;
  Instant by;  // the latest moment of that
};

struct JudgeContext {
  // The references outlive it.
  JudgeContext(const Conversation& conversation, const Profile& profile);
  JudgeContext(const JudgeContext& other);
  // Of the same conversation and profile.
  JudgeContext& operator=(const JudgeContext& other);

  Window WindowOf(const Record& record) const {
    return {
        .begin = record.begin.nanoseconds(), .end = record.end.nanoseconds(), .settled = settled};
  }
  // The part of a long observation in which what ended it cannot have happened yet: all but the
  // time in which a kernel answers. None of a short one, and of a call at once with others: its own
  // end is not recorded.
  std::optional<Window> WaitedIn(const Record& record) const;
  // Removes and returns the call that waits on the lane.
  std::optional<WaitingCall> TakeWaiting(Lane lane);

  const Conversation& conversation;
  const Profile& profile;
  ConversationFacts facts;
  FaultModel fault_model;
  Machine machine;
  RowExecutor executor;
  Delivery delivery;
  Steps steps;
  Components components;
  Search search;
  Learning learning;
  std::vector<WaitingCall> waiting;
  std::vector<FailingPair> failing;
  std::vector<uint32_t> datagram_lengths;  // of all that were sent
  Span settled = {-1, -1};                 // the last `settle`
  bool quiet = false;                      // and nothing was done since then that completes
  bool partial_events = false;             // id->event is shown with type and status alone
};

// Base of judges: gives them the context.
class JudgeBase {
 protected:
  explicit JudgeBase(JudgeContext& context)
      : context_(context),
        conversation_(context.conversation),
        profile_(context.profile),
        facts_(context.facts),
        fault_model_(context.fault_model),
        machine_(context.machine),
        delivery_(context.delivery),
        components_(context.components),
        search_(context.search),
        learning_(context.learning) {}

  Window WindowOf(const Record& record) const { return context_.WindowOf(record); }
  // The id, and all that it can influence, are not judged any more.
  Verdict LeaveScope(IdRef id) const {
    components_.MarkOutOfScope(id);
    return OutOfScope();
  }

  JudgeContext& context_;
  const Conversation& conversation_;
  const Profile& profile_;
  ConversationFacts& facts_;
  FaultModel& fault_model_;
  const Machine& machine_;
  const Delivery& delivery_;
  Components& components_;
  Search& search_;
  Learning& learning_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_JUDGE_CONTEXT_H_
