#include "model/oracle/guards.h"

#include "model/base/check.h"
#include "model/oracle/machine.h"

namespace cm::model {
namespace {

bool Unsupported(const Address& address) {
  return address.kind == AddressKind::kNone || address.kind == AddressKind::kBadFamily;
}

// Of the calls on groups.
const Address* MemberAddressOf(const Call& call) {
  if (const auto* join = std::get_if<call::JoinMulticast>(&call)) return &join->address;
  if (const auto* join = std::get_if<call::JoinMulticastEx>(&call)) return &join->address;
  if (const auto* leave = std::get_if<call::LeaveMulticast>(&call)) return &leave->address;
  return nullptr;
}

bool MaskIncomplete(const call::JoinMulticastEx& join) {
  constexpr uint32_t kBoth = call::JoinMulticastEx::kHasAddress | call::JoinMulticastEx::kHasFlags;
  return (join.comp_mask & kBoth) != kBoth || join.flags > call::JoinMulticastEx::kSendOnly;
}

bool Answers(const IdState& id, IbStimulus on) {
  const IbRule* rule = Machine::Find(id.ib, on);
  return rule != nullptr && rule->answer == IbAnswer::kDone;
}

bool FamilyUnsupported(const Call& call) {
  if (const Address* address = MemberAddressOf(call)) return Unsupported(*address);
  if (const auto* bind = std::get_if<call::BindAddr>(&call)) return Unsupported(bind->address);
  const auto& resolve = std::get<call::ResolveAddr>(call);
  return Unsupported(resolve.destination) || resolve.source.kind == AddressKind::kBadFamily;
}

// The longest private data that the call's message has room for.
uint8_t RoomFor(const Call& call, const Limits& limits, bool datagram) {
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (datagram) return connects ? limits.datagram_request_data : limits.datagram_reply_data;
  if (connects) return limits.request_data;
  return std::holds_alternative<call::Accept>(call) ? limits.reply_data : limits.reject_data;
}

bool DataTooLong(const Call& call, const Limits& limits, bool datagram) {
  const uint8_t room = RoomFor(call, limits, datagram);
  if (const auto* reject = std::get_if<call::Reject>(&call))
    return reject->private_data.size() > room;
  if (const auto* reject = std::get_if<call::RejectEce>(&call))
    return reject->private_data.size() > room;
  const std::optional<ConnParam>& param = *ParamOf(call);
  return param && param->private_data.size() > room;
}

// What the IB CM says to it.
bool HoldsBelow(Guard guard, const IdState& id) {
  switch (guard) {
    case Guard::kInitRefused:
      return !Answers(id, IbStimulus::kQpInit);
    case Guard::kRepRefused:
      return !Answers(id, IbStimulus::kSendRep);
    case Guard::kRtuRefused:
      return !Answers(id, IbStimulus::kSendRtu);
    case Guard::kRejRefused:
      return !Answers(id, IbStimulus::kSendRej);
    case Guard::kDreqPossible:
      return Answers(id, IbStimulus::kSendDreq);
    case Guard::kDrepPossible:
      return Answers(id, IbStimulus::kSendDrep);
    default:
      return false;
  }
}

bool TypeDiffers(const call::CreateQp& create, bool datagram) {
  return create.type && (*create.type == QpType::kUd) != datagram;
}

bool QpCannotComeUp(const IdState& id) {
  if (id.qp == QpPhase::kNone) return false;
  const QpRule* rule = FindQpRule(id.qp, QpStimulus::kBringUp);
  return rule == nullptr || !rule->possible || !Answers(id, IbStimulus::kQpReady);
}

// Which question rdma_init_qp_attr asks the IB CM; none where it refuses unasked.
std::optional<IbStimulus> AsksFor(const call::InitQpAttr& call) {
  switch (static_cast<QpState>(call.state)) {
    case QpState::kInit:
      return IbStimulus::kQpInit;
    case QpState::kRtr:
    case QpState::kRts:
      return IbStimulus::kQpReady;
    default:
      return std::nullopt;
  }
}

bool AttrsRefused(const IdState& id, const call::InitQpAttr& call) {
  if (id.ib == IbState::kNone) return false;
  const std::optional<IbStimulus> on = AsksFor(call);
  return !on || !Answers(id, *on);
}

// What rdma_notify tells the IB CM, if it listens to that.
std::optional<IbStimulus> Tells(const call::Notify& call) {
  if (call.what == call::Notify::kCommEst) return IbStimulus::kCommEst;
  if (call.what == call::Notify::kPathMig) return IbStimulus::kPathMig;
  return std::nullopt;
}

bool NoticePossible(const IdState& id, const Call& call, IbStimulus on) {
  return Tells(std::get<call::Notify>(call)) == on && Answers(id, on);
}

bool EceMalformed(const EceOptions& ece) { return ece.vendor_id == 0 || ece.comp_mask != 0; }

// The guards of calls on what ids have beside states.
Tri OfAttributes(Guard guard, const IdState& id, const Call& call) {
  switch (guard) {
    case Guard::kQpStateUnknown:
      return Of(std::get<call::InitQpAttr>(call).state > static_cast<uint8_t>(QpState::kErr));
    case Guard::kWithoutDevice:
      return Of(id.device == kNoDevice);
    case Guard::kDeviceRemoved:
      return Of(id.closed);
    case Guard::kEstablishedAlready:
      return Of(id.ib == IbState::kEstablished &&
                std::get<call::Notify>(call).what == call::Notify::kCommEst);
    case Guard::kCommEstPossible:
      return Of(NoticePossible(id, call, IbStimulus::kCommEst));
    case Guard::kPathMigPossible:
      return Of(NoticePossible(id, call, IbStimulus::kPathMig));
    case Guard::kEceMalformed:
      return Of(EceMalformed(std::get<call::SetLocalEce>(call).ece));
    default:
      return Tri::kNo;
  }
}

bool FamiliesDiffer(const IdInfo& info, const IdState& id, const Call& call) {
  const auto& resolve = std::get<call::ResolveAddr>(call);
  if (id.state != State::kIdle) return info.bound.v6 != resolve.destination.v6;
  return resolve.source.kind != AddressKind::kNone && resolve.source.v6 != resolve.destination.v6;
}

}  // namespace

const std::optional<ConnParam>* ParamOf(const Call& call) {
  if (const auto* connect = std::get_if<call::Connect>(&call)) return &connect->param;
  if (const auto* accept = std::get_if<call::Accept>(&call)) return &accept->param;
  return nullptr;
}

bool LeavesDepthOpen(const std::optional<ConnParam>& param) {
  return !param || param->responder_resources == kDeviceMaximum ||
         param->initiator_depth == kDeviceMaximum;
}

bool DepthTooLarge(const Call& call, const Limits& limits) {
  const std::optional<ConnParam>* param = ParamOf(call);
  const auto large = [&](uint8_t depth) {
    return depth != kDeviceMaximum && depth > limits.max_depth;
  };
  return param != nullptr && *param &&
         (large((*param)->responder_resources) || large((*param)->initiator_depth));
}

Address GuardFinder::Wanted(const Call& call) {
  if (const auto* bind = std::get_if<call::BindAddr>(&call)) return bind->address;
  if (const auto* resolve = std::get_if<call::ResolveAddr>(&call)) {
    if (resolve->source.kind != AddressKind::kNone) return resolve->source;
    return {.kind = AddressKind::kAny, .v6 = resolve->destination.v6};
  }
  return {};
}

Tri GuardFinder::AddressGuard(Guard guard, const IdInfo& info, const Address& wanted) const {
  if (wanted.AnyOrLoopback()) return Tri::kNo;
  const uint8_t device = knowledge_.LocalDevice(wanted, info.kernel);
  const bool there = device != kNoDevice && (!wanted.v6 || surroundings_.LinkUp(device));
  const bool same = info.interface == kNoDevice || info.interface == device;
  if (guard == Guard::kAddressNotLocal) return Of(!there && info.interface == kNoDevice);
  if (guard == Guard::kInterfaceDiffers)
    return Of(info.interface != kNoDevice && (!there || !same));
  if (device == kNoDevice) return Tri::kNo;
  const Tri registered = surroundings_.Registered(device, window_);
  return registered == Tri::kMaybe ? Tri::kMaybe : Of(registered == Tri::kNo);
}

bool GuardFinder::NoRoute(const IdInfo& info, const IdState& id, const Call& call) const {
  const auto& resolve = std::get<call::ResolveAddr>(call);
  if (resolve.destination.AnyOrLoopback()) return false;
  IdInfo bound = info;
  if (id.state == State::kIdle) {
    const uint8_t device = knowledge_.LocalDevice(resolve.source, info.kernel);
    if (device != kNoDevice) bound.interface = device;
  }
  const std::optional<uint8_t> interface = knowledge_.RouteTo(bound, resolve.destination);
  if (!interface) return true;
  const bool to_itself = knowledge_.LocalDevice(resolve.destination, info.kernel) == *interface;
  return !to_itself && !surroundings_.LinkUp(*interface);
}

// IPv4 loopback leads to addresses of the same kernel, and nowhere else.
// source: linux 6.1 route.c ip_route_output_key_hash_rcu
bool GuardFinder::FromLoopback(const IdInfo& info, const IdState& id, const Call& call) const {
  const auto& resolve = std::get<call::ResolveAddr>(call);
  const Address& source = id.state == State::kIdle ? resolve.source : info.bound;
  if (source.kind != AddressKind::kLoopback || source.v6 || resolve.destination.AnyOrLoopback())
    return false;
  // What no route leads to is refused for that, unless an interface is known.
  return knowledge_.LocalDevice(resolve.destination, info.kernel) == kNoDevice &&
         (resolve.destination.kind == AddressKind::kSide ||
          resolve.destination.kind == AddressKind::kSilent || info.interface != kNoDevice);
}

Tri GuardFinder::SourceLost(const IdInfo& info, const IdState& id) const {
  if (id.pathless) return Tri::kYes;
  if (id.origin.valid()) {
    if (id.device == kNoDevice) return Tri::kNo;
    return surroundings_.SourceLost(id.device, id.source, id.source, window_);
  }
  if (!info.source_from || info.interface == kNoDevice) return Tri::kNo;
  return surroundings_.SourceLost(info.interface, *info.source_from, info.source_to, window_);
}

Tri GuardFinder::NoDeviceAtAll(const IdInfo& info, const IdState& id, const Call& call) const {
  const auto& resolve = std::get<call::ResolveAddr>(call);
  if (!resolve.destination.AnyOrLoopback() || id.device != kNoDevice) return Tri::kNo;
  if (id.state == State::kIdle && !Wanted(call).AnyOrLoopback()) return Tri::kNo;
  Tri none = Tri::kYes;
  for (uint8_t device = 0; device < knowledge_.topology().devices.size(); ++device) {
    if (knowledge_.KernelOf(device) != info.kernel) continue;
    const Tri registered = surroundings_.Registered(device, window_);
    if (registered == Tri::kYes) return Tri::kNo;
    if (registered == Tri::kMaybe) none = Tri::kMaybe;
  }
  return none;
}

// The library looks at parameters of RDMA_PS_TCP alone; of others it takes the depths that are left
// open from the device. source: rdma-core 44 cma.c ucma_valid_param, rdma_connect, rdma_accept
std::optional<Tri> GuardFinder::HoldsBesideTcp(Guard guard, const IdState& id, const IdInfo& info,
                                               const Call& call) const {
  if (info.space == PortSpace::kTcp) return std::nullopt;
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (guard == Guard::kNoQpNoParam && connects) return Tri::kNo;
  if (guard == Guard::kDepthTooLarge) return Tri::kNo;
  if (guard == Guard::kDeviceUnknown && ParamOf(call) != nullptr)
    return Of(!info.shown.device_known && LeavesDepthOpen(*ParamOf(call)));
  if (!IsDatagram(info.space)) return std::nullopt;
  switch (guard) {
    case Guard::kQpCannotComeUp:
    case Guard::kQpSourceLost:
    case Guard::kQpWithoutRoute:
    case Guard::kInitRefused:
    case Guard::kDreqPossible:
    case Guard::kDrepPossible:
      return Tri::kNo;
    case Guard::kRepRefused:
    case Guard::kRtuRefused:
      return Of(!Answers(id, IbStimulus::kSendSidrRep));
    case Guard::kRejRefused:
      return Of(!Answers(id, IbStimulus::kSendSidrRefusal));
    default:
      return std::nullopt;
  }
}

// The guards of calls on groups and on queues; empty for those of other calls.
std::optional<Tri> GuardFinder::OfGroups(Guard guard, const IdState& id, const IdInfo& info,
                                         const Call& call) const {
  if (guard >= Guard::kSrqUntyped && guard <= Guard::kQueueFull)
    return knowledge_.ledger.Holds(guard, id, call);
  if (guard == Guard::kQpNotReady) return Of(id.qp == QpPhase::kInit);
  const Address* address = MemberAddressOf(call);
  if (address == nullptr) return std::nullopt;
  switch (guard) {
    case Guard::kMaskUnknown:
      return Of(std::get<call::JoinMulticastEx>(call).comp_mask > 3);
    case Guard::kMaskIncomplete:
      return Of(MaskIncomplete(std::get<call::JoinMulticastEx>(call)));
    case Guard::kNotDatagram:
      return Of(!IsDatagram(info.space));
    case Guard::kAddressZero:
      return Of(address->kind == AddressKind::kAny);
    case Guard::kGroupV6:
      return Of(address->v6);
    case Guard::kGidGone:
      return Of(false);  // no fault takes an address away; with a link that is down its GID stays
    case Guard::kNotJoined:
      return Of(info.JoinedAs(*address) == 0);
    case Guard::kGroupUnacked: {
      const uint16_t membership = info.JoinedAs(*address);
      const bool retained = id.retained && id.retained->payload != kNoPayload &&
                            knowledge_.payloads[id.retained->payload].membership == membership;
      const Membership& left = info.memberships[membership - 1];
      if (left.blurred && info.unacked > 0) return Tri::kMaybe;
      return Of(retained || left.unacked > 0);
    }
    default:
      return std::nullopt;
  }
}

Tri GuardFinder::Holds(Guard guard, const IdState& id, const IdInfo& info, const Call& call) const {
  if (const std::optional<Tri> holds = HoldsForOption(guard, id, info, call)) return *holds;
  if (const std::optional<Tri> holds = HoldsBesideTcp(guard, id, info, call)) return *holds;
  if (const std::optional<Tri> holds = HoldsForInfo(guard, id, call)) return *holds;
  if (const std::optional<Tri> holds = OfGroups(guard, id, info, call)) return *holds;
  const Limits& limits = knowledge_.profile().limits;
  const bool datagram = IsDatagram(info.space);
  switch (guard) {
    case Guard::kFamilyUnsupported:
      return Of(FamilyUnsupported(call));
    case Guard::kDeviceUnknown:
      return Of(!info.shown.device_known);
    case Guard::kQpPresent:
      return Of(id.qp != QpPhase::kNone);
    case Guard::kQpAbsent:
      return Of(id.qp == QpPhase::kNone);
    case Guard::kNoQpNoParam:
      return Of(id.qp == QpPhase::kNone && !*ParamOf(call));
    case Guard::kDepthTooLarge:
      return Of(DepthTooLarge(call, limits));
    case Guard::kQpCannotComeUp:
      return Of(QpCannotComeUp(id));
    case Guard::kTimeoutZero:
      return Of(std::get<call::ResolveRoute>(call).timeout_ms == 0);
    case Guard::kAddressNotLocal:
    case Guard::kInterfaceDiffers:
    case Guard::kDeviceGone:
      return AddressGuard(guard, info, Wanted(call));
    case Guard::kPortInUse:
      return clash_.same_address;
    case Guard::kPortInUseByWildcard:
      return clash_.wildcard;
    case Guard::kFamiliesDiffer:
      return Of(FamiliesDiffer(info, id, call));
    case Guard::kNoRoute:
      return Of(NoRoute(info, id, call));
    case Guard::kNoDeviceAtAll:
      return NoDeviceAtAll(info, id, call);
    case Guard::kNoInterface:
      return Of(info.interface == kNoDevice);
    case Guard::kDataTooLong:
      return Of(DataTooLong(call, limits, datagram));
    case Guard::kFromLoopback:
      return Of(FromLoopback(info, id, call));
    case Guard::kQpSourceLost:
      return id.qp == QpPhase::kNone ? Tri::kNo : SourceLost(info, id);
    case Guard::kQpWithoutRoute:
      return Of(id.qp != QpPhase::kNone && id.device != kNoDevice &&
                !surroundings_.LinkUp(id.device));
    case Guard::kSourceLost:
      return SourceLost(info, id);
    case Guard::kMessageOutstanding:
      return Of(id.outstanding && id.abandoned);
    case Guard::kAsynchronous:
      return Of(!info.synchronous());
    case Guard::kEventsUnacked:
      return Of(info.unacked > 0);
    case Guard::kTypeDiffers:
      return Of(TypeDiffers(*QpAskedBy(call), datagram));
    case Guard::kDatagram:
      return Of(datagram);
    case Guard::kAttrsRefused:
      return Of(!datagram && AttrsRefused(id, std::get<call::InitQpAttr>(call)));
    case Guard::kOtherLink:
      return Of(info.space == PortSpace::kIpoib && !Wanted(call).AnyOrLoopback());
    default:
      return HoldsBelow(guard, id) ? Tri::kYes : OfAttributes(guard, id, call);
  }
}

RuleBits GuardFinder::ConsultedForDatagrams(const IdState& id, const Call& call,
                                            Guard guard) const {
  RuleBits rows;
  const auto ib = [&](IbStimulus on) {
    if (const IbRule* rule = Machine::Find(id.ib, on)) rows.set(NumberOf(rule));
  };
  if (guard == Guard::kQpPresent && QpAskedBy(call))
    rows.set(NumberOf(FindQpRule(id.qp, QpStimulus::kCreateDatagram)));
  if (guard == Guard::kRepRefused || guard == Guard::kRtuRefused) ib(IbStimulus::kSendSidrRep);
  if (guard == Guard::kRejRefused) ib(IbStimulus::kSendSidrRefusal);
  return rows;
}

RuleBits GuardFinder::Consulted(const IdState& id, const Call& call, Guard guard) const {
  if (knowledge_.profile().transport == Transport::kIwarp)
    return ConsultedOverIwarp(id, call, guard);
  if (IsDatagram(knowledge_.SpaceOf(id))) return ConsultedForDatagrams(id, call, guard);
  RuleBits rows;
  const auto ib = [&](IbStimulus on) {
    if (const IbRule* rule = Machine::Find(id.ib, on)) rows.set(NumberOf(rule));
  };
  const auto qp = [&](QpStimulus on) {
    if (const QpRule* rule = FindQpRule(id.qp, on)) rows.set(NumberOf(rule));
  };
  const bool past_removal = guard != Guard::kDeviceUnknown && guard != Guard::kDeviceRemoved;
  switch (KindOf(call)) {
    case CallKind::kCreateQp:
    case CallKind::kCreateQpEx:
      if (guard == Guard::kQpPresent) qp(QpStimulus::kCreate);
      if (guard == Guard::kInitRefused || guard == Guard::kFine) ib(IbStimulus::kQpInit);
      break;
    case CallKind::kAccept:
      if (guard == Guard::kQpCannotComeUp || guard == Guard::kFine) qp(QpStimulus::kBringUp);
      if (id.qp == QpPhase::kInit && past_removal) ib(IbStimulus::kQpReady);
      if (guard == Guard::kRepRefused) ib(IbStimulus::kSendRep);
      break;
    case CallKind::kEstablish:
      if (guard == Guard::kRtuRefused) ib(IbStimulus::kSendRtu);
      break;
    case CallKind::kReject:
    case CallKind::kRejectEce:
      if (guard == Guard::kRejRefused) ib(IbStimulus::kSendRej);
      break;
    case CallKind::kDisconnect:
      if (!past_removal || id.ib == IbState::kNone) break;
      ib(IbStimulus::kSendDreq);
      if (guard != Guard::kDreqPossible) ib(IbStimulus::kSendDrep);
      break;
    case CallKind::kInitQpAttr: {
      const bool asks = guard == Guard::kAttrsRefused || guard == Guard::kFine;
      const auto on = AsksFor(std::get<call::InitQpAttr>(call));
      if (asks && on && id.ib != IbState::kNone) ib(*on);
      break;
    }
    case CallKind::kNotify: {
      const auto on = Tells(std::get<call::Notify>(call));
      if (past_removal && on && id.ib != IbState::kNone) ib(*on);
      break;
    }
    default:
      break;
  }
  return rows;
}

InlineVector<Guard, 6> GuardFinder::Find(const Possibility& p, uint8_t id, const Call& call) const {
  const IdState& own = p.ids[id];
  const IdInfo& info = knowledge_.id(own.name);
  // An id that is bound already binds nothing more: those guards are not looked at.
  const bool binds = own.state == State::kIdle || KindOf(call) == CallKind::kListen;
  InlineVector<Guard, 6> found;
  for (const Guard guard : GuardsOf(KindOf(call))) {
    if (!binds && rules::kBindTrouble.Has(guard)) continue;
    const std::optional<Tri> of_transport = OfTransport(guard, p, id, call);
    const Tri holds = of_transport ? *of_transport : Holds(guard, own, info, call);
    if (holds == Tri::kNo) continue;
    found.push_back(guard);
    if (holds == Tri::kYes) return found;
  }
  found.push_back(Guard::kFine);
  return found;
}

}  // namespace cm::model
