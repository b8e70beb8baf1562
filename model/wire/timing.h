// When a message may be retransmitted, and how often, according to the messages of an exchange.
#ifndef MODEL_WIRE_TIMING_H_
#define MODEL_WIRE_TIMING_H_

#include <cstdint>
#include <optional>
#include <span>

#include "model/base/duration.h"
#include "model/wire/family.h"
#include "model/wire/relations.h"

namespace cm::wire {

struct Interval {
  Duration shortest;
  Duration longest = Duration::Max();
};

// Period of a message that is retransmitted until it is answered; empty where it is unknown. For an
// unknown sender the packet lifetime, which is local to it, counts as 0.
std::optional<Interval> IntervalOf(mad::Attribute what, bool active, std::span<const Spoken> spoken,
                                   const Family& sender);

// Maximum number of transmissions of an unanswered message.
uint64_t TimesOf(std::span<const Spoken> spoken);

}  // namespace cm::wire

#endif  // MODEL_WIRE_TIMING_H_
