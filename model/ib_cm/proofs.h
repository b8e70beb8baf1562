// What holds of the ib_cm table, proven while it is compiled.
#ifndef MODEL_IB_CM_PROOFS_H_
#define MODEL_IB_CM_PROOFS_H_

#include <span>

#include "model/ib_cm/rules.h"

namespace cm::model {

// Local calls and messages are answered in every state; timers only where one can run.
constexpr bool EveryIbStimulusIsAnswered(std::span<const IbRule> table) {
  for (const IbStimulusInfo& stimulus : kIbStimuli) {
    if (stimulus.origin == Origin::kTimer) continue;
    const IbStimulus on = stimulus.on;
    for (int state = 0; state < kIbStateCount; ++state) {
      // A repeated request is one whose identifier is known: not idle, not in timewait, not gone,
      // and not one that sends requests itself.
      const auto from = static_cast<IbState>(state);
      // Only who awaits a reply asks whether it is stale, or another's.
      const bool of_reply = on == IbStimulus::kRepStale || on == IbStimulus::kRepKnown;
      if (of_reply && !rules::ib::kRequesting.Has(from)) continue;
      // Only a connection that stands is asked for another path.
      const bool of_path = on == IbStimulus::kRejMoved || on == IbStimulus::kLapAgain;
      if (of_path && from != IbState::kEstablished) continue;
      if (on == IbStimulus::kReqAgain &&
          (from == IbState::kNone || from == IbState::kIdle || from == IbState::kReqSent ||
           from == IbState::kMraReqRcvd || from == IbState::kMraRepSent ||
           from == IbState::kTimewait || from == IbState::kSidrReqSent)) {
        continue;
      }
      int answers = 0;
      for (const IbRule& rule : table)
        if (rule.on == on && rule.from.Has(from)) ++answers;
      if (answers == 0) return false;
    }
  }
  return true;
}

}  // namespace cm::model

#endif  // MODEL_IB_CM_PROOFS_H_
