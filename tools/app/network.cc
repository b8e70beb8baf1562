#include "tools/app/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "sim/fabric/names.h"

namespace cm::app {
namespace {

constexpr const char* kLoopback = "lo";
constexpr const char* kBridge = "hosts";
constexpr uint32_t kLargestPacket = 65535;
constexpr char kUp = 6;  // source: linux if.h IF_OPER_UP, which net/if.h does not have

// The other end of a device's interface.
std::string EndOf(size_t device) { return fmt::format("end{}", device); }

// A request of NETLINK_ROUTE: a header, a body, and attributes. source: man netlink(7),
// rtnetlink(7)
class Request {
 public:
  template <typename Body>
  Request(uint16_t type, uint16_t flags, const Body& body) {
    const nlmsghdr head = {.nlmsg_len = 0,
                           .nlmsg_type = type,
                           .nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags),
                           .nlmsg_seq = 0,
                           .nlmsg_pid = 0};
    Append(head);
    Append(body);
  }

  template <typename Body>
  void Append(const Body& body) {
    bytes_.append(reinterpret_cast<const char*>(&body), sizeof body);
    Pad();
  }
  void Add(uint16_t type, std::string_view value) {
    const size_t begin = Begin(type);
    bytes_.append(value);
    End(begin);
  }
  void AddName(uint16_t type, const std::string& name) {
    Add(type, std::string_view(name.c_str(), name.size() + 1));
  }
  void AddNumber(uint16_t type, uint32_t value) {
    Add(type, std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
  }
  // Attributes in an attribute.
  size_t Begin(uint16_t type) {
    const size_t begin = bytes_.size();
    Append(rtattr{.rta_len = 0, .rta_type = type});
    return begin;
  }
  void End(size_t begin) {
    const auto length = static_cast<uint16_t>(bytes_.size() - begin);
    std::memcpy(bytes_.data() + begin, &length, sizeof length);
    Pad();
  }

  // In the namespace of the calling thread. Returns whether it was carried out.
  bool Do() {
    const std::string answer = Ask();
    nlmsgerr error{};
    if (answer.size() < NLMSG_HDRLEN + sizeof error) return false;
    std::memcpy(&error, answer.data() + NLMSG_HDRLEN, sizeof error);
    return error.error == 0;
  }
  // The first message of the answer.
  std::string Ask() {
    const Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    const auto length = static_cast<uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &length, sizeof length);
    std::string answer(16384, '\0');
    const bool sent = send(socket.get(), bytes_.data(), bytes_.size(), 0) >= 0;
    const ssize_t size = sent ? recv(socket.get(), answer.data(), answer.size(), 0) : -1;
    answer.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    return answer;
  }

 private:
  void Pad() { bytes_.resize(NLMSG_ALIGN(bytes_.size())); }

  std::string bytes_;
};

Descriptor OwnNamespace() {
  return Descriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

bool BringUp(const std::string& name) {
  ifinfomsg link{};
  link.ifi_index = static_cast<int>(if_nametoindex(name.c_str()));
  link.ifi_flags = link.ifi_change = IFF_UP;
  return Request(RTM_NEWLINK, 0, link).Do();
}

// Its carrier is there, and the system has taken note: from then on it sends. source: linux 6.1
// link_watch.c linkwatch_do_dev
bool IsOperational(const std::string& name) {
  ifinfomsg link{};
  link.ifi_index = static_cast<int>(if_nametoindex(name.c_str()));
  const std::string answer = Request(RTM_GETLINK, 0, link).Ask();
  for (size_t at = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof link); at + sizeof(rtattr) < answer.size();) {
    rtattr attribute{};
    std::memcpy(&attribute, answer.data() + at, sizeof attribute);
    if (attribute.rta_type == IFLA_OPERSTATE) return answer[at + sizeof attribute] == kUp;
    if (attribute.rta_len < sizeof attribute) return false;
    at += RTA_ALIGN(attribute.rta_len);
  }
  return false;
}

// A port of a bridge. Refused while it is not operational. source: linux 6.1 br_netlink.c
// br_set_port_state
bool Forwards(const std::string& name) {
  ifinfomsg link{};
  link.ifi_family = AF_BRIDGE;
  link.ifi_index = static_cast<int>(if_nametoindex(name.c_str()));
  Request request(RTM_SETLINK, 0, link);
  const size_t port = request.Begin(IFLA_PROTINFO | NLA_F_NESTED);
  request.Add(IFLA_BRPORT_STATE, std::string_view("\x03", 1));
  request.End(port);
  return request.Do();
}

bool BecomesOperational(const std::string& name) {
  constexpr int kMilliseconds = 10'000;
  for (int i = 0; i < kMilliseconds; ++i) {
    if (IsOperational(name)) return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

// The bytes of a numeric address; empty for none.
std::string BytesOf(std::string_view host, bool v6) {
  std::string bytes(v6 ? sizeof(in6_addr) : sizeof(in_addr), '\0');
  const int family = v6 ? AF_INET6 : AF_INET;
  return inet_pton(family, std::string(host).c_str(), bytes.data()) == 1 ? bytes : "";
}

std::vector<size_t> DevicesOf(const Topology& topology, uint8_t kernel) {
  std::vector<size_t> devices;
  for (size_t device = 0; device < topology.devices.size(); ++device)
    if (topology.devices[device].kernel == kernel) devices.push_back(device);
  return devices;
}

// Everything to and from other hosts goes over its interface.
size_t FirstDeviceOf(const Topology& topology, uint8_t kernel) {
  return DevicesOf(topology, kernel).front();
}

// Calls `body` with each address of the devices of the kernel, until it returns false.
template <typename Body>
bool ForEachAddress(const Topology& topology, uint8_t kernel, Body body) {
  for (const size_t number : DevicesOf(topology, kernel)) {
    const DeviceInfo& device = topology.devices[number];
    for (size_t nth = 0; nth < device.AddressCount(); ++nth)
      for (const bool v6 : {false, true})
        if (const std::string bytes = BytesOf(device.Host(nth, v6), v6); !bytes.empty())
          if (!body(device, bytes, v6)) return false;
  }
  return true;
}

std::string HardwareAddress(size_t device) {
  const std::array<uint8_t, 6> bytes = HardwareAddressOf(device);
  return {bytes.begin(), bytes.end()};
}

unsigned LinkOf(const DeviceInfo& device) { return if_nametoindex(device.netdev.c_str()); }

// Without duplicate address detection, which takes a second.
bool AddAddress(unsigned link, const std::string& bytes, bool v6) {
  ifaddrmsg address{};
  address.ifa_family = v6 ? AF_INET6 : AF_INET;
  address.ifa_prefixlen = static_cast<uint8_t>(bytes.size() * 8);
  address.ifa_flags = IFA_F_NODAD;
  address.ifa_index = link;
  Request request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, address);
  request.Add(IFA_LOCAL, bytes);
  request.Add(IFA_ADDRESS, bytes);
  return request.Do();
}

// The way to an address of another host, and its hardware address: they need not ask for it.
bool AddRoute(unsigned link, const std::string& bytes, bool v6, const std::string& hardware) {
  rtmsg route{};
  route.rtm_family = v6 ? AF_INET6 : AF_INET;
  route.rtm_dst_len = static_cast<uint8_t>(bytes.size() * 8);
  route.rtm_table = RT_TABLE_MAIN;
  route.rtm_protocol = RTPROT_STATIC;
  route.rtm_scope = v6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
  route.rtm_type = RTN_UNICAST;
  Request request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, route);
  request.Add(RTA_DST, bytes);
  request.AddNumber(RTA_OIF, link);
  ndmsg neighbour{};
  neighbour.ndm_family = route.rtm_family;
  neighbour.ndm_ifindex = static_cast<int>(link);
  neighbour.ndm_state = NUD_PERMANENT;
  Request known(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, neighbour);
  known.Add(NDA_DST, bytes);
  known.Add(NDA_LLADDR, hardware);
  return request.Do() && known.Do();
}

}  // namespace

std::array<uint8_t, 6> HardwareAddressOf(size_t device) {
  return sim::MacOf(static_cast<uint8_t>(device));
}

Network::Visit::Visit(int name_space) {
  if (name_space < 0) return;
  Descriptor before = OwnNamespace();
  if (setns(name_space, CLONE_NEWNET) == 0) before_ = std::move(before);
}

Network::Visit::~Visit() {
  if (before_.get() >= 0) static_cast<void>(setns(before_.get(), CLONE_NEWNET));
}

Network::Network(const Topology& topology) : topology_(topology) {
  const Descriptor ours = OwnNamespace();
  if (ours.get() < 0 || unshare(CLONE_NEWNET) != 0) return;
  bridge_ = OwnNamespace();
  bool made = MakeBridge();
  for (uint8_t kernel = 0; kernel < topology.hosts.size() && made; ++kernel) {
    hosts_.push_back(MakeHost(kernel));
    made = hosts_.back().get() >= 0;
  }
  for (uint8_t kernel = 0; kernel < topology.hosts.size() && made; ++kernel) made = IsUp(kernel);
  if (!made) hosts_.clear();
  static_cast<void>(setns(ours.get(), CLONE_NEWNET));
}

bool Network::MakeBridge() {
  Request request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, ifinfomsg{});
  request.AddName(IFLA_IFNAME, kBridge);
  request.AddNumber(IFLA_MTU, kLargestPacket);
  const size_t info = request.Begin(IFLA_LINKINFO);
  request.Add(IFLA_INFO_KIND, "bridge");
  request.End(info);
  return request.Do() && BringUp(kBridge);
}

// A pair of virtual interfaces: one here, and one there, which is the device's. That of the host's
// first device is a port of the bridge; others lead nowhere.
bool Network::MakeLink(size_t device, int there) const {
  const DeviceInfo& info = topology_.devices[device];
  Request request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, ifinfomsg{});
  request.AddName(IFLA_IFNAME, EndOf(device));
  request.AddNumber(IFLA_MTU, kLargestPacket);
  if (device == FirstDeviceOf(topology_, info.kernel))
    request.AddNumber(IFLA_MASTER, if_nametoindex(kBridge));
  const size_t kind = request.Begin(IFLA_LINKINFO);
  request.Add(IFLA_INFO_KIND, "veth");
  const size_t data = request.Begin(IFLA_INFO_DATA);
  const size_t peer = request.Begin(VETH_INFO_PEER);
  request.Append(ifinfomsg{});
  request.AddName(IFLA_IFNAME, info.netdev);
  request.Add(IFLA_ADDRESS, HardwareAddress(device));
  request.AddNumber(IFLA_MTU, kLargestPacket);
  request.AddNumber(IFLA_NET_NS_FD, static_cast<uint32_t>(there));
  request.End(peer);
  request.End(data);
  request.End(kind);
  return request.Do() && BringUp(EndOf(device));
}

Descriptor Network::MakeHost(uint8_t kernel) {
  if (unshare(CLONE_NEWNET) != 0) return Descriptor();
  Descriptor host = OwnNamespace();
  static_cast<void>(setns(bridge_.get(), CLONE_NEWNET));
  for (const size_t device : DevicesOf(topology_, kernel))
    if (!MakeLink(device, host.get())) return Descriptor();
  const Visit there(host.get());
  return Settle(kernel) ? std::move(host) : Descriptor();
}

// In the host's namespace.
bool Network::Settle(uint8_t kernel) const {
  bool settled = BringUp(kLoopback);
  for (const size_t device : DevicesOf(topology_, kernel))
    settled = settled && BringUp(topology_.devices[device].netdev);
  settled =
      settled && ForEachAddress(topology_, kernel,
                                [](const DeviceInfo& device, const std::string& bytes, bool v6) {
                                  return AddAddress(LinkOf(device), bytes, v6);
                                });
  const unsigned link = LinkOf(topology_.devices[FirstDeviceOf(topology_, kernel)]);
  for (uint8_t other = 0; other < topology_.hosts.size() && settled; ++other) {
    if (other == kernel) continue;
    const std::string hardware = HardwareAddress(FirstDeviceOf(topology_, other));
    settled = ForEachAddress(topology_, other,
                             [&](const DeviceInfo& /*device*/, const std::string& bytes, bool v6) {
                               return AddRoute(link, bytes, v6, hardware);
                             });
  }
  return settled;
}

// Both ends of its links.
bool Network::IsUp(uint8_t kernel) const {
  const Visit here(bridge_.get());
  const std::vector<size_t> devices = DevicesOf(topology_, kernel);
  for (const size_t device : devices)
    if (!BecomesOperational(EndOf(device))) return false;
  if (!Forwards(EndOf(devices.front()))) return false;
  const Visit there(hosts_[kernel].get());
  return std::ranges::all_of(devices, [this](size_t device) {
    return BecomesOperational(topology_.devices[device].netdev);
  });
}

std::string Network::PathOf(uint8_t kernel) const {
  return fmt::format("/proc/self/fd/{}", hosts_[kernel].get());
}

void Network::Cut(uint8_t kernel) const {
  if (!is_apart()) return;
  const Visit here(bridge_.get());
  for (const size_t device : DevicesOf(topology_, kernel)) {
    ifinfomsg link{};
    link.ifi_index = static_cast<int>(if_nametoindex(EndOf(device).c_str()));
    static_cast<void>(Request(RTM_DELLINK, 0, link).Do());
  }
}

void Network::Renew(uint8_t kernel) {
  if (!is_apart()) return;
  const Visit here(bridge_.get());
  if (Descriptor host = MakeHost(kernel); host.get() >= 0) hosts_[kernel] = std::move(host);
  static_cast<void>(IsUp(kernel));
}

}  // namespace cm::app
