#include "tools/app/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace cm::app {
namespace {

constexpr const char* kLoopback = "lo";

// A netlink or ioctl request that changes interfaces.
class Interfaces {
 public:
  explicit Interfaces(int family) : socket_(socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ~Interfaces() {
    if (socket_ >= 0) close(socket_);
  }
  Interfaces(const Interfaces&) = delete;
  Interfaces& operator=(const Interfaces&) = delete;

  template <typename T>
  bool Do(unsigned long request, T* argument) const {
    return ioctl(socket_, request, argument) == 0;
  }

 private:
  int socket_;
};

ifreq Called(const std::string& name) {
  ifreq request{};
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  return request;
}

void BringUp() {
  const Interfaces interfaces(AF_INET);
  ifreq request = Called(kLoopback);
  request.ifr_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
  interfaces.Do(SIOCSIFFLAGS, &request);
}

// Further IP addresses of the interface have further names.
void AddAddress(const std::string& host, size_t nth) {
  const Interfaces interfaces(AF_INET);
  ifreq request = Called(fmt::format("{}:{}", kLoopback, nth));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return;
  std::memcpy(&request.ifr_addr, &address, sizeof address);
  if (!interfaces.Do(SIOCSIFADDR, &request)) return;
  address.sin_addr.s_addr = INADDR_NONE;  // this host only
  std::memcpy(&request.ifr_netmask, &address, sizeof address);
  interfaces.Do(SIOCSIFNETMASK, &request);
}

void AddAddress6(const std::string& host) {
  const Interfaces interfaces(AF_INET6);
  ifreq loopback = Called(kLoopback);
  in6_ifreq request{};
  if (inet_pton(AF_INET6, host.c_str(), &request.ifr6_addr) != 1) return;
  if (!interfaces.Do(SIOCGIFINDEX, &loopback)) return;
  request.ifr6_ifindex = loopback.ifr_ifindex;
  request.ifr6_prefixlen = 128;
  interfaces.Do(SIOCSIFADDR, &request);
}

}  // namespace

Network::Network(const Topology& topology)
    : before_(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
  if (before_ < 0) return;
  if (unshare(CLONE_NEWNET) != 0) {
    close(before_);
    before_ = -1;
    return;
  }
  BringUp();
  size_t addresses = 0;
  for (const DeviceInfo& device : topology.devices) {
    for (size_t nth = 0; nth < device.AddressCount(); ++nth) {
      const std::string_view host = device.Host(nth, false);
      if (!host.empty()) AddAddress(std::string(host), ++addresses);
      const std::string_view host6 = device.Host(nth, true);
      if (!host6.empty()) AddAddress6(std::string(host6));
    }
  }
}

Network::~Network() {
  if (before_ < 0) return;
  setns(before_, CLONE_NEWNET);
  close(before_);
}

}  // namespace cm::app
