// Which field of a message is not what it has to be: by itself, or beside what was said before.
#ifndef MODEL_WIRE_RELATIONS_H_
#define MODEL_WIRE_RELATIONS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "model/mad/constraints.h"
#include "model/wire/family.h"
#include "model/wire/sighting.h"

namespace cm::wire {

// What was said in an exchange: each message once, however often it was repeated.
struct Spoken {
  bool active = false;  // who said it
  mad::Mad mad;
  uint64_t times = 1;
  int64_t last = 0;   // when, in nanoseconds
  uint32_t icrc = 0;  // of the packet in which it was said last
};

// The first row of `table` that the message breaks. Where something may have been said that was not
// seen, a relation to it is taken to hold.
std::optional<Violation> FirstBreach(const Sighting& sighting, bool active,
                                     std::span<const Spoken> before, bool may_lack,
                                     std::span<const mad::Constraint> table);

// What such rows cannot say: addresses, the header of RDMA CM, the situations that a REJ is for,
// and where the sender is known what is computed from other fields.
std::optional<Violation> FirstOddity(const Sighting& sighting, bool active,
                                     std::span<const Spoken> before, const Family& sender);

// The first message of that kind that somebody said; null if there was none.
const mad::Mad* FirstOf(std::span<const Spoken> before, mad::Attribute attribute);

}  // namespace cm::wire

#endif  // MODEL_WIRE_RELATIONS_H_
