#include "model/oracle/belief/possibility_set.h"

#include <algorithm>
#include <bit>

#include "model/oracle/belief/alike.h"
#include "model/oracle/belief/mixer.h"

namespace cm::model {
namespace {

constexpr size_t kFew = 16;   // so many are looked through one by one
constexpr size_t kFirst = 4;  // room for so many at first
constexpr uint32_t kFree = ~uint32_t{0};

// Calls `each` with each span of the one and the same of the other.
template <typename Each>
void ForEachSpan(Possibility* mine, const Possibility& other, Each each) {
  for (size_t i = 0; i < mine->ids.size(); ++i) {
    for (Since IdTimes::*const time : kIdTimes) each(&(mine->ids[i].*time), other.ids[i].*time);
    for (size_t k = 0; k < mine->ids[i].queue.size(); ++k)
      each(&mine->ids[i].queue[k].since, other.ids[i].queue[k].since);
  }
  for (size_t i = 0; i < mine->flights.size(); ++i)
    each(&mine->flights[i].since, other.flights[i].since);
}

bool WidenTimes(Possibility* mine, const Possibility& other) {
  bool widened = false;
  ForEachSpan(mine, other, [&](Span* span, Span wider) {
    if (span->Contains(wider)) return;
    span->Widen(wider);
    widened = true;
  });
  return widened;
}

// Some of its times are later, and none is earlier.
bool IsLater(Possibility* mine, const Possibility& other) {
  bool later = false;
  bool earlier = false;
  ForEachSpan(mine, other, [&](const Span* span, Span than) {
    later |= !span->Contains(than);
    earlier |= than.earliest < span->earliest;
  });
  return later && !earlier;
}

}  // namespace

bool SameBehaviour(const Possibility& a, const Possibility& b) {
  return a.ids == b.ids && a.flights == b.flights && a.hits == b.hits && a.mutes == b.mutes;
}

uint64_t HashOf(const Possibility& p) {
  Mixer m;
  for (const IdState& id : p.ids) {
    m.Add(uint64_t{id.name.index} << 8 | id.peer);
    m.Add(id);
    for (const Pending& pending : id.queue) m.Add(pending, pending.child);
  }
  uint64_t hits = 0;
  for (const uint8_t count : p.hits) hits = hits << 8 | count;
  m.Add(hits);
  m.Add(p.mutes);
  for (const Flight& f : p.flights)
    m.Add((static_cast<uint64_t>(f.kind) << 40) | (uint64_t{f.from} << 32) |
          (uint64_t{f.to} << 24) | (uint64_t{f.copied} << 16) | f.reason |
          (uint64_t{f.sender.index} << 48));
  return m.hash();
}

Hits CertainHits(const std::vector<Possibility>& all) {
  if (all.empty()) return {};
  Hits certain = all.front().hits;
  for (const Possibility& p : all)
    for (size_t i = 0; i < certain.size(); ++i) certain[i] = std::min(certain[i], p.hits[i]);
  return certain;
}

void PossibilitySet::clear() {
  items_.clear();
  hashes_.clear();
  index_.clear();
  has_doubles_ = false;
}

RuleBits PossibilitySet::TakeCertain(RuleBits* reached) {
  RuleBits certain;
  certain.set();
  for (Possibility& p : items_) {
    certain &= p.used;
    *reached |= p.used | p.perhaps;
    p.perhaps.reset();
  }
  for (Possibility& p : items_) p.used &= ~certain;
  return certain;
}

size_t PossibilitySet::Find(const Possibility& p, uint64_t hash) const {
  const auto same = [&](size_t i) { return hashes_[i] == hash && SameBehaviour(items_[i], p); };
  if (index_.empty()) {
    size_t i = 0;
    while (i < items_.size() && !same(i)) ++i;
    return i;
  }
  size_t place = PlaceOf(hash);
  while (index_[place] != kFree && !same(index_[place])) place = NextPlace(place);
  return index_[place] == kFree ? items_.size() : index_[place];
}

// All are put anew when half of the places are taken.
void PossibilitySet::NoteLast() {
  size_t first = items_.size() - 1;
  if (index_.empty() && first < kFew) return;
  if (items_.size() * 2 > index_.size()) {
    index_.assign(std::bit_ceil(items_.size() * 4), kFree);
    first = 0;
  }
  for (size_t i = first; i < items_.size(); ++i) {
    size_t place = PlaceOf(hashes_[i]);
    while (index_[place] != kFree) place = NextPlace(place);
    index_[place] = static_cast<uint32_t>(i);
  }
}

std::pair<PossibilitySet::Added, size_t> PossibilitySet::Add(Possibility p,
                                                             std::vector<bool>* overdue) {
  if (p.HasAlike()) OrderAlike(&p);
  const uint64_t hash = HashOf(p);
  const size_t at = Find(p, hash);
  if (at == items_.size()) {
    if (items_.capacity() == 0) Reserve(kFirst);
    items_.push_back(std::move(p));
    hashes_.push_back(hash);
    NoteLast();
    return {Added::kNew, at};
  }
  Possibility& known = items_[at];
  const bool late = overdue != nullptr && at < overdue->size() && (*overdue)[at];
  if (late && IsLater(&known, p)) {
    (*overdue)[at] = false;
    known = std::move(p);
    return {Added::kWidened, at};
  }
  bool widened = WidenTimes(&known, p);
  if (late && widened) (*overdue)[at] = false;
  // Only rows that every way here has used are certain; what follows from it has to hear of that.
  widened |= (known.used & ~p.used).any();
  known.perhaps |= (known.used ^ p.used) | p.perhaps;
  known.used &= p.used;
  return {widened ? Added::kWidened : Added::kKnown, at};
}

}  // namespace cm::model
