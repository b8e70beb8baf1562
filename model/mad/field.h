// Layouts as data: the position of each field of a header or a message.
//
// 1. Each struct on the wire has one Layout: its name, its size in bytes and its rows. Encoding,
//    decoding, names, printing and altering by name all read those rows; no other code knows the
//    layout.
// 2. The rows of a layout cover every bit of it once, in order, reserved ones included, and the
//    compiler checks that. So nothing is lost between bytes and values: Get(Put(x)) == x for every
//    x whose members fit their widths, and Put(Get(bytes)) == bytes for any bytes.
// 3. Put truncates a member that is too large to the width of its field.
#ifndef MODEL_MAD_FIELD_H_
#define MODEL_MAD_FIELD_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cm::mad {

// How a value of a field is printed.
enum class Show : uint8_t {
  kNumber,     // 17
  kHex,        // 0xffff, with all digits of the width
  kReserved,   // as kHex, and left out when it is 0
  kIpv4,       // 10.0.0.1
  kGid,        // fd00::1, ::ffff:10.0.0.1
  kMac,        // 52:54:00:00:00:01
  kBytes,      // "text" or hex, without the zeros at the end
  kAttribute,  // REQ
  kReason,     // IB_CM_REJ_CONSUMER_DEFINED
};

struct Field {
  std::string_view name;
  uint16_t byte = 0;   // from the beginning of its layout
  uint8_t bit = 0;     // from the most significant bit of that byte
  uint16_t width = 0;  // in bits; more than 64 only in whole bytes
  Show show = Show::kNumber;

  constexpr uint32_t begin() const { return byte * 8U + bit; }
  constexpr uint32_t end() const { return begin() + width; }
  constexpr bool is_number() const { return width <= 64; }
  constexpr uint64_t max() const { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
};

// A field and the member that holds it: an integer, a bool, an enum or an array of bytes.
template <typename M, typename T>
struct Row : Field {
  T M::*member;
};

template <typename M, typename T>
constexpr Row<M, T> At(std::string_view name, uint16_t byte, uint8_t bit, uint16_t width,
                       T M::*member, Show show = Show::kNumber) {
  return {{name, byte, bit, width, show}, member};
}

// Specialized next to each struct, with kName, kSize and kRows, a tuple of Row.
template <typename M>
struct Layout;

template <typename M>
inline constexpr size_t kSize = Layout<M>::kSize;

// The rows without their members, for lookup of fields by name.
template <typename M>
inline constexpr auto kFields =
    std::apply([](const auto&... rows) { return std::array{static_cast<const Field&>(rows)...}; },
               Layout<M>::kRows);

// True when the fields cover every bit of `size` bytes once, in order.
constexpr bool CoverEveryBit(std::span<const Field> fields, size_t size) {
  uint32_t next = 0;
  for (const Field& field : fields) {
    if (field.begin() != next || field.width == 0 || field.bit > 7) return false;
    if (!field.is_number() && (field.bit != 0 || field.width % 8 != 0)) return false;
    next = field.end();
  }
  return next == size * 8;
}

// A number of up to 64 bits that does not span more than 8 bytes.
inline uint64_t ReadBits(const uint8_t* bytes, const Field& field) {
  const uint8_t* from = bytes + field.byte;
  const uint32_t last = field.bit + field.width;
  uint64_t value = 0;
  for (uint32_t i = 0; i < (last + 7) / 8; ++i) value = value << 8 | from[i];
  return value >> ((8 - last % 8) % 8) & field.max();
}

// Leaves the bits around the field unchanged.
inline void WriteBits(uint8_t* bytes, const Field& field, uint64_t value) {
  uint8_t* to = bytes + field.byte;
  const uint32_t last = field.bit + field.width;
  const uint32_t shift = (8 - last % 8) % 8;
  uint64_t mask = field.max() << shift;
  uint64_t rest = (value << shift) & mask;
  for (uint32_t i = (last + 7) / 8; i-- > 0; mask >>= 8, rest >>= 8) {
    to[i] = static_cast<uint8_t>((to[i] & ~mask) | rest);
  }
}

namespace internal {

template <typename T>
struct IsBytes : std::false_type {};
template <size_t kLength>
struct IsBytes<std::array<uint8_t, kLength>> : std::true_type {};

// The bytes that contain a field, as one number with the most significant byte first. They are
// compile-time constants, so this takes a few instructions.
template <size_t kByte, size_t... kIndices>
[[gnu::always_inline]] inline uint64_t Join(const uint8_t* from,
                                            std::index_sequence<kIndices...> /*bytes*/) {
  return ((uint64_t{from[kByte + kIndices]} << 8 * (sizeof...(kIndices) - 1 - kIndices)) | ...);
}
template <size_t kByte, size_t... kIndices>
[[gnu::always_inline]] inline void Split(uint64_t value, uint8_t* to,
                                         std::index_sequence<kIndices...> /*bytes*/) {
  ((to[kByte + kIndices] |=
    static_cast<uint8_t>(value >> 8 * (sizeof...(kIndices) - 1 - kIndices))),
   ...);
}

// The bytes of the field must be 0 before.
template <typename M, size_t kRow>
[[gnu::always_inline]] inline void PutRow(const M& from, uint8_t* to) {
  constexpr auto row = std::get<kRow>(Layout<M>::kRows);
  using T = std::remove_cvref_t<decltype(from.*row.member)>;
  if constexpr (IsBytes<T>::value) {
    static_assert(std::tuple_size_v<T> * 8 == row.width && row.bit == 0);
    std::memcpy(to + row.byte, (from.*row.member).data(), row.width / 8);
  } else {
    static_assert(sizeof(T) * 8 >= row.width);
    const uint64_t value = static_cast<uint64_t>(from.*row.member) & row.max();
    if constexpr (row.bit == 0 && row.width == 8) {
      to[row.byte] = static_cast<uint8_t>(value);
    } else if constexpr (row.bit == 0 && row.width == 16) {
      const uint16_t swapped = __builtin_bswap16(static_cast<uint16_t>(value));
      std::memcpy(to + row.byte, &swapped, sizeof(swapped));
    } else if constexpr (row.bit == 0 && row.width == 32) {
      const uint32_t swapped = __builtin_bswap32(static_cast<uint32_t>(value));
      std::memcpy(to + row.byte, &swapped, sizeof(swapped));
    } else if constexpr (row.bit == 0 && row.width == 64) {
      const uint64_t swapped = __builtin_bswap64(value);
      std::memcpy(to + row.byte, &swapped, sizeof(swapped));
    } else {
      constexpr uint32_t last = row.bit + row.width;
      Split<row.byte>(value << (8 - last % 8) % 8, to, std::make_index_sequence<(last + 7) / 8>());
    }
  }
}

template <typename M, size_t kRow>
[[gnu::always_inline]] inline void GetRow(const uint8_t* from, M& to) {
  constexpr auto row = std::get<kRow>(Layout<M>::kRows);
  using T = std::remove_cvref_t<decltype(to.*row.member)>;
  if constexpr (IsBytes<T>::value) {
    std::memcpy((to.*row.member).data(), from + row.byte, row.width / 8);
  } else {
    constexpr uint32_t last = row.bit + row.width;
    const uint64_t bytes = Join<row.byte>(from, std::make_index_sequence<(last + 7) / 8>());
    to.*row.member = static_cast<T>(bytes >> (8 - last % 8) % 8 & row.max());
  }
}

static_assert(std::endian::native == std::endian::little);

}  // namespace internal

// Writes kSize<M> bytes.
template <typename M>
void Put(const M& from, uint8_t* to) {
  static_assert(CoverEveryBit(kFields<M>, kSize<M>));
  std::memset(to, 0, kSize<M>);
  [&]<size_t... kRows>(std::index_sequence<kRows...>) {
    (internal::PutRow<M, kRows>(from, to), ...);
  }
  (std::make_index_sequence<kFields<M>.size()>());
}

// Reads kSize<M> bytes.
template <typename M>
M Get(const uint8_t* from) {
  static_assert(CoverEveryBit(kFields<M>, kSize<M>));
  M to;
  [&]<size_t... kRows>(std::index_sequence<kRows...>) {
    (internal::GetRow<M, kRows>(from, to), ...);
  }
  (std::make_index_sequence<kFields<M>.size()>());
  return to;
}

}  // namespace cm::mad

#endif  // MODEL_MAD_FIELD_H_
