#include "model/conversation/line_parser.h"

#include <fmt/format.h>

#include <charconv>

#include "model/conversation/call_reader.h"

namespace cm {
namespace {

constexpr int64_t kMostFlaps = 1000;

// So that the times of a whole conversation stay within what can be counted and captured.
constexpr Duration kLongest = Duration::Seconds(100'000);

std::string SideNames(const Topology& topology) {
  std::string names;
  for (const SideInfo& side : topology.sides) names += (names.empty() ? "" : ", ") + side.name;
  return names;
}

// Those that a fault can be about.
std::string AllMadKinds() {
  std::string names;
  for (int i = 0; i < kMadKindCount; ++i)
    if (const auto kind = static_cast<MadKind>(i); kind != MadKind::kOther)
      names += (names.empty() ? "" : ", ") + std::string(ToString(kind));
  return names;
}

Duration DurationFrom(std::string_view text, Words& words) {
  const std::optional<Duration> duration = ParseDuration(text);
  if (!duration)
    words.Complain(fmt::format("\"{}\": a duration such as 20us or 3s is wanted", text));
  else if (*duration > kLongest)
    words.Complain(fmt::format("\"{}\": at most {} at once", text, ToString(kLongest)));
  return duration.value_or(Duration());
}

// "3", "2..5" or "4..": occurrences of a packet.
void OccurrencesFrom(std::string_view text, Fault* fault, Words& words) {
  const size_t dots = text.find("..");
  const auto number = [&words, text](std::string_view digits) {
    uint32_t n = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, n);
    if (error != std::errc() || end != last || n == 0)
      words.Complain(fmt::format("nth={}: 3, 2..5 or 4.. is wanted, counted from 1", text));
    return n;
  };
  fault->first = number(text.substr(0, dots));
  if (dots == std::string_view::npos) {
    fault->last = fault->first;
  } else {
    fault->last = dots + 2 == text.size() ? 0 : number(text.substr(dots + 2));
    if (fault->last != 0 && fault->last < fault->first)
      words.Complain(fmt::format("nth={}: the last is before the first", text));
  }
}

// "5s", or "1ms..5s shape=tail": a delay, or the range that it is drawn from.
void DelayFrom(std::string_view text, Fault* fault, Words& words) {
  const size_t dots = text.find("..");
  fault->by = DurationFrom(text.substr(0, dots), words);
  if (dots != std::string_view::npos) {
    fault->at_most = DurationFrom(text.substr(dots + 2), words);
    if (fault->at_most <= fault->by)
      words.Complain(fmt::format("by={}: the longest is no longer than the shortest", text));
  }
  const auto shape = words.Take("shape");
  if (!shape) return;
  if (fault->at_most <= fault->by)
    words.Complain(fmt::format("shape={}: a range such as by=1ms..1s is wanted", *shape));
  if (*shape == "tail")
    fault->shape = DelayShape::kTail;
  else if (*shape != "uniform")
    words.Complain(fmt::format("shape={}: uniform or tail is wanted", *shape));
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
    ParseFault(words);
  } else {
    words.Complain(
        fmt::format("\"{}\" is neither a side of topology {} ({}) nor one of pass, settle, fault, "
                    "heal",
                    first, conversation_->topology->name, SideNames(*conversation_->topology)));
  }
}

void LineParser::ParseFault(Words& words) {
  const std::string_view name = words.Next("a kind of fault");
  const std::optional<FaultKind> kind = ParseFaultKind(name);
  if (!kind) {
    words.Complain(
        fmt::format("fault {}: not a kind of fault; there are {}", name, AllFaultKinds()));
    return;
  }
  Fault fault{.kind = *kind};
  if (fault.OnPackets())
    ParsePacketFault(&fault, words);
  else
    fault.side = SideFrom(words.Need("side"), words);
  if (fault.kind == FaultKind::kFlap) {
    fault.by = DurationFrom(words.Need("every"), words);
    fault.last = static_cast<uint32_t>(words.Number("times", 0, 1, kMostFlaps));
    if (fault.last == 0 || fault.by <= Duration())
      words.Complain(fmt::format("link-flap: every=500ms times=3 or the like is wanted"));
  }
  conversation_->lines.push_back(line::Injects{fault});
}

void LineParser::ParsePacketFault(Fault* fault, Words& words) {
  const std::string_view kinds = words.Next("a kind of message");
  const std::optional<MadKinds> messages = ParseMadKinds(kinds);
  if (!messages) words.Complain(fmt::format("\"{}\": {} or any is wanted", kinds, AllMadKinds()));
  fault->messages = messages.value_or(MadKinds());
  const auto side = [&](std::string_view name) {
    return name == "any" ? kAnySide : SideFrom(name, words);
  };
  fault->side = side(words.Need("from"));
  if (const auto to = words.Take("to")) fault->to = side(*to);
  if (const auto nth = words.Take("nth")) OccurrencesFrom(*nth, fault, words);
  if (const auto after = words.Take("after")) fault->after = DurationFrom(*after, words);
  if (const auto window = words.Take("during")) fault->window = DurationFrom(*window, words);
  if (fault->kind == FaultKind::kDelay) DelayFrom(words.Need("by"), fault, words);
  if (conversation_->origin) return;  // walks draw what does nothing as well
  if (fault->window <= Duration()) words.Complain("during=0s: nothing would come of it");
  if (fault->kind == FaultKind::kDelay && fault->MostLate() <= Duration())
    words.Complain("by=0s: nothing would come of it");
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
    words.Complain("&: this thread makes another of the calls that are made at once");
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

uint8_t LineParser::SideFrom(std::string_view text, Words& words) {
  const std::optional<uint8_t> side = conversation_->topology->SideNamed(text);
  if (!side)
    words.Complain(fmt::format("\"{}\" is not a side of topology {}; there are {}", text,
                               conversation_->topology->name, SideNames(*conversation_->topology)));
  return side.value_or(0);
}

void LineParser::Say(Lane lane, Call call) {
  conversation_->lines.push_back(line::Calls{lane, std::move(call)});
}

}  // namespace cm
