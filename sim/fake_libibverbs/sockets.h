// Time limits of a program's sockets.
#ifndef SIM_FAKE_LIBIBVERBS_SOCKETS_H_
#define SIM_FAKE_LIBIBVERBS_SOCKETS_H_

namespace cm::sim::fake_libibverbs {

// Waits until the socket is readable, where it has a limit (SO_RCVTIMEO). Returns false, and errno
// is set, when the limit is reached or a signal comes. True without a limit: the system waits. Null
// in objects that leave sockets to the system.
__attribute__((weak)) bool BecomesReadable(int fd);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_SOCKETS_H_
