// What a call does besides answering, to possibilities and to what is known for certain.
#include <algorithm>
#include <optional>

#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// What a rejection says; nothing when a failed answer rejects.
PrivateData DataOfReject(const Call& call) {
  if (const auto* reject = std::get_if<call::Reject>(&call)) return reject->private_data;
  if (const auto* reject = std::get_if<call::RejectEce>(&call)) return reject->private_data;
  return {};
}

// What the effect does to the queue pair, if that is all it does.
std::optional<QpStimulus> OnQp(Effect effect) {
  switch (effect) {
    case Effect::kQpCreated:
      return QpStimulus::kCreate;
    case Effect::kQpDestroyed:
      return QpStimulus::kDestroy;
    case Effect::kQpUp:
      return QpStimulus::kBringUp;
    case Effect::kQpError:
      return QpStimulus::kError;
    case Effect::kDatagramQpCreated:
      return QpStimulus::kCreateDatagram;
    default:
      return std::nullopt;
  }
}

// What it asks of the IB CM, if it says nothing but that.
std::optional<IbStimulus> OnIbCm(Effect effect) {
  switch (effect) {
    case Effect::kSendsRtu:
      return IbStimulus::kSendRtu;
    case Effect::kSendsDreq:
      return IbStimulus::kSendDreq;
    case Effect::kSendsDrep:
      return IbStimulus::kSendDrep;
    case Effect::kEndsUnsaid:
      return IbStimulus::kUnsentEnd;
    case Effect::kGivesUp:
      return IbStimulus::kUnsentRej;
    case Effect::kEstablishes:
      return IbStimulus::kCommEst;
    default:
      return std::nullopt;
  }
}

// Groups need no neighbour to answer. source: linux 6.1 arp.c arp_constructor
Resolution ResolutionOf(const Address& destination) {
  if (destination.AnyOrLoopback()) return Resolution::kLoopback;
  const bool answers =
      destination.kind == AddressKind::kSide || destination.kind == AddressKind::kGroup;
  return answers ? Resolution::kFound : Resolution::kSilent;
}

int32_t TimeOf(const Call& call) {
  const auto* resolve = std::get_if<call::ResolveRoute>(&call);
  return resolve == nullptr ? 0 : resolve->timeout_ms;
}

// A message has 24 bits for the vendor.
EceOptions OnTheWire(const EceOptions& ece) {
  return {.vendor_id = ece.vendor_id & 0xffffff, .options = ece.options};
}

}  // namespace

// What CONNECT_REQUEST will carry: depths as the receiver sees them, counts clamped.
Payload Oracle::RequestPayload(const call::Connect& call, bool has_qp) const {
  const Limits& limits = profile_.limits;
  Payload payload;
  const auto depth = [&](uint8_t given) {
    return call.param && given != kDeviceMaximum ? given : limits.max_depth;
  };
  const ConnParam param = call.param.value_or(ConnParam{});
  payload.conn.responder_resources = depth(param.initiator_depth);
  payload.conn.initiator_depth = depth(param.responder_resources);
  payload.conn.flow_control = call.param ? param.flow_control : 0;
  payload.conn.retry_count = std::min(param.retry_count, limits.max_retry_count);
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  payload.conn.srq = has_qp ? SharesReceives(call.id) : param.srq;
  payload.ece = OnTheWire(knowledge_.id(call.id).ece);
  payload.data = param.private_data.Resized(limits.request_data);
  if (!call.param) payload.data = PrivateData().Resized(limits.request_data);
  return payload;
}

// What the active side's event will carry.
Payload Oracle::ReplyPayload(const call::Accept& call, const IdState& id) const {
  const Limits& limits = profile_.limits;
  Payload payload;
  const Payload request =
      id.request_payload == kNoPayload ? Payload{} : knowledge_.payloads[id.request_payload];
  const ConnFields& requested = knowledge_.id(call.id).depths.value_or(request.conn);
  const ConnParam param = call.param.value_or(ConnParam{});
  const auto depth = [&](uint8_t given, uint8_t offered) {
    return call.param && given != kDeviceMaximum ? given : std::min(offered, limits.max_depth);
  };
  payload.conn.responder_resources = depth(param.initiator_depth, requested.initiator_depth);
  payload.conn.initiator_depth = depth(param.responder_resources, requested.responder_resources);
  payload.conn.flow_control = call.param ? param.flow_control : 0;
  payload.conn.rnr_retry_count = std::min(param.rnr_retry_count, limits.max_retry_count);
  payload.conn.srq = id.qp != QpPhase::kNone ? SharesReceives(call.id) : param.srq;
  // The vendor is the one that was received, the options are those of who answers.
  payload.ece = {.vendor_id = request.ece.vendor_id, .options = knowledge_.id(call.id).ece.options};
  payload.data = param.private_data.Resized(limits.reply_data);
  if (!call.param) payload.data = PrivateData().Resized(limits.reply_data);
  return payload;
}

// The library keeps what a call names, also where the kernel refuses the call; an rdma_accept that
// leaves it open sends that. source: rdma-core 44 cma.c rdma_connect, rdma_accept
void Oracle::LearnDepths(const Call& call) {
  const std::optional<ConnParam>* param = ParamOf(call);
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (param == nullptr || !*param || (!connects && LeavesDepthOpen(*param))) return;
  IdInfo& info = knowledge_.id(IdOf(call));
  const bool looked_at = info.space == PortSpace::kTcp;
  if (info.interface == kNoDevice || (looked_at && DepthTooLarge(call, profile_.limits))) return;
  const auto named = [&](uint8_t depth) {
    return depth == kDeviceMaximum ? profile_.limits.max_depth : depth;
  };
  info.depths = ConnFields{.responder_resources = named((*param)->responder_resources),
                           .initiator_depth = named((*param)->initiator_depth)};
}

// Of datagrams only the private data comes along.
Payload Oracle::DatagramPayload(const std::optional<ConnParam>& param, uint8_t length) const {
  return {.data = (param ? param->private_data : PrivateData()).Resized(length)};
}

// Where the service is that was asked for: rdma_accept names its queue pair, and rdma_establish
// names none.
Payload Oracle::ServicePayload(const Call& call, const IdState& id) const {
  const auto* accept = std::get_if<call::Accept>(&call);
  const std::optional<ConnParam> param = accept != nullptr ? accept->param : std::nullopt;
  Payload payload = DatagramPayload(param, profile_.limits.datagram_reply_data);
  payload.qkey = QkeyOf(knowledge_.SpaceOf(id));
  const bool drawn = accept != nullptr && id.qp != QpPhase::kNone;
  if (!drawn) payload.qp_num = param ? param->qp_num & 0xffffff : 0;
  return payload;
}

// What an effect means on an id of datagrams; false when it is nothing of its own.
bool Oracle::CarryDatagram(Possibility* p, uint8_t id, Effect effect, const Call& call, Span when) {
  IdState& own = p->ids[id];
  const Limits& limits = profile_.limits;
  const auto asks = [&](IbStimulus on, const Payload& payload) {
    machine_.Stimulate(p, id, on, {.payload = knowledge_.payloads.Intern(payload)}, when);
    return true;
  };
  switch (effect) {
    case Effect::kSendsSidrReq:
      return asks(IbStimulus::kSendSidrReq, DatagramPayload(std::get<call::Connect>(call).param,
                                                            limits.datagram_request_data));
    case Effect::kAnswersSidr: {
      const Payload payload = ServicePayload(call, own);
      if (std::holds_alternative<call::Accept>(call)) {
        own.accepted = true;
        if (profile_.dialect.accept_releases_datagram_request) own.retained.reset();
      }
      return asks(IbStimulus::kSendSidrRep, payload);
    }
    case Effect::kRefusesSidr:
      return asks(IbStimulus::kSendSidrRefusal,
                  {.data = DataOfReject(call).Resized(limits.datagram_reply_data)});
    case Effect::kRejects:
      if (!IsDatagram(knowledge_.SpaceOf(own))) return false;
      return asks(IbStimulus::kSendSidrRefusal,
                  {.data = PrivateData().Resized(limits.datagram_reply_data)});
    default:
      return false;
  }
}

void Oracle::Carry(Possibility* p, uint8_t id, Effect effect, const Call& call, Span when) {
  if (machine_.over_iwarp() && CarryOverIwarp(p, id, effect, call, when)) return;
  if (const auto on = OnQp(effect)) return static_cast<void>(Machine::MoveQp(p, id, *on));
  if (const auto on = OnIbCm(effect))
    return static_cast<void>(machine_.Stimulate(p, id, *on, {}, when));
  if (CarryDatagram(p, id, effect, call, when) || CarryMembership(p, id, effect, call, when) ||
      CarryInfo(p, id, effect, call))
    return;
  IdState& own = p->ids[id];
  switch (effect) {
    case Effect::kBindsAddress:
    case Effect::kBindsSource: {
      const uint8_t device =
          knowledge_.LocalDevice(GuardFinder::Wanted(call), knowledge_.id(own.name).kernel);
      if (device != kNoDevice) own.device = device;
      return;
    }
    case Effect::kSetsBacklog: {
      const auto max = static_cast<int32_t>(profile_.limits.max_backlog);
      const int32_t given = std::get<call::Listen>(call).backlog;
      own.backlog = static_cast<int16_t>(given <= 0 || given > max ? max : given);
      return;
    }
    case Effect::kStartsAddress:
    case Effect::kStartsRoute:
      own.resolving = when;
      return;
    case Effect::kSendsReq:
      machine_.Stimulate(p, id, IbStimulus::kSendReq,
                         {.payload = knowledge_.payloads.Intern(RequestPayload(
                              std::get<call::Connect>(call), own.qp != QpPhase::kNone))},
                         when);
      return;
    case Effect::kSendsRep:
      machine_.Stimulate(
          p, id, IbStimulus::kSendRep,
          {.payload = knowledge_.payloads.Intern(ReplyPayload(std::get<call::Accept>(call), own))},
          when);
      own.accepted = true;
      return;
    case Effect::kSendsRej:
    case Effect::kRejects: {
      Details details;
      if (std::holds_alternative<call::RejectEce>(call))
        details.reason = static_cast<uint16_t>(RejReason::kVendorOptionNotSupported);
      details.payload = knowledge_.payloads.Intern(
          {.data = DataOfReject(call).Resized(profile_.limits.reject_data)});
      machine_.Stimulate(p, id, IbStimulus::kSendRej, details, when);
      return;
    }
    case Effect::kMigratesPath:
      machine_.Stimulate(p, id, IbStimulus::kPathMig, {}, when);
      own.pathless = true;
      return;
    case Effect::kDestroys:
      machine_.Destroy(p, id, when);
      return;
    case Effect::kSetsPath:
      own.queue.push_back({.type = EventType::kRouteResolved});
      return;
    case Effect::kMovesEvents:
      MoveTo(std::get<call::MigrateId>(call).channel, p, id, when);
      return;
    default:  // what follows from these is known for certain, see Learn
      return;
  }
}

void Oracle::Apply(Possibility* p, uint8_t id, const CallRule& rule, const Call& call, Span when) {
  p->used.set(NumberOf(&rule));
  if (rule.to != State::kSame) p->ids[id].state = rule.to;
  for (const Effect effect : rule.effects) Carry(p, id, effect, call, when);
}

// The devices that the id may find itself on by this row: a loopback destination takes the first
// one that works, at once.
InlineVector<uint8_t, 2> Oracle::DevicesAfter(const IdState& before, const CallRule& rule,
                                              const Call& call, const Window& window) const {
  const auto* resolve = std::get_if<call::ResolveAddr>(&call);
  const bool unbound = resolve != nullptr && rule.to == State::kAddrQuery &&
                       resolve->destination.AnyOrLoopback() && before.device == kNoDevice &&
                       (before.state != State::kIdle || GuardFinder::Wanted(call).AnyOrLoopback());
  if (unbound) return surroundings_.LoopbackDevices(knowledge_.id(before.name).kernel, window);
  InlineVector<uint8_t, 2> same;
  same.push_back(kNoDevice);
  return same;
}

// Equal for connections whose peers cannot tell their queue pairs apart.
void Oracle::LearnQpKey(const CallRule& rule, const Call& call, const IdState& id) {
  const auto* connect = std::get_if<call::Connect>(&call);
  const auto* accept = std::get_if<call::Accept>(&call);
  const bool replies =
      accept != nullptr && std::ranges::find(rule.effects, Effect::kSendsRep) != rule.effects.end();
  const bool asks = connect != nullptr && rule.outcome == Returns() &&
                    !IsDatagram(knowledge_.id(connect->id).space);
  if (!asks && (!replies || machine_.over_iwarp())) return;
  const std::optional<ConnParam>& param = asks ? connect->param : accept->param;
  const IdRef own = IdOf(call);
  knowledge_.id(own).boot = knowledge_.boots[knowledge_.id(own).kernel];
  knowledge_.id(own).qp_key = id.qp != QpPhase::kNone
                                  ? kFirstLibraryQp + own.index
                                  : uint64_t{param ? param->qp_num & 0xffffff : 0} + 1;
}

// No link leads from the id's interface to the device with the address, or its host does not run.
bool Oracle::NobodyAnswers(const IdInfo& info, const Address& destination) const {
  const uint8_t there = knowledge_.DeviceOf(destination);
  if (there == kNoDevice || knowledge_.KernelOf(there) == info.kernel) return false;
  return !surroundings_.Reaches(info.interface, there);
}

void Oracle::LearnBinding(IdRef id, const Address& address) {
  IdInfo& info = knowledge_.id(id);
  info.bound = address;
  info.owns_port = true;
  const uint8_t device = knowledge_.LocalDevice(address, info.kernel);
  if (device != kNoDevice) {
    info.interface = device;
    info.fail_overs = surroundings_.FailOvers(device);
    info.source_from = info.source_to = info.fail_overs;
  }
  knowledge_.ports.insert(knowledge_.ports.begin(),
                          {.id = id,
                           .kernel = info.kernel,
                           .space = info.space,
                           .address = address,
                           .family_only = info.family_only.value_or(!address.v6)});
  MergeForService(id, address.port);
}

void Oracle::LearnRoute(IdInfo* info) {
  // Of the path; over InfiniBand it is the administrator's.
  info->tracked = profile_.transport == Transport::kRoce;
  if (info->ack_timeout != 0 && !machine_.over_infiniband())
    info->packet_lifetime = info->ack_timeout - 1;
  const uint8_t there = knowledge_.DeviceOf(info->destination);
  if (there != kNoDevice) info->peer_fail_overs = surroundings_.FailOvers(there);
  info->knew_wrong_neighbour = surroundings_.NeighbourWrong(info->interface, there);
}

// What the caller can know now, and what follows from it.
void Oracle::Learn(IdRef id, const Call& call, const CallRule& rule) {
  IdInfo& info = knowledge_.id(id);
  const auto ephemeral = [](Address a) {
    return a.port == 0 ? a.WithPort(kFirstEphemeralPort) : a;
  };
  // A queue pair is asked for its vendor's options as soon as it is there, and Soft-RoCE has none.
  const bool asks_qp = QpAskedBy(call).has_value() && rule.outcome.kind == OutcomeKind::kReturns &&
                       !rule.when.Has(Guard::kQpPresent) && !rule.when.Has(Guard::kTypeUnsupported);
  if (asks_qp) info.ece = {};
  LearnMembership(id, call, rule);
  for (const Effect effect : rule.effects) {
    if (effect == Effect::kLooksUp) {
      LearnLookup(call);
    } else if (effect == Effect::kBindsAddress || effect == Effect::kBindsSource) {
      LearnBinding(id, GuardFinder::Wanted(call));
    } else if (effect == Effect::kBindsAny) {
      LearnBinding(id, {.kind = AddressKind::kAny});
    } else if (effect == Effect::kSetsDestination) {
      info.destination = std::get<call::ResolveAddr>(call).destination;
    } else if (effect == Effect::kMeetsInterface) {
      info.interface = knowledge_.LocalDevice(GuardFinder::Wanted(call), info.kernel);
    } else if (effect == Effect::kSetsEce) {
      info.ece = std::get<call::SetLocalEce>(call).ece;
    } else if (const auto* option = std::get_if<call::SetOption>(&call)) {
      LearnOption(*option, effect);
    } else if (effect == Effect::kStartsRoute) {
      info.timeout_ms = TimeOf(call);
      LearnRoute(&info);
    } else if (effect == Effect::kSendsReq || effect == Effect::kSendsSidrReq) {
      info.connected = true;
      MergeForRequest(id);
    } else if (effect == Effect::kSendsRep && !machine_.over_iwarp()) {
      MergeForQp(id);
    } else if (effect == Effect::kAnswersSidr) {
      const bool accepts = std::holds_alternative<call::Accept>(call);
      if (accepts && profile_.dialect.accept_releases_datagram_request) LetGo(id);
    } else if (effect == Effect::kStartsAddress) {
      const auto& resolve = std::get<call::ResolveAddr>(call);
      info.shown.destination = resolve.destination;
      info.timeout_ms = resolve.timeout_ms;
      info.resolution = ResolutionOf(resolve.destination);
      // From loopback to the same kernel: found, and no device with it.
      const bool stays_inside =
          info.bound.kind == AddressKind::kLoopback &&
          knowledge_.LocalDevice(resolve.destination, info.kernel) != kNoDevice;
      if (info.resolution == Resolution::kLoopback || stays_inside) continue;
      info.interface = knowledge_.RouteTo(info, resolve.destination).value_or(kNoDevice);
      if (info.interface == kNoDevice) continue;
      if (NobodyAnswers(info, resolve.destination)) info.resolution = Resolution::kSilent;
      info.fail_overs = surroundings_.FailOvers(info.interface);
      if (!info.source_from) info.source_from = info.fail_overs;
    }
  }
  const bool bound_now =
      std::holds_alternative<call::BindAddr>(call) || std::holds_alternative<call::Listen>(call);
  if (!bound_now || rule.outcome.error != Errno::kNone) return;
  if (std::holds_alternative<call::Listen>(call)) info.shares_port = false;
  // The library asks the kernel for the addresses.
  info.shown.source = ephemeral(info.bound);
  info.shown.destination = info.destination;
  if (info.destination.kind == AddressKind::kNone)
    info.shown.destination = {.kind = AddressKind::kAny, .v6 = info.bound.v6};
  info.shown.device_known |= !info.bound.AnyOrLoopback();
}

}  // namespace cm::model
