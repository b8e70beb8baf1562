// The guards over iWARP: those of its own, and those of the IB CM, which is not there; and what
// InfiniBand has not of RoCE.
#include "model/oracle/guards.h"
#include "model/oracle/machine.h"

namespace cm::model {
namespace {

bool Answers(const IdState& id, IwStimulus on) {
  const IwAnswer answer = Machine::FindIw(id.iw, on)->answer;
  return answer == IwAnswer::kDone || answer == IwAnswer::kReset;
}

bool IsAwaited(const IdState& id) { return id.iw == IwState::kConnSent && !id.abandoned; }

bool AttrsRefused(const IdState& id, const call::InitQpAttr& call) {
  if (id.iw == IwState::kNone) return false;
  const auto state = static_cast<QpState>(call.state);
  const bool known = state == QpState::kInit || state == QpState::kRtr || state == QpState::kRts;
  return !known || !Answers(id, IwStimulus::kAttributes);
}

// The number that stands for the queue pair of an id without one.
uint32_t NumberGiven(const Call& call) {
  const std::optional<ConnParam>* param = nullptr;
  if (const auto* connect = std::get_if<call::Connect>(&call)) param = &connect->param;
  if (const auto* accept = std::get_if<call::Accept>(&call)) param = &accept->param;
  return param != nullptr && *param ? (*param)->qp_num : 0;
}

}  // namespace

std::optional<Tri> GuardFinder::OfConnecting(Guard guard, const Possibility& p, uint8_t id,
                                             const Call& call) const {
  const IdState& own = p.ids[id];
  switch (guard) {
    case Guard::kQpUnknown:
      return Of(own.qp == QpPhase::kNone &&
                (!knowledge_.numbers_name_qps || NumberGiven(call) == 0));
    case Guard::kPeerUnreachable: {
      const uint8_t there = knowledge_.PeerDeviceOf(own);
      return Of(own.device != kNoDevice &&
                (there == kNoDevice || surroundings_.Parted(own.device, there)));
    }
    case Guard::kConnectionRefused: {
      if (own.state != State::kRouteResolved) return Tri::kNo;
      const RequestGuard acceptor = Machine(knowledge_).AcceptorOf(p, id);
      return Of(acceptor != RequestGuard::kFine && acceptor != RequestGuard::kBacklogFull);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Tri> GuardFinder::OfTransport(Guard guard, const Possibility& p, uint8_t id,
                                            const Call& call) const {
  const IdState& own = p.ids[id];
  const IdInfo& info = knowledge_.id(own.name);
  const Transport transport = knowledge_.profile().transport;
  if (NeverOver(transport).Has(guard)) return Tri::kNo;
  if (guard == Guard::kNoBroadcast) return Of(info.interface == kNoDevice);
  if (transport != Transport::kIwarp) return std::nullopt;
  if (const std::optional<Tri> holds = OfConnecting(guard, p, id, call)) return holds;
  switch (guard) {
    case Guard::kOverIwarp:
      return Of(own.device != kNoDevice);
    case Guard::kTypeUnsupported: {
      const call::CreateQp create = *QpAskedBy(call);
      return Of(create.type ? *create.type == QpType::kUd : IsDatagram(info.space));
    }
    case Guard::kNoKeys: {
      const bool loopback = std::get<call::ResolveAddr>(call).destination.AnyOrLoopback();
      const bool binds = own.state == State::kIdle && !Wanted(call).AnyOrLoopback();
      return Of(loopback && own.device == kNoDevice && !binds);
    }
    case Guard::kReplyAwaited:
      return Of(IsAwaited(own));
    case Guard::kConnectionLost:
      return Of(own.iw == IwState::kConnLost);
    case Guard::kRepRefused:
      return Of(!Answers(own, IwStimulus::kAccept));
    case Guard::kRejRefused:
      return Of(!Answers(own, IwStimulus::kReject));
    case Guard::kRtuRefused:
      return Tri::kYes;
    case Guard::kInitRefused:
      return Of(!Answers(own, IwStimulus::kAttributes));
    case Guard::kAttrsRefused:
      return Of(AttrsRefused(own, std::get<call::InitQpAttr>(call)));
    case Guard::kDatagram:
      return KindOf(call) == CallKind::kSetOption ? std::nullopt : std::optional(Tri::kNo);
    default:
      return std::nullopt;
  }
}

RuleBits GuardFinder::ConsultedOverIwarp(const IdState& id, const Call& call, Guard guard) const {
  RuleBits rows;
  const auto asks = [&](IwStimulus on) { rows.set(NumberOf(Machine::FindIw(id.iw, on))); };
  switch (KindOf(call)) {
    case CallKind::kCreateQp:
    case CallKind::kCreateQpEx:
      if (guard == Guard::kInitRefused || guard == Guard::kFine) asks(IwStimulus::kAttributes);
      if (guard == Guard::kQpPresent)
        if (const QpRule* rule = FindQpRule(id.qp, QpStimulus::kCreate)) rows.set(NumberOf(rule));
      break;
    case CallKind::kInitQpAttr:
      if (guard == Guard::kAttrsRefused || guard == Guard::kFine) asks(IwStimulus::kAttributes);
      break;
    case CallKind::kAccept:
      if (guard == Guard::kRepRefused || guard == Guard::kConnectionLost) asks(IwStimulus::kAccept);
      break;
    case CallKind::kReject:
    case CallKind::kRejectEce:
      if (guard == Guard::kRejRefused) asks(IwStimulus::kReject);
      break;
    case CallKind::kDisconnect:
      if (guard == Guard::kReplyAwaited) asks(IwStimulus::kDisconnect);
      break;
    default:
      break;
  }
  return rows;
}

}  // namespace cm::model
