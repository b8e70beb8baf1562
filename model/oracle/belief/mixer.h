// Hashes of what is so of ids.
#ifndef MODEL_ORACLE_BELIEF_MIXER_H_
#define MODEL_ORACLE_BELIEF_MIXER_H_

#include <cstdint>

#include "model/oracle/belief/state.h"

namespace cm::model {

class Mixer {
 public:
  void Add(uint64_t x) {
    hash_ ^= x + 0x9e3779b97f4a7c15ULL + (hash_ << 6) + (hash_ >> 2);
    hash_ *= 0xff51afd7ed558ccdULL;
  }
  // What is so of the id, without its name, and without the ids that it refers to.
  void Add(const IdState& id) {
    Add((static_cast<uint64_t>(id.state) << 32) | (static_cast<uint64_t>(id.ib) << 24) |
        (static_cast<uint64_t>(id.qp) << 16) | (uint64_t{id.device} << 8));
    Add((uint64_t{id.accepted} << 0) | (uint64_t{id.closed} << 1) |
        (uint64_t{id.connect_error} << 2) | (uint64_t{id.gone} << 3) |
        (uint64_t{id.outstanding} << 4) | (uint64_t{id.abandoned} << 5) | (uint64_t{id.mra} << 6) |
        (uint64_t{id.removal_due} << 7) | (uint64_t{id.addr_change_due} << 8) |
        (uint64_t{id.neighbour_due} << 16) |
        (static_cast<uint64_t>(static_cast<uint16_t>(id.backlog)) << 24) |
        (static_cast<uint64_t>(id.message) << 40) | (uint64_t{id.met} << 48) |
        (uint64_t{id.pathless} << 49) | (uint64_t{id.looks_up} << 50) |
        (uint64_t{id.has_info} << 51) | (static_cast<uint64_t>(id.iw) << 52) |
        (uint64_t{id.ending} << 56));
    for (const uint16_t payload : id.joining) Add(payload);
    Add(id.queue.size() | (static_cast<uint64_t>(id.awaits) << 8) |
        (uint64_t{id.retained.has_value()} << 16));
  }
  // `child`: how the id that it is about is called.
  void Add(const Pending& pending, uint64_t child) {
    Add((static_cast<uint64_t>(pending.type) << 56) | (child << 48) |
        (uint64_t{pending.payload} << 32) | static_cast<uint32_t>(pending.status));
  }
  uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_ = 0x243f6a8885a308d3ULL;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_BELIEF_MIXER_H_
