// Memory regions, and copying to and from them.
#include <algorithm>
#include <span>

#include "sim/verbs/verbs.h"

namespace cm::sim {

uint32_t Verbs::Register(uint8_t device, const std::vector<uint8_t>& bytes, bool remote_read,
                         bool remote_write) {
  regions_.push_back({.live = true,
                      .remote_read = remote_read,
                      .remote_write = remote_write,
                      .device = cas_[device],
                      .bytes = bytes});
  return static_cast<uint32_t>(regions_.size() - 1);
}

uint32_t Verbs::Register(const Region& external) {
  regions_.push_back(external);
  regions_.back().live = regions_.back().external = true;
  return static_cast<uint32_t>(regions_.size() - 1);
}

uint32_t Verbs::live_regions() const {
  return static_cast<uint32_t>(std::ranges::count(regions_, true, &Region::live));
}

// source: linux 6.1 rxe_mr.c lookup_mr, mr_check_range
bool Verbs::Reaches(const Qp& qp, const Piece& piece) const {
  if (piece.region >= regions_.size()) return false;
  const Region& region = regions_[piece.region];
  return region.live && region.device == cas_[qp.device] && region.domain == qp.domain &&
         uint64_t{piece.offset} + piece.length <= region.size();
}

bool Verbs::MayRead(const Qp& qp, const std::vector<Piece>& pieces) const {
  return std::ranges::all_of(pieces, [&](const Piece& piece) { return Reaches(qp, piece); });
}

// source: linux 6.1 rxe_resp.c send_data_in, rxe_comp.c do_read, do_atomic
bool Verbs::MayWrite(const Qp& qp, const std::vector<Piece>& pieces) const {
  return std::ranges::all_of(pieces, [&](const Piece& piece) {
    return Reaches(qp, piece) && regions_[piece.region].local_write;
  });
}

bool Verbs::Gather(Memory* memory, const std::vector<Piece>& pieces,
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

bool Verbs::ScatterOne(Memory* memory, const Piece& piece, std::span<const uint8_t> bytes) {
  Region& region = regions_[piece.region];
  if (!region.external)
    std::ranges::copy(bytes, region.bytes.begin() + piece.offset);
  else if (memory != nullptr && !bytes.empty())
    return memory->Write(region.process, region.address + piece.offset, bytes);
  return true;
}

// Skips the first `skip` bytes of the elements.
bool Verbs::Scatter(Memory* memory, const std::vector<Piece>& pieces,
                    const std::vector<uint8_t>& bytes, uint32_t skip) {
  std::span<const uint8_t> left(bytes);
  bool all = true;
  for (const Piece& piece : pieces) {
    Piece rest = piece;
    const uint32_t skipped = std::min(skip, rest.length);
    skip -= skipped;
    rest.offset += skipped;
    rest.length -= skipped;
    const size_t taken = std::min<size_t>(rest.length, left.size());
    all &= ScatterOne(memory, rest, left.first(taken));
    left = left.subspan(taken);
  }
  return all;
}

}  // namespace cm::sim
