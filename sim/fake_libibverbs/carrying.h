// What a program sends to other hosts over TCP and UDP: its bytes reach the system's socket when
// they arrive, by the links of the simulated network, in virtual time.
//
// The weak functions are null in objects that leave sockets to the system.
#ifndef SIM_FAKE_LIBIBVERBS_CARRYING_H_
#define SIM_FAKE_LIBIBVERBS_CARRYING_H_

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <optional>

namespace cm::sim::fake_libibverbs {

// As sendmsg(2), for bytes without an address: the number of bytes taken, or -1 and errno is set.
// Empty where the system sends them: to the same host, or what is no socket of TCP or UDP.
__attribute__((weak)) std::optional<ssize_t> CarryBytes(int fd, const iovec* pieces, size_t count,
                                                        int flags);

// After a call of the system that was to send bytes, and has returned `sent`, as it returns: what
// stays on the host takes its sender time, and an attempt in vain does. Keeps errno.
__attribute__((weak)) ssize_t SentBySystem(int fd, ssize_t sent);

// A descriptor that is about to be closed, or to become another file: its end arrives after all
// that it has sent.
__attribute__((weak)) void CarryEnd(int fd);

// A connection over TCP takes two messages: before connect(2) of the system, and after it, whatever
// has come of that. Returns 0 or an errno.
int CarryRequest(int fd, const sockaddr* peer, socklen_t length);
void CarryReply(int fd, const sockaddr* peer, socklen_t length);

// A process may end: with signal 0 this one by itself, otherwise by the signal that is to be sent
// to it. The ends of its sockets then take their way.
void CarryMayEnd(pid_t process, int signal);

// The process is about to become another program, which has no descriptor that closes at exec: the
// ends of those take their way. Returns whether it has any; if the program cannot be executed, the
// next function says so.
bool CarryEndsAtExec();
void CarryNoEndsAtExec();

// A descriptor that is new: what is known of its number is of another file.
void CarryNew(int fd);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_CARRYING_H_
