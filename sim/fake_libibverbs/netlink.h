// What programs hear of addresses and interfaces over netlink.
#ifndef SIM_FAKE_LIBIBVERBS_NETLINK_H_
#define SIM_FAKE_LIBIBVERBS_NETLINK_H_

#include <sys/types.h>

namespace cm::sim::fake_libibverbs {

// Of what a socket has received: messages about addresses of other hosts become NLMSG_NOOP, and
// those about interfaces have the host's MTU. No effect on sockets of other kinds. Keeps errno.
void ShowOwnHost(int fd, void* bytes, ssize_t size);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_NETLINK_H_
