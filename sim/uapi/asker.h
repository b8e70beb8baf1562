// The requester of a machine's service, and what it waits for.
#ifndef SIM_UAPI_ASKER_H_
#define SIM_UAPI_ASKER_H_

#include <compare>
#include <cstdint>

#include "model/base/errno.h"
#include "sim/uapi/request.h"

namespace cm::sim::uapi {

// A thread of a process. It has at most one outstanding request.
struct Asker {
  uint32_t process = 0;
  uint32_t thread = 0;
  friend auto operator<=>(const Asker&, const Asker&) = default;
};

enum class Awaited : uint8_t {
  kEvent,
  kDestroyed,
  kClosed,
  kReply,
  kCompletion,
  kDeviceEvent,
  kInstant
};

// An answer, or the event that it waits for.
struct Outcome {
  Answer answer;
  Awaited what = Awaited::kEvent;  // when the answer waits
  uint32_t on = 0;                 // a file, or an id
  uint32_t ticket = 0;             // of a destroy
};

inline Outcome Refused(Errno error) { return {.answer = {.value = -static_cast<int64_t>(error)}}; }

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_ASKER_H_
