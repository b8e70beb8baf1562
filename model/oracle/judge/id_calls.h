// Calls on ids that return what their rows say, without waiting, and their outputs.
#ifndef MODEL_ORACLE_JUDGE_ID_CALLS_H_
#define MODEL_ORACLE_JUDGE_ID_CALLS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

class IdCalls : JudgeBase {
 public:
  explicit IdCalls(JudgeContext& context) : JudgeBase(context) {}

  // rdma_create_id
  Verdict Create(Lane lane, const call::CreateId& call, const Reply& reply);
  // Any call on an id that exists, with its outputs.
  Verdict Called(const Window& window, const Call& call, const seen::Answered& answered);
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_ID_CALLS_H_
