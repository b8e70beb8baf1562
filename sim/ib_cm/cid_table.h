// Index of ids by local_cid (one owner) and by remote_cid (any number).
//
// Communication ids are consecutive numbers, so the index is an array in pages, without a search.
// The data of one id is on one cache line, mostly together with its peer's: both began at about the
// same time. The table can be rebuilt from the ids; equality of worlds ignores it.
#ifndef SIM_IB_CM_CID_TABLE_H_
#define SIM_IB_CM_CID_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/check.h"
#include "sim/core/large_memory.h"
#include "sim/core/slot_table.h"
#include "sim/ib_cm/ib_id.h"

namespace cm::sim {

class CidTable {
 public:
  // `cid` is the next new one.
  void Add(uint32_t cid, IbIndex ib) {
    const uint32_t number = cid / kCids;
    if (number >= places_.size()) places_.resize(number + 1);
    PagePlace& place = places_[number];
    if (place.used++ == 0) place.page = NewPage();
    pages_[place.page][cid % kCids].owner = ib;
  }
  // The owner is gone.
  void Remove(uint32_t cid) {
    EntryOf(cid)->owner = IbIndex();
    ReleaseEntry(cid);
  }
  // The owner; invalid when there is none.
  IbIndex Owner(uint32_t cid) const {
    const Entry* const entry = EntryOf(cid);
    return entry == nullptr ? IbIndex() : entry->owner;
  }

  // The id's peer uses `cid`, which may be any number.
  void AddRemote(uint32_t cid, IbIndex ib) {
    Entry* const entry = EntryOf(cid);
    if (entry == nullptr || entry->remote.valid()) return others_.Add(HashOfKey(cid), ib);
    entry->remote = ib;
    ++places_[cid / kCids].used;
  }
  void RemoveRemote(uint32_t cid, IbIndex ib) {
    Entry* const entry = EntryOf(cid);
    if (entry == nullptr || entry->remote != ib) return others_.Remove(HashOfKey(cid), ib);
    entry->remote = IbIndex();
    ReleaseEntry(cid);
  }
  // Calls `visitor` with those ids, and maybe with others.
  template <typename Visitor>
  void VisitRemotes(uint32_t cid, Visitor visitor) const {
    const Entry* const entry = EntryOf(cid);
    if (entry != nullptr && entry->remote.valid()) visitor(entry->remote);
    others_.Visit(HashOfKey(cid), visitor);
  }

  // Prefetches the entry.
  void Prefetch(uint32_t cid) const {
    if (const Entry* const entry = EntryOf(cid)) FetchSoon(entry);
  }

 private:
  struct Entry {
    IbIndex owner;
    IbIndex remote;  // the first id whose peer uses it
  };
  static constexpr uint32_t kCids = 256;
  using Page = std::array<Entry, kCids>;
  // An empty page is reused.
  struct PagePlace {
    uint32_t page = 0;
    uint32_t used = 0;  // entries in use
  };

  const Entry* EntryOf(uint32_t cid) const {
    const uint32_t number = cid / kCids;
    if (number >= places_.size() || places_[number].used == 0) return nullptr;
    return &pages_[places_[number].page][cid % kCids];
  }
  Entry* EntryOf(uint32_t cid) {
    return const_cast<Entry*>(static_cast<const CidTable*>(this)->EntryOf(cid));
  }
  uint32_t NewPage() {
    if (free_.empty()) {
      pages_.emplace_back();
      return static_cast<uint32_t>(pages_.size() - 1);
    }
    const uint32_t page = free_.back();
    free_.pop_back();
    return page;
  }
  void ReleaseEntry(uint32_t cid) {
    PagePlace& place = places_[cid / kCids];
    if (--place.used == 0) free_.push_back(place.page);
  }

  std::vector<PagePlace> places_;  // by the upper bits of a communication id
  std::vector<Page, LargeMemory<Page>> pages_;
  std::vector<uint32_t> free_;  // empty pages
  SlotTable<IbIndex> others_;   // further users: of numbers without an owner, or with a first user
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_CID_TABLE_H_
