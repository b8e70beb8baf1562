// Calls on ids that return what their rows say, without waiting, and their outputs.
#ifndef MODEL_ORACLE_JUDGE_ID_CALLS_H_
#define MODEL_ORACLE_JUDGE_ID_CALLS_H_

#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

// Whether a successful call on an id has an output that depends on the id's state.
bool HasOutput(CallKind kind);
// The permitted outputs of such a call in a possibility.
std::vector<Output> OutputsOf(const ConversationFacts& facts, const Possibility& p,
                              const Call& call);
// Ports that the kernel chooses have no meaning.
bool SameOutput(const Output& expected, const Output& seen);

class IdCalls : JudgeBase {
 public:
  explicit IdCalls(JudgeContext& context) : JudgeBase(context) {}

  // rdma_create_id
  Verdict Create(Lane lane, const call::CreateId& call, const Reply& reply);
  // Any call on an id that exists, with its outputs.
  Verdict Called(const Record& record, const Call& call, const seen::Answered& answered);
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_ID_CALLS_H_
