#include "tools/site/site_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "model/base/json.h"

namespace cm::site {
namespace {

std::string LineOf(const Port& port) {
  std::string line = fmt::format("  device {} port {}: {} {}, {}", port.device, port.number,
                                 port.kind, port.link, port.state);
  if (!port.driver.empty()) line += ", driver " + port.driver;
  if (!port.firmware.empty()) line += ", firmware " + port.firmware;
  line += port.interfaces.empty() ? ", on no interface"
                                  : fmt::format(", on {}", fmt::join(port.interfaces, ", "));
  constexpr size_t kMostGids = 8;
  for (size_t i = 0; i < port.gids.size() && i < kMostGids; ++i)
    line +=
        fmt::format("\n    GID {} {} {}", port.gids[i].index, port.gids[i].gid, port.gids[i].type);
  if (port.gids.size() > kMostGids)
    line += fmt::format("\n    and {} more GIDs", port.gids.size() - kMostGids);
  return line;
}

std::string LineOf(const Interface& interface, const std::string& control) {
  std::vector<std::string> addresses;
  for (const Address& address : interface.addresses)
    addresses.push_back(fmt::format("{}/{}", address.text, address.prefix));
  return fmt::format(
      "  interface {}: {}, MTU {}, {}{}", interface.name, interface.up ? "up" : "down",
      interface.mtu,
      addresses.empty() ? "no address" : fmt::format("{}", fmt::join(addresses, ", ")),
      interface.name == control ? "; the control connection came over it" : "");
}

// Where Soft-RoCE would do.
std::string FirstUp(const HostFacts& facts) {
  for (const bool may_be_control : {false, true})
    for (const Interface& interface : facts.interfaces)
      if (interface.up && !interface.addresses.empty() &&
          (may_be_control || interface.name != facts.control))
        return interface.name;
  return "INTERFACE";
}

// What one host lacks.
void AddLacking(const HostFacts& facts, const std::string& side, std::vector<std::string>* to_do) {
  if (!facts.librdmacm_problem.empty())
    to_do->push_back(fmt::format("{}: {}; install it (Debian: librdmacm1, ibverbs-providers)", side,
                                 facts.librdmacm_problem));
  if (facts.ports.empty()) {
    to_do->push_back(
        fmt::format("{}: no RDMA device is there; Soft-RoCE makes one: rdma link add rxe0 type rxe "
                    "netdev {}",
                    side, FirstUp(facts)));
    return;
  }
  if (!facts.rdma_cm_problem.empty())
    to_do->push_back(
        fmt::format("{}: {}; modprobe rdma_ucm, or another user", side, facts.rdma_cm_problem));
  if (PlacesOf(facts).empty())
    to_do->push_back(fmt::format(
        "{}: no interface over a device is up and has an address: ip link set, ip address add",
        side));
}

}  // namespace

std::vector<std::string> LinesOf(const std::string& side, const std::string& host,
                                 const HostFacts& facts) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {}: Linux {}, {}, glibc {}, {}, {}", side, host, facts.kernel,
                              facts.system, facts.glibc,
                              facts.librdmacm.empty() ? "no librdmacm" : facts.librdmacm,
                              facts.superuser ? "root" : "not root"));
  for (const Port& port : facts.ports) lines.push_back(LineOf(port));
  if (facts.ports.empty()) lines.emplace_back("  no RDMA device");
  for (const Interface& interface : facts.interfaces)
    lines.push_back(LineOf(interface, facts.control));
  if (facts.control.empty())
    lines.emplace_back("  which interface carries the control connection is not known");
  return lines;
}

Said Explain(const BothFacts& facts, const Site& site, const Placements& placements) {
  Said said;
  for (size_t side = 0; side < facts.size(); ++side)
    AddLacking(facts[side], std::string(kSideNames[side]), &said.to_do);
  if (facts[0].boot == facts[1].boot)
    said.chosen.push_back(site.sides[0].host == site.sides[1].host
                              ? "both sides are on one host"
                              : "both hosts are name spaces of one kernel");
  if (placements.good.empty()) {
    said.chosen.emplace_back("chosen: nothing");
    if (!PlacesOf(facts[0]).empty() && !PlacesOf(facts[1]).empty())
      said.to_do.emplace_back("addresses that reach each other; see what is not chosen");
  } else {
    const Placement& best = placements.good.front();
    for (size_t side = 0; side < facts.size(); ++side) {
      const Port& port = facts[side].ports[best.places[side].port];
      said.chosen.push_back(fmt::format("chosen: {}: device {} port {} on {}", kSideNames[side],
                                        port.device, port.number,
                                        facts[side].interfaces[best.places[side].interface].name));
    }
    for (const std::string& reason : best.reasons) said.chosen.push_back("  " + reason);
    for (const std::string& missing : best.missing) said.to_do.push_back(missing);
  }
  for (size_t i = 1; i < placements.good.size(); ++i)
    said.chosen.push_back(
        fmt::format("second to it: {} to {}{}",
                    facts[0].interfaces[placements.good[i].places[0].interface].name,
                    facts[1].interfaces[placements.good[i].places[1].interface].name,
                    placements.good[i].reasons.empty()
                        ? ""
                        : fmt::format(": {}", fmt::join(placements.good[i].reasons, "; "))));
  for (const std::string& unfit : placements.unfit) said.chosen.push_back("not chosen: " + unfit);
  return said;
}

std::string SiteText(const Site& site, const std::optional<Placement>& placement,
                     const std::vector<std::string>& comments) {
  std::string text = "// Written by `cmcheck site discover`; docs/nodes.md has the form.\n";
  for (const std::string& comment : comments) {
    text += "// ";
    for (const char c : comment) text += c == '\n' ? std::string("\n// ") : std::string(1, c);
    text += '\n';
  }
  text += fmt::format("{{\n  \"name\": {},\n  \"launcher\": {},\n  \"agent\": {},\n",
                      QuotedJson(site.name), QuotedJson(site.launcher), QuotedJson(site.agent));
  for (size_t side = 0; side < site.sides.size(); ++side) {
    const std::string v4 = placement ? placement->v4[side] : "";
    const std::string v6 = placement ? placement->v6[side] : "";
    text += fmt::format("  \"{}\": {{\n", kSideNames[side]);
    for (const auto& [key, address] : {std::pair{"v4", v4}, {"v6", v6}})
      text += fmt::format("    {}\"{}\": \"{}\",{}\n", address.empty() ? "// " : "", key, address,
                          address.empty() ? "  not found; to be filled in" : "");
    text += fmt::format("    \"host\": {}\n  }}{}\n", QuotedJson(site.sides[side].host),
                        side == 0 ? "," : "");
  }
  return text + "}\n";
}

}  // namespace cm::site
