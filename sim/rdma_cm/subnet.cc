// Queries to the SA over InfiniBand, for paths and groups, with their retries. source: linux 6.1
// sa_query.c send_mad, send_handler, recv_handler, multicast.c mcast_work_handler, cma.c
// cma_query_handler, cma_ib_mc_handler
#include <algorithm>

#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {
namespace {

constexpr Duration kRoundTrip = Duration::Microseconds(15);
constexpr Duration kKnown = Duration::Microseconds(10);  // no query is necessary

}  // namespace

SmQuery RdmaCm::QueryFor(Duration patience) {
  return {.interval = Timing::AskInterval(patience), .left = Timing::AskTimes(patience)};
}

// Sends the query once more, or finds that the response has arrived, or that none will; `work` is
// the time of the next step. An SA that is silent when a query is sent has not received it.
RdmaCm::Heard RdmaCm::Ask(uint8_t device, SmQuery* asking, Instant* work) const {
  if (asking->answered) return Heard::kAnswer;
  if (asking->left == 0) return Heard::kNothing;
  --asking->left;
  asking->answered = !c_.fabric->device(device).sm_silent;
  *work = c_.agenda->Now() + (asking->answered ? kRoundTrip : asking->interval);
  return Heard::kNothingYet;
}

void RdmaCm::QueryRoute(uint32_t id) {
  CmId& own = ids_[id];
  switch (Ask(own.device, &own.asking, &own.work)) {
    case Heard::kNothingYet:
      return c_.agenda->At(own.work, EventKind::kRouteWork, id);
    case Heard::kNothing: {
      own.state = CmState::kAddrResolved;
      return Queue(
          id, {.type = EventType::kRouteError, .status = -static_cast<int32_t>(Errno::kTimedOut)});
    }
    case Heard::kAnswer:
      break;
  }
  // There is no path to a group that does not exist.
  if (own.destination.kind == AddressKind::kGroup) {
    own.state = CmState::kAddrResolved;
    return Queue(id,
                 {.type = EventType::kRouteError, .status = -static_cast<int32_t>(Errno::kInval)});
  }
  own.state = CmState::kRouteResolved;
  own.num_paths = 1;
  Queue(id, {.type = EventType::kRouteResolved});
}

// Whether the port is in the group already, through another membership. The foreign address creates
// a new group each time.
bool RdmaCm::AlreadyIn(uint32_t membership) const {
  const Membership& own = memberships_[membership];
  if (own.address.AnyOrLoopback()) return false;
  for (uint32_t number = 0; number < memberships_.end(); ++number) {
    if (!memberships_.Live(number) || number == membership) continue;
    const Membership& other = memberships_[number];
    if (other.joined && !other.left && other.send_only == own.send_only &&
        ids_[other.id].device == ids_[own.id].device &&
        ids_[other.id].space == ids_[own.id].space && other.address.SameHost(own.address))
      return true;
  }
  return false;
}

void RdmaCm::QueryGroup(uint32_t membership) {
  Membership& own = memberships_[membership];
  if (!own.asking.answered && AlreadyIn(membership)) {
    own.asking.answered = true;
    own.work = c_.agenda->Now() + kKnown;
    return c_.agenda->At(own.work, EventKind::kMembershipWork, membership);
  }
  switch (Ask(ids_[own.id].device, &own.asking, &own.work)) {
    case Heard::kNothingYet:
      return c_.agenda->At(own.work, EventKind::kMembershipWork, membership);
    case Heard::kNothing:
      return ReportMembership(membership, Errno::kTimedOut);
    case Heard::kAnswer:
      return ReportMembership(membership, Errno::kNone);
  }
}

}  // namespace cm::sim
