// rdma_leave_multicast, which may wait for acknowledgements. Which memberships an id has is known
// for certain; what is reported of them is one of several possibilities.
#ifndef MODEL_ORACLE_JUDGE_MEMBERSHIPS_H_
#define MODEL_ORACLE_JUDGE_MEMBERSHIPS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/id_calls.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Memberships : JudgeBase {
 public:
  explicit Memberships(JudgeContext& context) : JudgeBase(context), calls_(context) {}

  Verdict Leave(const Record& record, Lane lane, const Call& call, const seen::Answered& answered);
  Verdict Left(const WaitingCall& was, const Reply& reply) const;

 private:
  IdCalls calls_;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_MEMBERSHIPS_H_
