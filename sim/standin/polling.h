// Detection of threads that poll in a loop.
#ifndef SIM_STANDIN_POLLING_H_
#define SIM_STANDIN_POLLING_H_

namespace cm::sim::standin {

// Records that the calling thread has polled descriptors without waiting. A thread that does so
// repeatedly without result yields to the others. Leaves errno unchanged.
void NotePoll(bool found);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_POLLING_H_
