#include "model/oracle/belief/state.h"

#include <algorithm>
#include <utility>

#include "model/base/check.h"

namespace cm::model {
namespace {

// Calls `mend` with everything that tells where an id stands.
template <typename Mend>
void ForEachPlace(Possibility* p, Mend mend) {
  for (IdState& id : p->ids) {
    mend(&id.peer);
    for (Pending& pending : id.queue) mend(&pending.child);
  }
  for (Flight& flight : p->flights) {
    mend(&flight.from);
    mend(&flight.to);
  }
}

// The place of a message among the others. Those of ids that are gone and had no name are ordered
// for each receiver only.
std::pair<uint8_t, int> PlaceOf(const Flight& flight) {
  const bool nameless = flight.from == kNoId && !flight.sender.valid();
  return {flight.from, nameless ? 1 + flight.to : 0};
}

}  // namespace

// Where requests that came at once are stored in the order of their ids, the order in which they
// came makes no difference.
void IdState::Put(Pending pending) {
  auto place = queue.end();
  const auto first = queue.begin() + (awaits == Awaits::kServed ? 1 : 0);
  const auto after = [&](const Pending& other) {
    return other.type == EventType::kConnectRequest && other.child > pending.child;
  };
  if (pending.type == EventType::kConnectRequest)
    while (place > first && after(*std::prev(place))) --place;
  queue.insert(place, pending);
}

void IdState::OrderRequests() {
  const auto is_request = [](const Pending& pending) {
    return pending.type == EventType::kConnectRequest;
  };
  auto begin = queue.begin() + (awaits == Awaits::kServed && !queue.empty() ? 1 : 0);
  while ((begin = std::find_if(begin, queue.end(), is_request)) != queue.end()) {
    const auto end = std::find_if_not(begin, queue.end(), is_request);
    std::stable_sort(begin, end,
                     [](const Pending& a, const Pending& b) { return a.child < b.child; });
    begin = end;
  }
}

size_t IdState::FirstRequests() const {
  if (awaits == Awaits::kServed) return std::min<size_t>(queue.size(), 1);
  const auto other = std::ranges::find_if(
      queue, [](const Pending& pending) { return pending.type != EventType::kConnectRequest; });
  return static_cast<size_t>(other - queue.begin());
}

bool IdState::MayBeFirst(size_t place) const {
  const size_t requests = FirstRequests();
  if (place >= requests) return place == 0 && !queue.empty();
  return std::none_of(
      queue.begin(), queue.begin() + static_cast<ptrdiff_t>(requests),
      [&](const Pending& other) { return other.since.latest < queue[place].since.earliest; });
}

void IdState::MakeFirst(size_t place) {
  const auto chosen = queue.begin() + static_cast<ptrdiff_t>(place);
  std::rotate(queue.begin(), chosen, chosen + 1);
}

// Messages of different senders are in no order; those of one keep theirs.
// Where the same message is under way already, another copy of it makes no difference.
void Possibility::Send(Flight flight) {
  for (Flight& other : flights) {
    if (other != flight) continue;
    other.since.Widen(flight.since);
    return;
  }
  const auto place = std::ranges::find_if(
      flights, [&](const Flight& other) { return PlaceOf(other) > PlaceOf(flight); });
  flights.insert(place, flight);
}

void Possibility::Insert(uint8_t place, IdState id) {
  CM_CHECK(ids.size() + 1 < kNoId) << "too many ids that can influence one another";
  ForEachPlace(this, [place](uint8_t* at) {
    if (*at != kNoId && *at >= place) ++*at;
  });
  ids.insert(ids.begin() + place, std::move(id));
}

void Possibility::Reorder(const std::vector<uint8_t>& order) {
  std::vector<uint8_t> place(ids.size());
  std::vector<IdState> ordered;
  ordered.reserve(ids.size());
  for (const uint8_t from : order) {
    place[from] = static_cast<uint8_t>(ordered.size());
    ordered.push_back(std::move(ids[from]));
  }
  ids = std::move(ordered);
  ForEachPlace(this, [&](uint8_t* at) {
    if (*at != kNoId) *at = place[*at];
  });
  for (IdState& id : ids) id.OrderRequests();
  std::ranges::stable_sort(flights, {}, PlaceOf);
}

void Possibility::Remove(uint8_t index) {
  ids.erase(ids.begin() + index);
  ForEachPlace(this, [index](uint8_t* at) {
    if (*at == kNoId) return;
    if (*at == index)
      *at = kNoId;
    else if (*at > index)
      --*at;
  });
  std::ranges::stable_sort(flights, {}, PlaceOf);
}

void Possibility::Tidy() {
  for (uint8_t i = 0; i < ids.size();) {
    const IdState& id = ids[i];
    // What an id has sent stays under way without it; what it still repeats does not.
    if (id.gone && !(id.outstanding && id.abandoned))
      Remove(i);
    else
      ++i;
  }
}

}  // namespace cm::model
