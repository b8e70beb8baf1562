#include "model/oracle/belief/alike.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/oracle/belief/mixer.h"

namespace cm::model {
namespace {

// An id that has asked, with what its requests have made behind it.
struct Block {
  uint8_t begin = 0;
  uint8_t size = 1;
  uint64_t look = 0;

  bool Has(uint8_t at) const { return at != kNoId && at >= begin && at < begin + size; }
  // The same for blocks that look alike, wherever they stand.
  uint64_t PlaceOf(uint8_t at) const {
    return Has(at) ? 1 + at - begin : at == kNoId ? 0 : 0x80 | at;
  }
};

Block BlockAt(const Possibility& p, uint8_t at) {
  Block block{.begin = at};
  for (size_t next = at + 1U; next < p.ids.size() && p.ids[next].origin == p.ids[at].name; ++next)
    ++block.size;
  return block;
}

std::vector<Block> BlocksOf(const Possibility& p, uint16_t alike) {
  std::vector<Block> blocks;
  for (uint8_t i = 0; i < p.ids.size(); ++i)
    if (p.ids[i].alike == alike && !p.ids[i].origin.valid()) blocks.push_back(BlockAt(p, i));
  return blocks;
}

// A name, or what stands for that of an id in the block or of one that looks alike.
uint64_t LookOf(const Possibility& p, const Block& block, IdRef name) {
  const uint8_t at = name.valid() ? p.Find(name) : kNoId;
  if (block.Has(at)) return block.PlaceOf(at);
  const uint16_t alike = at == kNoId ? uint16_t{0} : p.ids[at].alike;
  return alike != 0 ? 1 << 20 | alike : 2 << 20 | name.index;
}

void Mix(const Possibility& p, const Block& block, const Flight& flight, Mixer* look) {
  look->Add(static_cast<uint64_t>(flight.kind) | uint64_t{flight.hit} << 8 |
            uint64_t{flight.spared} << 16 | uint64_t{flight.doomed} << 24 |
            uint64_t{flight.copied} << 25 | uint64_t{flight.epoch} << 26 |
            uint64_t{flight.faults} << 34 | uint64_t{flight.reason} << 42);
  look->Add(block.PlaceOf(flight.from) | block.PlaceOf(flight.to) << 8 |
            uint64_t{flight.payload} << 16 | uint64_t{flight.from_device} << 32 |
            uint64_t{flight.to_device} << 40 | uint64_t{flight.source_from} << 48 |
            uint64_t{flight.source_to} << 56);
  look->Add(LookOf(p, block, flight.sender));
}

// What is so of the block, whatever it is called and wherever it stands.
uint64_t LookOf(const Possibility& p, const Block& block) {
  Mixer look;
  for (uint8_t i = block.begin; i < block.begin + block.size; ++i) {
    const IdState& id = p.ids[i];
    const uint64_t name = id.alike != 0 ? 1 << 20 | id.alike : 2 << 20 | id.name.index;
    look.Add(i == block.begin ? 0 : name);
    look.Add(id);
    look.Add(block.PlaceOf(id.peer) | uint64_t{id.message_payload} << 8 |
             uint64_t{id.request_payload} << 24 | uint64_t{id.reply_payload} << 40);
    look.Add(LookOf(p, block, id.answered_by));
    for (const Pending& pending : id.queue) look.Add(pending, block.PlaceOf(pending.child));
  }
  for (const IdState& id : p.ids)
    for (const Pending& pending : id.queue)
      if (block.Has(pending.child)) look.Add(pending, block.PlaceOf(pending.child));
  for (const Flight& flight : p.flights) {
    const uint8_t sender = flight.sender.valid() ? p.Find(flight.sender) : kNoId;
    if (block.Has(flight.from) || block.Has(flight.to) || block.Has(sender))
      Mix(p, block, flight, &look);
  }
  return look.hash();
}

// Each block goes to the place of another, and gets the name that is there: `order` has the number
// of the block that goes to each.
void Permute(Possibility* p, const std::vector<Block>& blocks, const std::vector<size_t>& order) {
  std::vector<uint8_t> ids;
  NewNames names;
  size_t next = 0;
  for (uint8_t i = 0; i < p->ids.size(); ++i) {
    if (next == blocks.size() || i != blocks[next].begin) {
      ids.push_back(i);
      continue;
    }
    const Block& block = blocks[order[next]];
    names.emplace_back(p->ids[block.begin].name, p->ids[i].name);
    for (uint8_t k = 0; k < block.size; ++k) ids.push_back(static_cast<uint8_t>(block.begin + k));
    i = static_cast<uint8_t>(i + blocks[next].size - 1);
    ++next;
  }
  p->Reorder(ids);
  Rename(p, names);
}

void OrderBlocks(Possibility* p, uint16_t alike) {
  std::vector<Block> blocks = BlocksOf(*p, alike);
  if (blocks.size() < 2) return;
  for (Block& block : blocks) block.look = LookOf(*p, block);
  if (std::ranges::is_sorted(blocks, {}, &Block::look)) return;
  std::vector<size_t> order(blocks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return blocks[i].look; });
  Permute(p, blocks, order);
}

// Those that requests have made stand where their senders do: they exchange names alone.
void OrderNames(Possibility* p, uint16_t alike) {
  std::vector<IdRef> names;
  for (const IdState& id : p->ids)
    if (id.alike == alike && id.origin.valid()) names.push_back(id.name);
  if (std::ranges::is_sorted(names, {}, &IdRef::index)) return;
  std::vector<IdRef> sorted = names;
  std::ranges::sort(sorted, {}, &IdRef::index);  // lint: names are unique
  NewNames changed;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] != sorted[i]) changed.emplace_back(names[i], sorted[i]);
  Rename(p, changed);
}

}  // namespace

void Rename(Possibility* p, const NewNames& names) {
  const auto rename = [&](IdRef* name) {
    const auto found = std::ranges::find(names, *name, &NewNames::value_type::first);
    if (found != names.end()) *name = found->second;
  };
  for (IdState& id : p->ids)
    for (IdRef* name : {&id.name, &id.origin, &id.answered_by}) rename(name);
  for (Flight& flight : p->flights) rename(&flight.sender);
}

void OrderAlike(Possibility* p) {
  std::vector<uint16_t> all;
  for (const IdState& id : p->ids)
    if (id.alike != 0 && std::ranges::find(all, id.alike) == all.end()) all.push_back(id.alike);
  std::ranges::sort(all);  // lint: each once
  for (const uint16_t alike : all) OrderBlocks(p, alike);
  for (const uint16_t alike : all) OrderNames(p, alike);
}

void Exchange(Possibility* p, IdRef a, IdRef b) {
  const uint8_t first = p->Find(a);
  const uint8_t second = p->Find(b);
  if (first == second || first == kNoId || second == kNoId) return;
  std::swap(p->ids[first].alike, p->ids[second].alike);
  if (p->ids[first].origin.valid() || p->ids[second].origin.valid())
    return Rename(p, {{a, b}, {b, a}});
  Permute(p, {BlockAt(*p, std::min(first, second)), BlockAt(*p, std::max(first, second))}, {1, 0});
}

}  // namespace cm::model
