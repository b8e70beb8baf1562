#include "model/oracle/guards.h"

#include "model/base/check.h"
#include "model/oracle/machine.h"

namespace cm::model {
namespace {

constexpr uint8_t kDeviceMaximum = 255;  // RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH

Tri Of(bool yes) { return yes ? Tri::kYes : Tri::kNo; }

bool Unsupported(const Address& address) {
  return address.kind == AddressKind::kNone || address.kind == AddressKind::kBadFamily;
}

bool Answers(const IdState& id, IbStimulus on) {
  const IbRule* rule = Machine::Find(id.ib, on);
  return rule != nullptr && rule->answer == IbAnswer::kDone;
}

const std::optional<ConnParam>* ParamOf(const Call& call) {
  if (const auto* connect = std::get_if<call::Connect>(&call)) return &connect->param;
  if (const auto* accept = std::get_if<call::Accept>(&call)) return &accept->param;
  return nullptr;
}

bool FamilyUnsupported(const Call& call) {
  if (const auto* bind = std::get_if<call::BindAddr>(&call)) return Unsupported(bind->address);
  const auto& resolve = std::get<call::ResolveAddr>(call);
  return Unsupported(resolve.destination) || resolve.source.kind == AddressKind::kBadFamily;
}

bool DataTooLong(const Call& call, const Limits& limits) {
  if (const auto* reject = std::get_if<call::Reject>(&call))
    return reject->private_data.size() > limits.reject_data;
  const std::optional<ConnParam>& param = *ParamOf(call);
  const bool connects = std::holds_alternative<call::Connect>(call);
  return param && param->private_data.size() > (connects ? limits.request_data : limits.reply_data);
}

bool DepthTooLarge(const Call& call, const Limits& limits) {
  const std::optional<ConnParam>& param = *ParamOf(call);
  const auto large = [&](uint8_t depth) {
    return depth != kDeviceMaximum && depth > limits.max_depth;
  };
  return param && (large(param->responder_resources) || large(param->initiator_depth));
}

bool QpCannotComeUp(const IdState& id) {
  if (id.qp == QpPhase::kNone) return false;
  const QpRule* rule = FindQpRule(id.qp, QpStimulus::kBringUp);
  return rule == nullptr || !rule->possible || !Answers(id, IbStimulus::kQpReady);
}

bool FamiliesDiffer(const IdInfo& info, const IdState& id, const Call& call) {
  const auto& resolve = std::get<call::ResolveAddr>(call);
  if (id.state != State::kIdle) return info.bound.v6 != resolve.destination.v6;
  return resolve.source.kind != AddressKind::kNone && resolve.source.v6 != resolve.destination.v6;
}

}  // namespace

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
  return knowledge_.LocalDevice(resolve.destination, info.kernel) == kNoDevice &&
         (resolve.destination.kind == AddressKind::kSide ||
          resolve.destination.kind == AddressKind::kSilent);
}

Tri GuardFinder::SourceLost(const IdInfo& info, const IdState& id) const {
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

Tri GuardFinder::Holds(Guard guard, const IdState& id, const IdInfo& info, const Call& call) const {
  const Limits& limits = knowledge_.profile().limits;
  switch (guard) {
    case Guard::kFamilyUnsupported:
      return Of(FamilyUnsupported(call));
    case Guard::kDeviceUnknown:
      return Of(!info.shown.device_known);
    case Guard::kDeviceRemoved:
      return Of(id.closed);
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
      return Of(DataTooLong(call, limits));
    case Guard::kFromLoopback:
      return Of(FromLoopback(info, id, call));
    case Guard::kQpSourceLost:
      return id.qp == QpPhase::kNone ? Tri::kNo : SourceLost(info, id);
    case Guard::kQpWithoutRoute:
      return Of(id.qp != QpPhase::kNone && id.device != kNoDevice &&
                !surroundings_.LinkUp(id.device));
    case Guard::kSourceLost:
      return SourceLost(info, id);
    case Guard::kInitRefused:
      return Of(!Answers(id, IbStimulus::kQpInit));
    case Guard::kRepRefused:
      return Of(!Answers(id, IbStimulus::kSendRep));
    case Guard::kRtuRefused:
      return Of(!Answers(id, IbStimulus::kSendRtu));
    case Guard::kRejRefused:
      return Of(!Answers(id, IbStimulus::kSendRej));
    case Guard::kDreqPossible:
      return Of(Answers(id, IbStimulus::kSendDreq));
    case Guard::kDrepPossible:
      return Of(Answers(id, IbStimulus::kSendDrep));
    case Guard::kMessageOutstanding:
      return Of(id.outstanding && id.abandoned);
    case Guard::kEventsUnacked:
      return Of(info.unacked > 0);
    case Guard::kSpaceUnknown:
    case Guard::kFine:
      break;
  }
  return Tri::kNo;
}

RuleBits GuardFinder::Consulted(const IdState& id, const Call& call, Guard guard) {
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
      if (guard == Guard::kRejRefused) ib(IbStimulus::kSendRej);
      break;
    case CallKind::kDisconnect:
      if (!past_removal || id.ib == IbState::kNone) break;
      ib(IbStimulus::kSendDreq);
      if (guard != Guard::kDreqPossible) ib(IbStimulus::kSendDrep);
      break;
    default:
      break;
  }
  return rows;
}

InlineVector<Guard, 6> GuardFinder::Find(const Possibility& p, uint8_t id, const Call& call) const {
  const IdState& own = p.ids[id];
  const IdInfo& info = knowledge_.id(own.name);
  // An id that is bound already binds nothing more: those guards are not looked at.
  const bool binds = own.state == State::kIdle;
  InlineVector<Guard, 6> found;
  for (const Guard guard : GuardsOf(KindOf(call))) {
    if (!binds && rules::kBindTrouble.Has(guard)) continue;
    const Tri holds = Holds(guard, own, info, call);
    if (holds == Tri::kNo) continue;
    found.push_back(guard);
    if (holds == Tri::kYes) return found;
  }
  found.push_back(Guard::kFine);
  return found;
}

}  // namespace cm::model
