// Sizes, header guards.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string>

#include "tools/lint/functions.h"
#include "tools/lint/rules.h"

namespace lint {
namespace {

constexpr int kFunctionLinesMax = 70;
constexpr int kFileLinesMax = 500;

void LongFunction(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    for (const Function& function : Functions(source.tokens())) {
      const int lines = function.last_line - function.first_line + 1;
      if (lines <= kFunctionLinesMax) continue;
      report.Add(source, function.first_line,
                 fmt::format("`{}` has {} lines, the most is {}", function.name, lines,
                             kFunctionLinesMax));
    }
  }
}

void LongFile(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    const int lines = static_cast<int>(source.lines().size());
    if (!IsOurCpp(source) || lines <= kFileLinesMax) continue;
    report.Add(source, kFileLinesMax + 1,
               fmt::format("{} lines, the most is {}", lines, kFileLinesMax));
  }
}

std::string GuardOf(std::string_view path) {
  std::string guard;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    guard += std::isalnum(byte) ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return guard + "_";
}

// The line of the first directive, 0 when there is none.
int FirstDirective(const Source& source) {
  for (const Token& token : source.tokens()) {
    if (token.in_directive) return token.line;
  }
  return 0;
}

void Guard(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source) || !source.IsHeader()) continue;
    const std::string guard = GuardOf(source.path());
    const int line = FirstDirective(source);
    if (source.Line(line) == "#ifndef " + guard && source.Line(line + 1) == "#define " + guard) {
      continue;
    }
    report.Add(source, line == 0 ? 1 : line,
               fmt::format("the first directives must be #ifndef and #define {}", guard));
  }
}

constexpr auto kShapeRules = std::to_array<Rule>({
    {"long-function", "A function has at most 70 lines, from its signature to its brace.",
     LongFunction},
    {"long-file", "A file has at most 500 lines.", LongFile},
    {"guard", "A header is guarded by its path in capitals: SIM_CORE_WORLD_H_.", Guard},
});

}  // namespace

std::span<const Rule> ShapeRules() { return kShapeRules; }

}  // namespace lint
