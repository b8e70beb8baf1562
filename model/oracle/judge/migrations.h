// rdma_migrate_id.
#ifndef MODEL_ORACLE_JUDGE_MIGRATIONS_H_
#define MODEL_ORACLE_JUDGE_MIGRATIONS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Migrations : JudgeBase {
 public:
  explicit Migrations(JudgeContext& context) : JudgeBase(context) {}

  Verdict Called(const Record& record, Lane lane, const call::MigrateId& call, const Reply& reply);
  Verdict Returned(const WaitingCall& was, const Reply& reply) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_MIGRATIONS_H_
