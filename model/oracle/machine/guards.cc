#include "model/oracle/machine/guards.h"

#include "model/oracle/machine/guard_rows.h"
#include "model/oracle/machine/machine.h"

namespace cm::model {
namespace {

// Its name in a message of the compiler names the guard.
template <Guard kGuard>
struct TheGuardWithoutOnePredicate {
  static_assert(kGuard == Guard::kFine,
                "a guard has one predicate over each transport that it can hold over");
};
template struct TheGuardWithoutOnePredicate<
    FirstWithoutOnePredicate(kGuardRows).value_or(Guard::kFine)>;

constexpr Predicates kPredicates = ByTransport(kGuardRows);

// The rows of lower tables that one question after the other is answered by.
class Answering {
 public:
  explicit Answering(const IdState& id) : id_(id) {}

  void Ask(IbStimulus on) {
    if (const IbRule* rule = Machine::Find(id_.ib, on)) rows_.set(NumberOf(rule));
  }
  void Ask(IwStimulus on) { rows_.set(NumberOf(Machine::FindIw(id_.iw, on))); }
  void Ask(QpStimulus on) {
    if (const QpRule* rule = FindQpRule(id_.qp, on)) rows_.set(NumberOf(rule));
  }
  const RuleBits& rows() const { return rows_; }

 private:
  const IdState& id_;
  RuleBits rows_;
};

bool IsReject(CallKind call) { return call == CallKind::kReject || call == CallKind::kRejectEce; }

bool IsCreateQp(CallKind call) {
  return call == CallKind::kCreateQp || call == CallKind::kCreateQpEx;
}

// A call that has this guard, or passes this one as the last.
bool AsLast(Guard guard, Guard last) { return guard == last || guard == Guard::kFine; }

RuleBits ConsultedForDatagrams(const IdState& id, const Call& call, Guard guard) {
  Answering answering(id);
  if (guard == Guard::kQpPresent && QpAskedBy(call)) answering.Ask(QpStimulus::kCreateDatagram);
  if (guard == Guard::kRepRefused || guard == Guard::kRtuRefused)
    answering.Ask(IbStimulus::kSendSidrRep);
  if (guard == Guard::kRejRefused) answering.Ask(IbStimulus::kSendSidrRefusal);
  return answering.rows();
}

RuleBits ConsultedOverIwarp(const IdState& id, const Call& call, Guard guard) {
  const CallKind kind = KindOf(call);
  Answering answering(id);
  if (IsCreateQp(kind)) {
    if (AsLast(guard, Guard::kInitRefused)) answering.Ask(IwStimulus::kAttributes);
    if (guard == Guard::kQpPresent) answering.Ask(QpStimulus::kCreate);
  } else if (kind == CallKind::kInitQpAttr) {
    if (AsLast(guard, Guard::kAttrsRefused)) answering.Ask(IwStimulus::kAttributes);
  } else if (kind == CallKind::kAccept) {
    if (guard == Guard::kRepRefused || guard == Guard::kConnectionLost)
      answering.Ask(IwStimulus::kAccept);
  } else if (IsReject(kind)) {
    if (guard == Guard::kRejRefused) answering.Ask(IwStimulus::kReject);
  } else if (kind == CallKind::kDisconnect) {
    if (guard == Guard::kReplyAwaited) answering.Ask(IwStimulus::kDisconnect);
  }
  return answering.rows();
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

bool DepthTooLarge(uint8_t depth, const Limits& limits) {
  return depth != kDeviceMaximum && depth > limits.max_depth;
}

bool DepthTooLarge(const Call& call, const Limits& limits) {
  const std::optional<ConnParam>* param = ParamOf(call);
  return param != nullptr && *param &&
         (DepthTooLarge((*param)->responder_resources, limits) ||
          DepthTooLarge((*param)->initiator_depth, limits));
}

bool SpaceKnown(PortSpace space) {
  return space == PortSpace::kTcp || space == PortSpace::kUdp || space == PortSpace::kIb ||
         space == PortSpace::kIpoib;
}

Address AddressWantedBy(const Call& call) {
  if (const auto* bind = std::get_if<call::BindAddr>(&call)) return bind->address;
  if (const auto* resolve = std::get_if<call::ResolveAddr>(&call)) {
    if (resolve->source.kind != AddressKind::kNone) return resolve->source;
    return {.kind = AddressKind::kAny, .v6 = resolve->destination.v6};
  }
  return {};
}

std::optional<Joins> JoinsOf(const Call& call) {
  if (const auto* join = std::get_if<call::JoinMulticast>(&call))
    return Joins{.address = join->address, .context = join->context};
  const auto* join = std::get_if<call::JoinMulticastEx>(&call);
  if (join == nullptr) return std::nullopt;
  return Joins{.address = join->address,
               .context = join->context,
               .send_only = join->flags == call::JoinMulticastEx::kSendOnly};
}

std::optional<IbStimulus> AsksFor(const call::InitQpAttr& call) {
  const auto state = static_cast<QpState>(call.state);
  if (state == QpState::kInit) return IbStimulus::kQpInit;
  if (state == QpState::kRtr || state == QpState::kRts) return IbStimulus::kQpReady;
  return std::nullopt;
}

std::optional<IbStimulus> Tells(const call::Notify& call) {
  if (call.what == call::Notify::kCommEst) return IbStimulus::kCommEst;
  if (call.what == call::Notify::kPathMig) return IbStimulus::kPathMig;
  return std::nullopt;
}

RuleBits ConsultedBy(const ConversationFacts& facts, const IdState& id, const Call& call,
                     Guard guard) {
  if (facts.over_iwarp()) return ConsultedOverIwarp(id, call, guard);
  if (IsDatagram(facts.SpaceOf(id))) return ConsultedForDatagrams(id, call, guard);
  const CallKind kind = KindOf(call);
  const bool past_removal = guard != Guard::kDeviceUnknown && guard != Guard::kDeviceRemoved;
  const bool reaches_ib = past_removal && id.ib != IbState::kNone;
  Answering answering(id);
  if (IsCreateQp(kind)) {
    if (guard == Guard::kQpPresent) answering.Ask(QpStimulus::kCreate);
    if (AsLast(guard, Guard::kInitRefused)) answering.Ask(IbStimulus::kQpInit);
  } else if (kind == CallKind::kAccept) {
    if (AsLast(guard, Guard::kQpCannotComeUp)) answering.Ask(QpStimulus::kBringUp);
    if (id.qp == QpPhase::kInit && past_removal) answering.Ask(IbStimulus::kQpReady);
    if (guard == Guard::kRepRefused) answering.Ask(IbStimulus::kSendRep);
  } else if (kind == CallKind::kEstablish) {
    if (guard == Guard::kRtuRefused) answering.Ask(IbStimulus::kSendRtu);
  } else if (IsReject(kind)) {
    if (guard == Guard::kRejRefused) answering.Ask(IbStimulus::kSendRej);
  } else if (kind == CallKind::kDisconnect) {
    if (reaches_ib) answering.Ask(IbStimulus::kSendDreq);
    if (reaches_ib && guard != Guard::kDreqPossible) answering.Ask(IbStimulus::kSendDrep);
  } else if (kind == CallKind::kInitQpAttr) {
    const auto on = AsksFor(std::get<call::InitQpAttr>(call));
    if (AsLast(guard, Guard::kAttrsRefused) && on && id.ib != IbState::kNone) answering.Ask(*on);
  } else if (kind == CallKind::kNotify) {
    const auto on = Tells(std::get<call::Notify>(call));
    if (reaches_ib && on) answering.Ask(*on);
  }
  return answering.rows();
}

InlineVector<Guard, 6> GuardsMet(const Situation& s) {
  const auto& predicates = kPredicates[static_cast<size_t>(s.facts.profile().transport)];
  // An id that is bound already binds nothing more: those guards are not looked at.
  const bool binds = s.id.state == State::kIdle || KindOf(s.call) == CallKind::kListen;
  InlineVector<Guard, 6> found;
  for (const Guard guard : GuardsOf(KindOf(s.call))) {
    if (!binds && rules::kBindTrouble.Has(guard)) continue;
    const Predicate predicate = predicates[static_cast<size_t>(guard)];
    const Certainty holds = predicate != nullptr ? predicate(s) : Certainty::kNo;
    if (holds == Certainty::kNo) continue;
    found.push_back(guard);
    if (holds == Certainty::kYes) return found;
  }
  found.push_back(Guard::kFine);
  return found;
}

}  // namespace cm::model
