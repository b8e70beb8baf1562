// C library functions used by the harness.
#ifndef SIM_HARNESS_LIBRARY_H_
#define SIM_HARNESS_LIBRARY_H_

#include <poll.h>

#include <span>

namespace cm::sim {

// Makes librdmacm run its initialization, once in a process.
void InitializeLibrary();

// The system's poll with a timeout of 0: returns the number of ready descriptors, or -1 and errno.
int PollNow(std::span<pollfd> descriptors);

}  // namespace cm::sim

#endif  // SIM_HARNESS_LIBRARY_H_
