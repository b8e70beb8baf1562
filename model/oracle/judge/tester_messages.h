// Messages that the tester makes by hand: whom they may reach.
#ifndef MODEL_ORACLE_JUDGE_TESTER_MESSAGES_H_
#define MODEL_ORACLE_JUDGE_TESTER_MESSAGES_H_

#include <cstdint>
#include <vector>

#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class TesterMessages : JudgeBase {
 public:
  explicit TesterMessages(JudgeContext& context) : JudgeBase(context) {}

  // The message of the line is sent.
  Verdict Send(uint32_t line, Span when);

 private:
  std::vector<IdRef> ConcernedBy(const TesterMessage& message) const;
  Flight FlightOf(uint16_t number, Span when) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_TESTER_MESSAGES_H_
