#include "model/oracle/belief/state.h"

#include <algorithm>

namespace cm::model {

// Messages of different senders are in no order; those of one keep theirs.
// Where the same message is under way already, another copy of it makes no difference.
void Possibility::Send(Flight flight) {
  for (Flight& other : flights) {
    if (other != flight) continue;
    other.since.Widen(flight.since);
    return;
  }
  const auto place =
      std::ranges::find_if(flights, [&](const Flight& other) { return other.from > flight.from; });
  flights.insert(place, flight);
}

void Possibility::Remove(uint8_t index) {
  const auto mend = [index](uint8_t* at) {
    if (*at == kNoId) return;
    if (*at == index)
      *at = kNoId;
    else if (*at > index)
      --*at;
  };
  ids.erase(ids.begin() + index);
  for (IdState& id : ids) {
    mend(&id.peer);
    for (Pending& pending : id.queue) mend(&pending.child);
  }
  for (Flight& flight : flights) {
    mend(&flight.from);
    mend(&flight.to);
  }
  std::ranges::stable_sort(flights, {}, &Flight::from);
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
