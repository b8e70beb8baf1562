// rdma_disconnect over iWARP. Like destroying, it begins now where the MPA reply is awaited, and
// goes on when that is there.
#ifndef MODEL_ORACLE_JUDGE_DISCONNECTIONS_H_
#define MODEL_ORACLE_JUDGE_DISCONNECTIONS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Disconnections : JudgeBase {
 public:
  explicit Disconnections(JudgeContext& context) : JudgeBase(context) {}

  Verdict Called(const Record& record, Lane lane, const Call& call, const Reply& reply);
  Verdict Returned(const Record& record, const WaitingCall& was, const Reply& reply);
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_DISCONNECTIONS_H_
