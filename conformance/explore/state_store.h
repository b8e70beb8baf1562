// The states that a search has met: a hash of each, and the way that led to it first.
#ifndef CONFORMANCE_EXPLORE_STATE_STORE_H_
#define CONFORMANCE_EXPLORE_STATE_STORE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace cm::explore {

// A step of the search: an action, and the order of the events of one instant as a number.
struct Move {
  uint32_t order = 0;
  uint16_t action = 0;
};

using StateNumber = uint32_t;
inline constexpr StateNumber kStart = 0;

// States are numbered from 0, which is the start. Of a state only 64 bits are kept: two of n states
// have the same with a chance of n * n / 2^65, and the second is then left out.
class StateStore {
 public:
  explicit StateStore(uint64_t start) : slots_(kFewest) { Add(start, kStart, {}); }

  bool Has(uint64_t key) const { return slots_[PlaceOf(key)] != 0; }
  // False when it is there already.
  bool Add(uint64_t key, StateNumber from, Move move) {
    key = std::max<uint64_t>(key, 1);
    if (slots_[PlaceOf(key)] != 0) return false;
    if (4 * (ways_.size() + 1) > 3 * slots_.size()) Grow();
    slots_[PlaceOf(key)] = key;
    ways_.push_back({.from = from, .order = move.order, .action = move.action});
    return true;
  }

  size_t size() const { return ways_.size(); }
  // The moves from the start to the state.
  std::vector<Move> WayTo(StateNumber state) const {
    std::vector<Move> moves;
    for (; state != kStart; state = ways_[state].from)
      moves.push_back({.order = ways_[state].order, .action = ways_[state].action});
    std::ranges::reverse(moves);
    return moves;
  }
  size_t bytes() const { return slots_.size() * sizeof(uint64_t) + ways_.size() * sizeof(Way); }

 private:
  struct Way {
    StateNumber from;
    uint32_t order;
    uint16_t action;
  };
  static constexpr size_t kFewest = 1024;

  size_t PlaceOf(uint64_t key) const {
    key = std::max<uint64_t>(key, 1);
    size_t place = key & (slots_.size() - 1);
    while (slots_[place] != 0 && slots_[place] != key) place = (place + 1) & (slots_.size() - 1);
    return place;
  }
  void Grow() {
    std::vector<uint64_t> before(2 * slots_.size());
    before.swap(slots_);
    for (const uint64_t key : before)
      if (key != 0) slots_[PlaceOf(key)] = key;
  }

  std::vector<uint64_t> slots_;  // hashes by their place; 0 is free
  std::deque<Way> ways_;         // by number
};

}  // namespace cm::explore

#endif  // CONFORMANCE_EXPLORE_STATE_STORE_H_
