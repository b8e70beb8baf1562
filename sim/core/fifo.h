// A queue in one piece of memory: allocates nothing before the first element, and nothing per
// element.
#ifndef SIM_CORE_FIFO_H_
#define SIM_CORE_FIFO_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace cm::sim {

template <typename T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  size_t size() const { return items_.size() - head_; }
  T* begin() { return items_.data() + head_; }
  T* end() { return items_.data() + items_.size(); }
  const T* begin() const { return items_.data() + head_; }
  const T* end() const { return items_.data() + items_.size(); }
  // The queue must not be empty.
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  T& back() { return items_.back(); }
  const T& back() const { return items_.back(); }

  void push_back(T item) { items_.push_back(std::move(item)); }
  void pop_front() {
    items_[head_++] = T{};
    if (empty()) return clear();
    // Moving the rest costs no more than the elements taken since the last time.
    if (head_ * 2 < items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(head_));
    head_ = 0;
  }
  void pop_back() {
    items_.pop_back();
    if (empty()) clear();
  }
  void clear() {
    items_.clear();
    head_ = 0;
  }
  template <typename Predicate>
  void EraseIf(Predicate goes) {
    items_.erase(std::remove_if(items_.begin() + static_cast<ptrdiff_t>(head_), items_.end(), goes),
                 items_.end());
    if (empty()) clear();
  }

  friend bool operator==(const Fifo& a, const Fifo& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::vector<T> items_;
  size_t head_ = 0;  // elements before were taken
};

}  // namespace cm::sim

#endif  // SIM_CORE_FIFO_H_
