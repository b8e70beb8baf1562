// Threads that a program starts, and what they wait for without a limit: they take turns.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "sim/fake_libibverbs/cancellation.h"
#include "sim/fake_libibverbs/held_locks.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Look;
using uapi::LooksFor;

// A new thread. It goes on at once, and its creator when it is its turn.
struct Beginning {
  void* (*function)(void*);
  void* argument;
  uint32_t number;
  sem_t known;
};

void* Begin(void* given) {
  auto* const beginning = static_cast<Beginning*>(given);
  const auto function = beginning->function;
  void* const argument = beginning->argument;
  BeginThread(beginning->number);
  sem_post(&beginning->known);
  return function(argument);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

// The functions of a sanitizer stay in place of these.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CM_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CM_SANITIZED
#endif

#ifndef CM_SANITIZED

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
  static auto* const kReal = Next("pthread_create", &pthread_create);
  if (!TakeTurns()) return kReal(thread, attributes, function, argument);
  SpendComputation();
  auto beginning = std::make_unique<Beginning>();
  beginning->function = function;
  beginning->argument = argument;
  beginning->number = NextThread();
  sem_init(&beginning->known, 0, 0);
  const int error = kReal(thread, attributes, &Begin, beginning.get());
  static auto* const kWait = Next("sem_wait", &sem_wait);
  const WithoutCancellation whole;
  while (error == 0 && kWait(&beginning->known) != 0) continue;
  sem_destroy(&beginning->known);
  if (error == 0) AwaitTurn();
  return error;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const kReal = Next("pthread_mutex_lock", &pthread_mutex_lock);
  if (!TakeTurns()) return kReal(mutex);
  OfferTurn();
  for (Look look = Look::kFirst;; look = Look::kAgain) {
    const int error = pthread_mutex_trylock(mutex);
    if (error != EBUSY) return error;
    if (RefusesItsOwner(*mutex)) return EDEADLK;
    const WithoutCancellation whole;
    AwaitOthers(LooksFor::kMutex, look);
  }
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static auto* const kReal = Next("pthread_mutex_unlock", &pthread_mutex_unlock);
  SpendComputation();
  const int error = kReal(mutex);
  OfferTurn();
  return error;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static auto* const kReal = Next("pthread_rwlock_rdlock", &pthread_rwlock_rdlock);
  if (!TakeTurns()) return kReal(lock);
  for (Look look = Look::kFirst;; look = Look::kAgain) {
    const int error = pthread_rwlock_tryrdlock(lock);
    if (error != EBUSY) return error;
    if (RefusesItsWriter(*lock)) return EDEADLK;
    const WithoutCancellation whole;
    AwaitOthers(LooksFor::kLock, look);
  }
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static auto* const kReal = Next("pthread_rwlock_wrlock", &pthread_rwlock_wrlock);
  if (!TakeTurns()) return kReal(lock);
  for (Look look = Look::kFirst;; look = Look::kAgain) {
    const int error = pthread_rwlock_trywrlock(lock);
    if (error != EBUSY) return error;
    if (RefusesItsWriter(*lock)) return EDEADLK;
    const WithoutCancellation whole;
    AwaitOthers(LooksFor::kLock, look);
  }
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  static auto* const kReal = Next("pthread_rwlock_unlock", &pthread_rwlock_unlock);
  SpendComputation();
  return kReal(lock);
}

int sem_wait(sem_t* semaphore) {
  static auto* const kReal = Next("sem_wait", &sem_wait);
  if (!TakeTurns()) return kReal(semaphore);
  for (Look look = Look::kFirst;; look = Look::kAgain) {
    const int result = sem_trywait(semaphore);
    if (result == 0 || errno != EAGAIN) return result;
    if (AwaitOthers(LooksFor::kSemaphore, look) == 0 || !SomeHandlerInterrupts()) continue;
    errno = EINTR;
    return -1;
  }
}

int sem_post(sem_t* semaphore) noexcept {
  static auto* const kReal = Next("sem_post", &sem_post);
  SpendComputation();
  const int result = kReal(semaphore);
  OfferTurn();
  return result;
}

// All threads go on at once.
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  static auto* const kReal = Next("pthread_barrier_wait", &pthread_barrier_wait);
  SpendComputation();
  const int result = kReal(barrier);
  AwaitTurn();
  return result;
}
}

#endif
