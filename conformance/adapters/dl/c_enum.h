// Enumerations of C whose value need not be one of their enumerators.
#ifndef CONFORMANCE_ADAPTERS_DL_C_ENUM_H_
#define CONFORMANCE_ADAPTERS_DL_C_ENUM_H_

#include <cstdint>
#include <cstring>

namespace cm {

// What is stored there.  A C program may store any number in an enumeration and hand it over, and
// librdmacm newer than its header may answer with one; in C++ to read such a number as the
// enumeration is undefined.
template <typename Enum>
uint32_t ValueOf(const Enum& stored) {
  uint32_t value = 0;
  static_assert(sizeof(stored) == sizeof(value));
  std::memcpy(&value, &stored, sizeof(value));
  return value;
}

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_C_ENUM_H_
