#include "hw_tests/lab/cmfault.h"

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

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

// Takes the words that every fault ends in: KIND SIDE [FIRST [LAST]].
std::optional<Problem> ParseStream(std::span<const std::string> words, CmFaultCommand& command) {
  if (words.size() < 2 || words.size() > 4) {
    return Unusable("wanted: KIND active|passive [FIRST [LAST]]");
  }
  const std::optional<CmKind> kind = CmKindNamed(words[0]);
  if (!kind) return Unusable("no CM message is called " + words[0]);
  const std::optional<Toward> toward = SideNamed(words[1]);
  if (!toward) return Unusable(words[1] + " is neither active nor passive");
  command.stream = {*toward, *kind};
  if (words.size() == 2) return std::nullopt;
  const std::optional<uint32_t> first = Ordinal(words[2]);
  const std::optional<uint32_t> last = Ordinal(words.back());
  if (!first || !last || *last < *first) {
    return Unusable("FIRST and LAST are numbers from 1 up, in this order");
  }
  command.fault.first = *first;
  command.fault.last = *last;
  return std::nullopt;
}

// Set, and so worth a line.
bool IsSet(const CmCount& count) { return count.fault.action != CmAction::kNone; }

int Fail(const Problem& problem) {
  fprintf(stderr, "cmfault: %s\n", problem.line.c_str());
  return 1;
}

// Calls `print` with each stream and its count, in a fixed order.
template <typename Print>
int ForEachStream(const CmFilter& filter, const Print& print) {
  for (Toward toward : {Toward::kActive, Toward::kPassive}) {
    for (uint32_t kind = 0; kind < kCmKinds; ++kind) {
      const CmStream stream = {toward, static_cast<CmKind>(kind)};
      const Outcome<CmCount> count = filter.Get(stream);
      if (!count.ok()) return Fail(count.problem());
      print(stream, count.value());
    }
  }
  return 0;
}

int Show(const CmFilter& filter) {
  return ForEachStream(filter, [](CmStream stream, const CmCount& count) {
    if (IsSet(count)) printf("%s\n", Describe(stream, count).c_str());
  });
}

int Counts(const CmFilter& filter) {
  return ForEachStream(filter, [](CmStream stream, const CmCount& count) {
    const std::string kind(lab::NameOf(stream.kind));
    const std::string side(NameOf(stream.toward));
    if (count.seen != 0) printf("%s %s %u\n", kind.c_str(), side.c_str(), count.seen);
  });
}

}  // namespace

Outcome<CmFaultCommand> ParseCmFault(std::span<const std::string> words) {
  CmFaultCommand command;
  if (words.empty())
    return Unusable("wanted: drop, duplicate, delay, show, counts, clear or install");
  size_t used = 1;
  if (words[0] == "drop") {
    command.fault.action = CmAction::kDrop;
  } else if (words[0] == "duplicate") {
    command.fault.action = CmAction::kDuplicate;
  } else if (words[0] == "delay") {
    const std::optional<uint64_t> ms = words.size() > 1 ? Number(words[1]) : std::nullopt;
    if (!ms || *ms > kDelayMsMax) return Unusable("a delay is 0 to 3600000 ms");
    command.fault.action = CmAction::kDelay;
    command.fault.delay_ns = *ms * kNsPerMs;
    used = 2;
  } else {
    return Unusable("unknown word " + words[0]);
  }
  if (std::optional<Problem> problem = ParseStream(words.subspan(used), command)) return *problem;
  return command;
}

std::string Describe(CmStream stream, const CmCount& count) {
  std::string line;
  switch (count.fault.action) {
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
      line = "delay " + std::to_string(count.fault.delay_ns / kNsPerMs);
      break;
  }
  line.append(" ").append(lab::NameOf(stream.kind));
  line.append(" ").append(NameOf(stream.toward));
  if (count.fault.first != 1 || count.fault.last != kEveryOne) {
    line += " " + std::to_string(count.fault.first) + " " + std::to_string(count.fault.last);
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
  const Outcome<CmFaultCommand> command = ParseCmFault(words);
  if (!command.ok()) return Fail(command.problem());
  const std::optional<Problem> problem =
      filter.value().Set(command.value().stream, command.value().fault);
  return problem ? Fail(*problem) : 0;
}

}  // namespace lab
