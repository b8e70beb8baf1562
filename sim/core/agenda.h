// The only clock and the only queue. Every change in sim/ is an event here.
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

// Events by instant; events of one instant in the order of scheduling.
//
// A few are kept in a list, many in a wheel. Order, comparison and copies do not depend on it.
class Agenda {
 public:
  Instant Now() const { return now_; }

  void At(Instant when, EventKind kind, uint32_t on);
  void In(Duration span, EventKind kind, uint32_t on) { At(now_ + span, kind, on); }

  // The time of the next event; empty when the world is quiet.
  std::optional<Instant> NextAt() const {
    if (wheel_) return wheel_->NextAt();
    if (list_.empty()) return std::nullopt;
    return list_.NextAt();
  }
  // Takes the next event and moves the clock to it.
  Event Take();
  // How many events the next instant has; 1 of many events, which are kept in a wheel.
  size_t Together() const { return wheel_ ? 1 : list_.Together(); }
  // One of several together, from 0 in the order of scheduling.
  const Event& Peek(size_t nth) const { return list_.Peek(nth); }
  // Takes one of them, from 0 in the order of scheduling.
  Event Take(size_t nth);
  // Advances the clock without an event; `when` must not be after the next event.
  void AdvanceTo(Instant when);

  // Reports events that have come near, in two steps, when there are so many events that their
  // objects are hardly in the cache: a hint to prefetch the objects, and then the memory they refer
  // to; no other use is permitted. Call it for each event.
  template <typename Visitor>
  void VisitNearing(Visitor visitor) {
    if (wheel_) wheel_->VisitNearing(visitor);
  }

  size_t size() const { return wheel_ ? wheel_->size() : list_.size(); }

  // Equal when the clock and the pending events in their order are equal.
  friend bool operator==(const Agenda&, const Agenda&);

 private:
  friend class AgendaPeer;  // tests check which of the two is in use

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
