// A few pending events in one sorted array, the next one last.
//
// Up to a few hundred events this is faster than a heap: taking the next one moves nothing, an
// event that is due soon has its place near the end, and one that is due late moves the others with
// one memmove.
#ifndef SIM_CORE_EVENT_LIST_H_
#define SIM_CORE_EVENT_LIST_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "model/base/duration.h"
#include "sim/core/event.h"

namespace cm::sim {

class EventList {
 public:
  bool empty() const { return events_.empty(); }
  size_t size() const { return events_.size(); }

  // After all events that are due until then.
  void Push(Event event) {
    size_t place = events_.size();
    events_.push_back(event);
    Event* const events = events_.data();
    if (place > kNear && events[place - kNear - 1].at <= event.at) {
      Event* const end = events + place;
      Event* const found = std::ranges::lower_bound(events, end - kNear, event.at,
                                                    std::ranges::greater(), &Event::at);
      std::copy_backward(found, end, end + 1);
      *found = event;
      return;
    }
    for (; place > 0 && events[place - 1].at <= event.at; --place)
      events[place] = events[place - 1];
    events[place] = event;
  }

  // The first event of a list that is not empty.
  Instant NextAt() const { return events_.back().at; }
  Event Pop() {
    const Event next = events_.back();
    events_.pop_back();
    return next;
  }

  // How many are due at the same instant as the next one.
  size_t Together() const {
    const auto other = std::find_if(events_.rbegin(), events_.rend(), [this](const Event& event) {
      return event.at != events_.back().at;
    });
    return static_cast<size_t>(other - events_.rbegin());
  }
  // One of those, from 0.
  const Event& Peek(size_t nth) const { return events_[events_.size() - 1 - nth]; }
  Event Pop(size_t nth) {
    const auto place = events_.end() - 1 - static_cast<ptrdiff_t>(nth);
    const Event one = *place;
    events_.erase(place);
    return one;
  }

  // All of them, the next one last.
  const std::vector<Event>& events() const { return events_; }

 private:
  static constexpr size_t kNear = 8;  // number of events compared one by one

  std::vector<Event> events_;
};

}  // namespace cm::sim

#endif  // SIM_CORE_EVENT_LIST_H_
