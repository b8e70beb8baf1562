#include "tools/cmcheck/app_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "model/conversation/fault_text.h"
#include "model/vocabulary/address.h"

namespace cm {
namespace {

constexpr std::string_view kBetweenPrograms = ":";

// "passive", "passive.v6", "passive/2": parses the side from the name of an address.
std::string_view SideIn(std::string_view name) { return name.substr(0, name.find_first_of("./")); }

// The placeholder of a side's address; empty for any other name.
std::string HostOf(const std::string& name, const Topology& topology) {
  if (!topology.SideNamed(SideIn(name))) return {};
  const std::optional<Address> address = ParseAddress(name + ":0", topology);
  return address ? NumericHost(*address, topology) : std::string();
}

// Edit distance: letters to insert, delete or change.
size_t Edits(std::string_view one, std::string_view other) {
  std::vector<size_t> row(other.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= one.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j < row.size(); ++j) {
      const size_t changed = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

// A word that consists of a name in braces that is almost a side's: "{pasive}".
bool IsMisspelt(const std::string& word, const Topology& topology) {
  if (word.size() < 3 || !word.starts_with('{') || !word.ends_with('}')) return false;
  const std::string name = word.substr(1, word.size() - 2);
  if (!HostOf(name, topology).empty()) return false;
  const bool letters = std::ranges::all_of(name, [](unsigned char c) { return std::isalpha(c); });
  return std::ranges::any_of(topology.sides, [&](const SideInfo& side) {
    return SideIn(name) == side.name || (letters && Edits(name, side.name) <= side.name.size() / 3);
  });
}

// Replaces the names of sides' addresses in braces by numbers. All other braces belong to the
// program.
std::string Expanded(const std::string& word, const Topology& topology) {
  std::string text;
  for (size_t at = 0; at < word.size();) {
    const size_t close = word[at] == '{' ? word.find('}', at) : std::string::npos;
    const std::string host =
        close == std::string::npos ? "" : HostOf(word.substr(at + 1, close - at - 1), topology);
    if (host.empty()) {
      text += word[at++];
    } else {
      text += host;
      at = close + 1;
    }
  }
  return text;
}

// The default sides of programs: passive first, then active, then the others.
std::vector<uint8_t> UsualOrder(const Topology& topology) {
  std::vector<uint8_t> order;
  if (topology.sides.size() > kPassiveSide) order.push_back(kPassiveSide);
  for (uint8_t side = 0; side < topology.sides.size(); ++side)
    if (side != kPassiveSide && !topology.IsTester(side)) order.push_back(side);
  return order;
}

std::variant<app::ProgramToRun, std::string> ProgramOf(std::vector<std::string> words,
                                                       size_t number, const Topology& topology) {
  const std::vector<uint8_t> order = UsualOrder(topology);
  app::ProgramToRun program;
  if (!words.empty() && words.front().starts_with('@')) {
    const std::string name = words.front().substr(1);
    const std::optional<uint8_t> side = topology.SideNamed(name);
    if (!side || topology.IsTester(*side))
      return fmt::format("topology {} has no side '{}' for programs; sides are {}", topology.name,
                         name, SideNames(topology));
    program.side = *side;
    words.erase(words.begin());
  } else if (number >= order.size()) {
    return fmt::format("program {}: topology {} has {} sides; say @SIDE before it ({})", number + 1,
                       topology.name, order.size(), SideNames(topology));
  } else {
    program.side = order[number];
  }
  if (words.empty())
    return fmt::format("program {} is empty: programs are separated by a lone ':'", number + 1);
  for (const std::string& word : words) {
    if (IsMisspelt(word, topology))
      return fmt::format("'{}' names no address; in braces are sides: {}, or passive.v6, passive/2",
                         word, SideNames(topology));
    program.words.push_back(Expanded(word, topology));
  }
  return program;
}

}  // namespace

std::variant<std::vector<app::ProgramToRun>, std::string> ProgramsOf(
    const std::vector<std::string>& words, const Topology& topology) {
  std::vector<std::vector<std::string>> each(1);
  for (const std::string& word : words) {
    if (word == kBetweenPrograms)
      each.emplace_back();
    else
      each.back().push_back(word);
  }
  std::vector<app::ProgramToRun> programs;
  for (size_t i = 0; i < each.size(); ++i) {
    auto program = ProgramOf(each[i], i, topology);
    if (auto* problem = std::get_if<std::string>(&program)) return std::move(*problem);
    programs.push_back(std::get<app::ProgramToRun>(std::move(program)));
  }
  return programs;
}

}  // namespace cm
