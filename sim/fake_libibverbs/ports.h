// Ports of a program's sockets of TCP and UDP that the program leaves to the system.
#ifndef SIM_FAKE_LIBIBVERBS_PORTS_H_
#define SIM_FAKE_LIBIBVERBS_PORTS_H_

#include <sys/socket.h>

namespace cm::sim::fake_libibverbs {

// Binds a socket to an address whose port is 0: to the next port of its host that is free. Keeps
// what the program has bound. Asks the system itself: what a preloaded object calls a socket may be
// none. Returns as bind(2).
int BindToNextPort(int fd, const sockaddr* address, socklen_t length);

// The same for a socket that is not bound, to any address. Keeps errno.
void BindUnbound(int fd);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_PORTS_H_
