// Memberships in multicast groups. On RoCE there is no SA query, so everything is local. source:
// linux 6.1 ucma.c ucma_process_join, ucma_leave_multicast, cma.c cma_iboe_join_multicast
#include <algorithm>

#include "sim/rdma_cm/rdma_cm.h"

namespace cm::sim {
namespace {

constexpr Duration kWorkLatency = Duration::Microseconds(10);

}  // namespace

Errno RdmaCm::CheckJoin(const CmId& own, const Address& address) const {
  if (own.state != CmState::kAddrBound && own.state != CmState::kAddrResolved) return Errno::kInval;
  if (!IsDatagram(own.space)) return Errno::kInval;
  if (OverIwarp()) return Errno::kNoSys;
  if (OverInfiniband()) return own.interface == kNoDevice ? Errno::kAddrNotAvail : Errno::kNone;
  if (address.kind == AddressKind::kAny) return Errno::kInval;
  if (own.interface == kNoDevice) return Errno::kNoDev;
  return address.v6 ? Errno::kNotSupp : Errno::kNone;
}

Result<uint32_t> RdmaCm::Write(uint32_t file, const command::JoinMulticast& cmd) {
  Errno error = LookupWithDevice(file, cmd.id);
  if (error == Errno::kNone) error = CheckJoin(ids_[cmd.id], cmd.address);
  if (error != Errno::kNone) return error;
  Membership membership;
  membership.id = cmd.id;
  membership.uid = cmd.uid;
  membership.address = cmd.address;
  membership.send_only = cmd.send_only;
  membership.work = c_.agenda->Now() + kWorkLatency;
  const uint32_t number = memberships_.Add(std::move(membership));
  if (OverInfiniband()) {
    memberships_[number].asking = QueryFor(c_.profile->timing.group_reply);
    QueryGroup(number);
    return number;
  }
  c_.agenda->At(memberships_[number].work, EventKind::kMembershipWork, number);
  return number;
}

void RdmaCm::OnMembershipWork(uint32_t number) {
  if (memberships_[number].left) return memberships_.Free(number);
  Membership& own = memberships_[number];
  own.work = Instant::Never();
  const CmState state = ids_[own.id].state;
  if (state == CmState::kDestroying || state == CmState::kDeviceRemoval) return;
  if (OverInfiniband()) return QueryGroup(number);
  ReportMembership(number, Errno::kNone);
}

void RdmaCm::ReportMembership(uint32_t number, Errno failure) {
  Membership& own = memberships_[number];
  Fifo<QueuedEvent>& queue = files_[ids_[own.id].file].queue;
  own.joined = failure == Errno::kNone;
  if (!own.joined) {
    const response::Event error{.uid = own.uid,
                                .id = number,
                                .type = EventType::kMulticastError,
                                .status = -static_cast<int32_t>(failure)};
    return queue.push_back({.event = error, .on = own.id, .membership = number});
  }
  response::Event event{.uid = own.uid, .id = number, .type = EventType::kMulticastJoin};
  event.qp_num = kMulticastQpNumber;
  event.qkey = QkeyOf(ids_[own.id].space);
  event.group = own.address.WithPort(0);
  // Over InfiniBand the SA creates it then, and no address maps to it.
  if (own.address.AnyOrLoopback()) event.group = {.kind = AddressKind::kAny, .v6 = true};
  queue.push_back({.event = event, .on = own.id, .membership = number});
}

void RdmaCm::DropEventsOf(uint32_t membership) {
  Fifo<QueuedEvent>& queue = files_[ids_[memberships_[membership].id].file].queue;
  queue.EraseIf([&](const QueuedEvent& queued) { return queued.membership == membership; });
}

Result<uint32_t> RdmaCm::Write(uint32_t file, const command::LeaveMulticast& cmd) {
  const uint32_t id = memberships_[cmd.membership].id;
  const Errno error = Lookup(file, id);
  if (error != Errno::kNone) return error;
  DropEventsOf(cmd.membership);
  const uint32_t reported = memberships_[cmd.membership].events_reported;
  Forget(cmd.membership);
  return reported;
}

void RdmaCm::LeaveAll(uint32_t id) {
  for (uint32_t number = 0; number < memberships_.end(); ++number) {
    if (memberships_.Live(number) && !memberships_[number].left && memberships_[number].id == id)
      Forget(number);
  }
}

void RdmaCm::Forget(uint32_t membership) {
  if (memberships_[membership].work == Instant::Never())
    memberships_.Free(membership);
  else
    memberships_[membership].left = true;
}

}  // namespace cm::sim
