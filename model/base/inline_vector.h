// A short sequence with room inside the object: for states that are copied and compared often.
#ifndef MODEL_BASE_INLINE_VECTOR_H_
#define MODEL_BASE_INLINE_VECTOR_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "model/base/check.h"

namespace cm {

// Elements past size() are always value-initialised, so that equal sequences are equal objects.
template <typename T, size_t kCapacity>
class InlineVector {
 public:
  constexpr InlineVector() = default;

  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr bool full() const { return size_ == kCapacity; }
  static constexpr size_t capacity() { return kCapacity; }

  constexpr T* begin() { return items_.data(); }
  constexpr T* end() { return items_.data() + size_; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }
  constexpr T& operator[](size_t i) { return items_[i]; }
  constexpr const T& operator[](size_t i) const { return items_[i]; }
  constexpr T& front() { return items_[0]; }
  constexpr const T& front() const { return items_[0]; }
  constexpr T& back() { return items_[size_ - 1]; }
  constexpr const T& back() const { return items_[size_ - 1]; }

  constexpr void push_back(const T& item) {
    CM_CHECK(size_ < kCapacity) << "capacity " << kCapacity;
    items_[size_++] = item;
  }
  constexpr void clear() {
    while (size_ > 0) items_[--size_] = T{};
  }

  friend constexpr bool operator==(const InlineVector& a, const InlineVector& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (!(a.items_[i] == b.items_[i])) return false;
    return true;
  }
  friend constexpr auto operator<=>(const InlineVector& a, const InlineVector& b) {
    for (size_t i = 0; i < a.size_ && i < b.size_; ++i)
      if (const auto order = a.items_[i] <=> b.items_[i]; order != 0) return order;
    return decltype(T{} <=> T{})(a.size_ <=> b.size_);
  }

 private:
  std::array<T, kCapacity> items_{};
  uint8_t size_ = 0;
};

}  // namespace cm

#endif  // MODEL_BASE_INLINE_VECTOR_H_
