// What the judges share.
#ifndef MODEL_ORACLE_JUDGE_JUDGE_CONTEXT_H_
#define MODEL_ORACLE_JUDGE_JUDGE_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <variant>
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

// What judges note of the history.
struct JudgeNotes {
  std::vector<WaitingCall> waiting;
  std::vector<FailingPair> failing;
  std::vector<uint32_t> datagram_lengths;  // of all that were sent
  Span settled = {-1, -1};                 // the last `settle`
  bool just_settled = false;               // and nothing came since then but returns of calls
  bool quiet = false;                      // and nothing was done since then that completes
  bool undefined = false;                  // nothing can be said about what comes after
  bool partial_events = false;             // id->event is shown with type and status alone
  RuleBits confirmed;                      // rows of every explanation
};

struct JudgeContext : JudgeNotes {
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
};

// Base of judges: gives them the context.
class JudgeBase {
 protected:
  explicit JudgeBase(JudgeContext& context) : context_(context) {}

  Window WindowOf(const Record& record) const { return context_.WindowOf(record); }
  // The id, and all that it can influence, are not judged any more.
  Verdict LeaveScope(IdRef id) const {
    components_.MarkOutOfScope(id);
    return OutOfScope();
  }
  // The call of the record has not returned.
  void NoteWaiting(const Record& record, WaitingCall call) const {
    call.line = record.line;
    call.lane = std::get<line::Calls>(conversation_.lines[record.line]).lane;
    context_.waiting.push_back(call);
  }

  JudgeContext& context_;
  const Conversation& conversation_ = context_.conversation;
  const Profile& profile_ = context_.profile;
  ConversationFacts& facts_ = context_.facts;
  FaultModel& fault_model_ = context_.fault_model;
  const Machine& machine_ = context_.machine;
  const Delivery& delivery_ = context_.delivery;
  Components& components_ = context_.components;
  Search& search_ = context_.search;
  Learning& learning_ = context_.learning;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_JUDGE_CONTEXT_H_
