#include "conformance/process/real_time.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace cm {
namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr int64_t kNanosecondsPerMillisecond = 1'000'000;

timespec ToTimespec(int64_t ns) {
  return {.tv_sec = ns / kNanosecondsPerSecond, .tv_nsec = ns % kNanosecondsPerSecond};
}

}  // namespace

Instant RealNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return Instant::FromNanoseconds(now.tv_sec * kNanosecondsPerSecond + now.tv_nsec);
}

void ReallySleep(Duration span) {
  timespec rest = ToTimespec(span.nanoseconds());
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}

Deadline::Deadline(Duration within) {
  const Instant now = RealNow();
  at_ = within > Instant::Never() - now ? Instant::Never() : now + within;
}

int Deadline::milliseconds_left() const {
  constexpr int64_t kLongestPoll = 1'000'000'000;
  const int64_t left = (at_ - RealNow()).nanoseconds();
  if (left <= 0) return 0;
  const int64_t rounded =
      left / kNanosecondsPerMillisecond + (left % kNanosecondsPerMillisecond != 0 ? 1 : 0);
  return static_cast<int>(std::min(rounded, kLongestPoll));
}

}  // namespace cm
