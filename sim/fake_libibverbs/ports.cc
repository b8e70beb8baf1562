// Ports of a program's sockets. The system draws those that a program leaves to it, so that they
// would be others in each run.
#include "sim/fake_libibverbs/ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sim/fake_libibverbs/libc.h"
#include "sim/uapi/shared_ports.h"

namespace cm::sim::fake_libibverbs {
namespace {

// source: linux 6.1 inet_net_ns_init, ip_local_port_range
constexpr uint32_t kFirst = 32768;
constexpr uint32_t kPorts = 60999 - kFirst + 1;

uapi::PortsRecord* OfHost() {
  const char* const folder = std::getenv("CMSIM_HOST");
  if (folder == nullptr) return nullptr;
  const std::string path = std::string(folder) + "/" + uapi::PortsRecord::kName;
  return uapi::SeePorts(path.c_str());
}

// In network byte order; 0: the system chooses.
uint16_t NextPort() {
  static uapi::PortsRecord* const kRecord = OfHost();
  if (kRecord == nullptr) return 0;
  return htons(static_cast<uint16_t>(kFirst + kRecord->given++ % kPorts));
}

struct Address {
  sockaddr_storage bytes{};
  socklen_t length = sizeof bytes;

  // Where it is for both families.
  uint16_t port() const {
    sockaddr_in in{};
    std::memcpy(&in, &bytes, sizeof in);
    return in.sin_port;
  }
  void SetPort(uint16_t port) {
    sockaddr_in in{};
    std::memcpy(&in, &bytes, sizeof in);
    in.sin_port = port;
    std::memcpy(&bytes, &in, sizeof in);
  }
  bool IsOfIp() const { return bytes.ss_family == AF_INET || bytes.ss_family == AF_INET6; }
};

Address OwnOf(int fd) {
  Address own;
  if (syscall(SYS_getsockname, fd, &own.bytes, &own.length) != 0) own.bytes.ss_family = AF_UNSPEC;
  return own;
}

bool IsOfTcpOrUdp(int fd) {
  int protocol = 0;
  socklen_t length = sizeof protocol;
  return syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 &&
         (protocol == IPPROTO_TCP || protocol == IPPROTO_UDP);
}

// True for a socket of TCP or UDP that has no port yet. `own` is its address.
bool IsUnbound(int fd, const Address& own) {
  return own.IsOfIp() && own.port() == 0 && IsOfTcpOrUdp(fd);
}

}  // namespace

int BindToNextPort(int fd, const sockaddr* address, socklen_t length) {
  Address own;
  own.length = std::min(length, own.length);
  std::memcpy(&own.bytes, address, own.length);
  for (uint32_t i = 0; i < kPorts; ++i) {
    own.SetPort(NextPort());
    if (syscall(SYS_bind, fd, &own.bytes, own.length) == 0) return 0;
    if (errno != EADDRINUSE) break;
  }
  return -1;
}

void BindUnbound(int fd) {
  const int before = errno;
  const Address own = OwnOf(fd);
  if (IsUnbound(fd, own))
    static_cast<void>(
        BindToNextPort(fd, reinterpret_cast<const sockaddr*>(&own.bytes), own.length));
  errno = before;
}

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int bind(int fd, const sockaddr* address, socklen_t length) noexcept {
  static auto* const kReal = Next("bind", &bind);
  sockaddr_in in{};
  if (address != nullptr) std::memcpy(&in, address, std::min<size_t>(length, sizeof in));
  const bool of_ip = length >= sizeof in && (in.sin_family == AF_INET || in.sin_family == AF_INET6);
  if (!of_ip || in.sin_port != 0 || !IsUnbound(fd, OwnOf(fd))) return kReal(fd, address, length);
  return BindToNextPort(fd, address, length);
}

int listen(int fd, int backlog) noexcept {
  static auto* const kReal = Next("listen", &listen);
  BindUnbound(fd);
  return kReal(fd, backlog);
}
}
