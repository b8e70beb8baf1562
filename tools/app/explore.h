// Runs programs under many seeds, each in a process of its own, until one run fails; then looks for
// the fewest faults and the fewest unusual decisions under which it fails in the same way.
#ifndef TOOLS_APP_EXPLORE_H_
#define TOOLS_APP_EXPLORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "tools/app/broker.h"

namespace cm::app {

struct Exploration {
  std::function<Setting(uint64_t seed)> setting;  // of the run of a seed
  uint64_t seeds = 1;                             // 1 to this one
  size_t jobs = 1;                                // runs at once
  size_t most_shrinks = 80;                       // about as many runs to shrink a failure
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(uint64_t done)> progress;  // may be empty
};

struct Failure {
  uint64_t seed = 0;
  std::string kind;      // empty: none of the seeds fails
  Setting setting;       // the shrunk run
  size_t decisions = 0;  // unusual ones, before shrinking
  size_t faults = 0;     // lines of the script, before shrinking
  size_t runs = 0;       // of shrinking
};

// The kind of a failed run: what went wrong, without numbers; empty for a clean one. Where faults
// hit a run, exit codes are the programs' own business.
std::string KindOf(const Report& report, bool has_faults);

// The failure with the smallest seed of those that were seen; or the reason why a run could not
// start. After an interrupt: what was found until then, shrunk as far as that has come.
std::variant<Failure, std::string> Explore(const Exploration& exploration);

}  // namespace cm::app

#endif  // TOOLS_APP_EXPLORE_H_
