// Shared object for the suite: its driver is in the same process and provides the backend. All
// threads are fibers of one thread of the system.
#undef _FORTIFY_SOURCE

#include <pthread.h>

#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {

Backend* BackendOfEnvironment() { return nullptr; }

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

// Sets the backend for all later requests; null unsets it. The backend must outlive its use.
void cmsim_attach(Backend* backend) { SetBackend(backend); }

// Declares that the backend has a new world. The program can still release files and objects of the
// old one; requests about them have no effect.
void cmsim_reset() { NextWorld(); }

// The file behind a descriptor, as kOpen answered it; -1 when it is no file.
int64_t cmsim_file(int fd) {
  const auto found = FindDescriptor(fd);
  if (!found || found->kind != DescriptorKind::kFile || !found->file.Lives()) return -1;
  return found->file.number;
}

// A fiber that slept would keep the others from waking it. A spurious wakeup is permitted, and the
// caller checks its condition again. source: posix pthread_cond_wait
int pthread_cond_wait(pthread_cond_t* /*condition*/, pthread_mutex_t* mutex) {
  pthread_mutex_unlock(mutex);
  Yield();
  pthread_mutex_lock(mutex);
  return 0;
}
}
