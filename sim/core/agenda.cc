#include "sim/core/agenda.h"

#include <algorithm>
#include <utility>

#include "model/base/check.h"

namespace cm::sim {
namespace {

// Sizes around which a list and a wheel cost the same. They differ, so that an agenda that stays
// around that size does not switch back and forth.
constexpr size_t kMany = 192;
constexpr size_t kFew = 64;

}  // namespace

void Agenda::At(Instant when, EventKind kind, uint32_t on) {
  CM_CHECK(when >= now_) << "an event in the past";
  const Event event = Event::Of(when, kind, on);
  if (wheel_) {
    wheel_->Push(event);
    return;
  }
  list_.Push(event);
  if (list_.size() == kMany) ToWheel();
}

Event Agenda::Take() {
  if (wheel_) {
    const Event next = wheel_->Pop();
    now_ = next.at;
    if (wheel_->size() == kFew) ToList();
    return next;
  }
  CM_CHECK(!list_.empty());
  const Event next = list_.Pop();
  now_ = next.at;
  return next;
}

Event Agenda::Take(size_t nth) {
  if (nth == 0) return Take();
  CM_CHECK(nth < Together());
  const Event one = list_.Pop(nth);
  now_ = one.at;
  return one;
}

void Agenda::AdvanceTo(Instant when) {
  CM_CHECK(when >= now_);
  CM_CHECK(size() == 0 || *NextAt() >= when) << "an event would be passed over";
  now_ = when;
}

void Agenda::ToWheel() {
  wheel_.emplace(now_);
  while (!list_.empty()) wheel_->Push(list_.Pop());
}

void Agenda::ToList() {
  EventWheel wheel = *std::exchange(wheel_, std::nullopt);
  while (!wheel.empty()) list_.Push(wheel.Pop());
}

std::vector<Event> Agenda::InOrder() const {
  if (!wheel_) return list_.events();
  std::vector<Event> events;
  EventWheel wheel = *wheel_;
  while (!wheel.empty()) events.push_back(wheel.Pop());
  std::ranges::reverse(events);
  return events;
}

bool operator==(const Agenda& a, const Agenda& b) {
  if (a.now_ != b.now_ || a.size() != b.size()) return false;
  if (!a.wheel_ && !b.wheel_) return a.list_.events() == b.list_.events();
  return a.InOrder() == b.InOrder();
}

}  // namespace cm::sim
