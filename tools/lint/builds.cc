// Rules about BUILD files, which must work in every Bazel from 4 on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "tools/lint/rules.h"
#include "tools/lint/usage.h"

namespace lint {
namespace {

bool IsOurBuild(const Source& source) {
  return source.name() == "BUILD" && !source.IsUnder("tools/third_party");
}

bool IsCcRule(std::string_view word) {
  constexpr auto kCcRules = std::to_array<std::string_view>({"cc_binary", "cc_library", "cc_test"});
  return std::ranges::find(kCcRules, word) != kCcRules.end();
}

// Calls `visit(index)` for every use of a rule or macro that `wanted(name)` accepts.
template <typename Wanted, typename Visit>
void ForEachCall(const Source& source, Wanted wanted, Visit visit) {
  const Tokens tokens = source.tokens();
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool is_call = tokens[i].kind == TokenKind::kWord && Neighbour(tokens, i, 1).Is("(");
    if (is_call && wanted(tokens[i].text)) visit(i);
  }
}

bool Calls(const Source& source, std::string_view name) {
  bool calls = false;
  ForEachCall(
      source, [&](std::string_view word) { return word == name; }, [&](size_t) { calls = true; });
  return calls;
}

bool BuildsCpp(const Source& source) {
  bool builds = false;
  ForEachCall(source, IsCcRule, [&](size_t) { builds = true; });
  return builds;
}

// True when a token between the parentheses of the call at `at` is `text`.
bool CallHas(const Source& source, size_t at, std::string_view text) {
  const Tokens tokens = source.tokens();
  const Tokens arguments = tokens.subspan(at + 1, Closing(tokens, at + 1) - at - 1);
  return std::ranges::any_of(arguments, [&](const Token& token) { return token.Is(text); });
}

// The names that a file loads, with their quotes.
std::set<std::string_view> Loaded(const Source& source) {
  std::set<std::string_view> names;
  ForEachCall(
      source, [](std::string_view word) { return word == "load"; },
      [&](size_t at) {
        const Tokens tokens = source.tokens();
        for (size_t i = at; i < Closing(tokens, at + 1); ++i) names.insert(tokens[i].text);
      });
  return names;
}

void LoadRules(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurBuild(source)) continue;
    const std::set<std::string_view> loaded = Loaded(source);
    ForEachCall(source, IsCcRule, [&](size_t at) {
      const Token& token = source.tokens()[at];
      if (loaded.contains("\"" + std::string(token.text) + "\"")) return;
      report.Add(source, token.line,
                 fmt::format("load {} from @rules_cc//cc:defs.bzl", token.text));
    });
  }
}

void ForeignRules(const Tree& tree, Report& report) {
  constexpr auto kForeign = std::to_array<std::string_view>(
      {"cc_proto_library", "cc_shared_library", "py_binary", "py_library", "py_test", "sh_binary",
       "sh_library", "sh_test"});
  for (const Source& source : tree.sources()) {
    if (!IsOurBuild(source)) continue;
    ForEachCall(
        source,
        [&](std::string_view word) { return std::ranges::find(kForeign, word) != kForeign.end(); },
        [&](size_t at) {
          const Token& token = source.tokens()[at];
          report.Add(source, token.line,
                     fmt::format("{} is not in every Bazel: run it from a cc_test", token.text));
        });
  }
}

void Layering(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurBuild(source) || !BuildsCpp(source)) continue;
    bool is_checked = false;
    ForEachCall(
        source, [](std::string_view word) { return word == "package"; },
        [&](size_t at) { is_checked |= CallHas(source, at, "\"layering_check\""); });
    if (!is_checked) report.Add(source, 1, "package() needs features = [\"layering_check\"]");
  }
}

void TestSize(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurBuild(source)) continue;
    ForEachCall(
        source, [](std::string_view word) { return word == "cc_test"; },
        [&](size_t at) {
          if (CallHas(source, at, "size")) return;
          report.Add(source, source.tokens()[at].line, "a cc_test without a size");
        });
  }
}

void Tidied(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurBuild(source) || Calls(source, "tidy_test")) continue;
    if (!Calls(source, "cc_library") && !Calls(source, "cc_binary")) continue;
    report.Add(source, static_cast<int>(source.lines().size()),
               "end it with tidy_test(name = \"tidy_test\") from //tools/lint:tidy.bzl");
  }
}

constexpr auto kBuildRules = std::to_array<Rule>({
    {"load-rules", "A BUILD file loads the C++ rules: Bazel 9 has none built in.", LoadRules},
    {"foreign-rules", "No shell, Python or proto rules: they need repositories that Bazel 4 lacks.",
     ForeignRules},
    {"layering", "Every package of C++ turns layering_check on.", Layering},
    {"test-size", "Every test has a size.", TestSize},
    {"tidied", "Every package with libraries or binaries ends with a tidy_test.", Tidied},
});

}  // namespace

std::span<const Rule> BuildRules() { return kBuildRules; }

}  // namespace lint
