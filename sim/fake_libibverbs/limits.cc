// Waits that end at an instant: the program computes it from its simulated clock, and the C library
// waits by the system's. The remaining time is converted to the system's time.
#undef _FORTIFY_SOURCE

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/libc.h"

namespace cm::sim::fake_libibverbs {
namespace {

// The instant of the system's clock that is as far away as `limit` is on the program's.
timespec OnSystemsClock(clockid_t clock, const timespec& limit) {
  const std::optional<int64_t> simulated = SimulatedTime(clock);
  if (!simulated) return limit;
  const int64_t left = std::max<int64_t>(NanosecondsOf(limit) - *simulated, 0);
  return TimeOf(NanosecondsOf(SystemTime(clock)) + left);
}

// A condition variable does not reveal its clock; no instant of one clock is near one of the other.
clockid_t ClockOf(const timespec& limit) {
  return NanosecondsOf(limit) < kSinceEpoch / 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int sem_timedwait(sem_t* semaphore, const timespec* limit) {
  static auto* const kReal = Next("sem_timedwait", &sem_timedwait);
  const timespec then = OnSystemsClock(CLOCK_REALTIME, *limit);
  return kReal(semaphore, &then);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* limit) {
  static auto* const kReal = Next("sem_clockwait", &sem_clockwait);
  const timespec then = OnSystemsClock(clock, *limit);
  return kReal(semaphore, clock, &then);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* limit) {
  static auto* const kReal = Next("pthread_cond_timedwait", &pthread_cond_timedwait);
  const timespec then = OnSystemsClock(ClockOf(*limit), *limit);
  return kReal(condition, mutex, &then);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* limit) {
  static auto* const kReal = Next("pthread_cond_clockwait", &pthread_cond_clockwait);
  const timespec then = OnSystemsClock(clock, *limit);
  return kReal(condition, mutex, clock, &then);
}
}
