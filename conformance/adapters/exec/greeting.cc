#include "conformance/adapters/exec/greeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "model/conversation/words.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

struct ClockRow {
  Clock clock = Clock::kSuite;
  std::string_view name;
};
constexpr auto kClocks = std::to_array<ClockRow>(
    {{Clock::kSuite, "suite"}, {Clock::kOwn, "own"}, {Clock::kVirtual, "virtual"}});

template <typename All, typename Name>
std::string NamesOf(const All& all, Name name) {
  std::vector<std::string_view> names;
  for (const auto& one : all) names.push_back(std::invoke(name, one));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string GreetingReader::Take(std::string_view line) {
  if (!begun_) {
    begun_ = line == kDriverProtocol;
    if (begun_) return {};
    return fmt::format("the greeting begins with \"{}\", and not with \"{}\"", line,
                       kDriverProtocol);
  }
  if (line == "ready") {
    complete_ = true;
    return greeting_.name.empty() ? "the greeting has no line `name`" : "";
  }
  const std::string_view key = line.substr(0, line.find(' '));
  const std::string_view rest = key.size() == line.size() ? "" : line.substr(key.size() + 1);
  return TakeNamed(key, rest);
}

std::string GreetingReader::TakeNamed(std::string_view key, std::string_view rest) {
  if (rest.empty()) return fmt::format("the line \"{}\" of the greeting says nothing", key);
  if (key == "name") {
    greeting_.name = rest;
  } else if (key == "profile") {
    greeting_.profile = rest;
  } else if (key == "capabilities") {
    for (Words words(rest); !words.empty();) {
      const std::string_view word = words.Next("a capability");
      const std::optional<Capability> one = ParseCapability(word);
      if (!one && word != "none")
        return fmt::format("capabilities: \"{}\" is none of {}", word, ToString(AllCapabilities()));
      if (one) greeting_.capabilities = greeting_.capabilities.With(*one);
    }
  } else if (key == "without") {
    for (Words words(rest); !words.empty();) {
      const std::string_view word = words.Next("a group");
      if (!greeting_.left_out.Add(word))
        return fmt::format("without: \"{}\" is none of {}, and no function of one", word,
                           NamesOf(CallGroups(), &CallGroup::name));
    }
  } else if (key == "topologies") {
    for (Words words(rest); !words.empty();) {
      const std::string_view word = words.Next("a topology");
      if (FindTopology(word) == nullptr)
        return fmt::format("topologies: \"{}\" is none of {}", word,
                           NamesOf(Topologies(), &Topology::name));
      greeting_.topologies.emplace_back(word);
    }
  } else if (key == "clock") {
    const auto* clock = std::ranges::find(kClocks, rest, &ClockRow::name);
    if (clock == kClocks.end())
      return fmt::format("clock: \"{}\" is none of {}", rest, NamesOf(kClocks, &ClockRow::name));
    greeting_.clock = clock->clock;
  } else if (key == "sees") {
    if (rest != "messages") return fmt::format("sees: \"{}\" is not messages", rest);
    greeting_.sees_messages = true;
  } else {
    return fmt::format(
        "\"{}\" is no line of a greeting: name, profile, capabilities, without, topologies, clock, "
        "sees, ready",
        key);
  }
  return {};
}

std::string ToText(const Greeting& greeting) {
  std::string text = fmt::format("{}\nname {}\n", kDriverProtocol, greeting.name);
  if (!greeting.profile.empty()) text += fmt::format("profile {}\n", greeting.profile);
  text += fmt::format("capabilities {}\n", ToString(greeting.capabilities));
  if (!greeting.left_out.names().empty())
    text += fmt::format("without {}\n", fmt::join(greeting.left_out.names(), " "));
  if (!greeting.topologies.empty())
    text += fmt::format("topologies {}\n", fmt::join(greeting.topologies, " "));
  text +=
      fmt::format("clock {}\n", std::ranges::find(kClocks, greeting.clock, &ClockRow::clock)->name);
  if (greeting.sees_messages) text += "sees messages\n";
  return text + "ready\n";
}

}  // namespace cm
