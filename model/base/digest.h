// Digests: XXH64 with seed 0 over little-endian fixed-width fields in declared order.
#ifndef MODEL_BASE_DIGEST_H_
#define MODEL_BASE_DIGEST_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cm {

// Collects fields, then hashes them. Never fed with struct bytes, padding or pointers.
class Digest {
 public:
  void U8(uint8_t x) { bytes_.push_back(x); }
  void U16(uint16_t x) { Put(x, 2); }
  void U32(uint32_t x) { Put(x, 4); }
  void U64(uint64_t x) { Put(x, 8); }
  void I64(int64_t x) { Put(static_cast<uint64_t>(x), 8); }
  // Hashes the length first, so that adjacent texts cannot be confused.
  void Text(std::string_view text);
  void Bytes(std::span<const uint8_t> bytes);

  uint64_t Value() const;
  void Clear() { bytes_.clear(); }

 private:
  void Put(uint64_t x, int width) {
    for (int i = 0; i < width; ++i) bytes_.push_back(static_cast<uint8_t>(x >> (8 * i)));
  }

  std::vector<uint8_t> bytes_;
};

}  // namespace cm

#endif  // MODEL_BASE_DIGEST_H_
