// Verbs objects that a kernel refuses to create, before it looks at other objects of the process.
#ifndef SIM_UAPI_REFUSALS_H_
#define SIM_UAPI_REFUSALS_H_

#include <cstdint>

#include "model/base/errno.h"
#include "model/vocabulary/profile.h"
#include "sim/uapi/request.h"

namespace cm::sim::uapi {

// Refused for its type alone; those of XRC are a device's that lacks it.
Errno WhyNoQp(uint32_t type, bool iwarp);

Errno WhyNoRegion(const RegionRecord& asked);
Errno WhyNoWindow(const WindowRecord& asked, const Profile& profile);

// Soft-RoCE has memory windows from Linux 5.14 on, and its provider, together with the other
// extended verbs, from rdma-core 36 on: the dialect of the old provider tells. source: linux 6.1
// rxe_mw.c, rdma-core 33 rxe.c rxe_ctx_ops
bool HasWindows(const Profile& profile);

// Types of queue pairs. source: <infiniband/verbs.h> enum ibv_qp_type
inline constexpr uint32_t kXrcSend = 9;
inline constexpr uint32_t kXrcReceive = 10;

// Soft-RoCE has no XRC; simulated devices with extended verbs do.
inline bool HasXrc(const Profile& profile) { return HasWindows(profile); }

// True when the limits of a device allow it.
bool IsCqSize(uint64_t completions, bool iwarp);
bool IsSrqRoom(const RoomRecord& asked, bool iwarp);
bool IsQpRoom(const QpRecord& asked, bool has_srq, bool iwarp);

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_REFUSALS_H_
