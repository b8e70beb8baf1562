// Makes a conversation shorter while it still shows the same finding.
#ifndef CONFORMANCE_RUNNER_SHRINKER_H_
#define CONFORMANCE_RUNNER_SHRINKER_H_

#include <atomic>
#include <functional>
#include <optional>

#include "conformance/driver/implementation.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/verdict.h"
#include "model/conversation/conversation.h"

namespace cm {

struct Shrunk {
  SequenceRun judged;  // of the shortest conversation found
  Finding finding;     // as it shows there
  int attempts = 0;
};

// Called for every attempt: its number, and the calls of the shortest conversation so far that
// shows the finding; 0 while none has shown it.
using OnAttempt = std::function<void(int attempts, int calls)>;

// Every attempt is one session of the implementation; at most `attempts_max` of them. Deterministic
// when the implementation is. Empty when the conversation does not show the finding.
std::optional<Shrunk> Shrink(Implementation& implementation, const Conversation& conversation,
                             const Finding& finding, int attempts_max, const OnAttempt& on_attempt,
                             const std::atomic<bool>& interrupted);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_SHRINKER_H_
