// Calls that have not returned: what each returns with, and that it returns once nothing holds it
// up any more.
#ifndef MODEL_ORACLE_JUDGE_WAITING_CALLS_H_
#define MODEL_ORACLE_JUDGE_WAITING_CALLS_H_

#include <cstdint>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

class WaitingCalls : JudgeBase {
 public:
  explicit WaitingCalls(JudgeContext& context) : JudgeBase(context) {}

  // The call that waits on the lane returns.
  Verdict Returned(const Record& record, Lane lane, const Call& call,
                   const seen::Released& released);
  // Before a record that lasts is judged: which calls have to return meanwhile.
  void Pass(const Record& record);
  // At the first record of another kind after time has passed: refused when a call still waits that
  // had to return. It is not judged any more. `settled`: all that was due has happened.
  Verdict StillWaiting(const Record& record, bool settled);

 private:
  // Whether it may have waited until the end of the window; possibilities in which it has not are
  // dropped.
  bool MayWait(const WaitingCall& call, const Window& window, Verdict* verdict);
  // Whether no other call, of those that wait and of the lines until that one, takes what it waits
  // for.
  bool IsAlone(const WaitingCall& call, uint32_t until) const;
  bool IsJudged(const WaitingCall& call) const;
  const Call& CallOf(const WaitingCall& call) const;
  Verdict Refuse(WaitingCall* call);
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_WAITING_CALLS_H_
