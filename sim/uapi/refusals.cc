#include "sim/uapi/refusals.h"

#include "model/vocabulary/protocol.h"
#include "sim/verbs/regions.h"

namespace cm::sim::uapi {
namespace {

// On demand paging is not supported by any device here.
constexpr uint32_t kKnown = 0x3ff000ff & ~kOnDemand;

}  // namespace

// source: linux 6.1 uverbs_cmd.c create_qp, rxe_qp.c rxe_qp_chk_init, siw_verbs.c siw_create_qp
Errno WhyNoQp(uint32_t type, bool iwarp) {
  constexpr uint32_t kRawPacket = 8;  // followed by the two of XRC
  constexpr uint32_t kDriver = 0xff;
  const bool others = (type >= kRawPacket && type <= kXrcReceive) || type == kDriver;
  if (others) return Errno::kNotSup;
  if (type > kDriver) return Errno::kInval;
  switch (static_cast<QpType>(type)) {
    case QpType::kRc:
      return Errno::kNone;
    case QpType::kUc:
    case QpType::kUd:
      return iwarp ? Errno::kNotSup : Errno::kNone;
  }
  return Errno::kInval;
}

// source: linux 6.1 ib_verbs.h ib_check_mr_access, umem.c ib_umem_get
Errno WhyNoRegion(const RegionRecord& asked) {
  const bool written = (asked.access & (kRemoteWrite | kRemoteAtomic)) != 0;
  if ((asked.access & ~kKnown) != 0) return Errno::kInval;
  if (written && (asked.access & kLocalWrite) == 0) return Errno::kInval;
  if (asked.length == 0 || asked.address + asked.length < asked.address) return Errno::kInval;
  return asked.faults != 0 ? Errno::kFault : Errno::kNone;
}

bool HasWindows(const Profile& profile) {
  return profile.transport != Transport::kIwarp && !profile.dialect.refused_posts_are_negative;
}

// source: linux 6.1 uverbs_cmd.c ib_uverbs_alloc_mw
Errno WhyNoWindow(const WindowRecord& asked, const Profile& profile) {
  constexpr uint32_t kTypeOne = 1;
  constexpr uint32_t kTypeTwo = 2;
  if (!HasWindows(profile)) return Errno::kNotSup;
  return asked.type == kTypeOne || asked.type == kTypeTwo ? Errno::kNone : Errno::kInval;
}

// source: linux 6.1 rxe_cq.c rxe_cq_chk_attr, siw_verbs.c siw_create_cq
bool IsCqSize(uint64_t completions, bool iwarp) {
  return completions > 0 &&
         completions <= (iwarp ? SiwLimits::kCompletions : DeviceLimits::kCompletions);
}

// source: linux 6.1 rxe_srq.c rxe_srq_chk_init, siw_verbs.c siw_create_srq
bool IsSrqRoom(const RoomRecord& asked, bool iwarp) {
  return asked.work > 0 && asked.work <= (iwarp ? SiwLimits::kSharedWork : DeviceLimits::kWork) &&
         asked.pieces <= (iwarp ? SiwLimits::kPieces : DeviceLimits::kSharedPieces);
}

// The receive limits do not matter for a queue pair with a shared receive queue.
// source: linux 6.1 rxe_qp.c rxe_qp_chk_cap, siw_verbs.c siw_create_qp
bool IsQpRoom(const QpRecord& asked, bool has_srq, bool iwarp) {
  const uint32_t work = iwarp ? SiwLimits::kWork : DeviceLimits::kWork;
  const uint32_t pieces = iwarp ? SiwLimits::kPieces : DeviceLimits::kPieces;
  const auto fits = [=](const RoomRecord& room) {
    return room.work <= work && room.pieces <= pieces;
  };
  // An iWARP device looks at the receives all the same.
  return fits(asked.sends) && ((has_srq && !iwarp) || fits(asked.receives));
}

}  // namespace cm::sim::uapi
