// The simulated clocks of a program.
#ifndef SIM_FAKE_LIBIBVERBS_CLOCK_H_
#define SIM_FAKE_LIBIBVERBS_CLOCK_H_

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace cm::sim::fake_libibverbs {

inline constexpr int64_t kSecond = 1'000'000'000;  // in nanoseconds
inline constexpr int64_t kMicrosecond = 1'000;
// Longer than any run; no sum of two overflows.
inline constexpr int64_t kLongest = 4'000'000'000 * kSecond;

// At the beginning of a world: a machine that has run for a while, on a day in the past.
inline constexpr int64_t kSinceBoot = 1'000 * kSecond;
inline constexpr int64_t kSinceEpoch = 1'000'000'000 * kSecond;

// Nanoseconds since the world began. Empty where time is the system's: without a machine, and
// inside the fake libibverbs.
std::optional<int64_t> Now();
// The same, also in a handler of a signal that has come during a request: for what only reads it.
std::optional<int64_t> ShownTime();

// The clock's value in nanoseconds when a world begins. Empty for clocks that are not simulated:
// those of processor time.
std::optional<int64_t> BeginningOn(clockid_t clock);

// The clock's value in nanoseconds. Empty where time is the system's: for clocks that are not
// simulated, without a machine, and inside the fake libibverbs.
std::optional<int64_t> SimulatedTime(clockid_t clock);

// Makes the processor's counter virtual from now on. Null in objects that leave it as it is.
__attribute__((weak)) void TakeCounter();

// What a thread starts meanwhile reads the processor's counter until its own object makes it
// virtual: that it faults outlives an exec, and the loader reads it first. source: linux 6.1
// process.c arch_setup_new_exec; glibc 2.36 rtld.c rtld_timer_start
class RealCounterMeanwhile {
 public:
  RealCounterMeanwhile();
  ~RealCounterMeanwhile();
  RealCounterMeanwhile(const RealCounterMeanwhile&) = delete;
  RealCounterMeanwhile& operator=(const RealCounterMeanwhile&) = delete;

 private:
  bool faulted_;
};

inline int64_t NanosecondsOf(const timespec& time) {
  return std::clamp<int64_t>(time.tv_sec, -kLongest / kSecond, kLongest / kSecond) * kSecond +
         time.tv_nsec;
}

inline bool IsDuration(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < kSecond;
}

inline timespec TimeOf(int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / kSecond, .tv_nsec = nanoseconds % kSecond};
}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_CLOCK_H_
