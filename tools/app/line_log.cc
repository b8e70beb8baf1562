#include "tools/app/line_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cm::app {
namespace {

// source: docs/language.md, the longest of a line
constexpr Duration kLongest = Duration::Seconds(100'000);

std::string Numbered(std::string_view what, uint32_t number, int nth) {
  return nth == 1 ? fmt::format("{}{}", what, number) : fmt::format("{}{}.{}", what, number, nth);
}

}  // namespace

void LineLog::Add(Line line, Observation seen, Instant begin) {
  history_.conversation.lines.push_back(std::move(line));
  history_.records.push_back({.line = static_cast<uint32_t>(history_.conversation.lines.size() - 1),
                              .begin = begin,
                              .end = now_,
                              .seen = std::move(seen)});
}

void LineLog::Attach(WireRecord message) {
  message.record = static_cast<uint32_t>(history_.records.size() - 1);
  history_.wire.push_back(std::move(message));
}

void LineLog::PassUntil(Instant at) {
  while (now_ < at) {
    const Instant begin = now_;
    const Duration span = std::min(at - now_, kLongest);
    now_ = now_ + span;
    Add(line::Passes{span}, seen::Done{}, begin);
    const auto later = std::ranges::find_if(
        coming_, [this](const WireRecord& message) { return message.at > now_; });
    for (auto message = coming_.begin(); message != later; ++message) Attach(std::move(*message));
    coming_.erase(coming_.begin(), later);
  }
}

uint32_t LineLog::Say(Lane lane, const Call& call, const Reply& reply,
                      std::optional<CmEvent> event) {
  if (lane.number > 1) Needs({Capability::kLanes});
  Add(line::Calls{lane, call}, seen::Answered{.reply = reply, .event = std::move(event)}, now_);
  return history_.records.back().line;
}

void LineLog::Returns(uint32_t line) {
  history_.records.push_back({.line = line,
                              .begin = now_,
                              .end = now_,
                              .seen = seen::Released{.reply = Reply::Returned()}});
}

void LineLog::Inject(const Fault& fault) {
  Needs(cm::Needs(fault));
  Add(line::Injects{fault}, seen::Done{}, now_);
}

void LineLog::Heal() { Add(line::Heals{}, seen::Done{}, now_); }

void LineLog::Send(WireRecord message) {
  if (message.at > now_ || history_.records.empty())
    coming_.push_back(std::move(message));
  else
    Attach(std::move(message));
}

void LineLog::Needs(Capabilities capabilities) {
  Capabilities& all = history_.conversation.capabilities;
  all = all.With(capabilities);
}

IdRef LineLog::NewId(uint32_t number) {
  return history_.conversation.names.ids.Intern(Numbered("id", number, ++ids_[number]));
}

ChannelRef LineLog::NewChannel(uint32_t number) {
  return history_.conversation.names.channels.Intern(Numbered("file", number, ++files_[number]));
}

EventRef LineLog::NewEvent() {
  NameTable<EventTag>& events = history_.conversation.names.events;
  return events.Intern(fmt::format("e{}", events.size() + 1));
}

IdRef LineLog::NoRequest(EventRef event) {
  Names& names = history_.conversation.names;
  return names.ids.Intern(names.events.NameOf(event) + ".id");
}

History LineLog::Take() {
  if (!coming_.empty()) PassUntil(coming_.back().at);
  for (WireRecord& message : std::exchange(coming_, {}))
    if (!history_.records.empty()) Attach(std::move(message));
  return std::move(history_);
}

}  // namespace cm::app
