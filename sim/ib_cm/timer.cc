#include "sim/ib_cm/timer.h"

#include <algorithm>

namespace cm::sim {

// Slots of 4 ms for up to 63 of them, and of eight times as much on each further level.
Instant FiresAt(Instant now, Duration span, TimerClock clock) {
  constexpr int64_t kJiffy = 4'000'000;
  constexpr int64_t kAhead = 63;
  if (clock == TimerClock::kExact) return now + span;
  const int64_t ahead = (span.nanoseconds() + kJiffy - 1) / kJiffy;
  int64_t bucket = 1;
  while (ahead >= kAhead * bucket) bucket *= 8;
  const int64_t expires = now.nanoseconds() / kJiffy + ahead;
  return Instant::FromNanoseconds((expires / bucket + 1) * bucket * kJiffy);
}

uint8_t AckTimeout(int ack_delay, int packet_lifetime) {
  int timeout = packet_lifetime + 1;
  if (timeout >= ack_delay)
    timeout += ack_delay >= timeout - 1 ? 1 : 0;
  else
    timeout = ack_delay + (timeout >= ack_delay - 1 ? 1 : 0);
  return static_cast<uint8_t>(std::min(timeout, 31));
}

}  // namespace cm::sim
