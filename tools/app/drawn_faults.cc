#include "tools/app/drawn_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "model/base/check.h"
#include "model/base/choice.h"
#include "model/base/duration.h"

namespace cm::app {
namespace {

constexpr std::array<std::string_view, 5> kMessages = {"REQ", "REP", "RTU", "DREQ", "DREP"};

int64_t DrawInstant(Choice* choice) {
  int64_t microseconds = 10;
  for (uint64_t decades = choice->Below(6, "order of magnitude"); decades > 0; --decades)
    microseconds *= 10;
  return microseconds +
         static_cast<int64_t>(choice->Below(static_cast<uint64_t>(9 * microseconds), "when"));
}

std::string MessageFault(Choice* choice) {
  const std::string_view message = kMessages[choice->Below(kMessages.size(), "which message")];
  const uint64_t nth = 1 + choice->Below(3, "which of them");
  if (choice->OneIn(3, "late"))
    return fmt::format("fault delay {} from=any nth={} by={}us\n", message, nth,
                       DrawInstant(choice));
  return fmt::format("fault drop {} from=any nth={}\n", message, nth);
}

std::string TimedFault(const std::string& side, Choice* choice) {
  const int64_t at = DrawInstant(choice);
  if (choice->OneIn(2, "device or link"))
    return fmt::format("pass {}us\nfault remove-device side={}\n", at, side);
  return fmt::format("pass {}us\nfault link-down side={}\npass {}us\nfault link-up side={}\n", at,
                     side, DrawInstant(choice), side);
}

}  // namespace

std::vector<Happening> DrawFaults(uint64_t seed, const TopologyRef& topology,
                                  const Profile& profile) {
  StreamState coins = NamedStream(seed, "faults");
  RandomChoice choice(&coins);
  std::vector<Happening> drawn;
  for (uint64_t count = choice.Below(3, "how many faults"); count > 0; --count) {
    const std::string side = topology->sides[choice.Below(topology->sides.size(), "whose")].name;
    const bool timed = choice.OneIn(3, "which kind");
    const std::string text = timed ? TimedFault(side, &choice) : MessageFault(&choice);
    auto script = ReadIfPossible(text, topology, profile);
    if (!script) continue;
    for (Happening& happening : *script) drawn.push_back(std::move(happening));
  }
  std::ranges::stable_sort(drawn, {}, &Happening::at);
  // As one script: a fault may be without effect after another one.
  auto whole = ReadScript(fmt::format("{}", fmt::join(LinesOf(drawn), "\n")), topology, &profile);
  CM_CHECK(std::holds_alternative<std::vector<Happening>>(whole));
  return std::get<std::vector<Happening>>(std::move(whole));
}

std::vector<std::string> LinesOf(const std::vector<Happening>& script) {
  std::vector<std::string> lines;
  Instant now;
  for (const Happening& happening : script) {
    if (happening.at > now) lines.push_back("pass " + ToString(happening.at - now));
    now = happening.at;
    lines.push_back(happening.text);
  }
  return lines;
}

}  // namespace cm::app
