// One scenario on two implementations, a real kernel and the simulator: the events of each side,
// with their times.
//
//   1. The same events, side by side, in the same order, with the same statuses.
//   2. No event of the kernel comes before its nominal time, which is the simulator's, nor later
//      than its timers permit: each expiry by one step of the timer wheel at its length, summed
//      along the chain of causes of the event; and a small slack for the computer itself.
//   3. The causes of an event are derived from the simulator's history: the message that arrived
//      then, the message that it answered, the start of the timer that sent it; the program's
//      calls before.
#ifndef CONFORMANCE_FIDELITY_SIDE_BY_SIDE_H_
#define CONFORMANCE_FIDELITY_SIDE_BY_SIDE_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/scenarios/expectation.h"
#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/vocabulary/profile.h"

namespace cm {

// Maximum lateness of a timer in a kernel with 250 ticks per second.
// source: docs/sources/cm_protocol.md 3.4
Duration TimerStep(Duration length);

// An event of one side, and its time, counted from the first rdma_connect.
struct TimedEvent {
  std::string side;
  ScenarioEvent event;
  Duration at;
  Duration outside;  // the part of it that faults took
  friend bool operator==(const TimedEvent&, const TimedEvent&) = default;
};

// The events of all sides, in the order of the topology. Resolutions are left out; without an
// rdma_connect, time is counted from the first rdma_resolve_addr.
std::vector<TimedEvent> TimedEvents(const History& history);

// The maximum lateness of each of the simulator's events on a kernel.
std::vector<Duration> Lateness(const History& simulator, const Profile& profile);

enum class Agreement : uint8_t { kSame, kEarly, kLate, kOther };
std::string_view ToString(Agreement agreement);

struct EventPair {
  std::optional<TimedEvent> simulator;
  std::optional<TimedEvent> kernel;
  Duration lateness;  // allowed
  Agreement agreement = Agreement::kSame;
};

// `slack` is additional time for the kernel's computer.
std::vector<EventPair> SideBySide(const std::vector<TimedEvent>& simulator,
                                  const std::vector<Duration>& lateness,
                                  const std::vector<TimedEvent>& kernel, Duration slack);
bool Same(const std::vector<EventPair>& pairs);

}  // namespace cm

#endif  // CONFORMANCE_FIDELITY_SIDE_BY_SIDE_H_
