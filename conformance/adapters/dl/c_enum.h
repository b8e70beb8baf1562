// C enumerations whose value need not be one of their enumerators.
#ifndef CONFORMANCE_ADAPTERS_DL_C_ENUM_H_
#define CONFORMANCE_ADAPTERS_DL_C_ENUM_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cm {

// The stored number. A C program may store any number in an enumeration and pass it, and a
// librdmacm newer than its header may return one; in C++ reading such a number as the enumeration
// is undefined.
template <typename Enum>
uint32_t ValueOf(const Enum& stored) {
  uint32_t value = 0;
  static_assert(sizeof(stored) == sizeof(value));
  std::memcpy(&value, &stored, sizeof(value));
  return value;
}

template <typename Enum>
void Store(Enum* to, uint32_t value) {
  static_assert(sizeof(*to) == sizeof(value));
  std::memcpy(to, &value, sizeof(value));
}

// The C function with numbers for the enumerations among its parameters: C passes both alike.
template <typename Answer, typename... Parameters>
auto WithNumbers(Answer (*function)(Parameters...)) {
  using Plain = Answer (*)(std::conditional_t<std::is_enum_v<Parameters>, uint32_t, Parameters>...);
  return reinterpret_cast<Plain>(reinterpret_cast<void*>(function));  // NOLINT: see above
}

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_C_ENUM_H_
