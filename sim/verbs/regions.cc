#include "sim/verbs/regions.h"

#include <algorithm>
#include <utility>

namespace cm::sim {

uint32_t Regions::Register(Region region) {
  region.live = true;
  regions_.push_back(std::move(region));
  return static_cast<uint32_t>(regions_.size() - 1);
}

uint32_t Regions::live_count() const {
  return static_cast<uint32_t>(std::ranges::count(regions_, true, &Region::live));
}

bool Regions::Reaches(const Protection& by, const Piece& piece) const {
  if (piece.region >= regions_.size()) return false;
  const Region& region = regions_[piece.region];
  return region.live && region.device == by.device && region.domain == by.domain &&
         uint64_t{piece.offset} + piece.length <= region.size();
}

bool Regions::MayRead(const Protection& by, const std::vector<Piece>& pieces) const {
  return std::ranges::all_of(pieces, [&](const Piece& piece) { return Reaches(by, piece); });
}

bool Regions::MayWrite(const Protection& by, const std::vector<Piece>& pieces) const {
  return std::ranges::all_of(pieces, [&](const Piece& piece) {
    return Reaches(by, piece) && regions_[piece.region].local_write;
  });
}

bool Regions::Gather(Memory* memory, const std::vector<Piece>& pieces,
                     std::vector<uint8_t>* bytes) const {
  bytes->clear();
  bool all = true;
  for (const Piece& piece : pieces) {
    const Region& region = regions_[piece.region];
    const uint64_t from = std::min<uint64_t>(piece.offset, region.size());
    const uint64_t length = std::min<uint64_t>(piece.length, region.size() - from);
    if (!region.external) {
      const auto first = region.bytes.begin() + static_cast<ptrdiff_t>(from);
      bytes->insert(bytes->end(), first, first + static_cast<ptrdiff_t>(length));
      continue;
    }
    bytes->resize(bytes->size() + length);
    if (memory == nullptr || length == 0) continue;
    all &= memory->Read(region.process, region.address + from, std::span(*bytes).last(length));
  }
  return all;
}

bool Regions::ScatterOne(Memory* memory, const Piece& piece, std::span<const uint8_t> bytes) {
  Region& region = regions_[piece.region];
  if (!region.external)
    std::ranges::copy(bytes, region.bytes.begin() + piece.offset);
  else if (memory != nullptr && !bytes.empty())
    return memory->Write(region.process, region.address + piece.offset, bytes);
  return true;
}

bool Regions::Scatter(Memory* memory, const std::vector<Piece>& pieces,
                      std::span<const uint8_t> bytes, uint32_t skip) {
  bool all = true;
  for (Piece piece : pieces) {
    const uint32_t skipped = std::min(skip, piece.length);
    skip -= skipped;
    piece.offset += skipped;
    piece.length -= skipped;
    const size_t taken = std::min<size_t>(piece.length, bytes.size());
    all &= ScatterOne(memory, piece, bytes.first(taken));
    bytes = bytes.subspan(taken);
  }
  return all;
}

}  // namespace cm::sim
