// Digests: XXH64 with seed 0 over little-endian fixed-width fields in declared order.
#ifndef MODEL_BASE_DIGEST_H_
#define MODEL_BASE_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cm {

// Collects fields, then hashes them. Never fed with struct bytes, padding or pointers. A few
// hundred bytes are collected without an allocation.
class Digest {
 public:
  void U8(uint8_t x) { Put<1>(x); }
  void U16(uint16_t x) { Put<2>(x); }
  void U32(uint32_t x) { Put<4>(x); }
  void U64(uint64_t x) { Put<8>(x); }
  void I64(int64_t x) { Put<8>(static_cast<uint64_t>(x)); }
  // Hashes the length first, so that adjacent texts cannot be confused.
  void Text(std::string_view text);
  void Bytes(std::span<const uint8_t> bytes);

  uint64_t Value() const;
  void Clear() {
    more_.clear();
    size_ = 0;
  }

 private:
  static constexpr size_t kFew = 512;

  template <size_t kWidth>
  void Put(uint64_t x) {
    if (size_ + kWidth > kFew) Spill();
    for (size_t i = 0; i < kWidth; ++i) last_[size_ + i] = static_cast<uint8_t>(x >> (8 * i));
    size_ += kWidth;
  }
  void Append(const uint8_t* bytes, size_t size);
  void Spill();

  std::vector<uint8_t> more_;  // those that came before the last ones
  size_t size_ = 0;            // of the last ones
  std::array<uint8_t, kFew> last_;
};

}  // namespace cm

#endif  // MODEL_BASE_DIGEST_H_
