// Conversion between ABI structures and bytes.
#ifndef SIM_UAPI_BYTES_H_
#define SIM_UAPI_BYTES_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace cm::sim::uapi {

// Missing bytes at the end are zero.
template <typename T>
T As(std::span<const uint8_t> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memset(static_cast<void*>(&value), 0, sizeof(T));
  std::copy_n(bytes.begin(), std::min(sizeof(T), bytes.size()), reinterpret_cast<uint8_t*>(&value));
  return value;
}

template <typename T>
std::span<const uint8_t> BytesOf(const T& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof(T)};
}

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_BYTES_H_
