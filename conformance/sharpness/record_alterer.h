// Alters a record of a history, as a kind of alterations says.
#ifndef CONFORMANCE_SHARPNESS_RECORD_ALTERER_H_
#define CONFORMANCE_SHARPNESS_RECORD_ALTERER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/sharpness/alteration.h"
#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"

namespace cm {

class RecordAlterer {
 public:
  // `over`: the transport of the profile by which the history is judged.
  RecordAlterer(const History& history, size_t record, Transport over, const OnAlteredHistory& each)
      : history_(history), at_(record), over_(over), each_(each) {}

  const History& history() const { return history_; }
  size_t index() const { return at_; }
  const Record& record() const { return history_.records[at_]; }
  const Line& line() const { return LineOf(record()); }
  const Line& LineOf(const Record& record) const {
    return history_.conversation.lines[record.line];
  }

  // The call whose answer the record is, where it has returned; else null.
  const Call* call() const;
  const std::optional<CmEvent>& event() const;
  const std::optional<Output>& output() const;

  // The record with another answer: `change` alters a seen::Answered or a seen::Released.
  template <typename Change>
  Record With(Change change) const {
    Record altered = record();
    if (auto* answered = std::get_if<seen::Answered>(&altered.seen)) change(*answered);
    if (auto* released = std::get_if<seen::Released>(&altered.seen)) change(*released);
    return altered;
  }
  Record WithEvent(const CmEvent& event) const {
    return With([&](auto& answer) { answer.event = event; });
  }

  // The history with another record in its place.
  void Say(const std::string& what, Record altered) const;
  // The same, and the history ends with it: what follows would have to be different, too.
  void SayLast(const std::string& what, Record altered) const;
  // A quiet wait on the channel in place of the record, and of all that follows, or before it.
  void SayQuiet(const std::string& what, ChannelRef channel, Duration span, bool then) const;

 private:
  void Give(const std::string& what, History altered) const;

  const History& history_;
  size_t at_;
  Transport over_;
  const OnAlteredHistory& each_;
};

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_RECORD_ALTERER_H_
