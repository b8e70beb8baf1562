// Objects in a growing array, addressed by index; a freed place is used again, the lowest first.
#ifndef SIM_CORE_SLAB_H_
#define SIM_CORE_SLAB_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/base/check.h"

namespace cm::sim {

inline constexpr uint32_t kNobody = 0xffffffff;

// T has a member `bool live`, which the slab sets and clears.
template <typename T>
class Slab {
 public:
  uint32_t Add(T item) {
    item.live = true;
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return static_cast<uint32_t>(items_.size() - 1);
    }
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    const uint32_t index = free_.back();
    free_.pop_back();
    items_[index] = std::move(item);
    return index;
  }
  void Free(uint32_t index) {
    CM_CHECK(Live(index));
    items_[index] = T{};
    free_.push_back(index);
    std::push_heap(free_.begin(), free_.end(), std::greater<>());
  }
  bool Live(uint32_t index) const { return index < items_.size() && items_[index].live; }

  T& operator[](uint32_t index) {
    CM_CHECK(Live(index)) << "object " << index;
    return items_[index];
  }
  const T& operator[](uint32_t index) const {
    CM_CHECK(Live(index)) << "object " << index;
    return items_[index];
  }

  // One more than the highest index in use so far; with Live, the way to visit all.
  uint32_t end() const { return static_cast<uint32_t>(items_.size()); }
  uint32_t live_count() const { return static_cast<uint32_t>(items_.size() - free_.size()); }

  friend bool operator==(const Slab&, const Slab&) = default;

 private:
  std::vector<T> items_;
  std::vector<uint32_t> free_;  // a heap, so that the lowest index comes first
};

}  // namespace cm::sim

#endif  // SIM_CORE_SLAB_H_
