// Source addresses of a program's sockets. All simulated hosts share one interface of the system,
// which would use the destination address as source.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sim/fake_libibverbs/libc.h"

namespace cm::sim::fake_libibverbs {
namespace {

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

// Unless the program has bound it. Where binding fails, the system chooses.
void BindToOwnHost(int fd, const sockaddr* peer) {
  sockaddr_storage now{};
  socklen_t length = sizeof now;
  if (IsLoopback(peer)) return;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&now), &length) != 0) return;
  if (now.ss_family != peer->sa_family || !IsAnywhere(now)) return;
  const sockaddr_storage own = OwnAddress(peer->sa_family);
  if (own.ss_family != peer->sa_family) return;
  static_cast<void>(bind(fd, reinterpret_cast<const sockaddr*>(&own), length));
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int connect(int fd, const sockaddr* peer, socklen_t length) {
  static auto* const kReal = Next("connect", &connect);
  const bool of_ip =
      peer != nullptr && ((length >= sizeof(sockaddr_in) && peer->sa_family == AF_INET) ||
                          (length >= sizeof(sockaddr_in6) && peer->sa_family == AF_INET6));
  if (of_ip) {
    const int before = errno;
    BindToOwnHost(fd, peer);
    errno = before;
  }
  return kReal(fd, peer, length);
}
}
