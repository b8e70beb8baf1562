#include "model/oracle/machine/effects.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "model/base/check.h"
#include "model/oracle/machine/effect_row.h"
#include "model/oracle/machine/guards.h"

namespace cm::model {
namespace {

// An effect that is carried out.
struct Carrying {
  ConversationFacts& facts;
  const Machine& machine;
  Possibility* p;
  uint8_t id;
  const Call& call;
  Span when;

  IdState& own() const { return p->ids[id]; }
  const Limits& limits() const { return facts.profile().limits; }
  const Dialect& dialect() const { return facts.profile().dialect; }
  uint16_t Interned(const Payload& payload) const { return facts.payloads.Intern(payload); }
  void Asks(IbStimulus on, const Details& details = {}) const {
    machine.Stimulate(p, id, on, details, when);
  }
  void Asks(IwStimulus on, const Details& details = {}) const {
    machine.StimulateIw(p, id, on, details, when);
  }
};

using Row = EffectRow<void (*)(const Carrying&)>;

// A message has 24 bits for the vendor.
EceOptions OnTheWire(const EceOptions& ece) {
  return {.vendor_id = ece.vendor_id & 0xffffff, .options = ece.options};
}

// Whether the id's queue pair takes its receives from a shared queue.
uint8_t SharesReceives(const ConversationFacts& facts, IdRef id) {
  return facts.work.of(id).shares ? 1 : 0;
}

// The depth that a call names, or else the device's.
uint8_t DepthOf(const std::optional<ConnParam>& param, uint8_t given, uint8_t otherwise) {
  return param && given != kDeviceMaximum ? given : otherwise;
}

// One bit of a REQ or REP each. source: docs/sources, the layouts of REQ and REP
void PutBits(bool given, const ConnParam& param, uint8_t srq, ConnFields* fields) {
  fields->flow_control = given ? param.flow_control & 1 : 0;
  fields->srq = srq != 0 ? 1 : 0;
}

// The number that is sent for an id without a queue pair; a message has 24 bits for it. None where
// an application has made the queue pair itself: its name stands for the number.
std::optional<uint32_t> NumberNamed(const ConversationFacts& facts, const ConnParam& param) {
  if (facts.numbers_name_qps && param.qp_num != 0) return std::nullopt;
  return param.qp_num & 0xffffff;
}

// What CONNECT_REQUEST will carry: depths as the receiver sees them, counts clamped. Over iWARP
// private data has its own length, and of the parameters the depths alone are carried.
Payload RequestPayload(const ConversationFacts& facts, const call::Connect& call, bool has_qp) {
  const Limits& limits = facts.profile().limits;
  const ConnParam param = call.param.value_or(ConnParam{});
  Payload payload{.data = param.private_data};
  payload.conn.responder_resources = DepthOf(call.param, param.initiator_depth, limits.max_depth);
  payload.conn.initiator_depth = DepthOf(call.param, param.responder_resources, limits.max_depth);
  if (facts.over_iwarp()) return payload;
  PutBits(call.param.has_value(), param, has_qp ? SharesReceives(facts, call.id) : param.srq,
          &payload.conn);
  payload.conn.retry_count = std::min(param.retry_count, limits.max_retry_count);
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  payload.ece = OnTheWire(facts.id(call.id).ece);
  if (!has_qp) payload.qp_num = NumberNamed(facts, param);
  payload.data = param.private_data.Resized(limits.request_data);
  return payload;
}

// What the active side's event will carry.
Payload ReplyPayload(const ConversationFacts& facts, const call::Accept& call, const IdState& id) {
  const Limits& limits = facts.profile().limits;
  Payload payload;
  const Payload request =
      id.request_payload == kNoPayload ? Payload{} : facts.payloads[id.request_payload];
  const ConnFields& requested = facts.id(call.id).depths.value_or(request.conn);
  const ConnParam param = call.param.value_or(ConnParam{});
  const auto depth = [&](uint8_t given, uint8_t offered) {
    return DepthOf(call.param, given, std::min(offered, limits.max_depth));
  };
  payload.conn.responder_resources = depth(param.initiator_depth, requested.initiator_depth);
  payload.conn.initiator_depth = depth(param.responder_resources, requested.responder_resources);
  const bool has_qp = id.qp != QpPhase::kNone;
  PutBits(call.param.has_value(), param, has_qp ? SharesReceives(facts, call.id) : param.srq,
          &payload.conn);
  if (!has_qp) payload.qp_num = NumberNamed(facts, param);
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  // The vendor is the one that was received, the options are those of who answers.
  payload.ece = {.vendor_id = request.ece.vendor_id, .options = facts.id(call.id).ece.options};
  payload.data = param.private_data.Resized(limits.reply_data);
  return payload;
}

// A datagram carries private data alone.
Payload DatagramPayload(const std::optional<ConnParam>& param, uint8_t length) {
  return {.data = (param ? param->private_data : PrivateData()).Resized(length)};
}

// Where the requested service is: rdma_accept names its queue pair, rdma_establish none.
Payload ServicePayload(const ConversationFacts& facts, const Call& call, const IdState& id) {
  const auto* accept = std::get_if<call::Accept>(&call);
  const std::optional<ConnParam> param = accept != nullptr ? accept->param : std::nullopt;
  Payload payload = DatagramPayload(param, facts.profile().limits.datagram_reply_data);
  payload.qkey = QkeyOf(facts.SpaceOf(id));
  const bool drawn = accept != nullptr && id.qp != QpPhase::kNone;
  if (!drawn) payload.qp_num = param ? param->qp_num & 0xffffff : 0;
  return payload;
}

// What the reply carries over iWARP, and what the id itself reports; interned.
// The passive side's initiator depth is at most the peer's responder resources, and its responder
// resources are at least the peer's initiator depth; each end gets its own view.
// source: linux 6.1 siw_cm.c siw_accept, siw_proc_mpareply, cma.c cma_iw_handler
Details AgreedOverIwarp(ConversationFacts& facts, const call::Accept& call, const IdState& id) {
  const ConnParam param = call.param.value_or(ConnParam{});
  const ConnFields asked =
      id.request_payload == kNoPayload ? ConnFields{} : facts.payloads[id.request_payload].conn;
  const ConnFields open = facts.id(call.id).depths.value_or(asked);
  const auto depth = [&](uint8_t given, uint8_t offered) {
    return DepthOf(call.param, given, std::min(offered, facts.profile().limits.max_depth));
  };
  const uint8_t reads =
      std::min(depth(param.initiator_depth, open.initiator_depth), asked.initiator_depth);
  const uint8_t answers = std::max(depth(param.responder_resources, open.responder_resources),
                                   asked.responder_resources);
  Payload reply;
  reply.conn.initiator_depth = reads;
  reply.conn.responder_resources = answers;
  reply.data = param.private_data;
  Payload told;
  told.conn.initiator_depth = answers;
  told.conn.responder_resources = reads;
  return {.payload = facts.payloads.Intern(reply),
          .reason = facts.payloads.Intern({.data = reply.data}),
          .told = facts.payloads.Intern(told)};
}

// What a rejection says; nothing when a failed answer rejects.
PrivateData DataOfReject(const Call& call) {
  if (const auto* reject = std::get_if<call::Reject>(&call)) return reject->private_data;
  if (const auto* reject = std::get_if<call::RejectEce>(&call)) return reject->private_data;
  return {};
}

template <QpStimulus kOn>
void MovesQp(const Carrying& c) {
  Machine::MoveQp(c.p, c.id, kOn);
}

template <QpStimulus kOn>
void BreaksQpOverTcp(const Carrying& c) {
  const bool had_one = c.own().qp != QpPhase::kNone;
  Machine::MoveQp(c.p, c.id, kOn);
  if (had_one && !c.own().closed) c.Asks(IwStimulus::kQpBreaks);
}

template <IbStimulus kOn>
void AsksIbCm(const Carrying& c) {
  c.Asks(kOn);
}

void BindsAddress(const Carrying& c) {
  const uint8_t device =
      c.facts.LocalDevice(AddressWantedBy(c.call), c.facts.id(c.own().name).kernel);
  if (device != kNoDevice) c.own().device = device;
}

void SetsBacklog(const Carrying& c) {
  const auto max = static_cast<int32_t>(c.limits().max_backlog);
  const int32_t given = std::get<call::Listen>(c.call).backlog;
  c.own().backlog = static_cast<int16_t>(given <= 0 || given > max ? max : given);
}

void StartsResolving(const Carrying& c) { c.own().resolving = c.when; }

template <auto kOn>
void SendsReq(const Carrying& c) {
  const bool has_qp = c.own().qp != QpPhase::kNone;
  c.Asks(kOn,
         {.payload = c.Interned(RequestPayload(c.facts, std::get<call::Connect>(c.call), has_qp))});
}

void SendsRep(const Carrying& c) {
  c.Asks(IbStimulus::kSendRep,
         {.payload = c.Interned(ReplyPayload(c.facts, std::get<call::Accept>(c.call), c.own()))});
  c.own().accepted = true;
}

void SendsRepOverTcp(const Carrying& c) {
  c.own().accepted = true;
  c.Asks(IwStimulus::kAccept, AgreedOverIwarp(c.facts, std::get<call::Accept>(c.call), c.own()));
}

void SendsRej(const Carrying& c) {
  Details details;
  if (std::holds_alternative<call::RejectEce>(c.call))
    details.reason = static_cast<uint16_t>(RejReason::kVendorOptionNotSupported);
  details.payload = c.Interned({.data = DataOfReject(c.call).Resized(c.limits().reject_data)});
  c.Asks(IbStimulus::kSendRej, details);
}

void SendsRejOverTcp(const Carrying& c) {
  c.Asks(IwStimulus::kReject, {.payload = c.Interned({.data = DataOfReject(c.call)})});
}

void RefusesSidr(const Carrying& c) {
  const PrivateData data = DataOfReject(c.call).Resized(c.limits().datagram_reply_data);
  c.Asks(IbStimulus::kSendSidrRefusal, {.payload = c.Interned({.data = data})});
}

void Rejects(const Carrying& c) {
  IsDatagram(c.facts.SpaceOf(c.own())) ? RefusesSidr(c) : SendsRej(c);
}

void SendsSidrReq(const Carrying& c) {
  c.Asks(IbStimulus::kSendSidrReq,
         {.payload = c.Interned(DatagramPayload(std::get<call::Connect>(c.call).param,
                                                c.limits().datagram_request_data))});
}

void AnswersSidr(const Carrying& c) {
  const Payload payload = ServicePayload(c.facts, c.call, c.own());
  if (std::holds_alternative<call::Accept>(c.call)) {
    c.own().accepted = true;
    if (c.dialect().accept_releases_datagram_request) c.own().retained.reset();
  }
  c.Asks(IbStimulus::kSendSidrRep, {.payload = c.Interned(payload)});
}

// The GID that is made of the address; of a loopback address, as of a wildcard, zero.
// source: linux 6.1 cma.c cma_iboe_set_mgid; observed 6.1-rxe
Address ReportedGroup(const Address& joined) {
  if (joined.AnyOrLoopback()) return {.kind = AddressKind::kAny, .v6 = true};
  return joined.WithPort(0);
}

Payload MembershipPayload(const Carrying& c, bool found) {
  const IdInfo& info = c.facts.id(c.own().name);
  const Joins joins = *JoinsOf(c.call);
  Payload payload;
  payload.context = joins.context;
  payload.membership = static_cast<uint16_t>(info.memberships.size() + 1);
  payload.qp_num = found ? kMulticastQpNumber : 0;
  payload.qkey = found ? QkeyOf(info.space) : 0;
  if (found) payload.group = ReportedGroup(joins.address);
  return payload;
}

// The report of a new membership is due; with kFound the group can be found.
template <bool kFound>
void JoinsGroup(const Carrying& c) {
  IdState& id = c.own();
  if (id.joining.empty())
    id.joined = c.when;
  else
    id.joined.Widen(c.when);
  id.joining.push_back(c.Interned(MembershipPayload(c, kFound)));
  if (c.facts.over_infiniband()) c.Interned(MembershipPayload(c, false));
}

// And drops queued and pending events of the membership.
void LeavesGroup(const Carrying& c) {
  const Address& address = std::get<call::LeaveMulticast>(c.call).address;
  const uint16_t membership = c.facts.id(c.own().name).JoinedAs(address);
  const auto of_it = [&](uint16_t payload) {
    return payload != kNoPayload && c.facts.payloads[payload].membership == membership;
  };
  std::erase_if(c.own().joining, of_it);
  std::erase_if(c.own().queue, [&](const Pending& event) { return of_it(event.payload); });
}

void LooksUp(const Carrying& c) {
  c.own().looks_up = c.own().has_info = true;
  c.own().queue.push_back({.type = EventType::kInternal});
}

void WritesEvent(const Carrying& c) {
  const auto& write = std::get<call::WriteCmEvent>(c.call);
  c.own().queue.push_back({.type = EventType::kUser,
                           .payload = c.Interned({.argument = write.argument}),
                           .status = write.status});
}

void MigratesPath(const Carrying& c) {
  c.Asks(IbStimulus::kPathMig);
  c.own().pathless = true;
}

// The id and its events go to the channel. Where the old one goes as well, as the private one of a
// synchronous id does, the requests go with it.
void MovesEvents(const Carrying& c) {
  const ChannelRef channel = std::get<call::MigrateId>(c.call).channel;
  const IdRef name = c.own().name;
  const ChannelRef from = c.facts.id(name).channel;
  std::vector<size_t> lost;
  for (size_t i = 0; i < c.own().queue.size(); ++i) {
    const Pending& pending = c.own().queue[i];
    if (pending.type != EventType::kConnectRequest || pending.child == kNoId) continue;
    IdState& child = c.p->ids[pending.child];
    if (child.left_on.valid()) {
      if (child.left_on == channel) child.left_on = {};
    } else if (!from.valid()) {
      lost.push_back(i);
      c.facts.id(name).left_requests = true;
    } else if (from != channel) {
      child.left_on = from;
      c.facts.id(name).left_requests = true;
    }
  }
  if (from.valid()) return;
  c.own().retained.reset();
  for (const size_t i : lost) {
    Pending& pending = c.p->ids[c.p->Find(name)].queue[i];
    const uint8_t child = pending.child;
    pending.child = kNoId;
    c.machine.Destroy(c.p, child, c.when);
  }
}

// Changes what is certain alone, for every possibility alike: see Learning.
void OnlyTeaches(const Carrying& /*c*/) {}

constexpr auto kRows = std::to_array<Row>({
    {Effect::kBindsAddress, BindsAddress},
    {Effect::kBindsSource, BindsAddress},
    {Effect::kSetsBacklog, SetsBacklog},
    {Effect::kStartsAddress, StartsResolving},
    {Effect::kStartsRoute, StartsResolving},
    {Effect::kQpCreated, MovesQp<QpStimulus::kCreate>},
    {Effect::kQpDestroyed, MovesQp<QpStimulus::kDestroy>, over::kIbCm},
    {Effect::kQpDestroyed, BreaksQpOverTcp<QpStimulus::kDestroy>, over::kIwarp},
    {Effect::kQpUp, MovesQp<QpStimulus::kBringUp>},
    {Effect::kQpHalfUp, MovesQp<QpStimulus::kHalfUp>},
    {Effect::kQpError, MovesQp<QpStimulus::kError>, over::kIbCm},
    {Effect::kQpError, BreaksQpOverTcp<QpStimulus::kError>, over::kIwarp},
    {Effect::kSendsReq, SendsReq<IbStimulus::kSendReq>, over::kIbCm},
    {Effect::kSendsReq, SendsReq<IwStimulus::kConnect>, over::kIwarp},
    {Effect::kSendsRep, SendsRep, over::kIbCm},
    {Effect::kSendsRep, SendsRepOverTcp, over::kIwarp},
    {Effect::kSendsRtu, AsksIbCm<IbStimulus::kSendRtu>},
    {Effect::kSendsRej, SendsRej, over::kIbCm},
    {Effect::kSendsRej, SendsRejOverTcp, over::kIwarp},
    {Effect::kRejects, Rejects, over::kIbCm},
    {Effect::kRejects, SendsRejOverTcp, over::kIwarp},
    {Effect::kSendsDreq, AsksIbCm<IbStimulus::kSendDreq>},
    {Effect::kSendsDrep, AsksIbCm<IbStimulus::kSendDrep>},
    {Effect::kEndsUnsaid, AsksIbCm<IbStimulus::kUnsentEnd>},
    {Effect::kGivesUp, AsksIbCm<IbStimulus::kUnsentRej>},
    {Effect::kDatagramQpCreated, MovesQp<QpStimulus::kCreateDatagram>},
    {Effect::kSendsSidrReq, SendsSidrReq},
    {Effect::kAnswersSidr, AnswersSidr},
    {Effect::kRefusesSidr, RefusesSidr},
    {Effect::kDestroys, [](auto& c) { c.machine.Destroy(c.p, c.id, c.when); }},
    {Effect::kEstablishes, AsksIbCm<IbStimulus::kCommEst>},
    {Effect::kMigratesPath, MigratesPath},
    {Effect::kSetsPath,
     [](auto& c) { c.own().queue.push_back({.type = EventType::kRouteResolved}); }},
    {Effect::kMovesEvents, MovesEvents},
    {Effect::kJoinsGroup, JoinsGroup<true>},
    {Effect::kJoinsInVain, JoinsGroup<false>},
    {Effect::kLeavesGroup, LeavesGroup},
    {Effect::kLooksUp, LooksUp},
    {Effect::kHandsInfo, [](auto& c) { c.own().looks_up = c.own().has_info = false; }},
    {Effect::kForgetsInfo, [](auto& c) { c.own().looks_up = false; }},
    {Effect::kWritesEvent, WritesEvent},
    {Effect::kCloses, [](auto& c) { c.Asks(IwStimulus::kDisconnect); }, over::kIwarp},
    {Effect::kEndsLater, [](auto& c) { c.own().ending = true; }, over::kIwarp},
    {Effect::kBindsAny, OnlyTeaches},
    {Effect::kSetsDestination, OnlyTeaches},
    {Effect::kClearsDestination, OnlyTeaches},
    {Effect::kMeetsInterface, OnlyTeaches},
    {Effect::kSetsEce, OnlyTeaches},
    {Effect::kSharesPort, OnlyTeaches},
    {Effect::kSharesPortNoMore, OnlyTeaches},
    {Effect::kLimitsFamily, OnlyTeaches},
    {Effect::kSetsTimeout, OnlyTeaches},
    {Effect::kForgetsGroup, OnlyTeaches},
});

// Its name in a message of the compiler names the effect.
template <Effect kEffect>
struct TheEffectWithoutOneAction {
  static_assert(kEffect == Effect::kNone,
                "an effect has an action, and one alone over a transport");
};
template struct TheEffectWithoutOneAction<
    FirstWithoutOneAction<void (*)(const Carrying&)>(kRows).value_or(Effect::kNone)>;

constexpr auto kByTransport = ByTransport<void (*)(const Carrying&)>(kRows);

}  // namespace

bool RowExecutor::Acts(Effect effect, Transport transport) {
  const auto action = kByTransport[static_cast<size_t>(transport)][static_cast<size_t>(effect)];
  return action != nullptr && action != OnlyTeaches;
}

void RowExecutor::Carry(Possibility* p, uint8_t id, Effect effect, const Call& call,
                        Span when) const {
  if (effect == Effect::kNone) return;
  const auto transport = static_cast<size_t>(facts_.profile().transport);
  const auto action = kByTransport[transport][static_cast<size_t>(effect)];
  CM_CHECK(action != nullptr) << ToString(effect) << ": not over this transport";
  action({facts_, machine_, p, id, call, when});
}

void RowExecutor::Apply(Possibility* p, uint8_t id, const CallRule& rule, const Call& call,
                        Span when) const {
  p->used.set(NumberOf(&rule));
  if (rule.to != State::kSame) p->ids[id].state = rule.to;
  for (const Effect effect : rule.effects) Carry(p, id, effect, call, when);
}

}  // namespace cm::model
