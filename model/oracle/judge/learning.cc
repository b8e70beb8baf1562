#include "model/oracle/judge/learning.h"

#include <algorithm>
#include <array>

#include "model/oracle/machine/effect_row.h"
#include "model/oracle/machine/guards.h"
#include "model/oracle/machine/lookups.h"

namespace cm::model {
namespace {

// An effect of a row by which a call has returned.
struct Lesson {
  ConversationFacts& facts;
  FaultModel& fault_model;
  Components& components;
  IdRef id;
  const Call& call;
  Span when;

  IdInfo& info() const { return facts.id(id); }
  const Profile& profile() const { return facts.profile(); }
};

using LessonRow = EffectRow<void (*)(const Lesson&)>;

Address WithEphemeralPort(Address address) {
  return address.port == 0 ? address.WithPort(kFirstEphemeralPort) : address;
}

// The destination gets the family of the address, in which only its port is left where it had
// another one. source: linux 6.1 cma.c rdma_bind_addr_dst, observed 6.1-rxe in the lab
void TakesFamilyOf(const Address& address, IdInfo* info) {
  info->has_no_family = false;
  Address& destination = info->destination;
  if (destination.kind == AddressKind::kNone || destination.v6 == address.v6) return;
  destination = {.kind = AddressKind::kAny, .v6 = address.v6, .port = destination.port};
}

void Binds(const Lesson& l, const Address& address) {
  IdInfo& info = l.info();
  info.bound = address;
  TakesFamilyOf(address, &info);
  info.owns_port = true;
  const uint8_t device = l.facts.LocalDevice(address, info.kernel);
  if (device != kNoDevice) {
    info.interface = device;
    info.fail_overs = l.fault_model.FailOvers(device);
    info.source_from = info.source_to = info.fail_overs;
  }
  l.facts.ports.insert(l.facts.ports.begin(),
                       {.id = l.id,
                        .kernel = info.kernel,
                        .space = info.space,
                        .address = address,
                        .family_only = info.family_only.value_or(!address.v6)});
  l.components.MergeForService(l.id, address.port);
}

void BindsAddress(const Lesson& l) { Binds(l, AddressWantedBy(l.call)); }

void SetsDestination(const Lesson& l) {
  l.info().destination = std::get<call::ResolveAddr>(l.call).destination;
  l.info().has_no_family = false;
  if (!l.info().owns_port) TakesFamilyOf(AddressWantedBy(l.call), &l.info());
}

// Once it is connected the destination is of no more use.
void ClearsDestination(const Lesson& l) {
  if (!l.profile().dialect.refused_resolve_clears_destination || l.info().connected) return;
  l.info().destination = {};
  l.info().has_no_family = true;
}

// A wildcard address has none, and leaves that of an earlier one.
void MeetsInterface(const Lesson& l) {
  const uint8_t device = l.facts.LocalDevice(AddressWantedBy(l.call), l.info().kernel);
  if (device != kNoDevice) l.info().interface = device;
}

// Groups need no neighbour to answer. source: linux 6.1 arp.c arp_constructor
Asking AskingFor(const Lesson& l, const Address& destination) {
  if (destination.AnyOrLoopback() || destination.kind == AddressKind::kGroup) return {};
  if (destination.kind != AddressKind::kSide) return kUnanswered;
  const uint8_t interface = l.info().interface;
  const uint8_t there = l.facts.DeviceOf(destination);
  if (interface == kNoDevice || interface == there) return {};
  return l.fault_model.AskingFor(interface, there);
}

void AsksInVain(const Lesson& l, uint8_t peer) {
  const Duration latest = l.profile().timing.Latest(kNeighbourAsked);
  const Span fails{l.when.earliest + kNeighbourAsked.nanoseconds(),
                   l.when.latest + latest.nanoseconds()};
  l.fault_model.neighbours().Ask({.device = l.info().interface, .peer = peer, .fails = fails});
}

void StartsAddress(const Lesson& l) {
  const auto& resolve = std::get<call::ResolveAddr>(l.call);
  IdInfo& info = l.info();
  info.shown.destination = resolve.destination;
  info.timeout_ms = resolve.timeout_ms;
  info.resolves_loopback = resolve.destination.AnyOrLoopback();
  // From loopback to the same kernel: found, and no device with it.
  const bool stays_inside = info.bound.kind == AddressKind::kLoopback &&
                            l.facts.LocalDevice(resolve.destination, info.kernel) != kNoDevice;
  const std::optional<uint8_t> route =
      stays_inside ? std::nullopt
                   : l.facts.RouteTo(info.kernel, info.interface, resolve.destination);
  if (!info.resolves_loopback) info.interface = route.value_or(kNoDevice);
  info.asking = AskingFor(l, resolve.destination);
  const uint8_t there = l.facts.DeviceOf(resolve.destination);
  if (info.asking.answered != Certainty::kYes && there != kNoDevice) AsksInVain(l, there);
  if (info.resolves_loopback || info.interface == kNoDevice) return;
  info.fail_overs = l.fault_model.FailOvers(info.interface);
  if (!info.source_from) info.source_from = info.fail_overs;
}

void StartsRoute(const Lesson& l) {
  const auto* resolve = std::get_if<call::ResolveRoute>(&l.call);
  IdInfo& info = l.info();
  info.timeout_ms = resolve == nullptr ? 0 : resolve->timeout_ms;
  // Of the path; over InfiniBand it is the SA's.
  info.tracked =
      l.profile().transport == Transport::kRoce && l.profile().dialect.neighbour_changes_are_told;
  if (info.ack_timeout != 0 && l.profile().transport != Transport::kInfiniband)
    info.packet_lifetime = info.ack_timeout - 1;
  const uint8_t there = l.facts.DeviceOf(info.destination);
  info.path_to = there;
  if (there != kNoDevice) info.peer_fail_overs = l.fault_model.FailOvers(there);
  info.knew_wrong_neighbour = l.fault_model.neighbours().Wrong(info.interface, there);
}

void Connects(const Lesson& l) {
  l.info().connected = true;
  l.fault_model.AddConnection(l.info().interface);
  l.components.MergeForRequest(l.id);
}

void AnswersSidr(const Lesson& l) {
  const bool accepts = std::holds_alternative<call::Accept>(l.call);
  if (accepts && l.profile().dialect.accept_releases_datagram_request)
    l.facts.ReleaseRequestOf(l.id);
}

void LimitsFamily(const Lesson& l) {
  const bool alone = std::get<call::SetOption>(l.call).value != 0;
  l.info().family_only = alone;
  for (PortOwner& owner : l.facts.ports)
    if (owner.id == l.id) owner.family_only = alone;
}

void SetsTimeout(const Lesson& l) {
  l.info().ack_timeout = static_cast<uint8_t>(std::get<call::SetOption>(l.call).value);
}

void Joins(const Lesson& l) {
  const model::Joins joins = *JoinsOf(l.call);
  l.info().memberships.push_back(
      {.address = joins.address, .since = l.when, .send_only = joins.send_only});
}

void Leaves(const Lesson& l) {
  const uint16_t left = l.info().JoinedAs(std::get<call::LeaveMulticast>(l.call).address);
  if (left != 0) l.info().memberships[left - 1].joined = false;
}

void LooksUp(const Lesson& l) {
  l.info().looked_up = LookupOf(std::get<call::ResolveAddrInfo>(l.call));
}

constexpr auto kRows = std::to_array<LessonRow>({
    {Effect::kBindsAddress, BindsAddress},
    {Effect::kBindsAny, [](auto& l) { Binds(l, {.kind = AddressKind::kAny}); }},
    {Effect::kBindsSource, BindsAddress},
    {Effect::kSetsDestination, SetsDestination},
    {Effect::kClearsDestination, ClearsDestination},
    {Effect::kMeetsInterface, MeetsInterface},
    {Effect::kStartsAddress, StartsAddress},
    {Effect::kStartsRoute, StartsRoute},
    {Effect::kSendsReq, Connects},
    {Effect::kSendsRep, [](auto& l) { l.components.MergeForQp(l.id); }, over::kIbCm},
    {Effect::kSendsSidrReq, Connects},
    {Effect::kAnswersSidr, AnswersSidr},
    {Effect::kSetsEce, [](auto& l) { l.info().ece = std::get<call::SetLocalEce>(l.call).ece; }},
    {Effect::kSharesPort, [](auto& l) { l.info().shares_port = true; }},
    {Effect::kSharesPortNoMore, [](auto& l) { l.info().shares_port = false; }},
    {Effect::kLimitsFamily, LimitsFamily},
    {Effect::kSetsTimeout, SetsTimeout},
    {Effect::kSetsPath, [](auto& l) { l.info().path_given = true; }},
    {Effect::kJoinsGroup, Joins},
    {Effect::kJoinsInVain, Joins},
    {Effect::kLeavesGroup, Leaves},
    {Effect::kForgetsGroup, Leaves},
    {Effect::kLooksUp, LooksUp},
});
static_assert(!FirstWithTwoActions<void (*)(const Lesson&)>(kRows),
              "an effect teaches one thing over a transport");

constexpr auto kByTransport = ByTransport<void (*)(const Lesson&)>(kRows);

}  // namespace

bool Learning::Learns(Effect effect, Transport transport) {
  return kByTransport[static_cast<size_t>(transport)][static_cast<size_t>(effect)] != nullptr;
}

void Learning::NewId(Lane lane, IdRef id, ChannelRef channel, PortSpace space) {
  IdInfo& info = facts_.id(id);
  info = IdInfo{};
  info.exists = true;
  info.space = space;
  info.side = lane.side;
  info.kernel = facts_.topology().KernelOf(lane.side);
  info.channel = channel;
  components_.Add(id);
}

void Learning::FromRow(IdRef id, const Call& call, const CallRule& rule, Span when) {
  IdInfo& info = facts_.id(id);
  // A queue pair is asked for its vendor's options as soon as it is there, and Soft-RoCE has none.
  const bool asks_qp = QpAskedBy(call).has_value() && rule.outcome.kind == OutcomeKind::kReturns &&
                       !rule.when.Has(Guard::kQpPresent) && !rule.when.Has(Guard::kTypeUnsupported);
  if (asks_qp) info.ece = {};
  const auto transport = static_cast<size_t>(facts_.profile().transport);
  for (const Effect effect : rule.effects) {
    const auto learn = kByTransport[transport][static_cast<size_t>(effect)];
    if (learn != nullptr) learn({facts_, fault_model_, components_, id, call, when});
  }
  const bool bound_now =
      std::holds_alternative<call::BindAddr>(call) || std::holds_alternative<call::Listen>(call);
  if (!bound_now || rule.outcome.error != Errno::kNone) return;
  if (std::holds_alternative<call::Listen>(call)) {
    info.listens = true;
    info.shares_port = false;
  }
  // The library asks the kernel for the addresses.
  info.shown.source = WithEphemeralPort(info.bound);
  // One without a family has no length there, and the library keeps what it has.
  if (!info.has_no_family)
    info.shown.destination = info.destination.kind == AddressKind::kNone
                                 ? Address{.kind = AddressKind::kAny, .v6 = info.bound.v6}
                                 : info.destination;
  info.shown.device_known |= !info.bound.AnyOrLoopback();
}

// The key is equal for connections whose peers cannot tell their queue pairs apart.
void Learning::FromQpNumber(const CallRule& rule, const Call& call, const IdState& id) {
  const auto* connect = std::get_if<call::Connect>(&call);
  const auto* accept = std::get_if<call::Accept>(&call);
  const bool replies =
      accept != nullptr && std::ranges::find(rule.effects, Effect::kSendsRep) != rule.effects.end();
  const bool asks =
      connect != nullptr && rule.outcome == Returns() && !IsDatagram(facts_.id(connect->id).space);
  if (!asks && (!replies || machine_.over_iwarp())) return;
  const std::optional<ConnParam>& param = asks ? connect->param : accept->param;
  const IdRef own = IdOf(call);
  IdInfo& info = facts_.id(own);
  info.boot = facts_.boots[info.kernel];
  info.qp_key = id.qp != QpPhase::kNone ? kFirstLibraryQp + own.index
                                        : uint64_t{param ? param->qp_num & 0xffffff : 0} + 1;
}

// The library keeps what a call names, also where the kernel refuses the call; an rdma_accept that
// leaves it open sends that. source: rdma-core 44 cma.c rdma_connect, rdma_accept
void Learning::FromDepths(const Call& call) {
  const Limits& limits = facts_.profile().limits;
  const std::optional<ConnParam>* param = ParamOf(call);
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (param == nullptr || !*param || (!connects && LeavesDepthOpen(*param))) return;
  IdInfo& info = facts_.id(IdOf(call));
  const bool looked_at = info.space == PortSpace::kTcp;
  if (info.interface == kNoDevice || (looked_at && DepthTooLarge(call, limits))) return;
  const auto named = [&](uint8_t depth) {
    return depth == kDeviceMaximum ? limits.max_depth : depth;
  };
  info.depths = ConnFields{.responder_resources = named((*param)->responder_resources),
                           .initiator_depth = named((*param)->initiator_depth)};
}

void Learning::FromRequest(IdRef listener_id, const Possibility& p, IdRef request) {
  const uint8_t at = p.Find(request);
  const IdInfo& listener = facts_.id(listener_id);
  const IdInfo& asker = facts_.id(p.ids[at].origin);
  IdInfo info;
  info.exists = true;
  info.space = listener.space;
  info.side = listener.side;
  info.kernel = listener.kernel;
  info.channel = listener.channel;
  info.component = listener.component;
  info.lazy = listener.lazy;
  info.interface = p.ids[at].device;
  info.fail_overs = fault_model_.FailOvers(info.interface);
  info.shown.device_known = true;
  info.shown.num_paths = IsDatagram(listener.space) || machine_.over_iwarp() ? 0 : 1;
  fault_model_.AddConnection(info.interface);
  info.shown.source = asker.destination;
  Address from = facts_.AddressOf(asker.interface, asker.destination, asker.bound.port);
  if (asker.bound.kind == AddressKind::kSide) from.nth = asker.bound.nth;
  info.shown.destination = WithEphemeralPort(from);
  facts_.id(request) = info;
}

void Learning::FromEvent(const CmEvent& event, const Possibility& p, IdRef request) {
  if (event.type == EventType::kConnectRequest) return FromRequest(event.listen_id, p, request);
  IdInfo& info = facts_.id(event.id);
  if (event.type == EventType::kRouteResolved) {
    info.shown.num_paths = machine_.over_iwarp() ? 0 : 1;
    return;
  }
  if (event.type != EventType::kAddrResolved) return;
  if (!info.shown.device_known && info.interface != kNoDevice)
    info.source_to = fault_model_.FailOvers(info.interface);
  info.shown.device_known = true;
  const bool specific = !info.bound.AnyOrLoopback();
  // The library keeps one that the kernel has forgotten since.
  if (info.destination.kind != AddressKind::kNone) info.shown.destination = info.destination;
  Address source = info.bound;
  if (!specific && info.resolves_loopback)
    source.kind = AddressKind::kLoopback;
  else if (!specific)
    source = facts_.AddressOf(info.interface, info.shown.destination, info.bound.port);
  info.shown.source = WithEphemeralPort(source);
}

}  // namespace cm::model
