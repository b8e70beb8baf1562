// rdma_create_ep: steps on a new synchronous id, each by the rows of the call of that name.
#ifndef MODEL_ORACLE_JUDGE_ENDPOINTS_H_
#define MODEL_ORACLE_JUDGE_ENDPOINTS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Endpoints : JudgeBase {
 public:
  explicit Endpoints(JudgeContext& context) : JudgeBase(context) {}

  Verdict Create(const Record& record, Lane lane, const call::CreateEp& ep, const Reply& reply);
  // Whether the call may have waited until the end of the window.
  bool MayWait(const call::CreateEp& ep, const Window& window);
  Verdict Returned(const Record& record, const call::CreateEp& ep, const Reply& reply);

 private:
  // Whether all its steps may have taken so long.
  bool MayLast(const Window& window) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_ENDPOINTS_H_
