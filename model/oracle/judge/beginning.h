// The kernel's part of a call on a synchronous id: it refuses the call, or begins what the call
// then waits for.
#ifndef MODEL_ORACLE_JUDGE_BEGINNING_H_
#define MODEL_ORACLE_JUDGE_BEGINNING_H_

#include <vector>

#include "model/oracle/judge/judge_context.h"

namespace cm::model {

struct Beginning {
  PossibilitySet refused;
  PossibilitySet begun;
  std::vector<const CallRule*> starting;  // the rows by which it has begun
};

// Of a call that may answer with `reply` at the window's begin. Permitted refusals are added to the
// verdict.
Beginning Begin(JudgeContext& context, const Call& call, const Reply& reply, const Window& window,
                Verdict* verdict);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_BEGINNING_H_
