#include "conformance/adapters/wire/socket_door.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "conformance/process/descriptor.h"
#include "conformance/process/real_time.h"
#include "model/base/files.h"

namespace cm::live {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestFrame = 65536;

class SocketDoor : public Door {
 public:
  explicit SocketDoor(Descriptor socket) : socket_(std::move(socket)) {}
  SocketDoor(Descriptor socket, std::string own_path, const sockaddr_un& there)
      : socket_(std::move(socket)), own_path_(std::move(own_path)), there_(there) {}
  SocketDoor(const SocketDoor&) = delete;
  SocketDoor& operator=(const SocketDoor&) = delete;
  ~SocketDoor() override {
    if (!own_path_.empty()) unlink(own_path_.c_str());
  }

  Instant Now() override { return RealNow(); }

  void Send(std::span<const uint8_t> frame) override {
    const auto* there = there_ ? reinterpret_cast<const sockaddr*>(&*there_) : nullptr;
    (void)!sendto(socket_.get(), frame.data(), frame.size(), MSG_NOSIGNAL, there,
                  there_ ? sizeof *there_ : 0);
  }

  std::optional<Bytes> Receive(Instant until) override {
    const Deadline deadline(until - RealNow());
    for (;;) {
      pollfd ready = {socket_.get(), POLLIN, 0};
      const int left = deadline.milliseconds_left();
      if (poll(&ready, 1, left) > 0)
        if (auto frame = Take()) return frame;
      if (left == 0 || errno == EINTR) return std::nullopt;
    }
  }

 private:
  // What this machine sends on an interface comes back as well.
  std::optional<Bytes> Take() {
    Bytes frame(kLongestFrame);
    sockaddr_ll from = {};
    socklen_t size = sizeof from;
    errno = 0;
    const ssize_t got = recvfrom(socket_.get(), frame.data(), frame.size(), MSG_DONTWAIT,
                                 reinterpret_cast<sockaddr*>(&from), &size);
    if (got <= 0 || (from.sll_family == AF_PACKET && from.sll_pkttype == PACKET_OUTGOING))
      return std::nullopt;
    frame.resize(static_cast<size_t>(got));
    return frame;
  }

  Descriptor socket_;
  std::string own_path_;
  std::optional<sockaddr_un> there_;
};

std::string Errno() { return std::strerror(errno); }

std::optional<sockaddr_un> PathAddress(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

// Removes the socket of a process that was killed; false where it is another's, with EADDRINUSE.
bool RemoveLeftOver(const std::string& path, const sockaddr_un& address) {
  std::error_code ignored;
  const Descriptor other(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const bool is_left_over =
      fs::is_socket(path, ignored) &&
      connect(other.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno == ECONNREFUSED;
  if (is_left_over && unlink(path.c_str()) == 0) return true;
  errno = EADDRINUSE;
  return false;
}

}  // namespace

std::variant<Interface, std::string> FindInterface(const std::string& name) {
  Interface found{.name = name};
  ifreq request = {};
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (name.size() >= IFNAMSIZ) return fmt::format("no interface '{}'", name);
  std::copy(name.begin(), name.end(), request.ifr_name);
  if (ioctl(any.get(), SIOCGIFFLAGS, &request) != 0)
    return fmt::format("no interface '{}': {}", name, Errno());
  if ((request.ifr_flags & IFF_UP) == 0) return fmt::format("the interface '{}' is down", name);
  if (ioctl(any.get(), SIOCGIFHWADDR, &request) != 0 ||
      (request.ifr_hwaddr.sa_family != ARPHRD_ETHER))
    return fmt::format("the interface '{}' carries no Ethernet frames", name);
  std::copy_n(reinterpret_cast<const uint8_t*>(request.ifr_hwaddr.sa_data), 6, found.mac.begin());
  if (ioctl(any.get(), SIOCGIFADDR, &request) == 0) {
    sockaddr_in address = {};
    std::memcpy(&address, &request.ifr_addr, sizeof address);
    found.v4 = ntohl(address.sin_addr.s_addr);
  }
  return found;
}

std::variant<std::unique_ptr<Door>, std::string> OpenInterface(const Interface& interface) {
  Descriptor raw(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (raw.get() < 0)
    return errno == EPERM ? std::string(
                                "raw frames need CAP_NET_RAW: run as root, or `setcap "
                                "cap_net_raw+ep` the program")
                          : "no raw frames: " + Errno();
  sockaddr_ll address = {};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface.name.c_str()));
  if (bind(raw.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return fmt::format("no raw frames on '{}': {}", interface.name, Errno());
  // Those who look for an IPv6 address ask a group that the interface may not be in.
  packet_mreq groups = {};
  groups.mr_ifindex = address.sll_ifindex;
  groups.mr_type = PACKET_MR_ALLMULTI;
  (void)setsockopt(raw.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &groups, sizeof groups);
  return std::make_unique<SocketDoor>(std::move(raw));
}

std::variant<std::unique_ptr<Door>, std::string> OpenPaths(const std::string& here,
                                                           const std::string& there) {
  const auto own = PathAddress(here);
  const auto other = PathAddress(there);
  if (!own || !other) return fmt::format("a path is too long: {}, {}", here, there);
  Descriptor end(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (end.get() < 0) return "no socket: " + Errno();
  const auto bound = [&] {
    return bind(end.get(), reinterpret_cast<const sockaddr*>(&*own), sizeof *own) == 0;
  };
  if (!bound() && !(errno == EADDRINUSE && RemoveLeftOver(here, *own) && bound()))
    return fmt::format("{}: {}", here, Errno());
  return std::make_unique<SocketDoor>(std::move(end), here, *other);
}

std::string OwnRoce(uint32_t v4, const std::string& folder) {
  const std::string gid =
      fmt::format("0000:0000:0000:0000:0000:ffff:{:04x}:{:04x}", v4 >> 16, v4 & 0xffff);
  std::error_code ignored;
  for (const auto& device : fs::directory_iterator(folder, ignored))
    for (const auto& port : fs::directory_iterator(device.path() / "ports", ignored))
      for (const auto& entry : fs::directory_iterator(port.path() / "gids", ignored))
        if (const auto text = ReadFile(entry.path()); text && text->starts_with(gid))
          return device.path().filename().string();
  return {};
}

}  // namespace cm::live
