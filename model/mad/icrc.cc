#include "model/mad/icrc.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "model/base/check.h"
#include "model/mad/field.h"
#include "model/mad/packet.h"

namespace cm::mad {
namespace {

constexpr size_t kStride = 16;  // bytes per step
using Tables = std::array<std::array<uint32_t, 256>, kStride>;

// kTables[n][b]: what byte b does to the state when n bytes follow it.
constexpr Tables MakeTables() {
  constexpr uint32_t kReflectedPolynomial = 0xedb88320;
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) {
      state = state >> 1 ^ ((state & 1) != 0 ? kReflectedPolynomial : 0);
    }
    tables[0][byte] = state;
  }
  for (size_t n = 1; n < kStride; ++n) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[n - 1][byte];
      tables[n][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

// The effect of the four bytes of `word` when 4 * `later` bytes of the stride follow them.
[[gnu::always_inline]] inline uint32_t Word(uint32_t word, size_t later) {
  const auto* tables = &kTables[4 * later];
  return tables[3][word & 0xff] ^ tables[2][word >> 8 & 0xff] ^ tables[1][word >> 16 & 0xff] ^
         tables[0][word >> 24];
}

constexpr size_t kLrhSize = 8;  // replaced by ones
constexpr size_t kMaskedMax = kLrhSize + kSize<Ipv6> + kSize<Udp> + kSize<Bth>;

// Header bytes that count as ones.
void Mask(std::span<uint8_t> headers, bool v6) {
  constexpr uint8_t kOnes = 0xff;
  size_t udp = kSize<Ipv4>;
  if (v6) {
    udp = kSize<Ipv6>;
    headers[0] |= 0x0f;  // traffic class and flow label
    headers[1] = headers[2] = headers[3] = kOnes;
    headers[7] = kOnes;  // hop limit
  } else {
    headers[1] = kOnes;                 // type of service
    headers[8] = kOnes;                 // time to live
    headers[10] = headers[11] = kOnes;  // checksum
  }
  headers[udp + 6] = headers[udp + 7] = kOnes;  // checksum
  headers[udp + kSize<Udp> + 4] = kOnes;        // notices of congestion, reserved bits
}

}  // namespace

uint32_t Crc32(uint32_t state, std::span<const uint8_t> bytes) {
  const uint8_t* next = bytes.data();
  size_t left = bytes.size();
  for (; left >= kStride; left -= kStride, next += kStride) {
    std::array<uint32_t, 4> words;
    std::memcpy(words.data(), next, kStride);
    state = Word(words[0] ^ state, 3) ^ Word(words[1], 2) ^ Word(words[2], 1) ^ Word(words[3], 0);
  }
  for (; left > 0; --left, ++next) state = state >> 8 ^ kTables[0][(state ^ *next) & 0xff];
  return state;
}

uint32_t IcrcOf(std::span<const uint8_t> packet) {
  const bool v6 = !packet.empty() && packet[0] >> 4 == 6;
  const size_t size = (v6 ? kSize<Ipv6> : kSize<Ipv4>)+kSize<Udp> + kSize<Bth>;
  CM_CHECK(packet.size() >= size) << packet.size() << " bytes";
  std::array<uint8_t, kMaskedMax> masked;
  std::memset(masked.data(), 0xff, kLrhSize);
  std::memcpy(masked.data() + kLrhSize, packet.data(), size);
  Mask(std::span(masked).subspan(kLrhSize, size), v6);
  uint32_t state = Crc32(~uint32_t{0}, std::span(masked).first(kLrhSize + size));
  state = ~Crc32(state, packet.subspan(size));
  return __builtin_bswap32(state);  // it is sent with the least significant byte first
}

uint16_t ChecksumOf(std::span<const uint8_t, 20> ipv4) {
  uint32_t sum = 0;
  for (size_t i = 0; i < ipv4.size(); i += 2) {
    if (i != 10) sum += static_cast<uint32_t>(ipv4[i] << 8 | ipv4[i + 1]);
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

}  // namespace cm::mad
