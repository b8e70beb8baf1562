#include "model/conversation/line_parser.h"

#include <fmt/format.h>

#include <charconv>

#include "model/conversation/call_reader.h"
#include "model/conversation/fault_text.h"

namespace cm {

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
                    "heal",
                    first, conversation_->topology->name, SideNames(*conversation_->topology)));
  }
}

void LineParser::ParseOfSide(Lane lane, std::string_view first, Words& words) {
  if (first == "wait") return ParseWait(lane, words);
  if (ParseMacro(lane, first, words)) return;
  const std::optional<CallKind> kind = ParseFunctionName(first);
  if (!kind) {
    words.Complain(fmt::format("\"{}\" is not a function that can be called", first));
    return;
  }
  ParseCall(lane, *kind, words);
}

void LineParser::ParseMeanwhile(Lane lane, Words& words) {
  const std::string_view name = words.Next("a function");
  const std::optional<CallKind> kind = ParseFunctionName(name);
  const std::vector<Line>& lines = conversation_->lines;
  if (!kind)
    words.Complain(fmt::format("\"{}\" is not a function that can be called", name));
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
