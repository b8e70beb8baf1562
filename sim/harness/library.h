// Functions of C under a harness.
#ifndef SIM_HARNESS_LIBRARY_H_
#define SIM_HARNESS_LIBRARY_H_

#include <poll.h>

#include <span>

namespace cm::sim {

// Has librdmacm do what it does once in a process.
void InitializeLibrary();

// The system's poll, without waiting.
int PollNow(std::span<pollfd> descriptors);

}  // namespace cm::sim

#endif  // SIM_HARNESS_LIBRARY_H_
