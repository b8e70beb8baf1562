// Verbs objects that a kernel refuses to create, before it looks at other objects of the process.
#ifndef SIM_UAPI_REFUSALS_H_
#define SIM_UAPI_REFUSALS_H_

#include <cstdint>

#include "model/base/errno.h"
#include "sim/uapi/request.h"

namespace cm::sim::uapi {

// Refused for its type alone.
Errno WhyNoQp(uint32_t type, bool iwarp);

Errno WhyNoRegion(const RegionRecord& asked);

// True when the limits of a device allow it.
bool IsCqSize(uint64_t completions, bool iwarp);
bool IsSrqRoom(const RoomRecord& asked, bool iwarp);
bool IsQpRoom(const QpRecord& asked, bool has_srq, bool iwarp);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_REFUSALS_H_
