// Memberships in multicast groups. source: linux 6.1 ucma.c ucma_process_join,
// ucma_leave_multicast, cma.c rdma_join_multicast
#include <utility>

#include "sim/rdma_cm/ids.h"
#include "sim/rdma_cm/transport.h"

namespace cm::sim {
namespace {

constexpr Duration kWorkLatency = Duration::Microseconds(10);

Errno CheckJoin(const KernelContext& k, const CmId& own, const Address& group) {
  if (own.state != CmState::kAddrBound && own.state != CmState::kAddrResolved) return Errno::kInval;
  if (!IsDatagram(own.space)) return Errno::kInval;
  return k.transport->CheckJoin(own, group);
}

// Frees the membership, after its work if it has any.
void Forget(const KernelContext& k, MembershipIndex membership) {
  Memberships& memberships = k.cma->memberships;
  if (memberships[membership].work == Instant::Never())
    memberships.Free(membership);
  else
    memberships[membership].left = true;
}

}  // namespace

Result<uint32_t> Execute(const KernelContext& k, FileIndex file,
                         const command::JoinMulticast& cmd) {
  const Result<CmIdIndex> id = LookupWithDevice(k, file, cmd.id);
  if (!id.ok()) return id.error();
  const Errno error = CheckJoin(k, k.cma->ids[id.value()], cmd.address);
  if (error != Errno::kNone) return error;
  const MembershipIndex number = k.cma->memberships.Add({.id = id.value(),
                                                         .uid = cmd.uid,
                                                         .address = cmd.address,
                                                         .send_only = cmd.send_only,
                                                         .work = k.agenda->Now() + kWorkLatency});
  k.transport->StartJoin(k, number);
  return number.value();
}

void OnMembershipWork(const KernelContext& k, MembershipIndex number) {
  if (!k.cma->memberships.Live(number)) return;
  Membership& own = k.cma->memberships[number];
  if (own.work != k.agenda->Now()) return;  // the event is of an earlier one in this slot
  if (own.left) return k.cma->memberships.Free(number);
  own.work = Instant::Never();
  const CmState state = k.cma->ids[own.id].state;
  if (state == CmState::kDestroying || state == CmState::kDeviceRemoval) return;
  k.transport->ContinueJoin(k, number);
}

void ReportMembership(const KernelContext& k, MembershipIndex number, Errno failure) {
  Membership& own = k.cma->memberships[number];
  const CmId& owner = k.cma->ids[own.id];
  own.joined = failure == Errno::kNone;
  response::Event event{.uid = own.uid, .id = number.value()};
  if (own.joined) {
    event.type = EventType::kMulticastJoin;
    event.qp_num = kMulticastQpNumber;
    event.qkey = QkeyOf(owner.space);
    event.group = own.address.WithPort(0);
    // Over InfiniBand the SA creates it then, and no address maps to it.
    if (own.address.AnyOrLoopback()) event.group = {.kind = AddressKind::kAny, .v6 = true};
  } else {
    event.type = EventType::kMulticastError;
    event.status = -static_cast<int32_t>(failure);
  }
  k.cma->files.Push(owner.file, {.event = event, .on = own.id, .membership = number});
}

Result<uint32_t> Execute(const KernelContext& k, FileIndex file,
                         const command::LeaveMulticast& cmd) {
  const MembershipIndex number(cmd.membership);
  Memberships& memberships = k.cma->memberships;
  if (!memberships.Live(number) || memberships[number].left) return Errno::kNoEnt;
  const Result<CmIdIndex> id = Lookup(k, file, memberships[number].id.value());
  if (!id.ok()) return id.error();
  k.cma->files.DropEventsOf(number, file);
  const uint32_t reported = memberships[number].events_reported;
  Forget(k, number);
  return reported;
}

void LeaveAll(const KernelContext& k, CmIdIndex id) {
  for (const MembershipIndex number : k.cma->memberships.All()) {
    const Membership& own = k.cma->memberships[number];
    if (!own.left && own.id == id) Forget(k, number);
  }
}

}  // namespace cm::sim
