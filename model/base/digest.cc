#include "model/base/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace cm {

void Digest::Text(std::string_view text) {
  U32(static_cast<uint32_t>(text.size()));
  Append(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

void Digest::Bytes(std::span<const uint8_t> bytes) {
  U32(static_cast<uint32_t>(bytes.size()));
  Append(bytes.data(), bytes.size());
}

void Digest::Append(const uint8_t* bytes, size_t size) {
  if (size == 0) return;
  if (size_ + size > kFew) Spill();
  if (size > kFew) {
    more_.insert(more_.end(), bytes, bytes + size);
    return;
  }
  std::memcpy(last_.data() + size_, bytes, size);
  size_ += size;
}

void Digest::Spill() {
  more_.insert(more_.end(), last_.begin(), last_.begin() + static_cast<ptrdiff_t>(size_));
  size_ = 0;
}

uint64_t Digest::Value() const {
  if (more_.empty()) return XXH64(last_.data(), size_, 0);
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  XXH64_update(&state, more_.data(), more_.size());
  XXH64_update(&state, last_.data(), size_);
  return XXH64_digest(&state);
}

}  // namespace cm
