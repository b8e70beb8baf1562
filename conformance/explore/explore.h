// Everything that can happen from a start, up to a bound: breadth first, so that the shortest
// conversation to a state is the one that leads there.
//
//   1. A state is a world. Each action that is allowed is tried in each state, in every order of
//      the events of one instant, and the answers are judged by the oracle after the conversation
//      that led to the state first.
//   2. A state that was met before is not gone on from: its hash is known.
//   3. The result is the same with any number of jobs.
#ifndef CONFORMANCE_EXPLORE_EXPLORE_H_
#define CONFORMANCE_EXPLORE_EXPLORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/driver/implementation.h"
#include "conformance/explore/repertoire.h"
#include "conformance/runner/verdict.h"
#include "model/base/duration.h"
#include "model/catalogue/catalogue.h"
#include "model/conversation/conversation.h"

namespace cm::explore {

struct Bounds {
  int depth = 0;  // moves from the start; 0: until nothing new comes
  uint64_t states = 20'000'000;
  int faults = 1;
  Duration calls_within = Duration::Seconds(5);  // of virtual time; later neither calls nor faults
  bool symmetry = true;                          // ids that are alike may change places
  bool beliefs = false;  // worlds differ where the oracle takes something else for possible
  // Else the events of an instant come in one order: as they were scheduled, but of a kernel's
  // timers the last one first.
  bool all_orders = true;
  int jobs = 1;
};

struct ShortestFinding {
  Finding finding;
  Conversation conversation;  // shows it, when it is carried out by itself
  uint64_t transitions = 0;   // that show the same
};

struct Result {
  uint64_t states = 0;
  uint64_t transitions = 0;
  int depth = 0;          // of the deepest state
  bool complete = false;  // all was followed, within the bounds, and judged
  uint64_t bytes = 0;     // of the store of states
  uint64_t quiet = 0;     // states in which nothing happens by itself any more
  uint64_t waiting = 0;   // those of them in which an id waits for an event for ever
  std::vector<Conversation> waits_for_ever;  // to the first of those; or empty
  uint64_t inconclusive = 0;                 // transitions after which the oracle gave up
  uint64_t left_out = 0;                     // for want of a name for one more request
  uint64_t unexplained = 0;  // refusals that their conversation does not show by itself
  model::RuleBits rows;      // of some explanation
  std::vector<ShortestFinding> findings;  // by their causes, the shortest first
};

// Called after each depth.
using OnDepth = std::function<void(const Result& so_far)>;

// The implementation's sessions must branch, and be concurrent for more than one job.
Result Explore(Implementation& implementation, const Repertoire& repertoire, const Bounds& bounds,
               const OnDepth& on_depth, const std::atomic<bool>& interrupted);

}  // namespace cm::explore

#endif  // CONFORMANCE_EXPLORE_EXPLORE_H_
