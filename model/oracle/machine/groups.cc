#include "model/oracle/machine/groups.h"

namespace cm::model {
namespace {

// The GID that is made of the address; of a loopback address, as of a wildcard, zero.
// source: linux 6.1 cma.c cma_iboe_set_mgid; observed 6.1-rxe
Address ReportedGroup(const Address& joined) {
  if (joined.AnyOrLoopback()) return {.kind = AddressKind::kAny, .v6 = true};
  return joined.WithPort(0);
}

Payload MembershipPayload(const IdInfo& info, const Call& call, bool found) {
  const Joins joins = JoinsOf(call);
  Payload payload;
  payload.context = joins.context;
  payload.membership = static_cast<uint16_t>(info.memberships.size() + 1);
  payload.qp_num = found ? kMulticastQpNumber : 0;
  payload.qkey = found ? QkeyOf(info.space) : 0;
  if (found) payload.group = ReportedGroup(joins.address);
  return payload;
}

}  // namespace

Joins JoinsOf(const Call& call) {
  if (const auto* join = std::get_if<call::JoinMulticast>(&call))
    return {.address = join->address, .context = join->context};
  const auto& join = std::get<call::JoinMulticastEx>(call);
  return {.address = join.address,
          .context = join.context,
          .send_only = join.flags == call::JoinMulticastEx::kSendOnly};
}

void Join(ConversationFacts& facts, IdState* id, const Call& call, bool found, Span when) {
  if (id->joining.empty())
    id->joined = when;
  else
    id->joined.Widen(when);
  const IdInfo& info = facts.id(id->name);
  id->joining.push_back(facts.payloads.Intern(MembershipPayload(info, call, found)));
  if (facts.over_infiniband()) facts.payloads.Intern(MembershipPayload(info, call, false));
}

void DropEvents(const ConversationFacts& facts, IdState* id, uint16_t membership) {
  const auto of_it = [&](uint16_t payload) {
    return payload != kNoPayload && facts.payloads[payload].membership == membership;
  };
  for (size_t i = id->joining.size(); i-- > 0;)
    if (of_it(id->joining[i])) id->joining.erase(id->joining.begin() + static_cast<ptrdiff_t>(i));
  for (size_t i = id->queue.size(); i-- > 0;)
    if (of_it(id->queue[i].payload)) id->queue.erase(id->queue.begin() + static_cast<ptrdiff_t>(i));
}

// The kernel attaches queue pairs to groups only, though ids may join any address. A queue pair
// outlives the removal of its device, which waits for its users, and can still be attached.
// source: linux 6.1 verbs.c ib_attach_mcast; observed lab 6.1-rxe
bool CanAttach(const ConversationFacts& facts, const IdState& id, const Pending& joined) {
  if (id.qp == QpPhase::kNone || joined.payload == kNoPayload) return true;
  // Over InfiniBand every address is that of a group. source: linux 6.1 cma.c cma_set_mgid
  if (facts.over_infiniband()) return true;
  const Payload& payload = facts.payloads[joined.payload];
  if (facts.id(id.name).memberships[payload.membership - 1].send_only) return true;
  return payload.group.kind == AddressKind::kGroup;
}

}  // namespace cm::model
