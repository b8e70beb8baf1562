// Mistakes of the application in a history, with the life of the misused object.
#ifndef CONFORMANCE_RUNNER_MISUSE_H_
#define CONFORMANCE_RUNNER_MISUSE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "model/conversation/history.h"

namespace cm {

// One mistake. Not a finding: it is not about the implementation.
struct MisuseNote {
  size_t record = 0;  // index of the record
  std::string what;   // "A was destroyed", in words
  std::vector<size_t>
      object;  // records that speak of the same id, channel or event, the oldest first
};

// In the order of the records:
//   a call on a destroyed id, a destroyed channel or an acknowledged event;
//   a channel destroyed while ids are on it;
//   a destroy of an id that never returns, because an event of the id is not acknowledged.
std::vector<MisuseNote> MisusesOf(const History& history);

// Several lines: the mistake, and below it the life of its object.
std::string Describe(const MisuseNote& note, const History& history);

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_MISUSE_H_
