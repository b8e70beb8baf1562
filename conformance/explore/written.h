// The moves of a search as a conversation that stands by itself.
#ifndef CONFORMANCE_EXPLORE_WRITTEN_H_
#define CONFORMANCE_EXPLORE_WRITTEN_H_

#include <vector>

#include "conformance/driver/implementation.h"
#include "conformance/explore/repertoire.h"
#include "conformance/explore/state_store.h"
#include "model/conversation/conversation.h"

namespace cm::explore {

// How a written conversation ends.
enum class Ending : uint8_t {
  kAtOnce,
  kQuiet,  // kQuietFor passes, as for JudgeQuiet, and each channel is looked at
};

// Carries the moves out once more, and writes down what was done.
Conversation WrittenDown(const Repertoire& repertoire, Implementation& implementation,
                         const std::vector<Move>& moves, Ending ending);

}  // namespace cm::explore

#endif  // CONFORMANCE_EXPLORE_WRITTEN_H_
