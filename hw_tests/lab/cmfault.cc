#include "hw_tests/lab/cmfault.h"

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "model/vocabulary/fault.h"
#include "model/vocabulary/mad_kind.h"

namespace lab {
namespace {

constexpr uint64_t kNsPerMs = 1'000'000;
constexpr uint64_t kDelayMsMax = 3'600'000;  // the horizon of the fair queue

std::optional<uint64_t> Number(std::string_view word) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<uint32_t> Ordinal(std::string_view word) {
  const std::optional<uint64_t> value = Number(word);
  if (!value || *value == 0 || *value > kEveryOne) return std::nullopt;
  return static_cast<uint32_t>(*value);
}

std::optional<Toward> SideNamed(std::string_view word) {
  if (word == "active") return Toward::kActive;
  if (word == "passive") return Toward::kPassive;
  return std::nullopt;
}

std::string_view NameOf(Toward toward) { return toward == Toward::kActive ? "active" : "passive"; }

Problem Unusable(const std::string& line) { return {line, ProblemKind::kUnusable}; }

// Parses the words that every fault ends with: KIND SIDE [FIRST [LAST]].
std::optional<Problem> ParseStream(std::span<const std::string> words, CmRule& rule) {
  if (words.size() < 2 || words.size() > 4) {
    return Unusable("wanted: KIND active|passive [FIRST [LAST]]");
  }
  const std::optional<cm::MadKinds> kinds = cm::ParseMadKinds(words[0]);
  if (!kinds || *kinds == cm::MadKinds(cm::MadKind::kOther))
    return Unusable("no CM message is called " + words[0]);
  const std::optional<Toward> toward = SideNamed(words[1]);
  if (!toward) return Unusable(words[1] + " is neither active nor passive");
  rule.toward = *toward;
  rule.kinds = *kinds;
  if (words.size() == 2) return std::nullopt;
  const std::optional<uint32_t> first = Ordinal(words[2]);
  const std::optional<uint32_t> last = Ordinal(words.back());
  if (!first || !last || *last < *first) {
    return Unusable("FIRST and LAST are numbers from 1 up, in this order");
  }
  rule.first = *first;
  rule.last = *last;
  return std::nullopt;
}

int Fail(const Problem& problem) {
  fprintf(stderr, "cmfault: %s\n", problem.line.c_str());
  return 1;
}

int Show(const CmFilter& filter) {
  const Outcome<std::vector<CmRuleCount>> rules = filter.Rules();
  if (!rules.ok()) return Fail(rules.problem());
  for (const CmRuleCount& count : rules.value()) printf("%s\n", Describe(count).c_str());
  return 0;
}

int Counts(const CmFilter& filter) {
  for (Toward toward : {Toward::kActive, Toward::kPassive}) {
    for (const cm::MadKind kind : cm::kMads) {
      if (kind == cm::MadKind::kOther) continue;
      const Outcome<uint32_t> seen = filter.Seen(toward, kind);
      if (!seen.ok()) return Fail(seen.problem());
      const std::string name(cm::ToString(kind));
      const std::string side(NameOf(toward));
      if (seen.value() != 0) printf("%s %s %u\n", name.c_str(), side.c_str(), seen.value());
    }
  }
  return 0;
}

}  // namespace

Outcome<CmRule> ParseCmFault(std::span<const std::string> words) {
  CmRule rule;
  if (words.empty())
    return Unusable("wanted: drop, duplicate, delay, reorder, show, counts, clear or install");
  size_t used = 1;
  if (words[0] == "drop") {
    rule.action = CmAction::kDrop;
  } else if (words[0] == "duplicate") {
    rule.action = CmAction::kDuplicate;
  } else if (words[0] == "reorder") {
    rule.action = CmAction::kReorder;
  } else if (words[0] == "delay") {
    const std::optional<uint64_t> ms = words.size() > 1 ? Number(words[1]) : std::nullopt;
    if (!ms || *ms > kDelayMsMax) return Unusable("a delay is 0 to 3600000 ms");
    rule.action = CmAction::kDelay;
    rule.delay_ns = *ms * kNsPerMs;
    used = 2;
  } else {
    return Unusable("unknown word " + words[0]);
  }
  if (std::optional<Problem> problem = ParseStream(words.subspan(used), rule)) return *problem;
  return rule;
}

std::string Describe(const CmRuleCount& count) {
  const CmRule& rule = count.rule;
  std::string line;
  switch (rule.action) {
    case CmAction::kNone:
      line = "none";
      break;
    case CmAction::kDrop:
      line = "drop";
      break;
    case CmAction::kDuplicate:
      line = "duplicate";
      break;
    case CmAction::kDelay:
      line = "delay " + std::to_string(rule.delay_ns / kNsPerMs);
      break;
    case CmAction::kReorder:
      line = "reorder";
      break;
  }
  line.append(" ").append(cm::ToString(rule.kinds)).append(" ").append(NameOf(rule.toward));
  if (rule.first != 1 || rule.last != kEveryOne) {
    line += " " + std::to_string(rule.first) + " " + std::to_string(rule.last);
  }
  if (rule.window_ns != kForEver) {
    line += " for another " + std::to_string(rule.window_ns / kNsPerMs) + " ms";
  }
  return line + " seen " + std::to_string(count.seen) + " hit " + std::to_string(count.hit);
}

int RunCmFault(std::span<const std::string> words) {
  if (words.size() == 1 && words[0] == "install") {
    const Outcome<CmFilter> installed = CmFilter::Install();
    return installed.ok() ? 0 : Fail(installed.problem());
  }
  Outcome<CmFilter> filter = CmFilter::Open();
  if (!filter.ok()) return Fail(filter.problem());
  if (words.size() == 1 && words[0] == "show") return Show(filter.value());
  if (words.size() == 1 && words[0] == "counts") return Counts(filter.value());
  if (words.size() == 1 && words[0] == "clear") {
    const std::optional<Problem> problem = filter.value().ClearAll();
    return problem ? Fail(*problem) : 0;
  }
  const Outcome<CmRule> rule = ParseCmFault(words);
  if (!rule.ok()) return Fail(rule.problem());
  const std::optional<Problem> problem = filter.value().Add(rule.value());
  return problem ? Fail(*problem) : 0;
}

}  // namespace lab
