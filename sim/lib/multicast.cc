// Multicast groups: the library's list of memberships, and its processing of their events. source:
// rdma-core 44 librdmacm/cma.c rdma_join_multicast2, rdma_leave_multicast, ucma_process_join
#include "sim/lib/calls.h"
#include "sim/lib/steps.h"
#include "sim/lib/waits.h"

namespace cm::sim {
namespace {

constexpr uint32_t kKnownMask = 3;

Reply Join(const Context& c, Library& library, uint32_t id, UserMembership membership) {
  if (!FamilyKnown(membership.address)) return Reply::Refused(Errno::kInval);
  membership.id = id;
  membership.order = ++library.joins;
  const uint32_t number = library.memberships.Add(membership);
  const Result<uint32_t> handle = Write(c, library, id,
                                        command::JoinMulticast{.id = library.ids[id].handle,
                                                               .uid = number + 1,
                                                               .address = membership.address,
                                                               .send_only = membership.send_only});
  if (!handle.ok()) {
    library.memberships.Free(number);
    return Reply::Refused(handle.error());
  }
  library.memberships[number].handle = handle.value();
  return Reply::Returned();
}

// The newest membership of the id in the group; kNobody without one.
uint32_t Find(const Library& library, uint32_t id, const Address& group) {
  uint32_t found = kNobody;
  for (const uint32_t number : library.memberships.All()) {
    const UserMembership& one = library.memberships[number];
    if (one.id != id || !one.joined || one.address != group) continue;
    if (found == kNobody || one.order > library.memberships[found].order) found = number;
  }
  return found;
}

// The kernel attaches queue pairs to groups only; over InfiniBand every address is mapped to one.
bool TakesIntoGroup(const Context& c, const Address& group) {
  return group.kind == AddressKind::kGroup || c.profile->transport == Transport::kInfiniband;
}

}  // namespace

// Starts the join, which MULTICAST_JOIN or MULTICAST_ERROR ends. EINVAL for an unknown family.
// source: man rdma_join_multicast(3)
Progress Do(const Context& c, Library& library, const call::JoinMulticast& x, const Named& at) {
  const UserMembership membership{.context = x.context, .address = x.address};
  return Complete(c, library, at.id, Join(c, library, at.id, membership));
}

// As rdma_join_multicast; EOPNOTSUPP for unknown bits of the mask, EINVAL for missing ones.
Progress Do(const Context& c, Library& library, const call::JoinMulticastEx& x, const Named& at) {
  constexpr auto kSendOnly = call::JoinMulticastEx::kSendOnly;
  if (x.comp_mask > kKnownMask) return Ended(Errno::kNotSup);
  if (x.comp_mask != kKnownMask || x.flags > kSendOnly) return Ended(Errno::kInval);
  const UserMembership membership{
      .send_only = x.flags == kSendOnly, .context = x.context, .address = x.address};
  return Complete(c, library, at.id, Join(c, library, at.id, membership));
}

// Blocks until the membership's events are acknowledged. EINVAL for an unknown family,
// EADDRNOTAVAIL without such a membership. source: man rdma_leave_multicast(3)
Progress Do(const Context& c, Library& library, const call::LeaveMulticast& x, const Named& at) {
  if (!FamilyKnown(x.address)) return Ended(Errno::kInval);
  const uint32_t found = Find(library, at.id, x.address);
  if (found == kNobody) return Ended(Errno::kAddrNotAvail);
  UserMembership& left = library.memberships[found];
  left.joined = false;
  const Result<uint32_t> reported = Write(c, library, at.id, command::LeaveMulticast{left.handle});
  // On the kernel's refusal the real library frees memory that unread events still point to. Here
  // it stays until the id is destroyed: conversations do not access it.
  if (!reported.ok()) return Ended(reported.error());
  return FinishLeaving(library, {.waiting = Waiting::kGroupAcks,
                                 .id = at.id,
                                 .membership = found,
                                 .events_reported = reported.value()});
}

Progress FinishLeaving(Library& library, const Ongoing& ongoing) {
  if (library.memberships[ongoing.membership].events_completed < ongoing.events_reported)
    return Blocked(ongoing);
  library.memberships.Free(ongoing.membership);
  return {};
}

void FreeMemberships(Library& library, uint32_t id) {
  for (const uint32_t number : library.memberships.All())
    if (library.memberships[number].id == id) library.memberships.Free(number);
}

// A JOIN event attaches the id's queue pair to the group, if it has one.
void ProcessMembership(const Context& c, Library& library, const response::Event& event,
                       FetchedEvent* fetched) {
  const auto number = static_cast<uint32_t>(event.uid - 1);
  fetched->event.type = event.type;
  fetched->event.status = event.status;
  fetched->event.qp_num = event.qp_num;
  fetched->event.qkey = event.qkey;
  fetched->event.group = event.group;
  fetched->membership = number;
  // Only a kernel that keeps events of what is gone.
  if (!library.memberships.Live(number)) return;
  const UserMembership& own = library.memberships[number];
  fetched->id = own.id;
  fetched->credits = own.id;
  fetched->event.context = own.context;
  const bool attaches = event.type == EventType::kMulticastJoin && !own.send_only &&
                        library.ids[own.id].qp != kNobody;
  if (!attaches || TakesIntoGroup(c, event.group)) return;
  Fail(fetched, EventType::kMulticastError);
}

}  // namespace cm::sim
