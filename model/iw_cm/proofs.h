// What holds of the iw_cm table, proven while it is compiled.
#ifndef MODEL_IW_CM_PROOFS_H_
#define MODEL_IW_CM_PROOFS_H_

#include <span>

#include "model/iw_cm/rules.h"

namespace cm::model {

// All but what comes in time is answered in every state.
constexpr bool EveryIwStimulusIsAnswered(std::span<const IwRule> table) {
  for (const IwStimulusInfo& stimulus : kIwStimuli) {
    if (stimulus.origin == Origin::kTimer) continue;
    for (int state = 0; state < kIwStateCount; ++state) {
      bool answered = false;
      for (const IwRule& rule : table) {
        answered =
            answered || (rule.on == stimulus.on && rule.from.Has(static_cast<IwState>(state)));
      }
      if (!answered) return false;
    }
  }
  return true;
}

}  // namespace cm::model

#endif  // MODEL_IW_CM_PROOFS_H_
