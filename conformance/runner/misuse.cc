#include "conformance/runner/misuse.h"

#include <fmt/format.h>

#include "model/conversation/name_scope.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

// The object of a mistake: one of the three is valid.
struct Object {
  IdRef id;
  ChannelRef channel;
  EventRef event;
};

class Search {
 public:
  explicit Search(const History& history)
      : history_(history),
        names_(history.conversation.names),
        scope_(history.conversation),
        credits_(names_.events.size()) {}

  std::vector<MisuseNote> Run() {
    for (at_ = 0; at_ < history_.records.size(); ++at_) {
      const Record& record = history_.records[at_];
      Look(record);
      Follow(record);
      scope_.Observe(record);
    }
    return std::move(notes_);
  }

 private:
  const line::Calls* CallsOf(const Record& record) const {
    return std::get_if<line::Calls>(&history_.conversation.lines[record.line]);
  }

  static const Reply* ReplyOf(const Record& record) {
    if (const auto* answered = std::get_if<seen::Answered>(&record.seen)) return &answered->reply;
    return nullptr;
  }

  void Look(const Record& record) {
    const line::Calls* calls = CallsOf(record);
    const Reply* reply = ReplyOf(record);
    if (calls == nullptr || reply == nullptr || reply->kind == ReplyKind::kNotApplicable) return;
    if (record.misuse) return OnWhatIsGone(*record.misuse, calls->call);
    if (const auto* close = std::get_if<call::DestroyEventChannel>(&calls->call))
      return WithIdsOnIt(close->channel);
    const CallKind kind = KindOf(calls->call);
    const bool destroys = kind == CallKind::kDestroyId || kind == CallKind::kDestroyEp;
    if (destroys && reply->kind == ReplyKind::kBlocked) WithEventsInHand(IdOf(calls->call));
  }

  void OnWhatIsGone(Misuse misuse, const Call& call) {
    switch (misuse) {
      case Misuse::kIdDestroyed:
        return Note({.id = IdOf(call)}, names_.ids.NameOf(IdOf(call)) + " was destroyed");
      case Misuse::kIdWithoutChannel:
        return Note({.id = IdOf(call)},
                    fmt::format("the channel of {} was destroyed", names_.ids.NameOf(IdOf(call))));
      case Misuse::kChannelDestroyed:
        return Note({.channel = ChannelOf(call)},
                    names_.channels.NameOf(ChannelOf(call)) + " was destroyed");
      case Misuse::kEventAcknowledged: {
        const EventRef event = std::get<call::AckCmEvent>(call).event;
        return Note({.event = event}, names_.events.NameOf(event) + " was acknowledged");
      }
    }
  }

  void WithIdsOnIt(ChannelRef channel) {
    for (uint16_t i = 0; i < names_.ids.size(); ++i) {
      if (!scope_.IdIsLive(IdRef{i}) || scope_.ChannelOf(IdRef{i}) != channel) continue;
      Note({.id = IdRef{i}},
           fmt::format("{} still has {}, which cannot be destroyed any more",
                       names_.channels.NameOf(channel), names_.ids.NameOf(IdRef{i})));
    }
  }

  void WithEventsInHand(IdRef id) {
    for (uint16_t i = 0; i < credits_.size(); ++i) {
      if (credits_[i] != id || !scope_.EventIsLive(EventRef{i})) continue;
      Note({.event = EventRef{i}},
           fmt::format("{} waits until {} is acknowledged", names_.ids.NameOf(id),
                       names_.events.NameOf(EventRef{i})));
    }
  }

  // The id that an event counts for: for a request its listener.
  void Follow(const Record& record) {
    const line::Calls* calls = CallsOf(record);
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    const auto* get = calls == nullptr ? nullptr : std::get_if<call::GetCmEvent>(&calls->call);
    if (get == nullptr || answered == nullptr || !answered->event) return;
    const CmEvent& event = *answered->event;
    credits_[get->event.index] = event.listen_id.valid() ? event.listen_id : event.id;
  }

  bool Speaks(const Record& record, const Object& object) const {
    const line::Calls* calls = CallsOf(record);
    const Reply* reply = ReplyOf(record);
    if (calls == nullptr || (reply != nullptr && reply->kind == ReplyKind::kNotApplicable))
      return false;
    const Call& call = calls->call;
    const auto* get = std::get_if<call::GetCmEvent>(&call);
    if (object.event.valid()) {
      const auto* ack = std::get_if<call::AckCmEvent>(&call);
      return (get != nullptr && get->event == object.event) ||
             (ack != nullptr && ack->event == object.event);
    }
    if (object.channel.valid()) return ChannelOf(call) == object.channel && get == nullptr;
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    const bool told = answered != nullptr && answered->event && answered->event->id == object.id;
    return IdOf(call) == object.id || told;
  }

  void Note(const Object& object, std::string what) {
    MisuseNote note{.record = at_, .what = std::move(what), .object = {}};
    for (size_t i = 0; i < at_; ++i)
      if (Speaks(history_.records[i], object)) note.object.push_back(i);
    notes_.push_back(std::move(note));
  }

  const History& history_;
  const Names& names_;
  NameScope scope_;
  std::vector<IdRef> credits_;  // by event
  std::vector<MisuseNote> notes_;
  size_t at_ = 0;
};

std::string LineOf(const History& history, size_t record) {
  return ToString(history.records[record], history.conversation);
}

}  // namespace

std::vector<MisuseNote> MisusesOf(const History& history) { return Search(history).Run(); }

std::string Describe(const MisuseNote& note, const History& history) {
  std::string text = fmt::format("misuse at: {}\n  {}\n", LineOf(history, note.record), note.what);
  for (const size_t record : note.object)
    text += fmt::format("  {:>12}  {}\n", ToString(history.records[record].begin),
                        LineOf(history, record));
  return text;
}

}  // namespace cm
