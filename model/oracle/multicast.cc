// Groups, joined and left: which memberships an id has is known for certain, what is reported of
// them is one of several possibilities.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// The GID that is made of the address; of a loopback address, as of a wildcard, zero.
// source: linux 6.1 cma.c cma_iboe_set_mgid; observed 6.1-rxe
Address ReportedGroup(const Address& joined) {
  if (joined.AnyOrLoopback()) return {.kind = AddressKind::kAny, .v6 = true};
  return joined.WithPort(0);
}

// What a join says; `address` is that of the group.
struct Joins {
  Address address;
  uint16_t context = 0;
  bool send_only = false;
};

Joins JoinsOf(const Call& call) {
  if (const auto* join = std::get_if<call::JoinMulticast>(&call))
    return {.address = join->address, .context = join->context};
  const auto& join = std::get<call::JoinMulticastEx>(call);
  return {.address = join.address,
          .context = join.context,
          .send_only = join.flags == call::JoinMulticastEx::kSendOnly};
}

}  // namespace

Judgement Oracle::ObserveMulticast(const Record& record, Lane lane, const Call& call,
                                   const seen::Answered& answered) {
  const IdRef id = IdOf(call);
  const auto* leave = std::get_if<call::LeaveMulticast>(&call);
  const Window window = WindowOf(record);
  joining_since_ = {window.begin, Completes(call) ? window.begin : window.end};
  if (Completes(call)) return ObserveSynchronous(record, lane, call, answered.reply);
  const uint16_t left = leave == nullptr ? 0 : facts_.id(id).JoinedAs(leave->address);
  Judgement judgement = ObserveOnId(record, call, answered);
  const bool waits = answered.reply.kind == ReplyKind::kBlocked;
  if (left != 0 && waits && judgement.verdict == Verdict::kPermitted)
    blocked_.push_back({.line = record.line, .lane = lane, .id = id, .leaves = left});
  return judgement;
}

// The last event of the membership has been acknowledged, by another thread.
Judgement Oracle::ObserveLeft(const Record& record, const Blocked& was, const Reply& reply) {
  Judgement judgement{.saw = "returned " + ToString(reply)};
  if (!facts_.id(was.id).in_scope) return {.verdict = Verdict::kOutOfScope};
  const Membership& left = facts_.id(was.id).memberships[was.leaves - 1];
  const bool unacked = left.unacked > 0 && !left.blurred;
  if (!unacked && (reply.succeeded() || Unseen(record))) return judgement;
  judgement.verdict = Verdict::kRefused;
  judgement.permitted.push_back(
      {.what = unacked ? "blocked: an event of the membership is not acknowledged" : "0",
       .source = "man rdma_leave_multicast(3)"});
  return judgement;
}

Payload Oracle::MembershipPayload(IdRef id, const Call& call, bool found) const {
  const Joins joins = JoinsOf(call);
  Payload payload;
  payload.context = joins.context;
  payload.membership = static_cast<uint16_t>(facts_.id(id).memberships.size() + 1);
  payload.qp_num = found ? kMulticastQpNumber : 0;
  payload.qkey = found ? QkeyOf(facts_.id(id).space) : 0;
  if (found) payload.group = ReportedGroup(joins.address);
  return payload;
}

void Oracle::DropEvents(Possibility* p, uint8_t id, uint16_t membership) const {
  IdState& own = p->ids[id];
  const auto of_it = [&](uint16_t payload) {
    return payload != kNoPayload && facts_.payloads[payload].membership == membership;
  };
  for (size_t i = own.joining.size(); i-- > 0;)
    if (of_it(own.joining[i])) own.joining.erase_at(i);
  for (size_t i = own.queue.size(); i-- > 0;)
    if (of_it(own.queue[i].payload)) own.queue.erase_at(i);
}

void Oracle::Join(Possibility* p, uint8_t id, const Call& call, bool found, Span when) {
  IdState& own = p->ids[id];
  if (own.joining.empty())
    own.joined = when;
  else
    own.joined.Widen(when);
  own.joining.push_back(facts_.payloads.Intern(MembershipPayload(own.name, call, found)));
  if (machine_.over_infiniband()) facts_.payloads.Intern(MembershipPayload(own.name, call, false));
}

void Oracle::LearnJoined(IdRef id, const Call& call) {
  const Joins joins = JoinsOf(call);
  facts_.id(id).memberships.push_back(
      {.address = joins.address, .since = joining_since_, .send_only = joins.send_only});
}

// Events of two memberships in one group that were joined with one context look the same.
void Oracle::LearnMembershipOf(EventRef event, IdInfo& owner,
                               const std::vector<uint16_t>& memberships) {
  const bool known = memberships.size() == 1;
  facts_.MembershipOf(event) = known ? memberships.front() : uint16_t{0};
  for (const uint16_t membership : memberships) {
    if (known) ++owner.memberships[membership - 1].unacked;
    owner.memberships[membership - 1].blurred |= !known;
  }
}

// The kernel attaches queue pairs to groups only, though ids may join any address. A queue pair
// outlives the removal of its device, which waits for its users, and can still be attached.
// source: linux 6.1 verbs.c ib_attach_mcast; observed lab 6.1-rxe
bool Oracle::CanAttach(const IdState& id, const Pending& head) const {
  if (id.qp == QpPhase::kNone || head.payload == kNoPayload) return true;
  // Over InfiniBand every address is that of a group. source: linux 6.1 cma.c cma_set_mgid
  if (machine_.over_infiniband()) return true;
  const Payload& payload = facts_.payloads[head.payload];
  if (facts_.id(id.name).memberships[payload.membership - 1].send_only) return true;
  return payload.group.kind == AddressKind::kGroup;
}

}  // namespace cm::model
