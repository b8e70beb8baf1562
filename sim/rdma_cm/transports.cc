#include "sim/rdma_cm/transports.h"

#include <cstdlib>

#include "sim/rdma_cm/ib_transport.h"
#include "sim/rdma_cm/ids.h"
#include "sim/rdma_cm/iw_transport.h"

namespace cm::sim {
namespace {

constexpr Duration kRouteLatency = Duration::Microseconds(15);

}  // namespace

uint8_t CmTransport::PeerOf(const KernelContext& k, const CmId& own) const {
  return k.fabric->DeviceOf(own.destination);
}

void CmTransport::StartRoute(const KernelContext& k, CmIdIndex id, Duration /*patience*/) const {
  CmId& own = k.cma->ids[id];
  own.work = k.agenda->Now() + kRouteLatency;
  k.agenda->At(own.work, EventKind::kRouteWork, id.value());
}

void CmTransport::ContinueRoute(const KernelContext& k, CmIdIndex id) const {
  RouteResolved(k, id);
}

void CmTransport::StartJoin(const KernelContext& k, MembershipIndex membership) const {
  k.agenda->At(k.cma->memberships[membership].work, EventKind::kMembershipWork, membership.value());
}

void CmTransport::ContinueJoin(const KernelContext& k, MembershipIndex membership) const {
  ReportMembership(k, membership, Errno::kNone);
}

const CmTransport& TransportOf(const Profile& profile) {
  static const InfinibandTransport kInfiniband;
  static const RoceTransport kRoce;
  static const IwTransport kIwarp;
  switch (profile.transport) {
    case Transport::kInfiniband:
      return kInfiniband;
    case Transport::kRoce:
      return kRoce;
    case Transport::kIwarp:
      return kIwarp;
  }
  std::abort();
}

}  // namespace cm::sim
