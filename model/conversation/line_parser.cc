#include "model/conversation/line_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/conversation/call_reader.h"
#include "model/conversation/call_syntax.h"
#include "model/conversation/fault_text.h"

namespace cm {
namespace {

// What is no call, as docs/language.md has it.
struct Form {
  std::string_view word;
  std::string_view takes;
};
constexpr auto kForms = std::to_array<Form>({
    {"wait", "CHANNEL within=DURATION"},
    {"listening", "ID on=CHANNEL port=N [backlog=8]"},
    {"resolving", "ID on=CHANNEL to=ADDRESS"},
    {"connecting", "ID on=CHANNEL to=ADDRESS [noqp] [PARAMETERS]"},
    {"accepting", "ID on=CHANNEL [noqp] [PARAMETERS]"},
    {"taking", "CHANNEL [as=EVENT] [id=ID]"},
});

// Nothing may be left of the line.
void FinishForm(std::string_view word, Words& words) {
  if (!words.ok() || words.empty()) return;
  const auto* const form = std::ranges::find(kForms, word, &Form::word);
  words.Complain(fmt::format("\"{}\" is not understood here: {} {}", words.Peek(), word,
                             form == kForms.end() ? "" : form->takes));
}

// How many letters have to be added, taken away or changed to make the one word of the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

// A word in the place of a function that is none, and what may be meant.
std::string NoFunction(std::string_view word) {
  constexpr size_t kMostWrong = 3;         // letters
  constexpr size_t kLongestFunction = 64;  // no function has a name that long
  std::string_view nearest;
  size_t distance = kMostWrong + 1;
  for (int i = 0; i < kCallKindCount && word.size() <= kLongestFunction; ++i) {
    const std::string_view name = FunctionName(static_cast<CallKind>(i));
    const size_t wrong = Distance(word, name);
    if (wrong < distance) nearest = name;
    distance = std::min(distance, wrong);
  }
  if (nearest.empty())
    return fmt::format("\"{}\" is not a function that can be called: cmcheck list functions", word);
  return fmt::format("\"{}\" is not a function that can be called; {} is one", word, nearest);
}

}  // namespace

std::string LineParser::Parse(std::string_view line) {
  Words words(line);
  const std::string_view first = words.Next("a side, or pass, settle, fault, heal");
  if (const std::optional<Lane> lane = LaneNamed(first)) {
    const std::string_view verb = words.Next("a function");
    const bool tester = conversation_->topology->IsTester(lane->side);
    if (tester != (verb == "sends"))
      words.Complain(tester ? "the tester calls no functions: it sends messages"
                            : "only a tester sends messages that are made by hand");
    else if (tester)
      ParseSends(lane->side, words);
    else if (verb == "&")
      ParseMeanwhile(*lane, words);
    else
      ParseOfSide(*lane, verb, words);
  } else {
    ParseOwn(first, words);
  }
  if (words.ok()) words.Finish();
  return words.problem();
}

void LineParser::ParseOwn(std::string_view first, Words& words) {
  if (first == "pass") {
    conversation_->lines.push_back(line::Passes{DurationFrom(words.Next("a duration"), words)});
  } else if (first == "settle") {
    conversation_->lines.push_back(line::Settles{});
  } else if (first == "heal") {
    conversation_->lines.push_back(line::Heals{});
  } else if (first == "fault") {
    conversation_->lines.push_back(line::Injects{
        FaultFrom(words, *conversation_->topology, conversation_->origin.has_value())});
  } else {
    words.Complain(
        fmt::format("\"{}\" is neither a side of topology {} ({}) nor one of pass, settle, fault, "
                    "heal{}",
                    first, conversation_->topology->name, SideNames(*conversation_->topology),
                    IsLaneOfASide(first) ? "; the lanes of a side are 1 to 255" : ""));
  }
}

void LineParser::ParseOfSide(Lane lane, std::string_view first, Words& words) {
  if (first == "wait") {
    ParseWait(lane, words);
    return FinishForm(first, words);
  }
  if (ParseMacro(lane, first, words)) return FinishForm(first, words);
  const std::optional<CallKind> kind = ParseFunctionName(first);
  if (!kind) {
    words.Complain(NoFunction(first));
    return;
  }
  ParseCall(lane, *kind, words);
}

void LineParser::ParseMeanwhile(Lane lane, Words& words) {
  const std::string_view name = words.Next("a function");
  const std::optional<CallKind> kind = ParseFunctionName(name);
  const std::vector<Line>& lines = conversation_->lines;
  if (!kind)
    words.Complain(NoFunction(name));
  else if (lines.empty() || !std::holds_alternative<line::Calls>(lines.back()))
    words.Complain("&: the line before is no call that this one could be made together with");
  if (!words.ok()) return;
  const size_t before = lines.size() - 1;
  ParseCall(lane, *kind, words);
  if (!words.ok()) return;
  std::get<line::Calls>(conversation_->lines.back()).meanwhile = true;
  size_t first = before;
  while (first > 0 && std::get<line::Calls>(lines[first]).meanwhile) --first;
  if (EndOfTogether(*conversation_, first) != lines.size())
    words.Complain("&: this thread makes another of the concurrent calls");
}

void LineParser::ParseWait(Lane lane, Words& words) {
  const ChannelRef channel =
      CallReader(conversation_, &words).KnownChannel(words.Next("a channel"));
  const Duration within = DurationFrom(words.Need("within"), words);
  conversation_->lines.push_back(line::Waits{lane, channel, within});
}

void LineParser::ParseCall(Lane lane, CallKind kind, Words& words) {
  Say(lane, CallReader(conversation_, &words).Arguments(kind));
  if (words.ok() && !words.empty())
    words.Complain(fmt::format("\"{}\" is not understood here: {}", words.Peek(), SyntaxOf(kind)));
}

// With whatever behind the slash.
bool LineParser::IsLaneOfASide(std::string_view word) const {
  const size_t slash = word.find('/');
  return slash != std::string_view::npos &&
         conversation_->topology->SideNamed(word.substr(0, slash)).has_value();
}

std::optional<Lane> LineParser::LaneNamed(std::string_view word) const {
  uint8_t number = 1;
  const size_t slash = word.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view digits = word.substr(slash + 1);
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number);
    if (error != std::errc() || end != last || number == 0) return std::nullopt;
  }
  const std::optional<uint8_t> side = conversation_->topology->SideNamed(word.substr(0, slash));
  if (!side) return std::nullopt;
  return Lane{.side = *side, .number = number};
}

void LineParser::Say(Lane lane, Call call) {
  conversation_->lines.push_back(line::Calls{lane, std::move(call)});
}

}  // namespace cm
