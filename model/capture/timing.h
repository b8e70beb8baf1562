// When a message may be retransmitted, and how often, according to the messages of an exchange.
#ifndef MODEL_CAPTURE_TIMING_H_
#define MODEL_CAPTURE_TIMING_H_

#include <cstdint>
#include <optional>
#include <span>

#include "model/base/duration.h"
#include "model/capture/relations.h"
#include "model/capture/sender_fingerprint.h"
#include "model/vocabulary/mad_kind.h"

namespace cm::wire {

struct Interval {
  Duration shortest;
  Duration longest = Duration::Max();
};

// Period of a message that is retransmitted until it is answered; empty where it is unknown. For an
// unknown sender the packet lifetime, which is local to it, counts as 0.
std::optional<Interval> IntervalOf(MadKind what, bool active, std::span<const Spoken> spoken,
                                   const SenderFingerprint& sender);

// Maximum number of transmissions of an unanswered message.
uint64_t TimesOf(std::span<const Spoken> spoken);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_TIMING_H_
