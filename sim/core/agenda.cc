#include "sim/core/agenda.h"

#include <algorithm>
#include <limits>

#include "model/base/check.h"

namespace cm::sim {
namespace {

constexpr size_t kArity = 4;
constexpr uint32_t kMaxObject = 1u << 26;

}  // namespace

void Agenda::At(Instant when, EventKind kind, uint32_t on) {
  CM_CHECK(when >= now_) << "an event in the past";
  CM_CHECK(on < kMaxObject);
  if (last_order_ == std::numeric_limits<uint32_t>::max()) Renumber();
  const uint32_t order = ++last_order_;
  const Event event{when, (uint64_t{order} << 32) | (static_cast<uint64_t>(kind) << 26) | on};
  size_t i = heap_.size();
  heap_.push_back(event);
  while (i > 0) {
    const size_t parent = (i - 1) / kArity;
    if (heap_[parent] < event) break;
    heap_[i] = heap_[parent];
    i = parent;
  }
  heap_[i] = event;
}

std::optional<Instant> Agenda::NextAt() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().at;
}

Event Agenda::Take() {
  CM_CHECK(!heap_.empty());
  const Event first = heap_.front();
  const Event last = heap_.back();
  heap_.pop_back();
  const size_t n = heap_.size();
  size_t i = 0;
  while (n > 0) {
    const size_t child = i * kArity + 1;
    if (child >= n) break;
    const auto begin = heap_.begin() + static_cast<ptrdiff_t>(child);
    const auto end = heap_.begin() + static_cast<ptrdiff_t>(std::min(child + kArity, n));
    const auto smallest = std::min_element(begin, end);
    if (last < *smallest) break;
    heap_[i] = *smallest;
    i = static_cast<size_t>(smallest - heap_.begin());
  }
  if (n > 0) heap_[i] = last;
  now_ = first.at;
  return first;
}

void Agenda::AdvanceTo(Instant when) {
  CM_CHECK(when >= now_);
  CM_CHECK(heap_.empty() || heap_.front().at >= when) << "an event would be passed over";
  now_ = when;
}

void Agenda::Renumber() {
  std::ranges::sort(heap_);  // lint: keys are unique; a sorted array is a heap
  last_order_ = 0;
  for (Event& event : heap_) event.key = (uint64_t{++last_order_} << 32) | (event.key & 0xffffffff);
}

bool operator==(const Agenda& a, const Agenda& b) {
  if (a.now_ != b.now_ || a.heap_.size() != b.heap_.size()) return false;
  std::vector<Event> x = a.heap_;
  std::vector<Event> y = b.heap_;
  std::ranges::sort(x);  // lint: keys are unique
  std::ranges::sort(y);  // lint: keys are unique
  return std::ranges::equal(x, y, [](const Event& e, const Event& f) {
    return e.at == f.at && e.kind() == f.kind() && e.on() == f.on();
  });
}

}  // namespace cm::sim
