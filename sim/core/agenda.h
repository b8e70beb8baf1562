// The only clock and the only queue. Nothing in sim/ happens except as an event here.
#ifndef SIM_CORE_AGENDA_H_
#define SIM_CORE_AGENDA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/duration.h"
#include "sim/core/event.h"
#include "sim/core/event_list.h"
#include "sim/core/event_wheel.h"

namespace cm::sim {

// Events by instant, and those of one instant in the order of asking.
//
// A few are kept in a list, many in a wheel. No order, no comparison and no copy tells which.
class Agenda {
 public:
  Instant Now() const { return now_; }

  void At(Instant when, EventKind kind, uint32_t on);
  void In(Duration span, EventKind kind, uint32_t on) { At(now_ + span, kind, on); }

  // When the next event is due; empty when the world is quiet.
  std::optional<Instant> NextAt() const {
    if (wheel_) return wheel_->NextAt();
    if (list_.empty()) return std::nullopt;
    return list_.NextAt();
  }
  // Takes the next event and moves the clock to it.
  Event Take();
  // Moves the clock without an event; `when` is not after the next event.
  void AdvanceTo(Instant when);

  // Shows what has come near, and what had the time before, when there are so many events that
  // their objects are hardly in the cache: for fetching them, and then what they refer to, as
  // nothing else may come of it. To be called for each event.
  template <typename Visitor>
  void VisitNearing(Visitor visitor) {
    if (wheel_) wheel_->VisitNearing(visitor);
  }

  size_t size() const { return wheel_ ? wheel_->size() : list_.size(); }

  // Equal when the clock and the pending events in their order are.
  friend bool operator==(const Agenda&, const Agenda&);

 private:
  friend class AgendaPeer;  // a test asks which of the two is in use

  void ToWheel();
  void ToList();
  // All of them, the next one last.
  std::vector<Event> InOrder() const;

  Instant now_;
  EventList list_;                   // empty while there is a wheel
  std::optional<EventWheel> wheel_;  // from kMany events until there are kFew
};

}  // namespace cm::sim

#endif  // SIM_CORE_AGENDA_H_
