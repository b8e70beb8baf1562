#include "model/oracle/machine/delivery.h"

#include <algorithm>
#include <optional>

#include "model/oracle/machine/aim.h"
#include "model/oracle/machine/channel_rows.h"

namespace cm::model {
namespace {

int32_t StatusOf(const FetchRule& rule, const Pending& pending) {
  return rule.status == kUnchanged ? pending.status : rule.status;
}

// What it is to answer at most is not checked. source: linux 6.1 rxe_qp.c rxe_qp_chk_attr, observed
// 6.1-rxe
bool DeviceHasDepth(const ConversationFacts& facts, const Pending& reply) {
  if (reply.payload == kNoPayload) return true;
  return facts.payloads[reply.payload].conn.initiator_depth <= facts.profile().limits.max_depth;
}

// A reply with an ECE vendor id must have that of the queue pair.
// source: rdma-core 44 cma.c ucma_process_conn_resp_ece
bool IsOfOwnVendor(const ConversationFacts& facts, const IdState& id, const Pending& reply) {
  if (reply.payload == kNoPayload) return true;
  const uint32_t vendor = facts.payloads[reply.payload].ece.vendor_id;
  return vendor == 0 || vendor == facts.id(id.name).ece.vendor_id;
}

// Whether the queue pair of the id becomes a member when its MULTICAST_JOIN is fetched, if it has
// a queue pair.
//
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

}  // namespace

// The queue pair comes up, and the RTU leaves: the device has the depth and the vendor of the
// reply, the state permits it, the GID is there, and the interface is up.
bool Delivery::ReplyCanBeFollowed(const IdState& id, const Pending& reply) const {
  const IbRule* ready = Machine::Find(id.ib, IbStimulus::kQpReady);
  const IbRule* rtu = Machine::Find(id.ib, IbStimulus::kSendRtu);
  const QpRule* up = FindQpRule(id.qp, QpStimulus::kBringUp);
  const bool possible = up != nullptr && up->possible && ready->answer == IbAnswer::kDone &&
                        rtu->answer == IbAnswer::kDone && id.state == State::kConnect &&
                        DeviceHasDepth(facts_, reply) && IsOfOwnVendor(facts_, id, reply);
  if (!possible || machine_.over_infiniband()) return possible;
  return fault_model_.carriers().IsUp(id.device) &&
         facts_.LatestSourceOf(id) == fault_model_.FailOvers(id.device);
}

FetchGuard Delivery::GuardOf(const Possibility& p, uint8_t id, size_t place) const {
  const IdState& own = p.ids[id];
  const Pending& head = own.queue[place];
  switch (head.type) {
    case EventType::kRouteResolved:
      // Over iWARP the library asks nothing about a route.
      if (machine_.over_iwarp()) return FetchGuard::kFine;
      [[fallthrough]];
    case EventType::kAddrResolved:
      return own.closed ? FetchGuard::kIdGone : FetchGuard::kFine;
    case EventType::kConnectRequest:
      if (head.child == kNoId || p.ids[head.child].left_on.valid()) return FetchGuard::kLeftBehind;
      return p.ids[head.child].closed ? FetchGuard::kIdGone : FetchGuard::kFine;
    case EventType::kConnectResponse:
      if (own.qp == QpPhase::kNone) return FetchGuard::kQpAbsent;
      if (own.closed) return FetchGuard::kIdGone;
      return ReplyCanBeFollowed(own, head) ? FetchGuard::kFine : FetchGuard::kQpCannotComeUp;
    case EventType::kRejected:
    case EventType::kDisconnected:
      return own.connect_error ? FetchGuard::kErrorReported : FetchGuard::kFine;
    case EventType::kInternal:
      if (own.has_info) return FetchGuard::kFine;
      return own.closed ? FetchGuard::kInfoTakenIdGone : FetchGuard::kInfoTaken;
    case EventType::kMulticastJoin:
      return CanAttach(facts_, own, head) ? FetchGuard::kFine : FetchGuard::kQpCannotAttach;
    case EventType::kAddrError:
    case EventType::kRouteError:
    case EventType::kConnectError:
    case EventType::kUnreachable:
    case EventType::kEstablished:
    case EventType::kDeviceRemoval:
    case EventType::kMulticastError:
    case EventType::kAddrChange:
    case EventType::kTimewaitExit:
    case EventType::kAddrInfoResolved:
    case EventType::kAddrInfoError:
    case EventType::kUser:
      break;
  }
  return FetchGuard::kFine;
}

const FetchRule* Delivery::RuleOf(const Possibility& p, uint8_t id, size_t place) const {
  if (place >= p.ids[id].queue.size()) return nullptr;
  const EventType queued = p.ids[id].queue[place].type;
  const FetchGuard guard = GuardOf(p, id, place);
  for (const FetchRule& rule : rules::kFetches)
    if (rule.queued == queued && rule.when.Has(guard)) return &rule;
  return nullptr;
}

const FetchRule* Delivery::HeadRule(const Possibility& p, uint8_t id) const {
  const FetchRule* rule = RuleOf(p, id);
  return rule == nullptr || rule->swallowed ? nullptr : rule;
}

// A listener that was made for datagrams reads its requests as those of datagrams, whatever its
// port space. source: rdma-core 44 cma.c ucma_process_conn_req; observed lab 6.1-rxe
void Delivery::Fill(CmEvent* event, IdRef id, EventType queued, uint16_t payload) const {
  if (payload == kNoPayload) return;
  const Payload& carried = facts_.payloads[payload];
  const IdInfo& info = facts_.id(id);
  const bool misread = queued == EventType::kConnectRequest && info.qps_type == QpType::kUd &&
                       !IsDatagram(info.space);
  if (!misread) event->conn = carried.conn;
  if (!misread) event->private_data = carried.data;
  event->qkey = carried.qkey;
  event->qp_num = carried.qp_num.value_or(0);
  event->group = carried.group;
  event->context = carried.context;
  event->argument = carried.argument;
}

CmEvent Delivery::EventBy(const FetchRule& rule, const Possibility& p, uint8_t id) const {
  const Pending& head = p.ids[id].queue.front();
  CmEvent event{.type = rule.delivered, .status = StatusOf(rule, head)};
  const bool is_request = head.type == EventType::kConnectRequest;
  (is_request ? event.listen_id : event.id) = p.ids[id].name;
  Fill(&event, p.ids[id].name, head.type, head.payload);
  return event;
}

// A device draws no number of a special queue pair. 0 is a number that is left out, which it is
// everywhere or nowhere. source: linux 6.1 ib_mad.h IB_QP0, IB_QP1
bool Delivery::MayHaveNumber(uint32_t seen, IdRef id, EventType type, uint16_t payload) const {
  if (payload == kNoPayload) return true;
  const std::optional<uint32_t>& named = facts_.payloads[payload].qp_num;
  if (named) return seen == *named;
  const bool carries_one = type == EventType::kConnectRequest ||
                           type == EventType::kConnectResponse ||
                           type == EventType::kConnectError || type == EventType::kEstablished;
  const bool drawn = carries_one && !machine_.over_iwarp() && !IsDatagram(facts_.id(id).space);
  return !drawn || seen > 1 || (seen == 0 && !facts_.shows_numbers);
}

bool Delivery::MayBe(const CmEvent& seen, const FetchRule& rule, const Possibility& p,
                     uint8_t id) const {
  const Pending& head = p.ids[id].queue.front();
  if (!MayHaveNumber(seen.qp_num, p.ids[id].name, head.type, head.payload)) return false;
  CmEvent expected = EventBy(rule, p, id);
  expected.qp_num = seen.qp_num;
  expected.id = seen.id;
  expected.listen_id = seen.listen_id;
  return expected == seen;
}

bool Delivery::MayShow(const CmEvent& seen, IdRef listener, uint16_t payload) const {
  if (!MayHaveNumber(seen.qp_num, listener, EventType::kConnectRequest, payload)) return false;
  CmEvent expected{.type = EventType::kConnectRequest, .id = seen.id, .listen_id = listener};
  Fill(&expected, listener, EventType::kConnectRequest, payload);
  expected.qp_num = seen.qp_num;
  return expected == seen;
}

void Delivery::Take(Possibility* p, uint8_t id, const FetchRule& rule, IdRef request,
                    Span when) const {
  static const RuleNumber fetched =
      NumberOf(&RowOf(ChannelState::kPending, CallKind::kGetCmEvent, ChannelGuard::kFine));
  const Pending head = p->ids[id].queue.front();
  p->used.set(NumberOf(&rule));
  p->used.set(fetched);
  p->ids[id].queue.erase(p->ids[id].queue.begin());
  if (head.type == EventType::kConnectRequest) {
    if (IsCrowd(facts_, *p)) machine_.NoteFull(p, id, when);
    ++p->ids[id].backlog;
    p->ids[head.child].name = request;
  }
  const bool by_library = head.type != EventType::kConnectError;
  if (rule.delivered == EventType::kConnectError && by_library) p->ids[id].connect_error = true;
  if (rule.delivered == EventType::kConnectResponse) p->ids[id].reply_payload = head.payload;
  for (const Effect effect : rule.effects) executor_.Carry(p, id, effect, call::GetCmEvent{}, when);
}

// A request stays where it is until the call is seen to return: it gets its name there.
void Delivery::TakeAwaited(Possibility* p, uint8_t id, Span when) const {
  const IdRef name = p->ids[id].name;
  while (Swallow(p, id, when)) id = p->Find(name);
  const FetchRule* rule = HeadRule(*p, id);
  if (rule == nullptr) return;
  IdState& own = p->ids[id];
  const bool request = rule->delivered == EventType::kConnectRequest;
  if (request && own.awaits == Awaits::kRequest) {
    own.awaits = Awaits::kServed;
    ++own.backlog;
    return;
  }
  Pending delivered = own.queue.front();
  delivered.child = kNoId;
  delivered.type = rule->delivered;
  delivered.status = StatusOf(*rule, delivered);
  own.awaits = Awaits::kNothing;
  own.retained = delivered;
  Take(p, id, *rule, {}, when);
}

bool Delivery::Swallow(Possibility* p, uint8_t id, Span when) const {
  const auto is_kept = [this, p, id](size_t place) {
    const FetchRule* rule = RuleOf(*p, id, place);
    return p->ids[id].MayBeFirst(place) && rule != nullptr && rule->swallowed;
  };
  size_t place = 0;
  while (place < p->ids[id].queue.size() && !is_kept(place)) ++place;
  if (place == p->ids[id].queue.size()) return false;
  p->ids[id].MakeFirst(place);
  const FetchRule* rule = RuleOf(*p, id);
  const Pending head = p->ids[id].queue.front();
  p->used.set(NumberOf(rule));
  p->ids[id].queue.erase(p->ids[id].queue.begin());
  if (head.type != EventType::kConnectRequest) return true;
  ++p->ids[id].backlog;
  if (rule->effects.front() == Effect::kDestroys) machine_.Destroy(p, head.child, when);
  return true;
}

bool Delivery::Shows(const Possibility& p, ChannelRef channel) const {
  for (uint8_t i = 0; i < p.ids.size(); ++i) {
    const IdState& id = p.ids[i];
    if (!id.name.valid() || id.gone || facts_.id(id.name).channel != channel) continue;
    for (size_t place = 0; place < id.queue.size(); ++place)
      if (const FetchRule* rule = RuleOf(p, i, place); rule != nullptr && !rule->swallowed)
        return true;
  }
  return false;
}

bool Delivery::IsDrained(const Possibility& p, ChannelRef channel) const {
  return std::ranges::all_of(p.ids, [&](const IdState& id) {
    return !id.name.valid() || id.gone || facts_.id(id.name).channel != channel || id.queue.empty();
  });
}

bool Delivery::Drain(Possibility* p, ChannelRef channel, Span when) const {
  for (uint8_t i = 0; i < p->ids.size(); ++i) {
    const IdRef name = p->ids[i].name;
    if (!name.valid() || p->ids[i].gone || facts_.id(name).channel != channel) continue;
    while (Swallow(p, p->Find(name), when)) {
    }
    const uint8_t now = p->Find(name);
    if (now != kNoId && !p->ids[now].queue.empty()) return false;
  }
  return true;
}

}  // namespace cm::model
