#include "sim/fake_libibverbs/netlink.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "sim/fake_libibverbs/identity.h"

namespace cm::sim::fake_libibverbs {
namespace {

bool IsOfRoutes(int fd) {
  const int before = errno;
  int domain = 0;
  int protocol = -1;
  socklen_t length = sizeof domain;
  const bool known = getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 &&
                     domain == AF_NETLINK &&
                     getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0;
  errno = before;
  return known && protocol == NETLINK_ROUTE;
}

// Empty for a message without one. source: man rtnetlink(7), RTM_NEWADDR
std::string AddressIn(std::span<const std::byte> body) {
  ifaddrmsg head{};
  if (body.size() < sizeof head) return {};
  std::memcpy(&head, body.data(), sizeof head);
  body = body.subspan(NLMSG_ALIGN(sizeof head));
  std::string address;
  for (rtattr attribute{}; body.size() >= sizeof attribute;) {
    std::memcpy(&attribute, body.data(), sizeof attribute);
    if (attribute.rta_len < sizeof attribute || attribute.rta_len > body.size()) break;
    const bool whole = attribute.rta_len >= RTA_LENGTH(head.ifa_family == AF_INET6 ? 16 : 4);
    const bool is_address = attribute.rta_type == IFA_LOCAL || attribute.rta_type == IFA_ADDRESS;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (is_address && whole &&
        inet_ntop(head.ifa_family, body.data() + RTA_LENGTH(0), text.data(), text.size()) &&
        (address.empty() || attribute.rta_type == IFA_LOCAL))
      address = text.data();
    body = body.subspan(std::min<size_t>(RTA_ALIGN(attribute.rta_len), body.size()));
  }
  return address;
}

// source: man rtnetlink(7), RTM_NEWLINK
void ShowOwnMtu(std::span<std::byte> body) {
  if (body.size() < sizeof(ifinfomsg)) return;
  body = body.subspan(NLMSG_ALIGN(sizeof(ifinfomsg)));
  std::string interface;
  std::byte* place = nullptr;
  for (rtattr attribute{}; body.size() >= sizeof attribute;) {
    std::memcpy(&attribute, body.data(), sizeof attribute);
    if (attribute.rta_len < sizeof attribute || attribute.rta_len > body.size()) break;
    const std::span<std::byte> value =
        body.first(attribute.rta_len).subspan(std::min<size_t>(RTA_LENGTH(0), attribute.rta_len));
    if (attribute.rta_type == IFLA_IFNAME)
      interface.assign(reinterpret_cast<const char*>(value.data()),
                       strnlen(reinterpret_cast<const char*>(value.data()), value.size()));
    if (attribute.rta_type == IFLA_MTU && value.size() == sizeof(uint32_t)) place = value.data();
    body = body.subspan(std::min<size_t>(RTA_ALIGN(attribute.rta_len), body.size()));
  }
  const std::optional<uint32_t> mtu = MtuOf(interface);
  if (place != nullptr && mtu) std::memcpy(place, &*mtu, sizeof *mtu);
}

}  // namespace

void ShowOwnHost(int fd, void* bytes, ssize_t size) {
  if (bytes == nullptr || size < static_cast<ssize_t>(sizeof(nlmsghdr)) || !IsOfRoutes(fd)) return;
  std::span<std::byte> left(static_cast<std::byte*>(bytes), static_cast<size_t>(size));
  for (nlmsghdr head{}; left.size() >= sizeof head;) {
    std::memcpy(&head, left.data(), sizeof head);
    if (head.nlmsg_len < sizeof head || head.nlmsg_len > left.size()) return;
    if (head.nlmsg_type == RTM_NEWADDR) {
      const std::string address = AddressIn(left.first(head.nlmsg_len).subspan(NLMSG_HDRLEN));
      head.nlmsg_type = address.empty() || IsOwnAddress(address) ? RTM_NEWADDR : NLMSG_NOOP;
      std::memcpy(left.data(), &head, sizeof head);
    }
    if (head.nlmsg_type == RTM_NEWLINK)
      ShowOwnMtu(left.first(head.nlmsg_len).subspan(NLMSG_HDRLEN));
    left = left.subspan(std::min<size_t>(NLMSG_ALIGN(head.nlmsg_len), left.size()));
  }
}

}  // namespace cm::sim::fake_libibverbs
