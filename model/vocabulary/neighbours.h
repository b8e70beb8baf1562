// What a host knows of the hardware addresses of others.
#ifndef MODEL_VOCABULARY_NEIGHBOURS_H_
#define MODEL_VOCABULARY_NEIGHBOURS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/base/duration.h"
#include "model/vocabulary/topology.h"

namespace cm {

// How long a host asks for a neighbour that does not answer: three times, once a second. source:
// linux 6.1 neighbour.c neigh_timer_handler
inline constexpr Duration kNeighbourAsked = Duration::Seconds(3);

enum class Neighbour : uint8_t {
  kRight,
  kWrong,
  kAbsent,  // the host has to ask for it
  kAsked,   // the host has asked for it, and was not answered yet
};

// The neighbour table of an interface: one entry for each other device of the topology, by its
// index. An index of no device stands for every address that is not a side's.
class NeighbourTable {
 public:
  explicit NeighbourTable(Neighbour all = Neighbour::kRight) { entries_.fill(all); }

  Neighbour operator[](uint8_t device) const { return entries_[Place(device)]; }
  void Set(uint8_t device, Neighbour entry) { entries_[Place(device)] = entry; }
  // What is right becomes absent.
  void Expire() { std::ranges::replace(entries_, Neighbour::kRight, Neighbour::kAbsent); }
  // What is absent or was asked for becomes right.
  void Learn() {
    std::ranges::replace(entries_, Neighbour::kAsked, Neighbour::kRight);
    std::ranges::replace(entries_, Neighbour::kAbsent, Neighbour::kRight);
  }
  bool Has(Neighbour entry) const { return std::ranges::count(entries_, entry) != 0; }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  friend bool operator==(const NeighbourTable&, const NeighbourTable&) = default;

 private:
  static size_t Place(uint8_t device) { return std::min<size_t>(device, kMostDevices); }

  std::array<Neighbour, kMostDevices + 1> entries_{};
};

}  // namespace cm

#endif  // MODEL_VOCABULARY_NEIGHBOURS_H_
