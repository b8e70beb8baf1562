// What an alteration may put in place of an observation.
#ifndef CONFORMANCE_SHARPNESS_ALTERNATIVES_H_
#define CONFORMANCE_SHARPNESS_ALTERNATIVES_H_

#include <cstdint>
#include <vector>

#include "model/base/errno.h"
#include "model/vocabulary/protocol.h"

namespace cm {

// Seconds of a quiet wait before an event that is late: a CM has then sent a message sixteen times
// and waited for the answer to the last one. source: linux 6.1 cma.c CMA_MAX_CM_RETRIES,
// CMA_CM_RESPONSE_TIMEOUT
inline constexpr int64_t kLateSeconds = 150;
// Seconds of a quiet wait in place of an event.
inline constexpr int64_t kNeverSeconds = 600;
// How many seconds longer a slow call takes.
inline constexpr int64_t kSlowSeconds = 30;

// Success, and every errno with a name.
std::vector<Errno> AllErrnos();
// 0, the negative errnos, and the REJ reasons from 1 to 35. source: IBA 1.3, 12.6.7.2
std::vector<int32_t> AllStatuses();
// The types of events that come of themselves: all but CONNECT_REQUEST, which brings a new id.
std::vector<EventType> EventsInSilence();
// A status with which such an event may come.
int32_t UsualStatus(EventType type);

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_ALTERNATIVES_H_
