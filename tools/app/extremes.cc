// A test program that waits with limits that are far away or none, or for a lock that it has
// itself, and sets timers likewise, as its argument says.
#include <fcntl.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>

#include "tools/app/limited_waits.h"

namespace cm::app {
namespace {

constexpr timespec kLongest = {.tv_sec = LONG_MAX, .tv_nsec = 0};
constexpr timespec kOneSecond = {.tv_sec = 1, .tv_nsec = 0};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

pthread_t Start(void* (*run)(void*)) {
  pthread_t thread{};
  pthread_create(&thread, nullptr, run, nullptr);
  return thread;
}

// Until an alarm.
int SleepForEver() {
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  sigaction(SIGALRM, &nothing, nullptr);
  alarm(2);
  return SleepFor(kLongest);
}

// Another thread signals the condition after two seconds.
int AwaitAConditionForEver() {
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  Start([](void* /*none*/) -> void* {
    SleepFor(kTwoSeconds);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return nullptr;
  });
  return pthread_cond_timedwait(&condition, &mutex, &kLongest);
}

int AwaitASemaphoreForEver() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  Start([](void* /*none*/) -> void* {
    SleepFor(kTwoSeconds);
    sem_post(&semaphore);
    return nullptr;
  });
  return sem_timedwait(&semaphore, &kLongest) == 0 ? 0 : errno;
}

// Another thread has the mutex for two seconds.
int LockForEver() {
  Start([](void* /*none*/) -> void* {
    pthread_mutex_lock(&mutex);
    SleepFor(kTwoSeconds);
    pthread_mutex_unlock(&mutex);
    return nullptr;
  });
  SleepFor({.tv_sec = 0, .tv_nsec = 1});
  return pthread_mutex_timedlock(&mutex, &kLongest);
}

// The time of another clock is over on that of a condition; with its own clock it is not.
int AwaitConditionsByTheirClock() {
  pthread_cond_t usual = PTHREAD_COND_INITIALIZER;
  pthread_cond_t monotonic;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic, &attributes);
  const timespec then = InTwoSeconds(CLOCK_MONOTONIC);
  const int64_t before = Now();
  pthread_mutex_lock(&mutex);
  if (pthread_cond_timedwait(&usual, &mutex, &then) != ETIMEDOUT) return -1;
  if (Now() - before > kSecond) return -2;
  return pthread_cond_timedwait(&monotonic, &mutex, &then);
}

// What is left of a second and as many microseconds; the C library makes two seconds of it.
int Select() {
  timeval limit = {.tv_sec = 1, .tv_usec = 1'000'000};
  if (select(0, nullptr, nullptr, nullptr, &limit) != 0) return -1;
  return static_cast<int>(limit.tv_sec + limit.tv_usec);
}

// 0 when each second lock is refused at once.
int LockTwice() {
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&lock);
  if (pthread_rwlock_rdlock(&lock) != EDEADLK) return 1;
  if (pthread_rwlock_wrlock(&lock) != EDEADLK) return 2;
  if (pthread_rwlock_timedrdlock(&lock, &then) != EDEADLK) return 3;
  if (pthread_rwlock_timedwrlock(&lock, &then) != EDEADLK) return 4;
  pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  pthread_mutex_lock(&checked);
  if (pthread_mutex_lock(&checked) != EDEADLK) return 5;
  if (pthread_mutex_timedlock(&checked, &then) != EDEADLK) return 6;
  return SleepFor(kTwoSeconds);
}

// Another thread has a mutex that refuses its owner.
int LockAfterAnother() {
  static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  Start([](void* /*none*/) -> void* {
    pthread_mutex_lock(&checked);
    SleepFor(kTwoSeconds);
    pthread_mutex_unlock(&checked);
    return nullptr;
  });
  SleepFor({.tv_sec = 0, .tv_nsec = 1});
  return pthread_mutex_lock(&checked);
}

bool IsNone(const timespec& time) { return time.tv_sec == 0 && time.tv_nsec == 0; }

// 0 when two timers that have expired, and were not read, have nothing left and half a second.
int ShowExpiredTimers() {
  const int once = timerfd_create(CLOCK_MONOTONIC, 0);
  const int repeats = timerfd_create(CLOCK_MONOTONIC, 0);
  itimerspec time = {.it_interval = {}, .it_value = kOneSecond};
  timerfd_settime(once, 0, &time, nullptr);
  time.it_interval = kOneSecond;
  timerfd_settime(repeats, 0, &time, nullptr);
  SleepFor({.tv_sec = 1, .tv_nsec = kSecond / 2});
  timerfd_gettime(once, &time);
  if (!IsNone(time.it_value)) return 1;
  timerfd_gettime(repeats, &time);
  if (time.it_value.tv_sec != 0 || time.it_value.tv_nsec < kSecond / 4) return 2;
  itimerspec before{};
  time = {};
  timerfd_settime(once, 0, &time, &before);
  if (!IsNone(before.it_value)) return 3;
  return SleepFor({.tv_sec = 0, .tv_nsec = kSecond / 2});
}

// 0 when times that are none are refused.
int SetTimersToNoTimes() {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, nullptr, &timer) != 0) return 1;
  const auto refused = [](int result) { return result < 0 && errno == EINVAL; };
  constexpr timespec kNoTime = {.tv_sec = 0, .tv_nsec = kSecond};
  const itimerspec no_value = {.it_interval = {}, .it_value = kNoTime};
  const itimerspec no_interval = {.it_interval = kNoTime, .it_value = kOneSecond};
  for (const itimerspec& time : {no_value, no_interval}) {
    if (!refused(timerfd_settime(fd, 0, &time, nullptr))) return 2;
    if (!refused(timer_settime(timer, 0, &time, nullptr))) return 3;
  }
  const itimerval no_alarm = {.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 1'000'000}};
  if (!refused(setitimer(ITIMER_REAL, &no_alarm, nullptr))) return 4;
  return SleepFor(kTwoSeconds);
}

// Without waiting, until another thread writes: in a loop that has no other call.
int ReadPiecesInALoop() {
  static std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_NONBLOCK) != 0) return errno;
  const timespec then = InTwoSeconds(CLOCK_MONOTONIC);
  Start([](void* /*none*/) -> void* {
    SleepFor({.tv_sec = 0, .tv_nsec = kSecond / 1000});
    static_cast<void>(!write(ends[1], "", 1));
    return nullptr;
  });
  char byte = 0;
  const iovec piece = {.iov_base = &byte, .iov_len = 1};
  while (readv(ends[0], &piece, 1) < 0)
    if (errno != EAGAIN) return errno;
  const int64_t rest = then.tv_sec * kSecond + then.tv_nsec - Now();
  return SleepFor({.tv_sec = rest / kSecond, .tv_nsec = rest % kSecond});
}

const LimitedWaits& Waits() {
  static const auto* const kAll = new LimitedWaits{
      {"sleep", &SleepForEver},
      {"condition", &AwaitAConditionForEver},
      {"semaphore", &AwaitASemaphoreForEver},
      {"mutex", &LockForEver},
      {"clocks", &AwaitConditionsByTheirClock},
      {"select", &Select},
      {"locked-twice", &LockTwice},
      {"locked-by-another", &LockAfterAnother},
      {"expired", &ShowExpiredTimers},
      {"no-times", &SetTimersToNoTimes},
      {"pieces", &ReadPiecesInALoop},
  };
  return *kAll;
}

}  // namespace
}  // namespace cm::app

int main(int count, char** arguments) {
  cm::app::WaitAndEnd(cm::app::Waits(), count > 1 ? arguments[1] : "");
  return 2;
}
