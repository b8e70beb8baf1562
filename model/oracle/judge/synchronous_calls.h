// Calls on synchronous ids, and rdma_get_request: each starts what it starts on any id, and returns
// with the next event of the id's own channel.
#ifndef MODEL_ORACLE_JUDGE_SYNCHRONOUS_CALLS_H_
#define MODEL_ORACLE_JUDGE_SYNCHRONOUS_CALLS_H_

#include <vector>

#include "model/conversation/history.h"
#include "model/oracle/judge/judge_context.h"
#include "model/oracle/judge/verdict.h"

namespace cm::model {

struct Beginning {
  PossibilitySet refused;
  PossibilitySet begun;
  std::vector<const CallRule*> refusing;  // the rows by which it is refused
  std::vector<const CallRule*> starting;  // and those by which it has begun
};

// Of a call that may answer with `reply` at the window's begin. Permitted refusals are added to the
// verdict.
Beginning Begin(JudgeContext& context, const Call& call, const Reply& reply, const Window& window,
                Verdict* verdict);

class SynchronousCalls : JudgeBase {
 public:
  explicit SynchronousCalls(JudgeContext& context) : JudgeBase(context) {}

  // Whether the call waits for an event.
  bool Waits(const Call& call) const;
  Verdict Called(const Record& record, const Call& call, const Reply& reply);
  Verdict Returned(const Record& record, const Call& call, const Reply& reply);
  // Whether the call may have waited until the end of the window.
  bool MayWait(const WaitingCall& call, const Window& window, Verdict* verdict);

 private:
  void Complete(const Record& record, const Call& call, const Reply& reply, Verdict* verdict);
  void GiveQp(const call::GetRequest& get, const Window& window, const Reply& reply,
              const Possibility& served, JudgedStep& judged);
  void Learn(const Call& call);
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_SYNCHRONOUS_CALLS_H_
