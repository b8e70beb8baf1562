// Orders that differ between machines: of hashes, of addresses, of equal keys.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/lint/rules.h"
#include "tools/lint/usage.h"

namespace lint {
namespace {

void HashOrder(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source) || !IsDeterministic(source)) continue;
    const Tokens tokens = source.tokens();
    for (size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view word = tokens[i].text;
      if (!word.starts_with("unordered_") && !(word == "hash" && IsOfStd(tokens, i))) continue;
      report.Add(source, tokens[i].line,
                 fmt::format("`{}`: its order or value differs between libraries", word));
    }
  }
}

// The arguments of the template at `open`, the index of its "<", as index ranges [first, last).
std::vector<std::pair<size_t, size_t>> TemplateArguments(Tokens tokens, size_t open) {
  std::vector<std::pair<size_t, size_t>> arguments;
  size_t first = open + 1;
  int depth = 0;
  for (size_t i = open; i < tokens.size() && !tokens[i].Is(";"); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "<" || text == "(") ++depth;
    if (text == ">" || text == ")") --depth;
    if (depth == 0 || (depth == 1 && text == ",")) {
      arguments.emplace_back(first, i);
      first = i + 1;
    }
    if (depth == 0) return arguments;
  }
  return {};
}

// A map or set that is ordered by addresses, because it has no comparator.
bool IsOrderedByAddress(Tokens tokens, size_t at) {
  constexpr auto kMaps = std::to_array<std::string_view>({"map", "multimap"});
  constexpr auto kSets = std::to_array<std::string_view>({"set", "multiset"});
  const bool is_map = std::ranges::find(kMaps, tokens[at].text) != kMaps.end();
  const bool is_set = std::ranges::find(kSets, tokens[at].text) != kSets.end();
  if (!(is_map || is_set) || !IsOfStd(tokens, at) || !Neighbour(tokens, at, 1).Is("<")) {
    return false;
  }
  const auto arguments = TemplateArguments(tokens, at + 1);
  const size_t without_order = is_map ? 2 : 1;
  return arguments.size() == without_order && tokens[arguments[0].second - 1].Is("*");
}

void AddressOrder(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source) || !IsDeterministic(source)) continue;
    for (size_t i = 0; i < source.tokens().size(); ++i) {
      if (!IsOrderedByAddress(source.tokens(), i)) continue;
      report.Add(source, source.tokens()[i].line,
                 "ordered by address: key by an index, or name the order");
    }
  }
}

void UnstableSort(const Tree& tree, Report& report) {
  constexpr auto kUnstable =
      std::to_array<std::string_view>({"sort", "partial_sort", "nth_element"});
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source) || !IsDeterministic(source)) continue;
    for (size_t i = 0; i < source.tokens().size(); ++i) {
      const Token& token = source.tokens()[i];
      if (std::ranges::find(kUnstable, token.text) == kUnstable.end()) continue;
      if (!IsOfStd(source.tokens(), i)) continue;
      if (source.Line(token.line).find("// lint: ") != std::string_view::npos) {
        continue;
      }
      report.Add(source, token.line,
                 fmt::format("`{}`: equal keys end in any order; take a stable sort, or say on "
                             "this line why not, as in \"// lint: keys are unique\"",
                             token.text));
    }
  }
}

constexpr auto kOrderRules = std::to_array<Rule>({
    {"hash-order", "No unordered containers and no std::hash in model/, sim/ and conformance/.",
     HashOrder},
    {"address-order", "No map or set is ordered by addresses in model/, sim/ and conformance/.",
     AddressOrder},
    {"unstable-sort", "Sorts in model/, sim/ and conformance/ are stable, or their keys unique.",
     UnstableSort},
});

}  // namespace

std::span<const Rule> OrderRules() { return kOrderRules; }

}  // namespace lint
