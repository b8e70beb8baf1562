// A test program that prints the MTU of an interface as an ioctl, netlink and sysfs have it.
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

int main(int count, char** arguments) {
  const char* const interface = count > 1 ? arguments[1] : "";
  ifreq asked{};
  std::strncpy(asked.ifr_name, interface, sizeof asked.ifr_name - 1);
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (ioctl(fd, SIOCGIFMTU, &asked) != 0) return 9;
  close(fd);
  const int routes = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  struct {
    nlmsghdr head;
    ifinfomsg body;
  } request{};
  request.head = {
      .nlmsg_len = sizeof request, .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST};
  request.body.ifi_index = static_cast<int>(if_nametoindex(interface));
  alignas(nlmsghdr) std::array<char, 1U << 16U> answer{};
  uint32_t by_netlink = 0;
  if (send(routes, &request, sizeof request, 0) < 0 ||
      recv(routes, answer.data(), answer.size(), 0) < 0)
    return 8;
  close(routes);
  const auto* const head = reinterpret_cast<const nlmsghdr*>(answer.data());
  auto left = static_cast<int>(IFLA_PAYLOAD(head));
  const rtattr* at = IFLA_RTA(static_cast<const ifinfomsg*>(NLMSG_DATA(head)));
  for (; RTA_OK(at, left); at = RTA_NEXT(at, left))
    if (at->rta_type == IFLA_MTU) std::memcpy(&by_netlink, RTA_DATA(at), sizeof by_netlink);
  int by_sysfs = 0;
  std::ifstream(std::string("/sys/class/net/") + interface + "/mtu") >> by_sysfs;
  std::printf("%d %u %d\n", asked.ifr_mtu, by_netlink, by_sysfs);
}
