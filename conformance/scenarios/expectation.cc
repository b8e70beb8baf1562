#include "conformance/scenarios/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include "model/conversation/print.h"

namespace cm {
namespace {

struct Short {
  std::string_view word;
  EventType type;
};
constexpr auto kShort = std::to_array<Short>({
    {"CR", EventType::kConnectRequest},
    {"EST", EventType::kEstablished},
    {"REJ", EventType::kRejected},
    {"UNR", EventType::kUnreachable},
    {"DISC", EventType::kDisconnected},
    {"TWX", EventType::kTimewaitExit},
});

std::string_view WordOf(EventType type) {
  const auto* const found = std::ranges::find(kShort, type, &Short::type);
  return found == kShort.end() ? ShortName(type) : found->word;
}

std::optional<EventType> EventOf(std::string_view word) {
  const auto* const found = std::ranges::find(kShort, word, &Short::word);
  if (found != kShort.end()) return found->type;
  return ParseEventType("RDMA_CM_EVENT_" + std::string(word));
}

std::optional<int> NumberOf(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "98.304s": seconds with at most nine decimals.
std::optional<Duration> SecondsOf(std::string_view text) {
  if (!text.ends_with('s')) return std::nullopt;
  text.remove_suffix(1);
  const size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string decimals(point < text.size() ? text.substr(point + 1) : std::string_view());
  decimals.resize(9, '0');
  digits += decimals;
  int64_t nanoseconds = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), nanoseconds);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return Duration::Nanoseconds(nanoseconds);
}

std::string_view WithoutBrackets(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']'
             ? word.substr(1, word.size() - 2)
             : std::string_view();
}

std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

// Parses one comment; keeps the first error.
class Reader {
 public:
  explicit Reader(const Conversation& conversation) : conversation_(conversation) {}

  std::variant<Expectation, std::string> Read() {
    std::istringstream in(conversation_.comment);
    for (std::string line; std::getline(in, line) && problem_.empty();) ReadLine(line);
    if (problem_.empty() && read_.sides.empty()) problem_ = "no line says what a side hears";
    if (!problem_.empty()) return problem_;
    return std::move(read_);
  }

 private:
  void Complain(std::string_view what, std::string_view text) {
    if (problem_.empty()) problem_ = fmt::format("{}: \"{}\"", what, text);
  }

  void ReadLine(const std::string& line) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) return;
    const std::string key = line.substr(0, colon);
    const std::string value = line.substr(colon + 2);
    if (const auto side = conversation_.topology->SideNamed(key)) {
      ReadSide(*side, value);
    } else if (key == "time") {
      ReadTime(value);
    } else if (key == "sends") {
      for (const std::string& part : SplitAtCommas(value)) ReadSends(part);
    } else if (key == "says") {
      ReadSays(value);
    } else if (key == "returns") {
      for (const std::string& part : SplitAtCommas(value)) ReadReturn(part);
    } else if (key == "rows") {
      for (std::string& row : WordsOf(value)) read_.rows.push_back(std::move(row));
    } else if (key == "lab") {
      if (!value.starts_with("no, ")) return Complain("not \"no, REASON\"", value);
      read_.not_in_lab = value.substr(4);
    }
  }

  void ReadSide(uint8_t side, const std::string& value) {
    ExpectedSide expected{.side = side, .events = {}};
    if (value != "nothing")
      for (const std::string& part : SplitAtCommas(value)) {
        const std::vector<std::string> words = WordsOf(part);
        const auto type = words.empty() ? std::nullopt : EventOf(words[0]);
        const auto status = words.size() == 2 ? NumberOf(words[1]) : std::optional<int>(0);
        if (!type || !status || words.size() > 2) return Complain("no event with a status", part);
        expected.events.push_back({*type, *status});
      }
    read_.sides.push_back(std::move(expected));
  }

  std::optional<Moment> MomentOf(std::string_view side, std::string_view word) {
    const auto known = conversation_.topology->SideNamed(side);
    const size_t mark = word.find('#');
    const auto nth =
        mark == std::string_view::npos ? std::optional<int>(1) : NumberOf(word.substr(mark + 1));
    if (!known || !nth || *nth < 1) return std::nullopt;
    const std::string_view name = word.substr(0, mark);
    if (const auto type = EventOf(name)) return Moment{*known, *type, *nth};
    if (const auto call = ParseFunctionName(name)) return Moment{*known, *call, *nth};
    return std::nullopt;
  }

  void ReadTime(const std::string& value) {
    const std::vector<std::string> words = WordsOf(value);
    if (words.size() < 3) return Complain("not SIDE EVENT TIME", value);
    const auto event = MomentOf(words[0], words[1]);
    const auto nominal = SecondsOf(words[2]);
    size_t next = 3;
    std::optional<Duration> later = nominal;
    if (next < words.size() && words[next].starts_with('['))
      later = SecondsOf(WithoutBrackets(words[next++]));
    std::optional<Moment> after = Moment{kActiveSide, CallKind::kConnect, 1};
    if (next < words.size() && words[next] == "after") {
      after = words.size() == next + 3 ? MomentOf(words[next + 1], words[next + 2]) : std::nullopt;
      next += 3;
    }
    if (!event || !nominal || !later || !after || next != words.size())
      return Complain("no time of an event", value);
    read_.times.push_back({*event, *after, *nominal, *later, value});
  }

  void ReadSends(const std::string& part) {
    const std::vector<std::string> words = WordsOf(part);
    if (words.size() != 3 && words.size() != 4) return Complain("not SIDE KIND NUMBER", part);
    const auto side = conversation_.topology->SideNamed(words[0]);
    const auto kind = ParseMessageKind(words[1]);
    const auto count = NumberOf(words[2]);
    const auto later = words.size() == 4 ? NumberOf(WithoutBrackets(words[3])) : count;
    if (!side || !kind || !count || !later) return Complain("not SIDE KIND NUMBER", part);
    read_.sends.push_back({*side, *kind, *count, *later});
  }

  void ReadSays(const std::string& value) {
    const size_t space = value.find(' ');
    const auto side = conversation_.topology->SideNamed(value.substr(0, space));
    if (!side || space == std::string::npos) return Complain("not SIDE MESSAGE", value);
    read_.says.push_back({*side, value.substr(space + 1)});
  }

  void ReadReturn(const std::string& part) {
    const std::vector<std::string> words = WordsOf(part);
    const auto call = words.size() == 3 ? MomentOf(words[0], words[1]) : std::nullopt;
    const auto error =
        words.size() == 3 && words[2] != "0" ? ParseErrno(words[2]) : std::optional(Errno::kNone);
    if (!call || !std::holds_alternative<CallKind>(call->what) || !error)
      return Complain("not SIDE CALL ERRNO", part);
    read_.returns.push_back({*call, *error, part});
  }

  const Conversation& conversation_;
  Expectation read_;
  std::string problem_;
};

const CmEvent* EventIn(const Record& record, const Conversation& conversation) {
  const auto* const calls = std::get_if<line::Calls>(&conversation.lines[record.line]);
  if (calls == nullptr || !std::holds_alternative<call::GetCmEvent>(calls->call)) return nullptr;
  return cm::EventOf(record.seen);
}

std::string ListOf(const std::vector<ScenarioEvent>& events) {
  std::string text;
  for (const ScenarioEvent& event : events) text += (text.empty() ? "" : ", ") + ToString(event);
  return text.empty() ? "nothing" : text;
}

// The record of the call.
const Record* RecordOf(const Moment& call, const History& history) {
  int seen = 0;
  for (const Record& record : history.records) {
    const auto* const calls = std::get_if<line::Calls>(&history.conversation.lines[record.line]);
    if (calls == nullptr || calls->lane.side != call.side ||
        !std::holds_alternative<seen::Answered>(record.seen))
      continue;
    if (KindOf(calls->call) == std::get<CallKind>(call.what) && ++seen == call.nth) return &record;
  }
  return nullptr;
}

std::string_view NameOf(uint8_t side, const History& history) {
  return history.conversation.topology->sides[side].name;
}

std::string Objection(const ExpectedSide& side, const History& history) {
  std::vector<ScenarioEvent> heard;
  for (const FetchedEvent& event : FetchedEvents(history))
    if (event.side == side.side) heard.push_back(event.event);
  if (heard == side.events) return {};
  return fmt::format("{} hears {}, expected {}", NameOf(side.side, history), ListOf(heard),
                     ListOf(side.events));
}

std::string Objection(const ExpectedTime& time, Duration nominal, const History& history,
                      Duration slack) {
  const auto from = When(time.after, history);
  const auto at = When(time.event, history);
  if (!from || !at) return fmt::format("{}: that moment never came", time.text);
  const Duration took = *at - *from;
  if (took >= nominal && took <= nominal + slack) return {};
  return fmt::format("{}: took {}, expected {}", time.text, SecondsText(took),
                     SecondsText(nominal));
}

std::string Objection(const ExpectedSends& sends, int expected, const History& history) {
  const auto count = std::ranges::count_if(history.wire, [&](const WireRecord& message) {
    return message.side == sends.side && message.kind == sends.kind;
  });
  if (count == expected) return {};
  return fmt::format("{} sends {} {}, expected {}", NameOf(sends.side, history), count,
                     ToString(sends.kind), expected);
}

std::string Objection(const ExpectedMessage& says, const History& history) {
  const auto is_it = [&](const WireRecord& message) {
    const std::string line = ToString(message, *history.conversation.topology);
    const std::string wanted = fmt::format("mad {} {}", NameOf(says.side, history), says.text);
    return line == wanted || line.starts_with(wanted + " private=");
  };
  if (std::ranges::any_of(history.wire, is_it)) return {};
  return fmt::format("{} never says {}", NameOf(says.side, history), says.text);
}

std::string Objection(const ExpectedReturn& returns, const History& history) {
  const Record* const made = RecordOf(returns.call, history);
  if (made == nullptr) return fmt::format("{}: that call was never made", returns.text);
  const Reply& reply = std::get<seen::Answered>(made->seen).reply;
  if (reply.kind == ReplyKind::kReturned && reply.error == returns.error) return {};
  return fmt::format("{}: returned {} {}", returns.text, reply.value, ToString(reply.error));
}

}  // namespace

std::string SecondsText(Duration duration) {
  return fmt::format("{}.{:06}s", duration.microseconds() / 1'000'000,
                     duration.microseconds() % 1'000'000);
}

std::string ToString(const ScenarioEvent& event) {
  std::string text(WordOf(event.type));
  if (event.status != 0) text += fmt::format(" {}", event.status);
  return text;
}

std::variant<Expectation, std::string> ReadExpectation(const Conversation& conversation) {
  return Reader(conversation).Read();
}

std::vector<FetchedEvent> FetchedEvents(const History& history) {
  std::vector<FetchedEvent> fetched;
  for (uint32_t i = 0; i < history.records.size(); ++i) {
    const Record& record = history.records[i];
    const CmEvent* const event = EventIn(record, history.conversation);
    if (event == nullptr || event->type == EventType::kAddrResolved ||
        event->type == EventType::kRouteResolved)
      continue;
    const auto& calls = std::get<line::Calls>(history.conversation.lines[record.line]);
    fetched.push_back({calls.lane.side, {event->type, event->status}, record.end, i});
  }
  return fetched;
}

std::optional<Instant> When(const Moment& moment, const History& history) {
  if (std::holds_alternative<CallKind>(moment.what)) {
    const Record* const made = RecordOf(moment, history);
    return made == nullptr ? std::nullopt : std::optional(made->begin);
  }
  int seen = 0;
  for (const FetchedEvent& event : FetchedEvents(history))
    if (event.side == moment.side && event.event.type == std::get<EventType>(moment.what) &&
        ++seen == moment.nth)
      return event.at;
  return std::nullopt;
}

bool IsLater(const Profile& profile) {
  return profile.name.starts_with("6.12-") || profile.name.starts_with("7.2-");
}

std::vector<std::string> Unexpected(const Expectation& expectation, const History& history,
                                    const Profile& profile, Duration slack) {
  std::vector<std::string> found;
  const auto object = [&found](std::string objection) {
    if (!objection.empty()) found.push_back(std::move(objection));
  };
  const bool later = IsLater(profile);
  for (const ExpectedSide& side : expectation.sides) object(Objection(side, history));
  for (const ExpectedTime& time : expectation.times)
    object(Objection(time, later ? time.later : time.nominal, history, slack));
  for (const ExpectedSends& sends : expectation.sends)
    object(Objection(sends, later ? sends.later : sends.count, history));
  for (const ExpectedMessage& says : expectation.says) object(Objection(says, history));
  for (const ExpectedReturn& returns : expectation.returns) object(Objection(returns, history));
  return found;
}

}  // namespace cm
