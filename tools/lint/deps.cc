// The includes of a target, and its declared dependencies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/lint/rules.h"
#include "tools/lint/usage.h"

namespace lint {
namespace {

constexpr std::string_view kInclude = "#include \"";

struct Target {
  std::string label;            // "//sim/core:core"
  std::set<std::string> files;  // paths of its sources and headers
  std::set<std::string> headers;
  std::set<std::string> deps;  // labels of the tree
};

bool IsTarget(std::string_view word) {
  constexpr auto kRules =
      std::to_array<std::string_view>({"cc_binary", "cc_library", "cc_test", "fuzz_test"});
  return std::ranges::find(kRules, word) != kRules.end();
}

// The literals of `attribute =` among the arguments of the call at `at`, without quotes.
std::vector<std::string> Values(Tokens tokens, size_t at, std::string_view attribute) {
  const size_t end = Closing(tokens, at + 1);
  size_t i = at + 2;
  while (i < end && !(tokens[i].Is(attribute) && Neighbour(tokens, i, 1).Is("="))) {
    const bool opens = tokens[i].Is("(") || tokens[i].Is("[") || tokens[i].Is("{");
    i = opens ? Closing(tokens, i) + 1 : i + 1;
  }
  std::vector<std::string> values;
  for (i += 2; i < end; ++i) {
    if (tokens[i].kind == TokenKind::kWord && Neighbour(tokens, i, 1).Is("=")) break;
    if (tokens[i].kind == TokenKind::kLiteral)
      values.emplace_back(tokens[i].text.substr(1, tokens[i].text.size() - 2));
  }
  return values;
}

// ":a" and "//b" in folder "f" are "//f:a" and "//b:b".
std::string Whole(std::string_view label, std::string_view folder) {
  if (label.starts_with(':')) return fmt::format("//{}{}", folder, label);
  if (label.find(':') != label.npos) return std::string(label);
  return fmt::format("{}:{}", label, label.substr(label.rfind('/') + 1));
}

Target TargetAt(const Source& build, size_t at) {
  const Tokens tokens = build.tokens();
  const std::string folder(build.folder());
  const std::vector<std::string> names = Values(tokens, at, "name");
  Target target{.label = fmt::format("//{}:{}", folder, names.empty() ? "" : names.front())};
  for (const std::string& header : Values(tokens, at, "hdrs"))
    target.headers.insert(fmt::format("{}/{}", folder, header));
  target.files = target.headers;
  for (const std::string& source : Values(tokens, at, "srcs"))
    target.files.insert(fmt::format("{}/{}", folder, source));
  for (const std::string& dep : Values(tokens, at, "deps")) target.deps.insert(Whole(dep, folder));
  return target;
}

std::vector<Target> TargetsOf(const Tree& tree) {
  std::vector<Target> targets;
  for (const Source& source : tree.sources()) {
    if (source.name() != "BUILD" || source.IsUnder("tools/third_party")) continue;
    const Tokens tokens = source.tokens();
    for (size_t i = 0; i < tokens.size(); ++i)
      if (IsTarget(tokens[i].text) && Neighbour(tokens, i, 1).Is("("))
        targets.push_back(TargetAt(source, i));
  }
  return targets;
}

// clang checks the same in a build that is run rarely. A header that no library exports is private
// to a target, or is generated.
void DirectDeps(const Tree& tree, Report& report) {
  const std::vector<Target> targets = TargetsOf(tree);
  std::map<std::string, std::set<std::string>> owners;  // labels, by header
  for (const Target& target : targets)
    for (const std::string& header : target.headers) owners[header].insert(target.label);
  for (const Target& target : targets) {
    for (const std::string& path : target.files) {
      const Source* source = tree.Find(path);
      if (source == nullptr) continue;
      for (size_t i = 0; i < source->lines().size(); ++i) {
        const std::string_view line = source->lines()[i];
        if (!line.starts_with(kInclude)) continue;
        const std::string_view rest = line.substr(kInclude.size());
        const std::string header(rest.substr(0, rest.find('"')));
        const auto owner = owners.find(header);
        if (owner == owners.end() || target.files.contains(header)) continue;
        const bool named = std::ranges::any_of(
            owner->second, [&](const std::string& label) { return target.deps.contains(label); });
        if (named) continue;
        report.Add(*source, static_cast<int>(i + 1),
                   fmt::format("{} is in no dep of {}: add {}", header, target.label,
                               *owner->second.begin()));
      }
    }
  }
}

constexpr auto kDepRules = std::to_array<Rule>({
    {"direct-deps", "A target names the library of each header that it includes.", DirectDeps},
});

}  // namespace

std::span<const Rule> DepRules() { return kDepRules; }

}  // namespace lint
