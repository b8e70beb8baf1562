// Locks that the calling thread has itself, of a kind that the C library does not let it wait for.
#ifndef SIM_FAKE_LIBIBVERBS_HELD_LOCKS_H_
#define SIM_FAKE_LIBIBVERBS_HELD_LOCKS_H_

#include <pthread.h>
#include <sys/syscall.h>

#include "sim/fake_libibverbs/libc.h"

namespace cm::sim::fake_libibverbs {

inline bool IsOwnNumber(int thread) { return thread != 0 && thread == SystemCall(SYS_gettid, {}); }

// source: glibc 2.36 pthread_mutex_lock.c, pthread_mutex_timedlock.c
inline bool RefusesItsOwner(const pthread_mutex_t& mutex) {
  return (mutex.__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK && IsOwnNumber(mutex.__data.__owner);
}

// source: glibc 2.36 pthread_rwlock_common.c __pthread_rwlock_rdlock_full64,
// __pthread_rwlock_wrlock_full64
inline bool RefusesItsWriter(const pthread_rwlock_t& lock) {
  return IsOwnNumber(lock.__data.__cur_writer);
}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_HELD_LOCKS_H_
