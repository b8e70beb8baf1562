// Detection of threads that poll in a loop.
#ifndef SIM_FAKE_LIBIBVERBS_POLLING_H_
#define SIM_FAKE_LIBIBVERBS_POLLING_H_

namespace cm::sim::fake_libibverbs {

// Records that the calling thread has polled descriptors without waiting. A thread that does so
// repeatedly without result yields to the others. Leaves errno unchanged.
void NotePoll(bool found);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_POLLING_H_
