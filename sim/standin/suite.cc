// The object for the suite: its driver is in the same process and brings the ground. All threads
// are fibers of one thread of the system.
#undef _FORTIFY_SOURCE

#include <pthread.h>

#include "sim/standin/asking.h"
#include "sim/standin/descriptors.h"

namespace cm::sim::standin {

Ground* GroundOfEnvironment() { return nullptr; }

}  // namespace cm::sim::standin

using namespace cm::sim::standin;  // what follows is C

extern "C" {

// From now on that ground is asked; none when it is null. It outlives its use.
void cmsim_attach(Ground* ground) { StandOn(ground); }

// The ground is of a new world. Files and objects of the old one are still there for the program to
// give back, and lead nowhere.
void cmsim_reset() { NextWorld(); }

// The file behind a descriptor, as kOpen answered it; -1 when it is none.
int64_t cmsim_file(int fd) {
  const auto found = FindDescriptor(fd);
  if (!found || found->kind != DescriptorKind::kFile || !found->file.Lives()) return -1;
  return found->file.number;
}

// A fiber that slept would keep the others from waking it. Waking up for nothing is permitted, so
// the caller looks at its condition again. source: posix pthread_cond_wait
int pthread_cond_wait(pthread_cond_t* /*condition*/, pthread_mutex_t* mutex) {
  pthread_mutex_unlock(mutex);
  Yield();
  pthread_mutex_lock(mutex);
  return 0;
}
}
