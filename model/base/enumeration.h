// What follows from an enumeration itself: how many values it has, and rows found by value.
//
// The values are 0, 1, 2, ... without a gap, as they are where none is written down.
#ifndef MODEL_BASE_ENUMERATION_H_
#define MODEL_BASE_ENUMERATION_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace cm {

namespace internal {

// The compiler writes a value of an enumeration by its name, and a number without one as a cast.
template <typename E, E kValue>
constexpr bool HasName() {
  constexpr std::string_view kMark = "kValue = ";
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.rfind(kMark) + kMark.size()] != '(';
}

// Never defined: a call of it while constants are computed is an error with this name.
void AValueHasTwoRows();

// The number of values, which is at least kLow and less than kHigh: by bisection, as compilers take
// their time to write names.
template <typename E, size_t kLow, size_t kHigh>
constexpr size_t CountNames() {
  constexpr size_t kMiddle = (kLow + kHigh) / 2;
  if constexpr (kLow == kMiddle)
    return kLow;
  else if constexpr (HasName<E, static_cast<E>(kMiddle - 1)>())
    return CountNames<E, kMiddle, kHigh>();
  else
    return CountNames<E, kLow, kMiddle>();
}

}  // namespace internal

template <typename E>
inline constexpr int kCountOf = static_cast<int>(internal::CountNames<E, 1, 129>());

// The rows of `table`, each at the place of its value. A value without a row, or with two, does not
// compile.
template <typename E, typename Row, size_t kRows>
consteval std::array<Row, kRows> ByValue(const std::array<Row, kRows>& table, E Row::*value) {
  static_assert(kRows == kCountOf<E>, "each value has one row");
  std::array<Row, kRows> placed = table;
  std::array<bool, kRows> taken{};
  for (const Row& row : table) {
    const auto place = static_cast<size_t>(row.*value);
    if (taken[place]) internal::AValueHasTwoRows();
    taken[place] = true;
    placed[place] = row;
  }
  return placed;
}

// The name of a value, for enumerations of which nothing else is said.
template <typename E>
struct NamedValue {
  E value;
  std::string_view name;
};

template <typename E, size_t kRows>
consteval auto NamesByValue(const NamedValue<E> (&table)[kRows]) {
  return ByValue(std::to_array(table), &NamedValue<E>::value);
}

}  // namespace cm

#endif  // MODEL_BASE_ENUMERATION_H_
