#include "tools/site/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "conformance/adapters/exec/site.h"

namespace cm::site {
namespace {

const Interface& InterfaceAt(const HostFacts& facts, const Place& place) {
  return facts.interfaces[place.interface];
}

// Whether one address of ours has an answer from the other; why not, in words.
std::string WhyUnreached(const HostFacts& facts, const std::string& from, const std::string& to) {
  for (const Reached& reached : facts.reached)
    if (reached.from == from && reached.to == to)
      return reached.problem.empty()
                 ? ""
                 : fmt::format("{} does not reach {}: {}", from, to, reached.problem);
  return fmt::format("{} to {} was not tried", from, to);
}

// The first two addresses of a family that reach each other, those of one network before others.
struct Found {
  std::array<std::string, 2> addresses;
  bool same_network = false;
  std::string why_not;
};

Found FindAddresses(const BothFacts& facts, const std::array<Place, 2>& places, bool v6) {
  Found found;
  for (size_t side = 0; side < places.size(); ++side)
    if (std::ranges::count(InterfaceAt(facts[side], places[side]).addresses, v6, IsV6) == 0) {
      found.why_not =
          fmt::format("{} of the {} side has no IPv{} address",
                      InterfaceAt(facts[side], places[side]).name, kSideNames[side], v6 ? 6 : 4);
      return found;
    }
  for (const bool same : {true, false})
    for (const Address& one : InterfaceAt(facts[0], places[0]).addresses)
      for (const Address& other : InterfaceAt(facts[1], places[1]).addresses) {
        if (IsV6(one) != v6 || IsV6(other) != v6 || SameNetwork(one, other) != same ||
            one.text == other.text)
          continue;
        std::string why = WhyUnreached(facts[0], one.text, other.text);
        if (why.empty()) why = WhyUnreached(facts[1], other.text, one.text);
        if (why.empty()) return {{one.text, other.text}, same, {}};
        if (found.why_not.empty()) found.why_not = std::move(why);
      }
  if (found.why_not.empty()) found.why_not = "both have the same address";
  return found;
}

// In which order choices stand: smaller is better.
struct Judged {
  Placement placement;
  std::tuple<int, int, int, int, int> rank;
};

std::string NameOf(const BothFacts& facts, const std::array<Place, 2>& places) {
  return fmt::format("{} to {}", InterfaceAt(facts[0], places[0]).name,
                     InterfaceAt(facts[1], places[1]).name);
}

// Why two places cannot be the sides, apart from reaching each other.
std::string WhyUnfit(const BothFacts& facts, const std::array<Place, 2>& places) {
  const Port& one = facts[0].ports[places[0].port];
  const Port& other = facts[1].ports[places[1].port];
  if (facts[0].boot == facts[1].boot && one.device == other.device)
    return "one device of one host cannot be both sides";
  if (one.link != other.link || (one.kind == "RNIC") != (other.kind == "RNIC"))
    return fmt::format("their links differ: {} {}, {} {}", one.link, one.kind, other.link,
                       other.kind);
  return {};
}

Judged Judge(const BothFacts& facts, const std::array<Place, 2>& places, const Found& v4,
             const Found& v6) {
  Placement placement{
      .places = places, .v4 = v4.addresses, .v6 = v6.addresses, .reasons = {}, .missing = {}};
  int control = 0;
  int idle = 0;
  for (size_t side = 0; side < places.size(); ++side) {
    const std::string& name = InterfaceAt(facts[side], places[side]).name;
    if (name == facts[side].control) {
      ++control;
      placement.reasons.push_back(
          fmt::format("{} of the {} side carries the control connection: do nothing to it", name,
                      kSideNames[side]));
    }
    if (const Port& port = facts[side].ports[places[side].port]; port.state != "ACTIVE") {
      ++idle;
      placement.reasons.push_back(
          fmt::format("{} port {} is {}", port.device, port.number, port.state));
    }
  }
  if (control == 0 && (!facts[0].control.empty() || !facts[1].control.empty()))
    placement.reasons.emplace_back("neither carries the control connection");
  for (const auto& [family, found] : {std::pair{4, &v4}, {6, &v6}}) {
    if (!found->why_not.empty()) {
      placement.missing.push_back(fmt::format("IPv{}: {}", family, found->why_not));
      continue;
    }
    placement.reasons.push_back(
        fmt::format("{} and {} reach each other, {}", found->addresses[0], found->addresses[1],
                    found->same_network ? "in one network" : "over a router"));
  }
  const int mtus[] = {InterfaceAt(facts[0], places[0]).mtu, InterfaceAt(facts[1], places[1]).mtu};
  if (mtus[0] != mtus[1])
    placement.reasons.push_back(fmt::format("their MTUs differ: {} and {}", mtus[0], mtus[1]));
  const int routed = (v4.same_network ? 0 : 1) + (v6.same_network ? 0 : 1);
  const auto missing = static_cast<int>(placement.missing.size());
  return {std::move(placement), {control, missing, idle, routed, mtus[0] == mtus[1] ? 0 : 1}};
}

}  // namespace

std::vector<Place> PlacesOf(const HostFacts& facts) {
  std::vector<Place> places;
  for (size_t port = 0; port < facts.ports.size(); ++port)
    for (size_t interface = 0; interface < facts.interfaces.size(); ++interface) {
      const Interface& at = facts.interfaces[interface];
      if (at.up && !at.addresses.empty() &&
          std::ranges::count(facts.ports[port].interfaces, at.name) != 0)
        places.push_back({port, interface});
    }
  return places;
}

std::vector<Pair> PairsToTry(const BothFacts& facts, size_t side) {
  std::vector<Pair> pairs;
  for (const Place& here : PlacesOf(facts[side]))
    for (const Place& there : PlacesOf(facts[1 - side]))
      for (const Address& from : InterfaceAt(facts[side], here).addresses)
        for (const Address& to : InterfaceAt(facts[1 - side], there).addresses) {
          const bool known = std::ranges::any_of(pairs, [&](const Pair& pair) {
            return pair.from == from.text && pair.to == to.text;
          });
          if (!known && from.text != to.text && IsV6(from) == IsV6(to))
            pairs.push_back({from.text, to.text});
        }
  return pairs;
}

Placements Rank(const BothFacts& facts) {
  Placements placements;
  std::vector<Judged> judged;
  for (const Place& active : PlacesOf(facts[0]))
    for (const Place& passive : PlacesOf(facts[1])) {
      const std::array<Place, 2> places = {active, passive};
      std::string why = WhyUnfit(facts, places);
      const Found v4 = FindAddresses(facts, places, false);
      const Found v6 = FindAddresses(facts, places, true);
      if (why.empty() && !v4.why_not.empty() && !v6.why_not.empty())
        why = fmt::format("{}; {}", v4.why_not, v6.why_not);
      if (why.empty())
        judged.push_back(Judge(facts, places, v4, v6));
      else
        placements.unfit.push_back(fmt::format("{}: {}", NameOf(facts, places), why));
    }
  std::ranges::stable_sort(judged, {}, &Judged::rank);
  for (Judged& one : judged) placements.good.push_back(std::move(one.placement));
  return placements;
}

}  // namespace cm::site
