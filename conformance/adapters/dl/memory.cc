#include "conformance/adapters/dl/memory.h"

#include <algorithm>
#include <span>

#include "conformance/adapters/dl/c_enum.h"
#include "model/vocabulary/work.h"

namespace cm {
namespace {

constexpr uint32_t kDatagramHeader = 40;  // room for a GRH in front of every datagram

}  // namespace

uint8_t* Memory::NewBuffer(MrRef mr, uint32_t length) {
  const std::lock_guard lock(mutex_);
  std::vector<uint8_t>& buffer = regions_[mr.index].buffer;
  buffer.resize(length);
  const std::string& name = names_.regions.NameOf(mr);
  for (uint32_t i = 0; i < length; ++i) buffer[i] = PatternAt(name, i);
  return buffer.data();
}

void Memory::SetRegion(MrRef mr, ibv_mr* region) {
  const std::lock_guard lock(mutex_);
  regions_[mr.index].mr = region;
  regions_[mr.index].key = region->rkey;
}

ibv_mr* Memory::RegionAt(MrRef mr) const {
  const std::lock_guard lock(mutex_);
  return regions_[mr.index].mr;
}

uint32_t Memory::DigestOf(MrRef mr) const {
  const std::lock_guard lock(mutex_);
  BytesDigest digest;
  digest.Add(regions_[mr.index].buffer);
  return digest.value();
}

ibv_sge Memory::In(const Sge& sge) const {
  const Region& region = regions_[sge.mr.index];
  return {.addr = reinterpret_cast<uintptr_t>(region.buffer.data() + sge.offset),
          .length = sge.length,
          .lkey = region.mr->lkey};
}

std::vector<ibv_sge> Memory::SgesOf(const call::Work& work) const {
  const std::lock_guard lock(mutex_);
  std::vector<ibv_sge> sges;
  for (const Sge& sge : work.sges) sges.push_back(In(sge));
  return sges;
}

Memory::Piece Memory::FirstOf(const call::Work& work) const {
  const std::lock_guard lock(mutex_);
  const ibv_sge sge = In(work.sges.front());
  return {.address = reinterpret_cast<void*>(sge.addr),  // NOLINT(performance-no-int-to-ptr)
          .length = sge.length,
          .region = regions_[work.sges.front().mr.index].mr};
}

Memory::Remote Memory::RemoteOf(const call::Work& work) const {
  const std::lock_guard lock(mutex_);
  const Region& region = regions_[work.remote.mr.index];
  return {.address = reinterpret_cast<uintptr_t>(region.buffer.data() + work.remote.offset),
          .key = region.key};
}

uint32_t Memory::BytesOf(const call::Work& work, uint32_t length, bool datagram) const {
  std::vector<uint8_t> bytes;
  for (const Sge& sge : work.sges) {
    const std::vector<uint8_t>& buffer = regions_[sge.mr.index].buffer;
    for (uint32_t i = 0; i < sge.length && bytes.size() < length; ++i)
      if (sge.offset + i < buffer.size()) bytes.push_back(buffer[sge.offset + i]);
  }
  const size_t from = datagram && bytes.size() > kDatagramHeader ? kDatagramHeader : 0;
  BytesDigest digest;
  digest.Add(std::span<const uint8_t>(bytes).subspan(from));
  return digest.value();
}

Completion Memory::Read(const ibv_wc& wc, IdRef id, bool receive, bool datagram) {
  Completion completion{.status = static_cast<WcStatus>(ValueOf(wc.status)),
                        .context = static_cast<uint16_t>(wc.wr_id)};
  const std::lock_guard lock(mutex_);
  const auto posted = std::ranges::find_if(
      posted_, [&](const Posted& p) { return p.Is(id, receive, completion.context); });
  if (completion.status == WcStatus::kSuccess) {
    completion.opcode = static_cast<WcOpcode>(ValueOf(wc.opcode));
    const bool fills =
        completion.opcode == WcOpcode::kReceive || completion.opcode == WcOpcode::kRead;
    if (fills) completion.length = wc.byte_len;
    if (fills && posted != posted_.end())
      completion.bytes = BytesOf(posted->work, wc.byte_len, datagram);
  }
  if (posted != posted_.end()) posted_.erase(posted);
  return completion;
}

void Memory::NotePosted(const call::Work& work, bool receive) {
  const std::lock_guard lock(mutex_);
  posted_.push_back({.receive = receive, .work = work});
}

// The last equal one: those before it are in the queue.
void Memory::ForgetPosted(const call::Work& work, bool receive) {
  const std::lock_guard lock(mutex_);
  const auto last = std::find_if(posted_.rbegin(), posted_.rend(), [&](const Posted& p) {
    return p.Is(work.id, receive, work.context);
  });
  if (last != posted_.rend()) posted_.erase(std::next(last).base());
}

}  // namespace cm
