// Memory regions, and what moves in and out of them.
#include <algorithm>

#include "sim/verbs/verbs.h"

namespace cm::sim {

uint32_t Verbs::Register(uint8_t device, const std::vector<uint8_t>& bytes, bool remote_read,
                         bool remote_write) {
  regions_.push_back({.live = true,
                      .remote_read = remote_read,
                      .remote_write = remote_write,
                      .device = device,
                      .bytes = bytes});
  return static_cast<uint32_t>(regions_.size() - 1);
}

uint32_t Verbs::live_regions() const {
  return static_cast<uint32_t>(std::ranges::count(regions_, true, &Region::live));
}

bool Verbs::Reaches(uint8_t device, const Piece& piece) const {
  if (piece.region >= regions_.size()) return false;
  const Region& region = regions_[piece.region];
  return region.live && region.device == device &&
         uint64_t{piece.offset} + piece.length <= region.bytes.size();
}

bool Verbs::Reaches(uint8_t device, const std::vector<Piece>& pieces) const {
  return std::ranges::all_of(pieces, [&](const Piece& piece) { return Reaches(device, piece); });
}

std::vector<uint8_t> Verbs::Gather(const std::vector<Piece>& pieces) const {
  std::vector<uint8_t> bytes;
  for (const Piece& piece : pieces) {
    const std::vector<uint8_t>& from = regions_[piece.region].bytes;
    for (uint32_t i = 0; i < piece.length; ++i)
      if (piece.offset + i < from.size()) bytes.push_back(from[piece.offset + i]);
  }
  return bytes;
}

// The first `skip` bytes of the pieces stay as they are.
void Verbs::Scatter(const std::vector<Piece>& pieces, const std::vector<uint8_t>& bytes,
                    uint32_t skip) {
  size_t next = 0;
  for (const Piece& piece : pieces) {
    for (uint32_t i = 0; i < piece.length; ++i) {
      if (skip > 0) {
        --skip;
        continue;
      }
      if (next == bytes.size()) return;
      regions_[piece.region].bytes[piece.offset + i] = bytes[next++];
    }
  }
}

}  // namespace cm::sim
