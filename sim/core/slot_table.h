// A hash table of slab objects: indices by hash.
//
// The table stores hashes and no keys: the caller compares the objects that it is shown. Their
// order depends on other entries of the table, so that results must not depend on it. The table can
// be rebuilt from the objects; equality of worlds ignores it.
#ifndef SIM_CORE_SLOT_TABLE_H_
#define SIM_CORE_SLOT_TABLE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/check.h"
#include "sim/core/large_memory.h"

namespace cm::sim {

// Hash of a key, equal on every machine. Consecutive numbers get distant and evenly spread hashes.
constexpr uint32_t HashOfKey(uint64_t key) {
  key ^= key >> 32;
  key *= 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(key >> 32);
}

// Open addressing with linear probing in a power of 2 of entries; removal closes the gap, so that
// the table does not degrade. I is the Index of the objects.
template <typename I>
class SlotTable {
 public:
  void Add(uint32_t hash, I place) {
    if ((size_ + 1) * 4 > entries_.size() * 3) Grow();
    Insert({.hash = hash, .place = place});
    ++size_;
  }

  // The index must be in the table under this hash.
  void Remove(uint32_t hash, I place) {
    size_t gap = HomeOf(hash);
    while (entries_[gap].place != place || entries_[gap].hash != hash) {
      CM_CHECK(entries_[gap].place.valid()) << "place " << place.value();
      gap = After(gap);
    }
    for (size_t i = After(gap); entries_[i].place.valid(); i = After(i)) {
      if (Distance(HomeOf(entries_[i].hash), i) < Distance(gap, i)) continue;
      entries_[gap] = entries_[i];
      gap = i;
    }
    entries_[gap] = Entry{};
    --size_;
  }

  // Calls `visitor` with every index under the hash.
  template <typename Visitor>
  void Visit(uint32_t hash, Visitor visitor) const {
    if (entries_.empty()) return;
    for (size_t i = HomeOf(hash); entries_[i].place.valid(); i = After(i))
      if (entries_[i].hash == hash) visitor(entries_[i].place);
  }

  // Prefetches the entries under the hash: one cache line's worth, which is mostly on two lines.
  void Prefetch(uint32_t hash) const {
    if (entries_.empty()) return;
    const size_t home = HomeOf(hash);
    FetchSoon(&entries_[home]);
    FetchSoon(&entries_[std::min(home + kLine - 1, entries_.size() - 1)]);
  }

 private:
  struct Entry {
    uint32_t hash = 0;
    I place;  // invalid: the entry is free
  };

  static constexpr size_t kLine = 64 / sizeof(Entry);

  // The upper bits: for a hash that is a product they are the better ones.
  size_t HomeOf(uint32_t hash) const { return hash >> shift_; }
  size_t After(size_t i) const { return (i + 1) & (entries_.size() - 1); }
  size_t Distance(size_t from, size_t to) const { return (to - from) & (entries_.size() - 1); }
  void Insert(Entry entry) {
    size_t i = HomeOf(entry.hash);
    while (entries_[i].place.valid()) i = After(i);
    entries_[i] = entry;
  }
  void Grow() {
    std::vector<Entry, LargeMemory<Entry>> before(entries_.empty() ? 8 : 2 * entries_.size());
    before.swap(entries_);
    shift_ = 32 - std::countr_zero(entries_.size());
    for (const Entry& entry : before)
      if (entry.place.valid()) Insert(entry);
  }

  int shift_ = 0;
  std::vector<Entry, LargeMemory<Entry>> entries_;
  size_t size_ = 0;
};

}  // namespace cm::sim

#endif  // SIM_CORE_SLOT_TABLE_H_
