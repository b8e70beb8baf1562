// Forbidden words: clocks, foreign random numbers, exceptions, inexact numbers; vague words in
// text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "tools/lint/rules.h"
#include "tools/lint/usage.h"

namespace lint {
namespace {

// The context in which a word is forbidden.
enum class Standing { kAnywhere, kCalled, kOfStd };

struct Banned {
  std::string_view word;  // "*" and a suffix matches every word with that suffix
  Standing standing = Standing::kAnywhere;
};

bool Means(const Banned& banned, std::string_view word) {
  if (!banned.word.starts_with('*')) return word == banned.word;
  return word.ends_with(banned.word.substr(1));
}

bool Stands(const Source& source, size_t at, Standing standing) {
  switch (standing) {
    case Standing::kAnywhere:
      return true;
    case Standing::kCalled:
      return IsCallOfFree(source.tokens(), at);
    case Standing::kOfStd:
      return IsOfStd(source.tokens(), at);
  }
  return false;
}

void Ban(const Source& source, std::span<const Banned> list, std::string_view instead,
         Report& report) {
  for (size_t i = 0; i < source.tokens().size(); ++i) {
    const Token& token = source.tokens()[i];
    if (token.kind != TokenKind::kWord) continue;
    const bool is_banned = std::ranges::any_of(list, [&](const Banned& banned) {
      return Means(banned, token.text) && Stands(source, i, banned.standing);
    });
    if (is_banned) report.Add(source, token.line, fmt::format("`{}`: {}", token.text, instead));
  }
}

constexpr auto kClocks = std::to_array<Banned>({
    {"system_clock"},
    {"steady_clock"},
    {"high_resolution_clock"},
    {"utc_clock"},
    {"file_clock"},
    {"clock_gettime"},
    {"gettimeofday"},
    {"timespec_get"},
    {"sleep_for"},
    {"sleep_until"},
    {"usleep"},
    {"nanosleep"},
    {"clock_nanosleep"},
    {"time", Standing::kCalled},
    {"clock", Standing::kCalled},
    {"sleep", Standing::kCalled},
});

void Clock(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    if (source.path() == "conformance/process/real_time.cc" || source.IsUnder("hw_tests")) continue;
    // Functions of programs, where they are defined, and a program.
    if (source.IsUnder("sim/fake_libibverbs")) continue;
    Ban(source, kClocks, "time is virtual here and nothing sleeps", report);
  }
}

constexpr auto kDice = std::to_array<Banned>({
    {"rand", Standing::kCalled},
    {"srand", Standing::kCalled},
    {"random", Standing::kCalled},
    {"drand48", Standing::kCalled},
    {"getrandom", Standing::kCalled},
    {"getentropy", Standing::kCalled},
    {"random_device", Standing::kOfStd},
    {"mt19937", Standing::kOfStd},
    {"mt19937_64", Standing::kOfStd},
    {"minstd_rand", Standing::kOfStd},
    {"minstd_rand0", Standing::kOfStd},
    {"knuth_b", Standing::kOfStd},
    {"*_engine", Standing::kOfStd},
    {"*_distribution", Standing::kOfStd},
    {"generate_canonical", Standing::kOfStd},
    {"shuffle", Standing::kOfStd},
    {"random_shuffle", Standing::kOfStd},
    {"sample", Standing::kOfStd},
});

void Chance(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source)) continue;
    Ban(source, kDice, "chance comes from a Choice; others differ between libraries", report);
  }
}

constexpr auto kInexact = std::to_array<Banned>({{"float"}, {"double"}});

void Inexact(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsOurCpp(source) || !(source.IsUnder("model") || source.IsUnder("sim"))) continue;
    Ban(source, kInexact, "time and everything else is integral here", report);
  }
}

constexpr auto kThrow = std::to_array<Banned>({{"throw"}});

void Throw(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (IsOurCpp(source)) {
      Ban(source, kThrow, "return a Result, or stop with CM_CHECK", report);
    }
  }
}

constexpr auto kAssert = std::to_array<Banned>({{"assert", Standing::kCalled}});

void Assert(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (IsOurCpp(source)) {
      Ban(source, kAssert, "gone in an optimised build; use CM_CHECK", report);
    }
  }
}

// Written in two halves, so that this file keeps the rule.
constexpr auto kVague = std::to_array<std::string_view>({
    "no"
    "body",
    "some"
    "body",
    "any"
    "body",
    "every"
    "body",
    "who"
    "ever",
    "is "
    "told",
    "are "
    "told",
    "handed "
    "out",
    "administrator "
    "of the subnet",
});

bool IsText(const Source& source) {
  constexpr auto kEndings =
      std::to_array<std::string_view>({".md", ".py", ".sh", ".conv", ".defect"});
  return source.language() != Language::kOther || source.Line(1).starts_with("#!") ||
         std::ranges::any_of(kEndings, [&](auto end) { return source.path().ends_with(end); });
}

void PlainWords(const Tree& tree, Report& report) {
  for (const Source& source : tree.sources()) {
    if (!IsText(source)) continue;
    for (size_t i = 0; i < source.lines().size(); ++i) {
      // A word joined by "-" is a part of an id, which is permanent.
      std::string line(source.lines()[i]);
      std::ranges::transform(line, line.begin(), [](unsigned char c) {
        return c == '-' ? '_' : static_cast<char>(std::tolower(c));
      });
      for (const std::string_view word : kVague) {
        if (!HasWord(line, word)) continue;
        report.Add(
            source, static_cast<int>(i) + 1,
            fmt::format("`{}`: name the application, the peer, the kernel, the SA, ...", word));
      }
    }
  }
}

constexpr auto kWordRules = std::to_array<Rule>({
    {"clock",
     "Only conformance/process/real_time, sim/fake_libibverbs and hw_tests read a wall clock or "
     "sleep.",
     Clock},
    {"chance", "Every coin is a Choice; none comes from the C or C++ library.", Chance},
    {"inexact", "No floating point in model/ and sim/.", Inexact},
    {"throw", "We throw no exceptions.", Throw},
    {"assert", "Invariants hold in every build: CM_CHECK, not assert.", Assert},
    {"plain-words", "Code and documents name who acts: no indefinite pronouns.", PlainWords},
});

}  // namespace

std::span<const Rule> WordRules() { return kWordRules; }

}  // namespace lint
