// Multicast groups: the library's list of memberships, and its processing of their events. source:
// rdma-core 44 librdmacm/cma.c rdma_join_multicast2, rdma_leave_multicast, ucma_process_join
#include "sim/lib/library.h"
#include "sim/lib/shared.h"

namespace cm::sim {
namespace {

constexpr int32_t kLibraryFailure = -1;
constexpr uint32_t kKnownMask = 3;

}  // namespace

Reply Library::Join(Context c, uint32_t id, UserMembership membership) {
  if (!FamilyKnown(membership.address)) return Reply::Refused(Errno::kInval);
  membership.id = id;
  membership.order = ++joins_;
  const uint32_t number = memberships_.Add(membership);
  const Result<uint32_t> handle =
      Execute(c.kernel, FileOf(id),
              command::JoinMulticast{.id = ids_[id].handle,
                                     .uid = number + 1,
                                     .address = membership.address,
                                     .send_only = membership.send_only});
  if (!handle.ok()) {
    memberships_.Free(number);
    return Reply::Refused(handle.error());
  }
  memberships_[number].handle = handle.value();
  return Reply::Returned();
}

Reply Library::JoinMulticast(Context c, uint32_t id, const call::JoinMulticast& call) {
  UserMembership membership;
  membership.context = call.context;
  membership.address = call.address;
  return Join(c, id, membership);
}

Reply Library::JoinMulticastEx(Context c, uint32_t id, const call::JoinMulticastEx& call) {
  if (call.comp_mask > kKnownMask) return Reply::Refused(Errno::kNotSup);
  if (call.comp_mask != kKnownMask || call.flags > call::JoinMulticastEx::kSendOnly)
    return Reply::Refused(Errno::kInval);
  UserMembership membership;
  membership.send_only = call.flags == call::JoinMulticastEx::kSendOnly;
  membership.context = call.context;
  membership.address = call.address;
  return Join(c, id, membership);
}

Progress Library::LeaveMulticast(Context c, uint32_t id, const Address& address) {
  if (!FamilyKnown(address)) return {.reply = Reply::Refused(Errno::kInval)};
  uint32_t found = kNobody;
  for (uint32_t number = 0; number < memberships_.end(); ++number) {
    if (!memberships_.Live(number)) continue;
    const UserMembership& one = memberships_[number];
    if (one.id != id || !one.joined || one.address != address) continue;
    if (found == kNobody || one.order > memberships_[found].order) found = number;
  }
  if (found == kNobody) return {.reply = Reply::Refused(Errno::kAddrNotAvail)};
  UserMembership& left = memberships_[found];
  left.joined = false;
  const Result<uint32_t> reported =
      Execute(c.kernel, FileOf(id), command::LeaveMulticast{left.handle});
  // On the kernel's refusal the real library frees memory that unread events still point to. Here
  // it stays until the id is destroyed: conversations do not access it.
  if (!reported.ok()) return {.reply = Reply::Refused(reported.error())};
  return FinishLeaving({.waiting = Waiting::kGroupAcks,
                        .id = id,
                        .membership = found,
                        .events_reported = reported.value()});
}

Progress Library::FinishLeaving(const Ongoing& ongoing) {
  const bool waits = memberships_[ongoing.membership].events_completed < ongoing.events_reported;
  if (waits) return {.reply = Reply::Blocked(), .ongoing = ongoing};
  memberships_.Free(ongoing.membership);
  return {.reply = Reply::Returned()};
}

void Library::FreeMemberships(uint32_t id) {
  for (uint32_t number = 0; number < memberships_.end(); ++number)
    if (memberships_.Live(number) && memberships_[number].id == id) memberships_.Free(number);
}

// The kernel attaches queue pairs to groups only; over InfiniBand every address is mapped to one.
bool Library::TakesIntoGroup(Context c, const Address& group) {
  return group.kind == AddressKind::kGroup || c.profile->transport == Transport::kInfiniband;
}

// A JOIN event attaches the id's queue pair to the group, if it has one.
void Library::ProcessMembership(Context c, const response::Event& event, FetchedEvent* fetched) {
  const auto number = static_cast<uint32_t>(event.uid - 1);
  fetched->event.type = event.type;
  fetched->event.status = event.status;
  fetched->event.qp_num = event.qp_num;
  fetched->event.qkey = event.qkey;
  fetched->event.group = event.group;
  fetched->membership = number;
  if (!memberships_.Live(number)) return;  // only a kernel that keeps events of what is gone
  const UserMembership& own = memberships_[number];
  fetched->id = own.id;
  fetched->credits = own.id;
  fetched->event.context = own.context;
  const UserId& id = ids_[own.id];
  if (event.type != EventType::kMulticastJoin || id.qp == kNobody || own.send_only) return;
  if (TakesIntoGroup(c, event.group)) return;
  fetched->event.type = EventType::kMulticastError;
  fetched->event.status = kLibraryFailure;
}

}  // namespace cm::sim
