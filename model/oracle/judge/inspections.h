// Fields of objects that the application looks at: of ids, of id->event, names of events.
#ifndef MODEL_ORACLE_JUDGE_INSPECTIONS_H_
#define MODEL_ORACLE_JUDGE_INSPECTIONS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class Inspections : JudgeBase {
 public:
  explicit Inspections(JudgeContext& context) : JudgeBase(context) {}

  Verdict Show(const Record& record, IdRef id, const Shown& shown);
  Verdict ShowEvent(const Record& record, IdRef id, const seen::Answered& answered);
  Verdict EventStr(const call::EventStr& call, const seen::Answered& answered);

 private:
  Shown ExpectedOf(const IdState& id) const;
  std::optional<CmEvent> RetainedBy(const IdState& id) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_INSPECTIONS_H_
