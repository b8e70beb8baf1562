#include "conformance/adapters/exec/nodes.h"

#include <fmt/format.h>

#include <vector>

#include "conformance/adapters/exec/allow.h"
#include "conformance/adapters/exec/exec_adapter.h"
#include "conformance/adapters/exec/sides.h"

namespace cm {
namespace {

// It may have to be woken up by a launcher, and be busy. A run ends where this is not enough.
constexpr Duration kHostAnswersWithin = Duration::Seconds(300);

}  // namespace

std::variant<std::unique_ptr<Implementation>, std::string> MakeNodesImplementation(
    NodesOptions options) {
  const auto allowed = AllowedOf(options.site, options.allow);
  if (const auto* problem = std::get_if<std::string>(&allowed)) return *problem;
  std::vector<OneSide> sides;
  for (const Profile* own : {&options.own.first, &options.own.second}) {
    const size_t number = sides.size();
    const std::string side(kSideNames[number]);
    const AllowList& of_it = std::get<0>(allowed).at(number);
    // An agent survives what its library does: when it is gone the connection is.
    const auto lost = [side, tell = options.lost](const std::string& what) {
      if (tell) tell(side, what);
    };
    auto made = MakeExecImplementation(
        {.place = {.command = CommandOf(options.site, number, own->name, of_it),
                   .answers_within = kHostAnswersWithin,
                   .interrupted = options.interrupted},
         .profile = *own,
         .lost = lost});
    if (auto* problem = std::get_if<std::string>(&made))
      return fmt::format("{}: {}", side, *problem);
    sides.push_back({.side = side,
                     .implementation = std::get<std::unique_ptr<Implementation>>(std::move(made))});
  }
  return MakeSidesImplementation(std::move(sides), std::move(options.joint));
}

}  // namespace cm
