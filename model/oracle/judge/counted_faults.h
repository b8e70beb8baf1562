// Faults that hit a number of messages: which messages they hit.
#ifndef MODEL_ORACLE_JUDGE_COUNTED_FAULTS_H_
#define MODEL_ORACLE_JUDGE_COUNTED_FAULTS_H_

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"

namespace cm::model {

// A fault counts messages in the order in which they are sent. REQ and REP are sent by calls, and
// that is the order, until one of them may have been sent again.
class CountedFaults : JudgeBase {
 public:
  explicit CountedFaults(JudgeContext& context) : JudgeBase(context) {}

  // From a permitted record: what has just been sent is hit or spared.
  void Learn(const Record& record, const Line& line);

 private:
  // It was made alone, and nothing is unknown that may have sent such a message before.
  bool IsCertain(const Record& record, IdRef id) const;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_COUNTED_FAULTS_H_
