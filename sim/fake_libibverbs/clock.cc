// The clocks and sleeps of a program use the machine's time, where there is a machine. Its waits
// with a limit: waits.cc, limits.cc.
#undef _FORTIFY_SOURCE

#include "sim/fake_libibverbs/clock.h"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

// Returns 0 or an errno.
int SleepUntil(int64_t instant) {
  const uapi::Answer answer =
      Ask({.op = uapi::Op::kSleep, .more = static_cast<uint64_t>(std::max<int64_t>(instant, 0))});
  return answer.value < 0 ? static_cast<int>(-answer.value) : 0;
}

// Returns 0 or an errno; the time not slept is stored in `rest`, which may be null.
int SleepFor(int64_t now, int64_t duration, timespec* rest) {
  const int error = SleepUntil(now + duration);
  if (error == EINTR && rest != nullptr)
    *rest = TimeOf(std::max<int64_t>(now + duration - Now().value_or(now), 0));
  return error;
}

}  // namespace

std::optional<int64_t> Now() {
  if (Inside() || TheBackend() == nullptr) return std::nullopt;
  const int before = errno;
  const uapi::Answer answer = Ask({.op = uapi::Op::kNow});
  errno = before;
  if (answer.value < 0) return std::nullopt;
  return answer.value;
}

std::optional<int64_t> ShownTime() {
  Backend* const backend = Inside() ? TheBackend() : nullptr;
  if (backend == nullptr) return Now();
  const int64_t shown = backend->Shown();
  return shown < 0 ? std::nullopt : std::optional(shown);
}

std::optional<int64_t> BeginningOn(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return kSinceEpoch;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return kSinceBoot;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> SimulatedTime(clockid_t clock) {
  const std::optional<int64_t> beginning = BeginningOn(clock);
  const std::optional<int64_t> now = beginning ? Now() : std::nullopt;
  if (!now) return std::nullopt;
  return *beginning + *now;
}

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

// Functions that malloc may call use the kernel directly: looking up the C library's may call
// malloc.

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const std::optional<int64_t> beginning = BeginningOn(clock);
  const std::optional<int64_t> now = beginning ? ShownTime() : std::nullopt;
  if (!now) return static_cast<int>(SystemCall(SYS_clock_gettime, {clock, AsNumber(time)}));
  *time = TimeOf(*beginning + *now);
  return 0;
}

// Constructors of libraries compare it with the counter; no allocator calls it.
int gettimeofday(timeval* time, void* zone) noexcept {
  if (TakeCounter != nullptr) TakeCounter();
  const std::optional<int64_t> now = ShownTime();
  if (!now) return static_cast<int>(SystemCall(SYS_gettimeofday, {AsNumber(time), AsNumber(zone)}));
  const int64_t all = kSinceEpoch + *now;
  *time = {.tv_sec = all / kSecond, .tv_usec = all % kSecond / kMicrosecond};
  return 0;
}

// What it returns is a clock; processor times are the system's.
clock_t times(tms* used) noexcept {
  static auto* const kReal = Next("times", &times);
  const clock_t real = kReal(used);
  const std::optional<int64_t> now = ShownTime();
  if (!now || real == static_cast<clock_t>(-1)) return real;
  return static_cast<clock_t>((kSinceBoot + *now) / (kSecond / sysconf(_SC_CLK_TCK)));
}

time_t time(time_t* seconds) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  const time_t result = now.tv_sec;
  if (seconds != nullptr) *seconds = result;
  return result;
}

int timespec_get(timespec* time, int base) noexcept {
  static auto* const kReal = Next("timespec_get", &timespec_get);
  if (base != TIME_UTC) return kReal(time, base);
  return clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

int sysinfo(struct sysinfo* system) noexcept {
  static auto* const kReal =
      Next("sysinfo", static_cast<int (*)(struct sysinfo*) noexcept>(nullptr));
  const int result = kReal(system);
  const std::optional<int64_t> now = ShownTime();
  if (result == 0 && now) system->uptime = (kSinceBoot + *now) / kSecond;
  return result;
}

// The clock is never adjusted; what else is shown of it is the system's.
int adjtimex(timex* clock) noexcept {
  static auto* const kReal = Next("adjtimex", &adjtimex);
  const int result = kReal(clock);
  const std::optional<int64_t> now = ShownTime();
  if (result < 0 || !now) return result;
  const timespec time = TimeOf(kSinceEpoch + *now);
  const bool in_nanoseconds = (clock->status & STA_NANO) != 0;
  clock->time = {.tv_sec = time.tv_sec,
                 .tv_usec = in_nanoseconds ? time.tv_nsec : time.tv_nsec / kMicrosecond};
  return result;
}

int ntp_gettimex(ntptimeval* clock) noexcept {
  static auto* const kReal = Next("ntp_gettimex", &ntp_gettimex);
  const int result = kReal(clock);
  if (const std::optional<int64_t> now = ShownTime(); result >= 0 && now) {
    const int64_t all = kSinceEpoch + *now;
    clock->time = {.tv_sec = all / kSecond, .tv_usec = all % kSecond / kMicrosecond};
  }
  return result;
}

int nanosleep(const timespec* duration, timespec* rest) {
  static auto* const kReal = Next("nanosleep", &nanosleep);
  const std::optional<int64_t> now = Now();
  if (!now) return kReal(duration, rest);
  const int error = IsDuration(*duration) ? SleepFor(*now, NanosecondsOf(*duration), rest) : EINVAL;
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int usleep(useconds_t microseconds) {
  static auto* const kReal = Next("usleep", &usleep);
  const std::optional<int64_t> now = Now();
  if (!now) return kReal(microseconds);
  const int error = SleepUntil(*now + microseconds * kMicrosecond);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// A thread that yields to wait for another thread, or for the machine, lets them run.
int sched_yield() noexcept {
  if (Inside() || TheBackend() == nullptr) return static_cast<int>(SystemCall(SYS_sched_yield, {}));
  Yield();
  return 0;
}

unsigned int sleep(unsigned int seconds) {
  static auto* const kReal = Next("sleep", &sleep);
  const std::optional<int64_t> now = Now();
  if (!now) return kReal(seconds);
  timespec rest{};
  SleepFor(*now, seconds * kSecond, &rest);
  return static_cast<unsigned int>(rest.tv_sec);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  static auto* const kReal = Next("clock_nanosleep", &clock_nanosleep);
  const std::optional<int64_t> beginning = BeginningOn(clock);
  const std::optional<int64_t> now = beginning ? Now() : std::nullopt;
  if (!now) return kReal(clock, flags, time, rest);
  if (!IsDuration(*time)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0) return SleepUntil(NanosecondsOf(*time) - *beginning);
  return SleepFor(*now, NanosecondsOf(*time), rest);
}
}
