#include "conformance/properties/mutate_history.h"

#include <string>
#include <utility>
#include <variant>

#include "model/base/check.h"

namespace cm::counterexamples {
namespace {

const CmEvent* EventOf(const Record& record) {
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  return answered != nullptr && answered->event ? &*answered->event : nullptr;
}

const line::Calls* CallOf(const History& history, const Record& record) {
  return std::get_if<line::Calls>(&history.conversation.lines[record.line]);
}

template <typename Fits>
size_t Find(const History& history, int n, Fits fits) {
  for (size_t at = 0; at < history.records.size(); ++at)
    if (fits(history.records[at]) && --n == 0) return at;
  CM_CHECK(false) << "the history has no such record";
  return 0;
}

}  // namespace

size_t Hears(const History& history, EventType type, int n) {
  return Find(history, n, [type](const Record& record) {
    const CmEvent* event = EventOf(record);
    return event != nullptr && event->type == type;
  });
}

size_t Makes(const History& history, CallKind kind, int n) {
  return Find(history, n, [&](const Record& record) {
    const line::Calls* line = CallOf(history, record);
    return line != nullptr && KindOf(line->call) == kind;
  });
}

IdRef Listener(const History& history) { return *history.conversation.names.ids.Find("L"); }

CmEvent& EventAt(History& history, size_t record) {
  auto& answered = std::get<seen::Answered>(history.records[record].seen);
  CM_CHECK(answered.event.has_value());
  return *answered.event;
}

Reply& ReplyAt(History& history, size_t record) {
  return std::get<seen::Answered>(history.records[record].seen).reply;
}

CmEvent& HearsAgain(History& history, size_t record, size_t after) {
  Conversation& conversation = history.conversation;
  Names& names = conversation.names;
  const std::string name = "again" + std::to_string(names.events.size());
  const auto was = std::get<line::Calls>(conversation.lines[history.records[record].line]);
  auto get = std::get<call::GetCmEvent>(was.call);
  get.event = names.events.Intern(name);
  get.request = names.ids.Intern(name + ".id");
  Record again = history.records[record];
  again.begin = history.records[after].end;
  again.end = again.begin;
  again.line = static_cast<uint32_t>(conversation.lines.size());
  conversation.lines.emplace_back(line::Calls{was.lane, get});
  history.records.insert(history.records.begin() + static_cast<std::ptrdiff_t>(after) + 1,
                         std::move(again));
  return EventAt(history, after + 1);
}

CmEvent& HearsAgain(History& history, size_t record) { return HearsAgain(history, record, record); }

void HearsNothing(History& history, size_t record) {
  CM_CHECK(EventOf(history.records[record]) != nullptr);
  history.records[record].seen =
      seen::Answered{.reply = Reply::Blocked(), .event = {}, .shown = {}};
}

void Swaps(History& history, size_t one, size_t other) {
  std::swap(EventAt(history, one), EventAt(history, other));
}

void Hurries(History& history, size_t record, Duration by) {
  Record& hurried = history.records[record];
  hurried.begin = hurried.begin + (Duration() - by);
  hurried.end = hurried.end + (Duration() - by);
}

}  // namespace cm::counterexamples
