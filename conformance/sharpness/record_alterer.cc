#include "conformance/sharpness/record_alterer.h"

#include <fmt/format.h>

#include <utility>

#include "model/conversation/name_scope.h"

namespace cm {

const Call* RecordAlterer::call() const {
  const auto* calls = std::get_if<line::Calls>(&line());
  if (calls == nullptr) return nullptr;
  const auto* answered = std::get_if<seen::Answered>(&record().seen);
  const bool returned = answered != nullptr ? answered->reply.kind == ReplyKind::kReturned
                                            : std::holds_alternative<seen::Released>(record().seen);
  return returned ? &calls->call : nullptr;
}

const std::optional<CmEvent>& RecordAlterer::event() const {
  static const std::optional<CmEvent> none;
  if (const auto* answered = std::get_if<seen::Answered>(&record().seen)) return answered->event;
  const auto* released = std::get_if<seen::Released>(&record().seen);
  return released != nullptr ? released->event : none;
}

const std::optional<Output>& RecordAlterer::output() const {
  static const std::optional<Output> none;
  if (const auto* answered = std::get_if<seen::Answered>(&record().seen)) return answered->output;
  const auto* released = std::get_if<seen::Released>(&record().seen);
  return released != nullptr ? released->output : none;
}

void RecordAlterer::Say(const std::string& what, Record altered) const {
  History other = history_;
  other.records[at_] = std::move(altered);
  Give(what, std::move(other));
}

void RecordAlterer::SayLast(const std::string& what, Record altered) const {
  History other = history_;
  other.records.resize(at_ + 1);
  other.records.back() = std::move(altered);
  Give(what, std::move(other));
}

void RecordAlterer::SayQuiet(const std::string& what, ChannelRef channel, Duration span,
                             bool then) const {
  History other = history_;
  other.records.resize(at_ + 1);
  Record after = std::move(other.records.back());
  other.records.pop_back();
  const Lane lane = std::visit(
      [](const auto& line) {
        if constexpr (requires { line.lane; })
          return line.lane;
        else
          return Lane();
      },
      line());
  other.conversation.lines.push_back(line::Waits{lane, channel, span});
  other.records.push_back({.line = static_cast<uint32_t>(other.conversation.lines.size() - 1),
                           .begin = after.begin,
                           .end = after.begin + span,
                           .seen = seen::Waited{.readable = false}});
  after.begin = after.begin + span;
  after.end = after.end + span;
  if (then) other.records.push_back(std::move(after));
  Give(what, std::move(other));
}

void RecordAlterer::Give(const std::string& what, History altered) const {
  MarkRecords(&altered, over_);
  const Call* named = call();
  const bool returned = std::holds_alternative<seen::Released>(record().seen);
  each_(fmt::format("{} {}{} {}", at_ + 1, returned ? "returned " : "",
                    named != nullptr ? FunctionName(KindOf(*named)) : "wait", what),
        altered);
}

}  // namespace cm
