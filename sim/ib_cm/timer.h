// The timers of a kernel, and the exponents of the protocol that set them.
#ifndef SIM_IB_CM_TIMER_H_
#define SIM_IB_CM_TIMER_H_

#include <cstdint>

#include "model/base/duration.h"
#include "model/vocabulary/profile.h"

namespace cm::sim {

// A retransmission period, in whole milliseconds as derived from the protocol's exponents.
class Interval {
 public:
  constexpr Interval() = default;
  constexpr explicit Interval(Duration span) : ms_(static_cast<uint32_t>(span.milliseconds())) {}
  constexpr Duration span() const { return Duration::Milliseconds(ms_); }
  friend constexpr bool operator==(Interval, Interval) = default;

 private:
  uint32_t ms_ = 0;
};

// When a timer of that span fires that is armed at `now`: exactly then, or on a timer wheel late by
// at most one slot of its level, and never early. source: linux 6.1 timer.c calc_index
Instant FiresAt(Instant now, Duration span, TimerClock clock);

// The timeout of an answer, as an exponent (4.096 us << exponent), from those of the peer's device
// and of the path. source: linux 6.1 cm.c cm_ack_timeout
uint8_t AckTimeout(int ack_delay, int packet_lifetime);

}  // namespace cm::sim

#endif  // SIM_IB_CM_TIMER_H_
