#include "model/vocabulary/topology.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace cm {
namespace {

// The address plan is the same everywhere; a hardware site maps it to addresses of its own.
constexpr std::string_view kActiveV4 = "10.0.0.1";
constexpr std::string_view kActiveV6 = "fd00::1";
constexpr std::string_view kPassiveV4 = "10.0.1.1";
constexpr std::string_view kPassiveV6 = "fd00:1::1";
constexpr std::string_view kTesterV4 = "10.0.2.1";
constexpr std::string_view kTesterV6 = "fd00:2::1";

struct SpecialHost {
  AddressKind kind;
  std::string_view name;
  std::string_view v4;
  std::string_view v6;
};

constexpr auto kSpecialHosts = std::to_array<SpecialHost>({
    {AddressKind::kAny, "any", "0.0.0.0", "::"},
    {AddressKind::kLoopback, "loopback", "127.0.0.1", "::1"},
    {AddressKind::kForeign, "foreign", "10.9.9.9", "fd00:9::9"},
    {AddressKind::kUnroutable, "unroutable", "192.168.55.1", "fd55::1"},
    {AddressKind::kSilent, "silent", "10.0.1.99", "fd00:1::99"},
});

constexpr std::string_view kV6Suffix = ".v6";
constexpr std::string_view kFamilyPrefix = "family";
constexpr std::string_view kGroupPrefix = "group";
// A digit follows.
constexpr std::string_view kGroupV4 = "239.1.1.";
constexpr std::string_view kGroupV6 = "ff0e::";

std::optional<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, port);
  if (error != std::errc() || end != last) return std::nullopt;
  return port;
}

std::optional<Address> BadFamily(std::string_view number) {
  const std::optional<uint16_t> family = ParsePort(number);
  if (!family || *family > 255) return std::nullopt;
  return Address{.kind = AddressKind::kBadFamily, .family = static_cast<uint8_t>(*family)};
}

// The group whose digit follows the prefix; 0 for none.
uint8_t GroupBehind(std::string_view prefix, std::string_view host) {
  if (host.size() != prefix.size() + 1 || !host.starts_with(prefix)) return 0;
  const char digit = host.back();
  return digit >= '1' && digit <= '0' + kLastGroup ? static_cast<uint8_t>(digit - '0') : uint8_t{0};
}

// Splits "host:port" or "[host]:port".
std::optional<std::pair<std::string_view, uint16_t>> SplitPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<uint16_t> port = ParsePort(text.substr(colon + 1));
  if (!port) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return std::pair{host, *port};
}

std::vector<Topology> MakeTopologies() {
  const DeviceInfo active{.name = "rxe0",
                          .netdev = "veth0",
                          .v4 = std::string(kActiveV4),
                          .v6 = std::string(kActiveV6)};
  const DeviceInfo passive{.name = "rxe1",
                           .netdev = "veth1",
                           .v4 = std::string(kPassiveV4),
                           .v6 = std::string(kPassiveV6)};
  DeviceInfo second = passive;
  second.name = active.name;
  second.port = 2;
  DeviceInfo far = passive;
  far.kernel = 1;
  DeviceInfo bonded = active;
  bonded.netdev = "bond0";
  bonded.bonded = true;
  const DeviceInfo tester{.name = "wire",
                          .netdev = "veth2",
                          .kernel = 2,
                          .v4 = std::string(kTesterV4),
                          .v6 = std::string(kTesterV6),
                          .tester = true};
  const std::vector<SideInfo> sides = {{.name = "active", .device = 0},
                                       {.name = "passive", .device = 1}};
  std::vector<SideInfo> with_tester = sides;
  with_tester.push_back({.name = "tester", .device = 2});
  return {
      {.name = "two-kernels",
       .sentence = "Each side on a kernel of its own, one device each, one link between them.",
       .hosts = {"a", "b"},
       .devices = {active, far},
       .sides = sides},
      {.name = "one-kernel-two-devices",
       .sentence = "Both sides on one kernel, so that they share ports; one device each.",
       .hosts = {"a"},
       .devices = {active, passive},
       .sides = sides},
      {.name = "bond",
       .sentence = "Both sides on one kernel; the active side's device is on a bond that can fail "
                   "over.",
       .hosts = {"a"},
       .devices = {bonded, passive},
       .sides = sides},
      {.name = "one-device-two-ports",
       .sentence = "Both sides on one kernel, each on a port of the one device, which they lose "
                   "together.",
       .hosts = {"a"},
       .devices = {active, second},
       .sides = sides},
      {.name = "tester",
       .sentence = "As two-kernels, and a third side that sends messages made by hand.",
       .hosts = {"a", "b", "wire"},
       .devices = {active, far, tester},
       .sides = with_tester},
  };
}

const std::vector<Topology>& MadeTopologies() {
  static const std::vector<Topology> all = MakeTopologies();
  return all;
}

constexpr size_t kWithTester = 1;  // the last of them

}  // namespace

std::optional<uint8_t> Topology::SideNamed(std::string_view side) const {
  for (size_t i = 0; i < sides.size(); ++i)
    if (sides[i].name == side) return static_cast<uint8_t>(i);
  return std::nullopt;
}

std::string_view DeviceInfo::Host(size_t nth, bool v6_wanted) const {
  if (nth == 0) return v6_wanted ? v6 : v4;
  if (nth > more.size()) return {};
  return v6_wanted ? more[nth - 1].v6 : more[nth - 1].v4;
}

std::optional<uint8_t> Topology::DeviceNamed(std::string_view device) const {
  const auto named = std::ranges::find(devices, device, &DeviceInfo::name);
  if (named == devices.end()) return std::nullopt;
  return static_cast<uint8_t>(named - devices.begin());
}

uint8_t Topology::PortsOf(uint8_t device) const {
  const uint8_t first = FirstPortOf(device);
  uint8_t ports = 1;
  while (first + ports < devices.size() && devices[first + ports].port > 1) ++ports;
  return ports;
}

std::string Topology::PortName(uint8_t device) const {
  const DeviceInfo& info = devices[device];
  return info.port == 1 ? info.name : info.name + '/' + std::to_string(info.port);
}

bool Topology::Linked(uint8_t a, uint8_t b) const {
  return std::ranges::none_of(unlinked, [&](const auto& pair) {
    return pair == std::pair(std::min(a, b), std::max(a, b));
  });
}

uint8_t Topology::WayOut(uint8_t kernel, std::optional<uint8_t> there) const {
  uint8_t last = 0;
  uint8_t leads = 0;
  bool found = false;
  for (uint8_t device = 0; device < devices.size(); ++device) {
    if (devices[device].kernel != kernel) continue;
    last = device;
    if (!there || !Linked(device, *there)) continue;
    leads = device;
    found = true;
  }
  return found ? leads : last;
}

uint8_t Topology::AnsweringNth(uint8_t device, uint8_t nth) const {
  return nth < devices[device].AddressCount() ? nth : uint8_t{0};
}

std::span<const Topology> Topologies() {
  return std::span(MadeTopologies()).first(MadeTopologies().size() - kWithTester);
}

std::span<const Topology> AllTopologies() { return MadeTopologies(); }

const Topology* FindTopology(std::string_view name) {
  for (const Topology& topology : MadeTopologies())
    if (topology.name == name) return &topology;
  return nullptr;
}

std::string ToString(const Address& address, const Topology& topology) {
  if (address.kind == AddressKind::kNone) return "null";
  if (address.kind == AddressKind::kBadFamily)
    return std::string(kFamilyPrefix) + std::to_string(address.family);
  std::string text;
  if (address.kind == AddressKind::kSide) {
    text = topology.sides[address.side].name;
    if (address.nth != 0) text += "/" + std::to_string(address.nth + 1);
  } else if (address.kind == AddressKind::kGroup) {
    text = std::string(kGroupPrefix) + std::to_string(address.group);
  } else {
    for (const SpecialHost& host : kSpecialHosts)
      if (host.kind == address.kind) text = host.name;
  }
  if (address.v6) text += kV6Suffix;
  return text + ":" + std::to_string(address.port);
}

std::optional<Address> ParseAddress(std::string_view text, const Topology& topology) {
  if (text == "null") return Address{};
  if (text.starts_with(kFamilyPrefix)) return BadFamily(text.substr(kFamilyPrefix.size()));
  const auto split = SplitPort(text);
  if (!split) return std::nullopt;
  auto [host, port] = *split;
  Address address{.port = port};
  if (host.ends_with(kV6Suffix)) {
    address.v6 = true;
    host.remove_suffix(kV6Suffix.size());
  }
  const size_t slash = host.find('/');
  if (const std::optional<uint8_t> side = topology.SideNamed(host.substr(0, slash))) {
    address.kind = AddressKind::kSide;
    address.side = *side;
    if (slash == std::string_view::npos) return address;
    const std::optional<uint16_t> nth = ParsePort(host.substr(slash + 1));
    if (!nth || *nth < 2 || *nth > topology.devices[topology.sides[*side].device].AddressCount())
      return std::nullopt;
    address.nth = static_cast<uint8_t>(*nth - 1);
    return address;
  }
  if (const uint8_t group = GroupBehind(kGroupPrefix, host); group != 0) {
    address.kind = AddressKind::kGroup;
    address.group = group;
    return address;
  }
  for (const SpecialHost& special : kSpecialHosts) {
    if (special.name != host) continue;
    address.kind = special.kind;
    return address;
  }
  return std::nullopt;
}

std::string NumericHost(const Address& address, const Topology& topology) {
  if (address.kind == AddressKind::kSide) {
    const DeviceInfo& device = topology.devices[topology.sides[address.side].device];
    return std::string(device.Host(address.nth, address.v6));
  }
  if (address.kind == AddressKind::kGroup)
    return std::string(address.v6 ? kGroupV6 : kGroupV4) + std::to_string(address.group);
  for (const SpecialHost& host : kSpecialHosts)
    if (host.kind == address.kind) return std::string(address.v6 ? host.v6 : host.v4);
  return {};
}

std::optional<Address> AddressOfNumeric(std::string_view text, const Topology& topology) {
  if (text == "null") return Address{};
  if (text == "af0") return Address{.kind = AddressKind::kBadFamily, .family = 0};
  if (text.starts_with("af")) return BadFamily(text.substr(2));
  const auto split = SplitPort(text);
  if (!split) return std::nullopt;
  const auto [host, port] = *split;
  for (uint8_t side = 0; side < topology.sides.size(); ++side) {
    const DeviceInfo& device = topology.devices[topology.sides[side].device];
    for (uint8_t nth = 0; nth < device.AddressCount(); ++nth) {
      const bool v6 = host == device.Host(nth, true);
      if (v6 || host == device.Host(nth, false))
        return Address{
            .kind = AddressKind::kSide, .side = side, .v6 = v6, .port = port, .nth = nth};
    }
  }
  for (const bool v6 : {false, true}) {
    const uint8_t group = GroupBehind(v6 ? kGroupV6 : kGroupV4, host);
    if (group != 0)
      return Address{.kind = AddressKind::kGroup, .v6 = v6, .group = group, .port = port};
  }
  for (const SpecialHost& special : kSpecialHosts) {
    if (host == special.v4 || host == special.v6)
      return Address{.kind = special.kind, .v6 = host == special.v6, .port = port};
  }
  return std::nullopt;
}

}  // namespace cm
