// One scenario on two implementations, a real kernel's and the simulator: the events that each side
// heard, with their times.
//
//   1. The same events, side by side, in the same order, with the same statuses.
//   2. No event of the kernel comes before its nominal time, which is the simulator's, nor later
//   than
//      its timers may be late: each firing by the step of the timer wheel at its length, one on top
//      of the other along what led to the event; and a little for the computer itself.
//   3. What led to an event is read off the simulator's history: the message that came then, what
//      that answered, when the timer that sent it was started; what the program did before.
#ifndef CONFORMANCE_LIKENESS_SIDE_BY_SIDE_H_
#define CONFORMANCE_LIKENESS_SIDE_BY_SIDE_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/scenarios/expectation.h"
#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// By how much a timer of a kernel that ticks 250 times a second may be late.
// source: docs/sources/cm_protocol.md 3.4
Duration TimerStep(Duration length);

// An event of one side, and when it came, counted from the first rdma_connect.
struct TimedEvent {
  std::string side;
  ScenarioEvent event;
  Duration at;
  Duration outside;  // how much of that was spent on the environment
  friend bool operator==(const TimedEvent&, const TimedEvent&) = default;
};

// Those of each side together, sides in the order of the topology. Resolutions are left out; where
// nobody connects, time is counted from the first rdma_resolve_addr.
std::vector<TimedEvent> TimedEvents(const History& history);

// By how much each of those events of the simulator's may be late on a kernel.
std::vector<Duration> Lateness(const History& simulator, const Profile& profile);

enum class Likeness : uint8_t { kSame, kEarly, kLate, kOther };
std::string_view ToString(Likeness likeness);

struct EventPair {
  std::optional<TimedEvent> simulator;
  std::optional<TimedEvent> kernel;
  Duration lateness;  // allowed
  Likeness likeness = Likeness::kSame;
};

// `slack` is what the kernel's computer may take besides.
std::vector<EventPair> SideBySide(const std::vector<TimedEvent>& simulator,
                                  const std::vector<Duration>& lateness,
                                  const std::vector<TimedEvent>& kernel, Duration slack);
bool Same(const std::vector<EventPair>& pairs);

}  // namespace cm

#endif  // CONFORMANCE_LIKENESS_SIDE_BY_SIDE_H_
