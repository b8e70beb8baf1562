// Guards over iWARP: those of its own, and those that the IB CM decides elsewhere.
#ifndef MODEL_ORACLE_MACHINE_IW_GUARDS_H_
#define MODEL_ORACLE_MACHINE_IW_GUARDS_H_

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "model/oracle/machine/connection_guards.h"
#include "model/oracle/machine/guard_row.h"
#include "model/oracle/machine/guards.h"
#include "model/oracle/machine/machine.h"

namespace cm::model::guards {

inline bool AnswersOverTcp(const IdState& id, IwStimulus on) {
  const IwAnswer answer = Machine::FindIw(id.iw, on)->answer;
  return answer == IwAnswer::kDone || answer == IwAnswer::kReset;
}

template <IwStimulus kOn>
Certainty RefusesOverTcp(const Situation& s) {
  return Of(!AnswersOverTcp(s.id, kOn));
}

inline Certainty AttrsRefusedOverTcp(const Situation& s) {
  if (s.id.iw == IwState::kNone) return Certainty::kNo;
  const auto state = static_cast<QpState>(std::get<call::InitQpAttr>(s.call).state);
  const bool known = state == QpState::kInit || state == QpState::kRtr || state == QpState::kRts;
  return Of(!known || !AnswersOverTcp(s.id, IwStimulus::kAttributes));
}

// What connects and accepts looks for a queue pair by its number, or has one.
inline Certainty QpUnknown(const Situation& s) {
  const std::optional<ConnParam>* param = ParamOf(s.call);
  const bool given = param != nullptr && *param && (*param)->qp_num != 0;
  return Of(s.id.qp == QpPhase::kNone && (!s.facts.numbers_name_qps || !given));
}

inline Certainty PeerUnreachable(const Situation& s) {
  const uint8_t there = s.facts.PeerDeviceOf(s.id);
  return Of(s.id.device != kNoDevice &&
            (there == kNoDevice || s.fault_model.Parted(s.id.device, there)));
}

inline Certainty ConnectionRefused(const Situation& s) {
  if (s.id.state != State::kRouteResolved) return Certainty::kNo;
  const RequestGuard acceptor = Machine(s.facts).AcceptorOf(s.possibility, s.at);
  return Of(acceptor != RequestGuard::kFine && acceptor != RequestGuard::kBacklogFull);
}

// A listening id of another port space has a TCP socket on the port.
inline Certainty TcpPortTaken(const Situation& s) {
  const Address& own = s.info.bound;
  if (s.id.state != State::kAddrBound || own.port == 0) return Certainty::kNo;
  const bool family_only = s.info.family_only.value_or(!own.v6);
  Certainty taken = Certainty::kNo;
  for (const PortOwner& owner : s.facts.ports) {
    const bool meets = own.AnyOrLoopback() || owner.address.AnyOrLoopback() || own == owner.address;
    const bool apart = owner.family_only && family_only && owner.address.v6 != own.v6;
    if (!meets || apart || owner.kernel != s.info.kernel || owner.space == s.info.space ||
        owner.address.port != own.port)
      continue;
    const IdInfo& other = s.facts.id(owner.id);
    if (other.in_scope && !other.listens) continue;
    const bool certain = other.in_scope && !s.fault_model.disturbed();
    taken = std::max(taken, certain ? Certainty::kYes : Certainty::kMaybe);
  }
  return taken;
}

inline Certainty TypeUnsupported(const Situation& s) {
  const call::CreateQp create = *QpAskedBy(s.call);
  return Of(create.type ? *create.type == QpType::kUd : s.datagram());
}

inline Certainty OptionOfDatagram(const Situation& s) {
  return std::holds_alternative<call::SetOption>(s.call) ? Datagram(s) : Certainty::kNo;
}

inline constexpr auto kOfIwarp = std::to_array<GuardRow>({
    {Guard::kOverIwarp, [](const Situation& s) { return Of(s.id.device != kNoDevice); }},
    {Guard::kTypeUnsupported, TypeUnsupported},
    {Guard::kQpUnknown, QpUnknown},
    {Guard::kConnectionRefused, ConnectionRefused},
    {Guard::kPeerUnreachable, PeerUnreachable},
    {Guard::kTcpPortTaken, TcpPortTaken},
    {Guard::kReplyAwaited,
     [](const Situation& s) { return Of(s.id.iw == IwState::kConnSent && !s.id.abandoned); }},
    {Guard::kConnectionLost, [](const Situation& s) { return Of(s.id.iw == IwState::kConnLost); }},
    {Guard::kRepRefused, RefusesOverTcp<IwStimulus::kAccept>, over::kIwarp},
    {Guard::kRejRefused, RefusesOverTcp<IwStimulus::kReject>, over::kIwarp},
    {Guard::kRtuRefused, [](const Situation& /*any*/) { return Certainty::kYes; }, over::kIwarp},
    {Guard::kInitRefused, RefusesOverTcp<IwStimulus::kAttributes>, over::kIwarp},
    {Guard::kAttrsRefused, AttrsRefusedOverTcp, over::kIwarp},
    {Guard::kDatagram, OptionOfDatagram, over::kIwarp},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_MACHINE_IW_GUARDS_H_
