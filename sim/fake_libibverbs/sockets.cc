// A program's sockets: their source addresses, their delays and their time limits.
//
// All simulated hosts share one interface of the system, which would use the destination address as
// source, and would keep short messages back until earlier ones are acknowledged: up to 40 ms of
// the system's time, in which all seem to sleep.
#undef _FORTIFY_SOURCE

#include "sim/fake_libibverbs/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "sim/fake_libibverbs/carrying.h"
#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/netlink.h"
#include "sim/fake_libibverbs/polling.h"
#include "sim/fake_libibverbs/ports.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::SleepsIn;

bool IsAnywhere(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return in.sin_addr.s_addr == INADDR_ANY && in.sin_port == 0;
  }
  sockaddr_in6 in6{};
  std::memcpy(&in6, &address, sizeof in6);
  return IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr) && in6.sin6_port == 0;
}

// An address of the program's own host.
sockaddr_storage OwnAddress(int family) {
  sockaddr_storage own{};
  const char* const named = std::getenv(family == AF_INET ? "CMSIM_ADDRESS" : "CMSIM_ADDRESS6");
  if (named == nullptr) return own;
  sockaddr_in in{};
  sockaddr_in6 in6{};
  in.sin_family = AF_INET;
  in6.sin6_family = AF_INET6;
  if (family == AF_INET && inet_pton(AF_INET, named, &in.sin_addr) == 1)
    std::memcpy(&own, &in, sizeof in);
  if (family == AF_INET6 && inet_pton(AF_INET6, named, &in6.sin6_addr) == 1)
    std::memcpy(&own, &in6, sizeof in6);
  return own;
}

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    return ntohl(in.sin_addr.s_addr) >> 24U == IN_LOOPBACKNET;
  }
  sockaddr_in6 in6{};
  std::memcpy(&in6, address, sizeof in6);
  return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr) || IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr);
}

// Unless the program has bound it. Where binding fails, the system chooses. Asks the kernel itself:
// what a preloaded object calls a socket may be none, as those of librspreload.
void BindToOwnHost(int fd, const sockaddr* peer) {
  sockaddr_storage now{};
  socklen_t length = sizeof now;
  if (IsLoopback(peer)) return;
  if (syscall(SYS_getsockname, fd, &now, &length) != 0) return;
  if (now.ss_family != peer->sa_family || !IsAnywhere(now)) return;
  const sockaddr_storage own = OwnAddress(peer->sa_family);
  if (own.ss_family != peer->sa_family) return;
  static_cast<void>(BindToNextPort(fd, reinterpret_cast<const sockaddr*>(&own), length));
}

// No effect on sockets of other kinds. Keeps errno.
void SendAtOnce(int fd) {
  static auto* const kReal = Next("setsockopt", &setsockopt);
  const int before = errno;
  constexpr int kOn = 1;
  kReal(fd, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  errno = before;
}

int Accepted(int fd) {
  if (fd < 0) return fd;
  SendAtOnce(fd);
  CarryNew(fd);
  return fd;
}

std::atomic<bool> any_limit = false;  // most programs set none

// A call of the system that receives, once it would not wait for longer than the socket's limit.
// Urgent bytes and errors are no readable ones, and are not waited for. source: linux 6.1 tcp.c
// tcp_recvmsg, ip_sockglue.c ip_recv_error
template <typename Receive>
auto Received(int fd, SleepsIn call, int flags, Receive receive) -> decltype(receive()) {
  const bool waits = (flags & (MSG_DONTWAIT | MSG_OOB | MSG_ERRQUEUE)) == 0;
  if (waits && !(BecomesReadable(fd) && AwaitReadable(fd, call))) return -1;
  const auto result = receive();
  if ((flags & MSG_WAITALL) != 0) AwaitTurn();
  NotePoll(result >= 0 || errno != EAGAIN);
  return result;
}

}  // namespace

bool BecomesReadable(int fd) {
  if (!any_limit || !SimulatedTime(CLOCK_MONOTONIC)) return true;
  timeval limit{};
  socklen_t length = sizeof limit;
  const int before = errno;
  if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &length) != 0) {
    errno = before;
    return true;
  }
  if ((limit.tv_sec == 0 && limit.tv_usec == 0) || IsNonBlocking(fd)) return true;
  pollfd readable = {.fd = fd, .events = POLLIN, .revents = 0};
  const timespec duration = {.tv_sec = limit.tv_sec, .tv_nsec = limit.tv_usec * 1'000};
  const int found = ppoll(&readable, 1, &duration, nullptr);
  if (found == 0) errno = EAGAIN;
  return found > 0;
}

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C
using cm::sim::uapi::SleepsIn;

extern "C" {

int connect(int fd, const sockaddr* peer, socklen_t length) {
  static auto* const kReal = Next("connect", &connect);
  const bool of_ip =
      peer != nullptr && ((length >= sizeof(sockaddr_in) && peer->sa_family == AF_INET) ||
                          (length >= sizeof(sockaddr_in6) && peer->sa_family == AF_INET6));
  if (!of_ip) return kReal(fd, peer, length);
  const int before = errno;
  BindToOwnHost(fd, peer);
  BindUnbound(fd);
  SendAtOnce(fd);
  errno = before;
  if (const int error = CarryRequest(fd, peer, length); error != 0) {
    errno = error;
    return -1;
  }
  const int result = kReal(fd, peer, length);
  CarryReply(fd, peer, length);
  return result;
}

// The system's limit stays: what waits in other functions than these waits by the system's clock.
int setsockopt(int fd, int level, int name, const void* value, socklen_t length) noexcept {
  static auto* const kReal = Next("setsockopt", &setsockopt);
  if (level == SOL_SOCKET && name == SO_RCVTIMEO) any_limit = true;
  return kReal(fd, level, name, value, length);
}

ssize_t recv(int fd, void* bytes, size_t size, int flags) {
  static auto* const kReal = Next("recv", &recv);
  const ssize_t received =
      Received(fd, SleepsIn::kReceive, flags, [=] { return kReal(fd, bytes, size, flags); });
  if (!Inside()) ShowOwnHost(fd, bytes, std::min(received, static_cast<ssize_t>(size)));
  return received;
}

ssize_t recvfrom(int fd, void* bytes, size_t size, int flags, sockaddr* peer, socklen_t* length) {
  static auto* const kReal = Next("recvfrom", &recvfrom);
  const ssize_t received = Received(fd, SleepsIn::kReceive, flags,
                                    [=] { return kReal(fd, bytes, size, flags, peer, length); });
  if (!Inside()) ShowOwnHost(fd, bytes, std::min(received, static_cast<ssize_t>(size)));
  return received;
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  static auto* const kReal = Next("recvmsg", &recvmsg);
  const ssize_t received =
      Received(fd, SleepsIn::kReceive, flags, [=] { return kReal(fd, message, flags); });
  if (received <= 0 || Inside() || message->msg_iovlen == 0) return received;
  const iovec& first = message->msg_iov[0];
  ShowOwnHost(fd, first.iov_base, std::min(received, static_cast<ssize_t>(first.iov_len)));
  return received;
}

// Up to the first that fails or finds nothing, or to the limit, at which only what has come counts.
// source: linux 6.1 socket.c do_recvmmsg
int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* limit) {
  static auto* const kReal = Next("recvmmsg", &recvmmsg);
  const std::optional<int64_t> begun = SimulatedTime(CLOCK_MONOTONIC);
  if (!begun || messages == nullptr || count == 0) return kReal(fd, messages, count, flags, limit);
  int received = 0;
  for (mmsghdr& each : std::span(messages, count)) {
    const bool waits = received == 0 || (flags & MSG_WAITFORONE) == 0;
    const int own = (flags & ~MSG_WAITFORONE) | (waits ? 0 : MSG_DONTWAIT);
    const ssize_t size = recvmsg(fd, &each.msg_hdr, own);
    if (size < 0) return received == 0 ? -1 : received;
    each.msg_len = static_cast<unsigned>(size);
    ++received;
    const int64_t passed = SimulatedTime(CLOCK_MONOTONIC).value_or(*begun) - *begun;
    if (limit != nullptr && passed >= NanosecondsOf(*limit)) break;
  }
  return received;
}

ssize_t readv(int fd, const iovec* pieces, int count) {
  static auto* const kReal = Next("readv", &readv);
  if (FindDescriptor(fd)) return kReal(fd, pieces, count);
  return Received(fd, SleepsIn::kRead, 0, [=] { return kReal(fd, pieces, count); });
}

int accept(int fd, sockaddr* peer, socklen_t* length) {
  static auto* const kReal = Next("accept", &accept);
  return Accepted(Received(fd, SleepsIn::kAccept, 0, [=] { return kReal(fd, peer, length); }));
}

int accept4(int fd, sockaddr* peer, socklen_t* length, int flags) {
  static auto* const kReal = Next("accept4", &accept4);
  return Accepted(
      Received(fd, SleepsIn::kAccept, 0, [=] { return kReal(fd, peer, length, flags); }));
}

// The fortified variants, which the headers call where they know the array's size.
ssize_t __recv_chk(int fd, void* bytes, size_t size, size_t /*room*/, int flags) {
  return recv(fd, bytes, size, flags);
}

ssize_t __recvfrom_chk(int fd, void* bytes, size_t size, size_t /*room*/, int flags, sockaddr* peer,
                       socklen_t* length) {
  return recvfrom(fd, bytes, size, flags, peer, length);
}
}
