// Limits of waits that the C library would end by the system's clock.
#ifndef SIM_FAKE_LIBIBVERBS_LIMIT_H_
#define SIM_FAKE_LIBIBVERBS_LIMIT_H_

#include <time.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {

inline bool IsTime(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < kSecond; }

// A limit of a wait, by a simulated clock.
class Limit {
 public:
  Limit(clockid_t clock, const timespec& time)
      : at_(NanosecondsOf(time) - BeginningOn(clock).value_or(0)) {}
  static Limit In(const timespec& duration) {
    Limit limit(CLOCK_MONOTONIC, duration);
    limit.at_ += SimulatedTime(CLOCK_MONOTONIC).value_or(0);
    return limit;
  }

  void SetLook(uapi::Look look) { look_ = look; }

  // Waits until others have run since the caller has looked, so it must not let them run itself: to
  // read the clock takes time. Returns 0, EINTR after a signal, ETIMEDOUT at the limit.
  int Await() {
    const Backend* const backend = TheBackend();
    if (backend == nullptr || at_ <= backend->Shown()) return ETIMEDOUT;
    return YieldUntil(at_, std::exchange(look_, uapi::Look::kAgain));
  }

 private:
  int64_t at_;  // since the world began
  uapi::Look look_ = uapi::Look::kFirst;
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_LIMIT_H_
