// Reminders, silent or disabled tests, paths of one machine.
#include <fmt/format.h>

#include <array>
#include <string>

#include "tools/lint/rules.h"
#include "tools/lint/usage.h"

namespace lint {
namespace {

// The words and paths below are written in two halves, so that this file keeps its own rules.
constexpr auto kReminders =
    std::to_array<std::string_view>({"TO"
                                     "DO",
                                     "FIX"
                                     "ME",
                                     "XX"
                                     "X",
                                     "HA"
                                     "CK"});
constexpr auto kMachinePaths =
    std::to_array<std::string_view>({"/wo"
                                     "rk/",
                                     "/ro"
                                     "ot/",
                                     "/fa"
                                     "rm/",
                                     "/tmp/ba"
                                     "sh_jobs"});

// Code, not prose and not recorded data.
bool IsCode(const Source& source) {
  return source.language() != Language::kOther || source.path().ends_with(".py") ||
         source.path().ends_with(".sh") || source.Line(1).starts_with("#!");
}

void Reminder(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsCode(source)) continue;
    for (size_t i = 0; i < source.lines().size(); ++i) {
      for (const std::string_view word : kReminders) {
        if (!HasWord(source.lines()[i], word)) continue;
        report.Add(source, static_cast<int>(i) + 1,
                   fmt::format("{}: finish it, or say what the limit is and why", word));
      }
    }
  }
}

void MachinePath(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    for (size_t i = 0; i < source.lines().size(); ++i) {
      for (const std::string_view path : kMachinePaths) {
        if (source.lines()[i].find(path) == std::string_view::npos) continue;
        report.Add(source, static_cast<int>(i) + 1,
                   fmt::format("{} exists on one machine only", path));
      }
    }
  }
}

void SilentSkip(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    const Tokens tokens = source.tokens();
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].Is("GTEST_"
                        "SKIP") ||
          !Neighbour(tokens, i, 3).Is(";"))
        continue;
      report.Add(source, tokens[i].line, "skips without saying why: stream the reason into it");
    }
  }
}

void DisabledTest(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    for (const Token& token : source.tokens()) {
      if (token.kind != TokenKind::kWord || !token.text.starts_with("DISABLED"
                                                                    "_"))
        continue;
      report.Add(source, token.line, fmt::format("`{}`: mend it or delete it", token.text));
    }
  }
}

constexpr auto kNoteRules = std::to_array<Rule>({
    {"reminder", "Code has no reminders to its writer.", Reminder},
    {"machine-path", "No file names a path of one machine.", MachinePath},
    {"silent-skip", "A test that skips says why.", SilentSkip},
    {"disabled-test", "No test is disabled.", DisabledTest},
});

}  // namespace

std::span<const Rule> NoteRules() { return kNoteRules; }

}  // namespace lint
