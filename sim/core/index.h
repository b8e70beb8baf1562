// Index of an object among those of its type: indices of different types do not mix.
#ifndef SIM_CORE_INDEX_H_
#define SIM_CORE_INDEX_H_

#include <compare>
#include <cstdint>
#include <ostream>

namespace cm::sim {

inline constexpr uint32_t kNobody = 0xffffffff;

// T is a tag, and may be incomplete.
template <typename T>
class Index {
 public:
  constexpr Index() = default;  // of no object
  constexpr explicit Index(uint32_t value) : value_(value) {}

  constexpr bool valid() const { return value_ != kNobody; }
  constexpr uint32_t value() const { return value_; }

  friend constexpr auto operator<=>(Index, Index) = default;
  friend std::ostream& operator<<(std::ostream& out, Index index) { return out << index.value_; }

 private:
  uint32_t value_ = kNobody;
};

// The bare number, for tables that hold indices of any type.
constexpr uint32_t NumberOf(uint32_t index) { return index; }
template <typename T>
constexpr uint32_t NumberOf(Index<T> index) {
  return index.value();
}

}  // namespace cm::sim

#endif  // SIM_CORE_INDEX_H_
