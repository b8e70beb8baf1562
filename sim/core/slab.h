// Objects in a growing array, addressed by index; a free slot is reused, the lowest first.
#ifndef SIM_CORE_SLAB_H_
#define SIM_CORE_SLAB_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/check.h"
#include "sim/core/index.h"
#include "sim/core/large_memory.h"
#include "sim/core/number_set.h"

namespace cm::sim {

// A separate function, out of the fast path.
[[noreturn, gnu::noinline, gnu::cold]] inline void NobodyAt(uint32_t index) {
  internal::CheckFailure("Live(index)", __FILE__, __LINE__) << "object " << index;
  std::abort();  // never: the check has ended it
}

// T has a member `live`, which the slab sets and clears. Free slots are not accessible. I is the
// type of its indices: a number, or an Index of its own.
template <typename T, typename I = uint32_t>
class Slab {
 public:
  // Visits the live objects, the lowest index first; objects may be added and freed meanwhile.
  class Indices {
   public:
    struct End {};
    class Iterator {
     public:
      explicit Iterator(const Slab* slab) : slab_(slab) { SkipFree(); }
      I operator*() const { return I(at_); }
      Iterator& operator++() {
        ++at_;
        SkipFree();
        return *this;
      }
      bool operator!=(End) const { return at_ < slab_->end(); }

     private:
      void SkipFree() {
        while (at_ < slab_->end() && !slab_->items_[at_].live) ++at_;
      }

      const Slab* slab_;
      uint32_t at_ = 0;
    };

    explicit Indices(const Slab* slab) : slab_(slab) {}
    Iterator begin() const { return Iterator(slab_); }
    End end() const { return {}; }

   private:
    const Slab* slab_;
  };

  I Add(const T& item) { return AddOne(item); }
  I Add(T&& item) { return AddOne(std::move(item)); }
  void Free(I index) {
    T& item = (*this)[index];
    if constexpr (std::is_trivially_destructible_v<T>)
      item.live = false;
    else
      item = T{};  // gives back what it held
    free_.Add(NumberOf(index));
  }
  bool Live(I index) const { return NumberOf(index) < end_ && items_[NumberOf(index)].live; }
  // A default-constructed object, to be filled in place.
  I Make() {
    // Where a free slot has given back what it held, it is one.
    if constexpr (!std::is_trivially_destructible_v<T>) return MakeAnyhow();
    return AddOne(T{});
  }
  // A slot with its previous content, to be assigned as a whole: large objects are not constructed
  // and then copied.
  I MakeAnyhow() {
    if (free_.empty()) return AddOne(T{});
    const uint32_t index = free_.TakeLowest();
    items_[index].live = true;
    return I(index);
  }

  T& operator[](I index) {
    if (!Live(index)) NobodyAt(NumberOf(index));
    return items_[NumberOf(index)];
  }
  const T& operator[](I index) const {
    if (!Live(index)) NobodyAt(NumberOf(index));
    return items_[NumberOf(index)];
  }

  // Prefetches the object.
  void Prefetch(I index) const {
    if (NumberOf(index) < end_) FetchSoon(&items_[NumberOf(index)]);
  }
  // The same, for an object that is likely to be freed soon.
  void PrefetchFree(I index) const { free_.Prefetch(NumberOf(index)); }

  // The index of `item`, which must be in the slab.
  I PlaceOf(const T& item) const { return I(static_cast<uint32_t>(&item - items_.data())); }
  // The indices of the live objects.
  Indices All() const { return Indices(this); }
  // One more than the highest index in use so far.
  uint32_t end() const { return end_; }
  uint32_t live_count() const { return end_ - free_.size(); }

  friend bool operator==(const Slab& a, const Slab& b) {
    if (a.end() != b.end()) return false;
    for (uint32_t i = 0; i < a.end(); ++i) {
      if (a.items_[i].live != b.items_[i].live) return false;
      if (a.items_[i].live && !(a.items_[i] == b.items_[i])) return false;
    }
    return true;
  }

 private:
  template <typename Item>
  I AddOne(Item&& item) {
    uint32_t index = end();
    if (free_.empty()) {
      if (items_.empty()) items_.reserve(kFirst);
      items_.push_back(std::forward<Item>(item));
      ++end_;
    } else {
      index = free_.TakeLowest();
      items_[index] = std::forward<Item>(item);
    }
    items_[index].live = true;
    return I(index);
  }

  static constexpr size_t kFirst = 8;  // rather than room for 1, then 2, 4 and 8

  std::vector<T, LargeMemory<T>> items_;
  uint32_t end_ = 0;  // the number of items, cached
  NumberSet free_;
};

}  // namespace cm::sim

#endif  // SIM_CORE_SLAB_H_
