#include "model/base/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cm {

void Digest::Text(std::string_view text) {
  U32(static_cast<uint32_t>(text.size()));
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

void Digest::Bytes(std::span<const uint8_t> bytes) {
  U32(static_cast<uint32_t>(bytes.size()));
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

uint64_t Digest::Value() const { return XXH64(bytes_.data(), bytes_.size(), 0); }

}  // namespace cm
