// What the application did wrong in a history, with what had become of the thing that it did it to.
#ifndef CONFORMANCE_RUNNER_MISUSE_H_
#define CONFORMANCE_RUNNER_MISUSE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// One mistake. Not a finding: it says nothing about the implementation.
struct MisuseNote {
  size_t record = 0;  // where it was made
  std::string what;   // "A was destroyed", in words
  std::vector<size_t>
      object;  // records that speak of the same id, channel or event, the oldest first
};

// In the order of the records:
//   a call on an id, a channel or an event that is gone;
//   a channel destroyed while ids are on it;
//   an id destroyed, and never returned from, while an event of it is not acknowledged.
std::vector<MisuseNote> MisusesOf(const History& history);

// Several lines: the mistake, and below it the life of what it was made on.
std::string Describe(const MisuseNote& note, const History& history);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_MISUSE_H_
