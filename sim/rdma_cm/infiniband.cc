// Routes and groups over InfiniBand: queries to the SA, with their retries. source: linux 6.1
// sa_query.c send_mad, send_handler, recv_handler, multicast.c mcast_work_handler, cma.c
// cma_query_handler, cma_ib_mc_handler
#include "sim/rdma_cm/ib_transport.h"
#include "sim/rdma_cm/ids.h"

namespace cm::sim {
namespace {

constexpr Duration kRoundTrip = Duration::Microseconds(15);
constexpr Duration kKnown = Duration::Microseconds(10);  // no query is necessary

enum class Heard : uint8_t { kNothingYet, kAnswer, kNothing };

SmQuery QueryFor(Duration patience) {
  return {.interval = Timing::AskInterval(patience), .left = Timing::AskTimes(patience)};
}

// Sends the query once more, or finds that the response has arrived, or that none will; `work` is
// the time of the next step. An SA that is silent when a query is sent has not received it.
Heard Ask(const KernelContext& k, uint8_t device, SmQuery* asking, Instant* work) {
  if (asking->answered) return Heard::kAnswer;
  if (asking->left == 0) return Heard::kNothing;
  --asking->left;
  asking->answered = !k.fabric->device(device).sm_silent;
  *work = k.agenda->Now() + (asking->answered ? kRoundTrip : asking->interval);
  return Heard::kNothingYet;
}

// Whether the port is in the group already, through another membership. The foreign address creates
// a new group each time.
bool AlreadyIn(const KernelContext& k, MembershipIndex membership) {
  const Memberships& memberships = k.cma->memberships;
  const Membership& own = memberships[membership];
  if (own.address.AnyOrLoopback()) return false;
  const CmId& id = k.cma->ids[own.id];
  for (const MembershipIndex number : memberships.All()) {
    const Membership& other = memberships[number];
    if (number == membership || !other.joined || other.left || other.send_only != own.send_only ||
        !other.address.SameHost(own.address))
      continue;
    const CmId& its = k.cma->ids[other.id];
    if (its.device == id.device && its.space == id.space) return true;
  }
  return false;
}

}  // namespace

// An IPoIB queue pair uses the Q_Key of its interface's broadcast group.
Result<response::QpAttr> InfinibandTransport::Attributes(const KernelContext& k, CmIdIndex id,
                                                         QpState state) const {
  const CmId& own = k.cma->ids[id];
  if (own.space == PortSpace::kIpoib && own.interface == kNoDevice) return Errno::kAddrNotAvail;
  return IbTransport::Attributes(k, id, state);
}

uint8_t InfinibandTransport::PeerOf(const KernelContext& k, const CmId& own) const {
  return own.destination.AnyOrLoopback() ? own.device : CmTransport::PeerOf(k, own);
}

void InfinibandTransport::StartRoute(const KernelContext& k, CmIdIndex id,
                                     Duration patience) const {
  CmId& own = k.cma->ids[id];
  own.packet_lifetime = static_cast<uint8_t>(k.profile->timing.packet_lifetime);
  own.asking = QueryFor(patience);
  ContinueRoute(k, id);
}

void InfinibandTransport::ContinueRoute(const KernelContext& k, CmIdIndex id) const {
  CmId& own = k.cma->ids[id];
  switch (Ask(k, own.device, &own.asking, &own.work)) {
    case Heard::kNothingYet:
      return k.agenda->At(own.work, EventKind::kRouteWork, id.value());
    case Heard::kNothing:
      return RouteFailed(k, id, Errno::kTimedOut);
    case Heard::kAnswer:
      break;
  }
  // There is no path to a group that does not exist.
  if (own.destination.kind == AddressKind::kGroup) return RouteFailed(k, id, Errno::kInval);
  own.num_paths = 1;
  RouteResolved(k, id);
}

Errno InfinibandTransport::CheckJoin(const CmId& own, const Address& /*group*/) const {
  return own.interface == kNoDevice ? Errno::kAddrNotAvail : Errno::kNone;
}

void InfinibandTransport::StartJoin(const KernelContext& k, MembershipIndex membership) const {
  k.cma->memberships[membership].asking = QueryFor(k.profile->timing.group_reply);
  ContinueJoin(k, membership);
}

void InfinibandTransport::ContinueJoin(const KernelContext& k, MembershipIndex membership) const {
  Membership& own = k.cma->memberships[membership];
  if (!own.asking.answered && AlreadyIn(k, membership)) {
    own.asking.answered = true;
    own.work = k.agenda->Now() + kKnown;
    return k.agenda->At(own.work, EventKind::kMembershipWork, membership.value());
  }
  switch (Ask(k, k.cma->ids[own.id].device, &own.asking, &own.work)) {
    case Heard::kNothingYet:
      return k.agenda->At(own.work, EventKind::kMembershipWork, membership.value());
    case Heard::kNothing:
      return ReportMembership(k, membership, Errno::kTimedOut);
    case Heard::kAnswer:
      return ReportMembership(k, membership, Errno::kNone);
  }
}

}  // namespace cm::sim
