// Waits of threads for each other with a time limit, and for conditions. The C library would wait
// by the system's clock; here a thread looks whether it can go on whenever others have run, until
// the limit on its own clock.
#undef _FORTIFY_SOURCE

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/held_locks.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/limit.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Look;

constexpr timespec kAtOnce = {.tv_sec = 0, .tv_nsec = 0};

// Tries until it returns anything but EBUSY, unless it never would.
template <typename Try>
int TryUntil(Limit limit, Try attempt, bool never = false) {
  const InObject here;
  for (;;) {
    const int error = attempt();
    if (error != EBUSY) return error;
    if (never) return EDEADLK;
    if (limit.Await() == ETIMEDOUT) return ETIMEDOUT;
  }
}

// Tries while the function returns -1 and the errno `again`. Signals interrupt it.
template <typename Try>
auto TryWhile(int again, Limit limit, int late, Try attempt) {
  const InObject here;
  for (;;) {
    const auto result = attempt();
    if (result >= 0 || errno != again) return result;
    const int error = limit.Await();
    if (error == 0) continue;
    errno = error == ETIMEDOUT ? late : error;
    return result;
  }
}

// Whether a call on the message queue returns at once: it has a message, or room for one, or
// refuses the call. Elsewhere a call with a limit that is over sleeps for an instant.
bool AnswersAtOnce(mqd_t queue, int16_t what, size_t size) {
  const bool receives = what == POLLIN;
  mq_attr attributes{};
  if (mq_getattr(queue, &attributes) != 0 || (attributes.mq_flags & O_NONBLOCK) != 0) return true;
  const auto longest = static_cast<size_t>(attributes.mq_msgsize);
  const int other_way = receives ? O_WRONLY : O_RDONLY;
  const bool refused = (receives ? size < longest : size > longest) ||
                       (fcntl(queue, F_GETFL) & O_ACCMODE) == other_way;
  pollfd one{.fd = queue, .events = what, .revents = 0};
  if (refused || syscall(SYS_poll, &one, 1, 0) != 0) return true;
  errno = ETIMEDOUT;
  return false;
}

// source: glibc 2.36 pthread_cond_wait.c ___pthread_cond_timedwait64
clockid_t ClockOf(const pthread_cond_t& condition) {
  return (condition.__data.__wrefs & 2U) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

struct Waiter {
  pthread_cond_t* condition;
  std::atomic<bool> signalled = false;
};

// Never destroyed: threads of the program may outlive main().
struct Waiters {
  std::mutex lock;
  std::list<Waiter*> all;  // in the order of their arrival
};

Waiters& TheWaiters() {
  static auto* const kWaiters = new Waiters;
  return *kWaiters;
}

// A thread that waits for a condition of several processes. When it is cancelled, it owns the mutex
// again.
class Unlocked {
 public:
  explicit Unlocked(pthread_mutex_t* mutex) : mutex_(mutex) { pthread_mutex_unlock(mutex_); }
  ~Unlocked() { pthread_mutex_lock(mutex_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

// The same for one of this process alone. Signals are for it while it has not the mutex, and until
// its limit is over: not while it waits for the mutex again.
class Waiting {
 public:
  Waiting(pthread_cond_t* condition, pthread_mutex_t* mutex)
      : waiter_{.condition = condition}, mutex_(mutex) {
    {
      const std::lock_guard held(TheWaiters().lock);
      TheWaiters().all.push_back(&waiter_);
    }
    pthread_mutex_unlock(mutex_);
  }
  ~Waiting() {
    {
      const std::lock_guard held(TheWaiters().lock);
      TheWaiters().all.remove(&waiter_);
    }
    pthread_mutex_lock(mutex_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  // Read last: others may go on where the lock is given back, and signal.
  bool signalled() const {
    { const std::lock_guard held(TheWaiters().lock); }
    return waiter_.signalled;
  }

 private:
  Waiter waiter_;
  pthread_mutex_t* mutex_;
};

// True for a condition of one process alone. source: glibc 2.36 pthread_cond_common.c
// __condvar_get_private
bool IsPrivate(const pthread_cond_t& condition) { return (condition.__data.__wrefs & 1U) == 0; }

// For a condition of several processes: another one may have signalled it, which is not heard of
// here. So the thread goes on whenever others have run, as POSIX permits, and looks by itself
// whether it has a reason. source: man pthread_cond_wait(3posix), spurious wakeups
class SharedLook {
 public:
  explicit SharedLook(const pthread_cond_t* condition) {
    // It has found no reason, and has done nothing that others look for.
    const bool again = last_ == condition && touches_ == Touches();
    look_ = again ? Look::kAgain : Look::kFirst;
    last_ = condition;
  }
  // The mutex is locked again.
  ~SharedLook() { touches_ = Touches(); }
  SharedLook(const SharedLook&) = delete;
  SharedLook& operator=(const SharedLook&) = delete;

  Look look() const { return look_; }

 private:
  static thread_local const pthread_cond_t* last_;
  static thread_local uint64_t touches_;

  Look look_;
};

thread_local const pthread_cond_t* SharedLook::last_ = nullptr;
thread_local uint64_t SharedLook::touches_ = 0;

int AwaitCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, Limit limit) {
  const InObject here;
  if (!IsPrivate(*condition)) {
    const SharedLook shared(condition);
    limit.SetLook(shared.look());
    const Unlocked unlocked(mutex);
    return limit.Await() == ETIMEDOUT ? ETIMEDOUT : 0;
  }
  const Waiting waiting(condition, mutex);
  while (!waiting.signalled())
    if (limit.Await() == ETIMEDOUT) return ETIMEDOUT;
  return 0;
}

// Wakes the first of those who wait here, or all.
void Wake(pthread_cond_t* condition, bool all) {
  const std::lock_guard held(TheWaiters().lock);
  for (Waiter* const waiter : TheWaiters().all) {
    if (waiter->condition != condition || waiter->signalled) continue;
    waiter->signalled = true;
    if (!all) return;
  }
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* limit) {
  static auto* const kReal = Next("sem_clockwait", &sem_clockwait);
  if (!SimulatedTime(clock) || !IsTime(*limit)) return kReal(semaphore, clock, limit);
  return TryWhile(EAGAIN, Limit(clock, *limit), ETIMEDOUT, [=] { return sem_trywait(semaphore); });
}

int sem_timedwait(sem_t* semaphore, const timespec* limit) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, limit);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* limit) {
  static auto* const kReal = Next("pthread_cond_clockwait", &pthread_cond_clockwait);
  if (!SimulatedTime(clock) || !IsTime(*limit)) return kReal(condition, mutex, clock, limit);
  return AwaitCondition(condition, mutex, Limit(clock, *limit));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* limit) {
  static auto* const kReal = Next("pthread_cond_timedwait", &pthread_cond_timedwait);
  const clockid_t clock = ClockOf(*condition);
  if (!SimulatedTime(clock) || !IsTime(*limit)) return kReal(condition, mutex, limit);
  return AwaitCondition(condition, mutex, Limit(clock, *limit));
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static auto* const kReal = Next("pthread_cond_wait", &pthread_cond_wait);
  if (!TakeTurns()) return kReal(condition, mutex);
  const InObject here;
  constexpr auto kWhat = cm::sim::uapi::LooksFor::kCondition;
  if (!IsPrivate(*condition)) {
    const SharedLook shared(condition);
    const Unlocked unlocked(mutex);
    AwaitOthers(kWhat, shared.look());
    return 0;
  }
  const Waiting waiting(condition, mutex);
  for (Look look = Look::kFirst; !waiting.signalled(); look = Look::kAgain)
    AwaitOthers(kWhat, look);
  return 0;
}

// In programs with a sanitizer threads wait in the C library.
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  static auto* const kReal = Next("pthread_cond_signal", &pthread_cond_signal);
  SpendComputation();
  Wake(condition, false);
  const int result = kReal(condition);
  OfferTurn();
  return result;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  static auto* const kReal = Next("pthread_cond_broadcast", &pthread_cond_broadcast);
  SpendComputation();
  Wake(condition, true);
  const int result = kReal(condition);
  OfferTurn();
  return result;
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* limit) noexcept {
  static auto* const kReal = Next("pthread_mutex_clocklock", &pthread_mutex_clocklock);
  if (!SimulatedTime(clock) || !IsTime(*limit)) return kReal(mutex, clock, limit);
  return TryUntil(
      Limit(clock, *limit), [=] { return pthread_mutex_trylock(mutex); }, RefusesItsOwner(*mutex));
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* limit) noexcept {
  return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, limit);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* limit) noexcept {
  static auto* const kReal = Next("pthread_rwlock_clockrdlock", &pthread_rwlock_clockrdlock);
  if (!SimulatedTime(clock) || !IsTime(*limit)) return kReal(lock, clock, limit);
  return TryUntil(
      Limit(clock, *limit), [=] { return pthread_rwlock_tryrdlock(lock); },
      RefusesItsWriter(*lock));
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* limit) noexcept {
  return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, limit);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* limit) noexcept {
  static auto* const kReal = Next("pthread_rwlock_clockwrlock", &pthread_rwlock_clockwrlock);
  if (!SimulatedTime(clock) || !IsTime(*limit)) return kReal(lock, clock, limit);
  return TryUntil(
      Limit(clock, *limit), [=] { return pthread_rwlock_trywrlock(lock); },
      RefusesItsWriter(*lock));
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* limit) noexcept {
  return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, limit);
}

int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* limit) {
  static auto* const kReal = Next("pthread_clockjoin_np", &pthread_clockjoin_np);
  if (limit == nullptr || !SimulatedTime(clock) || !IsTime(*limit))
    return kReal(thread, result, clock, limit);
  return TryUntil(Limit(clock, *limit), [=] { return pthread_tryjoin_np(thread, result); });
}

int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* limit) {
  return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, limit);
}

int sigtimedwait(const sigset_t* signals, siginfo_t* what, const timespec* limit) {
  static auto* const kReal = Next("sigtimedwait", &sigtimedwait);
  if (limit == nullptr || !SimulatedTime(CLOCK_MONOTONIC) || !IsTime(*limit))
    return kReal(signals, what, limit);
  return TryWhile(EAGAIN, Limit::In(*limit), EAGAIN,
                  [=] { return kReal(signals, what, &kAtOnce); });
}

ssize_t mq_timedreceive(mqd_t queue, char* bytes, size_t size, unsigned* priority,
                        const timespec* limit) {
  static auto* const kReal = Next("mq_timedreceive", &mq_timedreceive);
  if (!SimulatedTime(CLOCK_REALTIME) || !IsTime(*limit))
    return kReal(queue, bytes, size, priority, limit);
  return TryWhile(ETIMEDOUT, Limit(CLOCK_REALTIME, *limit), ETIMEDOUT, [=] {
    return AnswersAtOnce(queue, POLLIN, size) ? kReal(queue, bytes, size, priority, &kAtOnce) : -1;
  });
}

int mq_timedsend(mqd_t queue, const char* bytes, size_t size, unsigned priority,
                 const timespec* limit) {
  static auto* const kReal = Next("mq_timedsend", &mq_timedsend);
  if (!SimulatedTime(CLOCK_REALTIME) || !IsTime(*limit))
    return kReal(queue, bytes, size, priority, limit);
  return TryWhile(ETIMEDOUT, Limit(CLOCK_REALTIME, *limit), ETIMEDOUT, [=] {
    return AnswersAtOnce(queue, POLLOUT, size) ? kReal(queue, bytes, size, priority, &kAtOnce) : -1;
  });
}

int semtimedop(int set, sembuf* operations, size_t count, const timespec* limit) noexcept {
  static auto* const kReal = Next("semtimedop", &semtimedop);
  const bool waits = std::none_of(operations, operations + count, [](const sembuf& operation) {
    return (operation.sem_flg & IPC_NOWAIT) != 0;
  });
  if (limit == nullptr || !waits || !SimulatedTime(CLOCK_MONOTONIC) || !IsTime(*limit))
    return kReal(set, operations, count, limit);
  // With a limit that is over it sleeps for an instant.
  std::vector<sembuf> at_once(operations, operations + count);
  for (sembuf& operation : at_once) operation.sem_flg |= IPC_NOWAIT;
  return TryWhile(EAGAIN, Limit::In(*limit), EAGAIN,
                  [&] { return kReal(set, at_once.data(), count, nullptr); });
}
}
