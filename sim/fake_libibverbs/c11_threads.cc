// Threads of C11, which the C library makes of those of POSIX, without their functions: here they
// call them, so that they take turns and wait in virtual time. Each type of C11 is the one of POSIX
// under another name. source: glibc 2.36 sysdeps/pthread/thrd_create.c, mtx_lock.c, cnd_wait.c
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <memory>

namespace cm::sim::fake_libibverbs {
namespace {

pthread_mutex_t* PosixOf(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* PosixOf(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

// source: glibc 2.36 thrd_priv.h thrd_err_map
int ResultOf(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

struct Start {
  thrd_start_t function;
  void* argument;
};

// The library's thrd_join takes the result out of the pointer.
void* Begin(void* given) {
  const std::unique_ptr<Start> start(static_cast<Start*>(given));
  const Start own = *start;
  return std::bit_cast<void*>(static_cast<intptr_t>(own.function(own.argument)));
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto start = std::make_unique<Start>(Start{.function = function, .argument = argument});
  const int error = pthread_create(thread, nullptr, &Begin, start.get());
  if (error == 0) static_cast<void>(start.release());
  return ResultOf(error);
}

// -1 after a signal, and another negative number where it fails.
int thrd_sleep(const timespec* duration, timespec* rest) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, duration, rest);
  if (error == 0) return 0;
  return error == EINTR ? -1 : -2;
}

void thrd_yield() { sched_yield(); }

int mtx_lock(mtx_t* mutex) { return ResultOf(pthread_mutex_lock(PosixOf(mutex))); }

int mtx_timedlock(mtx_t* mutex, const timespec* limit) {
  return ResultOf(pthread_mutex_timedlock(PosixOf(mutex), limit));
}

int mtx_unlock(mtx_t* mutex) { return ResultOf(pthread_mutex_unlock(PosixOf(mutex))); }

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return ResultOf(pthread_cond_wait(PosixOf(condition), PosixOf(mutex)));
}

int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* limit) {
  return ResultOf(pthread_cond_timedwait(PosixOf(condition), PosixOf(mutex), limit));
}

int cnd_signal(cnd_t* condition) { return ResultOf(pthread_cond_signal(PosixOf(condition))); }

int cnd_broadcast(cnd_t* condition) { return ResultOf(pthread_cond_broadcast(PosixOf(condition))); }
}
