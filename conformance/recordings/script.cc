#include "conformance/recordings/script.h"

#include <algorithm>
#include <charconv>

namespace cm {
namespace {

int NumberIn(std::string_view text, int fallback) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : fallback;
}

// The word after `before` in a command; empty when it does not occur.
std::string_view After(std::string_view command, std::string_view before) {
  const size_t at = command.find(before);
  if (at == std::string_view::npos) return {};
  std::string_view rest = command.substr(at + before.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest.substr(0, rest.find_first_of(" ;'"));
}

}  // namespace

std::optional<int64_t> WholeNumber(std::string_view word) {
  const bool hexadecimal = word.starts_with("0x");
  if (hexadecimal) word.remove_prefix(2);
  int64_t number = 0;
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, number, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

std::string OverRoce(const std::string& device) {
  return device.starts_with("siw") ? "rxe" + device.substr(3) : device;
}

namespace {

std::optional<uint8_t> SideOfNetdev(std::string_view netdev, const Topology& topology) {
  for (uint8_t side = 0; side < topology.sides.size(); ++side) {
    const DeviceInfo& device = topology.devices[topology.sides[side].device];
    if (device.netdev == netdev || OverRoce(std::string(netdev)) == device.name) return side;
  }
  return std::nullopt;
}

// `... iif veth1 ... @th,352,16 0x10 ... counter drop`: dropped on the receiving side.
std::optional<Fault> DropOf(std::string_view command, const Topology& topology) {
  const std::optional<uint8_t> receiver = SideOfNetdev(After(command, "iif "), topology);
  const std::optional<int64_t> attribute = WholeNumber(After(command, "@th,352,16 "));
  if (!receiver || !attribute || command.find("drop") == std::string_view::npos)
    return std::nullopt;
  const MadKind kind = KindOfAttribute(static_cast<uint16_t>(*attribute));
  if (kind == MadKind::kOther) return std::nullopt;
  Fault fault{.kind = FaultKind::kDrop,
              .side = static_cast<uint8_t>(1 - *receiver),
              .messages = MadKinds(kind)};
  const std::string_view counted = After(command, "numgen inc mod 1000000 ");
  if (!counted.empty()) {
    const size_t dash = counted.find('-');
    fault.first = static_cast<uint32_t>(NumberIn(counted.substr(0, dash), 0)) + 1;
    fault.last = dash == std::string_view::npos
                     ? fault.first
                     : static_cast<uint32_t>(NumberIn(counted.substr(dash + 1), 0)) + 1;
  }
  return fault;
}

// `tc qdisc add dev veth0 root netem duplicate 100%`: on the sending side, for every message.
std::vector<Fault> NetemOf(std::string_view command, const Topology& topology) {
  std::vector<Fault> faults;
  constexpr std::string_view kAdd = "tc qdisc add dev ";
  for (size_t at = command.find(kAdd); at != std::string_view::npos;
       at = command.find(kAdd, at + 1)) {
    const std::string_view rest = command.substr(at, command.find(';', at) - at);
    const std::optional<uint8_t> sender = SideOfNetdev(After(rest, kAdd), topology);
    if (!sender) continue;
    Fault fault{.side = *sender, .messages = MadKinds::All()};
    if (rest.find("duplicate") != std::string_view::npos) {
      fault.kind = FaultKind::kDuplicate;
    } else if (rest.find("delay") != std::string_view::npos) {
      fault.kind = FaultKind::kDelay;
      fault.by = ParseDuration(After(rest, "delay ")).value_or(Duration::Seconds(1));
    } else {
      continue;
    }
    faults.push_back(fault);
  }
  return faults;
}

}  // namespace

ScriptWords::ScriptWords(std::string_view line) {
  while (!line.empty()) {
    const size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    if (word.empty()) continue;
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos)
      words_.emplace_back(word);
    else
      values_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
}

std::optional<std::string> ScriptWords::Value(std::string_view key) const {
  for (const auto& [k, v] : values_)
    if (k == key) return v;
  return std::nullopt;
}

bool ScriptWords::Has(std::string_view flag) const {
  return std::ranges::find(words_, flag) != words_.end();
}

std::optional<Bond> BondMadeBy(std::string_view command) {
  if (command.find("ip link add bond0 type bond ") == std::string_view::npos) return std::nullopt;
  const std::string_view address = After(command, "ip addr add ");
  return Bond{.address = std::string(address.substr(0, address.find('/'))),
              .neighbour = std::string(After(command, "ip neigh replace ")),
              .device = std::string(After(command, "rdma link add ")),
              .slave = std::string(After(command, "ip link set "))};
}

std::optional<ShellEffect> EffectOf(std::string_view command, const Topology& topology) {
  ShellEffect effect;
  const auto add = [&](FaultKind kind, std::string_view netdev) {
    if (const std::optional<uint8_t> side = SideOfNetdev(netdev, topology))
      effect.faults.push_back({.kind = kind, .side = *side});
  };
  if (command.find("rdma link del") != std::string_view::npos)
    add(FaultKind::kRemoveDevice, After(command, "rdma link del "));
  const std::string_view link = After(command, "ip link set ");
  if (!link.empty()) {
    const bool down = command.find(" down") != std::string_view::npos;
    add(down ? FaultKind::kLinkDown : FaultKind::kLinkUp, link);
  }
  if (command.find("ip neigh replace") != std::string_view::npos)
    add(FaultKind::kNeighbourChange, After(command, " dev "));
  if (command.find("active_slave") != std::string_view::npos &&
      command.find("echo ") != std::string_view::npos)
    add(FaultKind::kFailOver, "bond0");
  if (const std::optional<Fault> drop = DropOf(command, topology)) effect.faults.push_back(*drop);
  for (const Fault& fault : NetemOf(command, topology)) effect.faults.push_back(fault);
  effect.heals = command.find("nft delete table") != std::string_view::npos ||
                 command.find("tc qdisc del") != std::string_view::npos;
  if (effect.faults.empty() && !effect.heals) return std::nullopt;
  return effect;
}

}  // namespace cm
