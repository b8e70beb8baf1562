// When a message may be repeated, and how often: what the messages of an exchange say of that.
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

// Between two transmissions of a message that is repeated until it is answered; empty where nobody
// can say. Of an unknown sender the packet lifetime, which it alone knows, is taken for 0.
std::optional<Interval> IntervalOf(mad::Attribute what, bool active, std::span<const Spoken> spoken,
                                   const Family& sender);

// How many times a message is sent at most, if it is not answered.
uint64_t TimesOf(std::span<const Spoken> spoken);

}  // namespace cm::wire

#endif  // MODEL_WIRE_TIMING_H_
