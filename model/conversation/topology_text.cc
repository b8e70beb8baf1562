#include "model/conversation/topology_text.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/base/duration.h"

namespace cm {
namespace {

constexpr size_t kMostHosts = kMostDevices;
constexpr size_t kMostAddresses = 16;            // of a device
constexpr std::string_view kNoAddress = "none";  // of IPv4

constexpr std::array<std::string_view, 5> kKeys = {"host", "device", "port", "side", "unlinked"};
// The first word of lines of a conversation or a history, besides sides.
constexpr auto kOtherWords = std::to_array<std::string_view>(
    {"pass", "settle", "fault", "heal", "topology", "profile", "capabilities", "conversation",
     "seed", "order", "mad", "tcp", "returned", "implementation", "any"});

bool IsName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// Names accepted by the kernel. source: linux 6.1 net/core/dev.c dev_valid_name
bool IsInterface(std::string_view name) {
  constexpr size_t kLongest = 15;
  return !name.empty() && name.size() <= kLongest && name != "." && name != ".." &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

// A multicast or broadcast address. The address is numeric.
bool IsOfMany(const HostAddress& address) {
  constexpr uint8_t kFirstGroup = 224;  // and above them the broadcast address
  in_addr v4{};
  in6_addr v6{};
  inet_pton(AF_INET, address.v4.c_str(), &v4);
  inet_pton(AF_INET6, address.v6.c_str(), &v6);
  return (ntohl(v4.s_addr) >> 24) >= kFirstGroup || v6.s6_addr[0] == 0xff;
}

// The shortest spelling, so that equal addresses have equal texts.
bool IsNumeric(int family, const std::string& text) {
  in6_addr bytes{};
  std::array<char, INET6_ADDRSTRLEN> shortest{};
  return inet_pton(family, text.c_str(), &bytes) == 1 &&
         inet_ntop(family, &bytes, shortest.data(), shortest.size()) != nullptr &&
         text == shortest.data();
}

std::string_view OrNone(std::string_view v4) { return v4.empty() ? kNoAddress : v4; }

}  // namespace

std::string ToText(const Topology& topology) {
  std::string text = fmt::format("topology {}\n", topology.name);
  for (size_t host = 0; host < topology.hosts.size(); ++host) {
    text += fmt::format("host {}\n", topology.hosts[host]);
    for (const DeviceInfo& device : topology.devices) {
      if (device.kernel != host) continue;
      text += device.port == 1 ? "device " + device.name : fmt::format("port {}", device.port);
      text += " on=" + device.netdev;
      for (size_t nth = 0; nth < device.AddressCount(); ++nth)
        text +=
            fmt::format(" address={},{}", OrNone(device.Host(nth, false)), device.Host(nth, true));
      text += fmt::format("{}{}\n", device.bonded ? " bonded" : "",
                          device.tester && device.port == 1 ? " tester" : "");
    }
  }
  for (const SideInfo& side : topology.sides)
    text += fmt::format("side {} device={}\n", side.name, topology.PortName(side.device));
  for (const auto& [a, b] : topology.unlinked)
    text += fmt::format("unlinked {} {}\n", topology.PortName(a), topology.PortName(b));
  return text;
}

bool TopologyParser::Begins(std::string_view word) {
  return std::ranges::find(kKeys, word) != kKeys.end();
}

std::string TopologyParser::Parse(std::string_view line) {
  Words words(line);
  const std::string_view key = words.Next("host, device, port, side or unlinked");
  if (key == "host")
    ParseHost(words);
  else if (key == "device")
    ParseDevice(words);
  else if (key == "port")
    ParsePort(words);
  else if (key == "side")
    ParseSide(words);
  else
    ParseUnlinked(words);
  if (words.ok()) words.Finish();
  return words.problem();
}

std::string TopologyParser::Missing() const {
  if (topology_.sides.empty())
    return fmt::format("topology {}: a line `side NAME device=DEVICE` is wanted", topology_.name);
  return WhyBare();
}

// The last host so far has no device.
std::string TopologyParser::WhyBare() const {
  const bool bare =
      !topology_.hosts.empty() &&
      (topology_.devices.empty() || topology_.devices.back().kernel + 1U < topology_.hosts.size());
  return bare ? fmt::format("host {}: a line `device NAME` is wanted", topology_.hosts.back())
              : std::string();
}

void TopologyParser::ParseHost(Words& words) {
  const std::string_view name = words.Next("a name for the host");
  CheckName(name, words);
  if (!IsName(name) || std::ranges::count(topology_.hosts, name) > 0)
    words.Complain(
        fmt::format("host {}: small letters, digits and - are wanted, and no name twice", name));
  if (topology_.hosts.size() == kMostHosts)
    words.Complain(fmt::format("host {}: there are {} already", name, kMostHosts));
  if (std::string problem = WhyBare(); !problem.empty()) words.Complain(std::move(problem));
  topology_.hosts.emplace_back(name);
}

void TopologyParser::ParseDevice(Words& words) {
  DeviceInfo device{.name = std::string(words.Next("a name for the device"))};
  CheckName(device.name, words);
  if (!IsName(device.name) ||
      std::ranges::count(topology_.devices, device.name, &DeviceInfo::name) > 0) {
    words.Complain(fmt::format(
        "device {}: small letters, digits and - are wanted, and no name twice", device.name));
  }
  if (topology_.hosts.empty()) words.Complain("device: a line `host NAME` must come first");
  device.kernel = static_cast<uint8_t>(topology_.hosts.size() - 1);
  ParseInterface(std::move(device), words);
}

// Adds a port to the last device.
void TopologyParser::ParsePort(Words& words) {
  const std::string_view number = words.Next("a number for the port");
  const bool follows =
      !topology_.devices.empty() && topology_.devices.back().kernel + 1U == topology_.hosts.size();
  if (!follows) return words.Complain("port: a line `device NAME` must come first");
  const DeviceInfo& before = topology_.devices.back();
  DeviceInfo port{.name = before.name,
                  .kernel = before.kernel,
                  .tester = before.tester,
                  .port = static_cast<uint8_t>(before.port + 1)};
  if (number != fmt::to_string(port.port)) {
    words.Complain(fmt::format("port {}: the next one of {} is {}", number, port.name, port.port));
    return;
  }
  ParseInterface(std::move(port), words);
}

void TopologyParser::ParseInterface(DeviceInfo device, Words& words) {
  if (topology_.devices.size() == kMostDevices)
    words.Complain(fmt::format("device {}: there are {} already", device.name, kMostDevices));
  if (!words.ok()) return;
  device.netdev = words.Need("on");
  if (!IsInterface(device.netdev))
    words.Complain(
        fmt::format("on={}: the name of an interface is wanted, such as eth0, at most 15 letters",
                    device.netdev));
  for (const DeviceInfo& other : topology_.devices)
    if (other.kernel == device.kernel && other.netdev == device.netdev)
      words.Complain(fmt::format("on={}: {} is on that one", device.netdev, other.name));
  ParseAddress(words.Need("address"), &device, words);
  while (const auto another = words.Take("address")) {
    if (device.AddressCount() == kMostAddresses)
      words.Complain(
          fmt::format("device {}: it has {} addresses already", device.name, kMostAddresses));
    if (!words.ok()) return;
    device.more.emplace_back();
    ParseAddress(*another, &device, words);
  }
  device.bonded = words.TakeFlag("bonded");
  if (device.port == 1) device.tester = words.TakeFlag("tester");
  topology_.devices.push_back(std::move(device));
}

// "10.0.0.1,fd00::1", whose addresses must be unique.
void TopologyParser::ParseAddress(std::string_view text, DeviceInfo* device, Words& words) {
  const size_t comma = text.find(',');
  HostAddress address{.v4 = std::string(text.substr(0, comma))};
  if (comma != std::string_view::npos) address.v6 = text.substr(comma + 1);
  const bool only_v6 = address.v4 == kNoAddress;
  if ((!only_v6 && !IsNumeric(AF_INET, address.v4)) || !IsNumeric(AF_INET6, address.v6))
    words.Complain(
        fmt::format("address={}: 10.0.0.1,fd00::1 or the like is wanted, spelt short", text));
  if (words.ok() && IsOfMany(address))
    words.Complain(fmt::format("address={}: one of many hosts is no device's", text));
  Topology all = topology_;
  all.devices.push_back(*device);
  if (only_v6) address.v4.clear();
  for (const std::string& host : {address.v4, address.v6}) {
    if (host.empty()) continue;
    bool taken = AddressOfNumeric(host + ":0", {}).has_value();
    for (const DeviceInfo& other : all.devices)
      for (size_t nth = 0; nth < other.AddressCount(); ++nth)
        taken |= other.Host(nth, false) == host || other.Host(nth, true) == host;
    if (taken) words.Complain(fmt::format("address={}: {} is something else's", text, host));
  }
  if (device->more.empty()) {
    device->v4 = address.v4;
    device->v6 = address.v6;
  } else {
    device->more.back() = address;
  }
}

void TopologyParser::ParseSide(Words& words) {
  SideInfo side{.name = std::string(words.Next("a name for the side"))};
  CheckName(side.name, words);
  const bool means_more = std::ranges::count(kOtherWords, side.name) > 0 || Begins(side.name) ||
                          cm::ParseAddress(side.name + ":0", {}) || ParseDuration(side.name) ||
                          side.name.starts_with("family");
  if (!IsName(side.name) || means_more || topology_.SideNamed(side.name)) {
    words.Complain(fmt::format(
        "side {}: a name is wanted that stands for nothing else, such as active", side.name));
  }
  side.device = DeviceNamed(words.Need("device"), words);
  for (const SideInfo& other : topology_.sides)
    if (words.ok() && other.device == side.device)
      words.Complain(fmt::format("side {}: {} is the device of {}", side.name,
                                 topology_.PortName(side.device), other.name));
  topology_.sides.push_back(std::move(side));
}

void TopologyParser::ParseUnlinked(Words& words) {
  const uint8_t a = DeviceNamed(words.Next("a device"), words);
  const uint8_t b = DeviceNamed(words.Next("another device"), words);
  if (!words.ok()) return;
  if (topology_.devices[a].kernel == topology_.devices[b].kernel)
    words.Complain(fmt::format("unlinked: {} and {} are on one host", topology_.PortName(a),
                               topology_.PortName(b)));
  const std::pair<uint8_t, uint8_t> both{std::min(a, b), std::max(a, b)};
  if (std::ranges::count(topology_.unlinked, both) > 0)
    words.Complain(fmt::format("unlinked: {} and {} are so already", topology_.PortName(a),
                               topology_.PortName(b)));
  topology_.unlinked.push_back(both);
}

uint8_t TopologyParser::DeviceNamed(std::string_view name, Words& words) const {
  std::string all;
  for (uint8_t device = 0; device < topology_.devices.size(); ++device) {
    const std::string known = topology_.PortName(device);
    if (known == name) return device;
    all += (all.empty() ? "" : ", ") + known;
  }
  words.Complain(
      fmt::format("\"{}\" is not a device; there are {}", name, all.empty() ? "none so far" : all));
  return 0;
}

}  // namespace cm
