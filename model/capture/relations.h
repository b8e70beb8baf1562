// Rules about fields: of one message, or related to earlier messages.
#ifndef MODEL_CAPTURE_RELATIONS_H_
#define MODEL_CAPTURE_RELATIONS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "model/capture/captured_message.h"
#include "model/mad/constraints.h"
#include "model/vocabulary/mad_kind.h"

namespace cm::wire {

// A message of an exchange: stored once, however often it was retransmitted.
struct Spoken {
  bool active = false;  // sent by the active side
  mad::Mad mad;
  uint64_t times = 1;
  int64_t last = 0;   // time of the last transmission, in nanoseconds
  uint32_t icrc = 0;  // of the last transmission
};

// The first row of `table` that the message violates. A relation to a message that may not have
// been captured counts as satisfied.
std::optional<Violation> FirstBreach(const CapturedMessage& sighting, bool active,
                                     std::span<const Spoken> before, bool may_lack,
                                     std::span<const mad::Constraint> table);

// The first message of that kind; null if there was none.
const mad::Mad* FirstOf(std::span<const Spoken> before, MadKind kind);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_RELATIONS_H_
