// Private data of a connection message.
#ifndef MODEL_VOCABULARY_PRIVATE_DATA_H_
#define MODEL_VOCABULARY_PRIVATE_DATA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace cm {

// Up to 255 bytes, the maximum of the C structures' uint8_t. Most are far shorter, and every
// message and event has some: bytes past the length are not initialised, and never read.
class PrivateData {
 public:
  constexpr PrivateData() : size_(0) {
    if (std::is_constant_evaluated()) bytes_ = {};  // a constant has no byte that is not set
  }
  explicit PrivateData(std::span<const uint8_t> bytes)
      : size_(static_cast<uint8_t>(bytes.size() < 255 ? bytes.size() : 255)) {
    if (size_ > 0) std::memcpy(bytes_.data(), bytes.data(), size_);
  }
  // 01 02 03 ...: content that shows where it was truncated.
  static PrivateData Counting(uint8_t size) {
    PrivateData data;
    data.size_ = size;
    for (uint8_t i = 0; i < size; ++i) data.bytes_[i] = static_cast<uint8_t>(i + 1);
    return data;
  }

  uint8_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const uint8_t> bytes() const { return {bytes_.data(), size_}; }

  // The same content with the given length: truncated, or padded with zeros.
  PrivateData Resized(uint8_t size) const {
    PrivateData data;
    data.size_ = size;
    std::memcpy(data.bytes_.data(), bytes_.data(), size < size_ ? size : size_);
    if (size > size_) std::memset(data.bytes_.data() + size_, 0, size - size_);
    return data;
  }
  // The length without trailing zeros.
  uint8_t SignificantSize() const {
    uint8_t n = size_;
    while (n > 0 && bytes_[n - 1] == 0) --n;
    return n;
  }

  friend bool operator==(const PrivateData& a, const PrivateData& b) {
    return a.size_ == b.size_ && std::memcmp(a.bytes_.data(), b.bytes_.data(), a.size_) == 0;
  }

 private:
  uint8_t size_;
  std::array<uint8_t, 255> bytes_;
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_PRIVATE_DATA_H_
