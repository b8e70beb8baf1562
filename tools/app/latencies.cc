#include "tools/app/latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/base/choice.h"
#include "model/base/duration.h"

namespace cm::app {
namespace {

constexpr std::array kRequests = {100, 200, 400, 800, 1'600, 3'200, 6'400, 12'800};  // nanoseconds
constexpr std::array kLonger = {0, 5, 50, 500};                                      // microseconds

bool IsAboutMessages(const Happening& happening) {
  return happening.fault && happening.fault->OnPackets();
}

}  // namespace

Latencies DrawLatencies(uint64_t seed, const sim::uapi::Costs& usual, const TopologyRef& topology,
                        const Profile& profile, const std::vector<Happening>& script) {
  Latencies latencies{.costs = usual, .faults = {}, .text = {}};
  if (seed == 0) return latencies;
  StreamState coins = NamedStream(seed, "latencies");
  RandomChoice choice(&coins);
  latencies.costs.request = kRequests[choice.Below(kRequests.size(), "cost of a request")];
  latencies.text =
      fmt::format("a request takes {}", ToString(Duration::Nanoseconds(latencies.costs.request)));
  if (std::ranges::any_of(script, &IsAboutMessages)) return latencies;
  for (const SideInfo& side : topology->sides) {
    const int longer = kLonger[choice.Below(kLonger.size(), "how much longer")];
    if (longer == 0) continue;
    const std::string line = fmt::format("fault delay any from={} by={}us", side.name, longer);
    // Where the profile has no such fault, they take no longer.
    const auto read = ReadIfPossible(line, topology, profile);
    if (!read || read->size() != 1 || !read->front().fault) continue;
    latencies.faults.push_back(*read->front().fault);
    latencies.text += fmt::format("; messages from {} take {}us more", side.name, longer);
  }
  return latencies;
}

}  // namespace cm::app
