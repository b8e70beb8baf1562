// Guards of ids with their queue pairs and connections; those that the IB CM decides.
#ifndef MODEL_ORACLE_MACHINE_CONNECTION_GUARDS_H_
#define MODEL_ORACLE_MACHINE_CONNECTION_GUARDS_H_

#include <array>
#include <optional>
#include <variant>

#include "model/oracle/machine/guard_row.h"
#include "model/oracle/machine/guards.h"
#include "model/oracle/machine/machine.h"

namespace cm::model::guards {

inline bool Answers(const IdState& id, IbStimulus on) {
  const IbRule* rule = Machine::Find(id.ib, on);
  return rule != nullptr && rule->answer == IbAnswer::kDone;
}

// The longest private data that the call's message has room for.
inline uint8_t RoomFor(const Call& call, const Limits& limits, bool datagram) {
  const bool connects = std::holds_alternative<call::Connect>(call);
  if (datagram) return connects ? limits.datagram_request_data : limits.datagram_reply_data;
  if (connects) return limits.request_data;
  return std::holds_alternative<call::Accept>(call) ? limits.reply_data : limits.reject_data;
}

inline Certainty DataTooLong(const Situation& s) {
  const uint8_t room = RoomFor(s.call, s.facts.profile().limits, s.datagram());
  if (const auto* reject = std::get_if<call::Reject>(&s.call))
    return Of(reject->private_data.size() > room);
  if (const auto* reject = std::get_if<call::RejectEce>(&s.call))
    return Of(reject->private_data.size() > room);
  const std::optional<ConnParam>& param = *ParamOf(s.call);
  return Of(param && param->private_data.size() > room);
}

// The library looks at parameters of RDMA_PS_TCP alone; of others it takes the depths that are left
// open from the device. source: rdma-core 44 cma.c ucma_valid_param, rdma_connect, rdma_accept
inline bool LooksAtParameters(const Situation& s) { return s.info.space == PortSpace::kTcp; }

inline Certainty DeviceUnknown(const Situation& s) {
  const std::optional<ConnParam>* param = ParamOf(s.call);
  const bool asked = LooksAtParameters(s) || param == nullptr || LeavesDepthOpen(*param);
  return Of(!s.info.shown.device_known && asked);
}

inline Certainty NoQpNoParam(const Situation& s) {
  if (!LooksAtParameters(s) && std::holds_alternative<call::Connect>(s.call)) return Certainty::kNo;
  return Of(s.id.qp == QpPhase::kNone && !*ParamOf(s.call));
}

inline Certainty TypeDiffers(const Situation& s) {
  const call::CreateQp create = *QpAskedBy(s.call);
  return Of(create.type && (*create.type == QpType::kUd) != s.datagram());
}

inline Certainty QpCannotComeUp(const Situation& s) {
  if (s.datagram() || s.id.qp == QpPhase::kNone) return Certainty::kNo;
  const QpRule* rule = FindQpRule(s.id.qp, QpStimulus::kBringUp);
  return Of(rule == nullptr || !rule->possible || !Answers(s.id, IbStimulus::kQpReady));
}

inline Certainty SourceLost(const Situation& s) {
  const IdState& id = s.id;
  if (id.pathless) return Certainty::kYes;
  if (id.origin.valid()) {
    if (id.device == kNoDevice) return Certainty::kNo;
    return s.fault_model.SourceLost(id.device, id.source, id.source, s.window);
  }
  if (!s.info.source_from || s.info.interface == kNoDevice) return Certainty::kNo;
  return s.fault_model.SourceLost(s.info.interface, *s.info.source_from, s.info.source_to,
                                  s.window);
}

inline Certainty HandlesTaken(const Situation& s) {
  return s.id.device == kNoDevice ? Certainty::kNo : s.fault_model.HandlesTaken(s.id.device);
}

inline Certainty QpSourceLost(const Situation& s) {
  return s.datagram() || s.id.qp == QpPhase::kNone ? Certainty::kNo : SourceLost(s);
}

inline Certainty QpWithoutRoute(const Situation& s) {
  return Of(!s.datagram() && s.id.qp != QpPhase::kNone && s.id.device != kNoDevice &&
            !s.fault_model.carriers().IsUp(s.id.device));
}

// The step to RTS looks at the depth in which it asks, and at no other.
// source: linux 6.1 rxe_qp.c rxe_qp_chk_attr
inline Certainty QpLacksDepth(const Situation& s) {
  const std::optional<ConnParam>& param = *ParamOf(s.call);
  return Of(!s.datagram() && s.id.qp != QpPhase::kNone && param &&
            DepthTooLarge(param->initiator_depth, s.facts.profile().limits));
}

// The IB CM does not do what it is asked, which for an id of datagrams is something else.
template <IbStimulus kOn, IbStimulus kOnDatagram = kOn>
Certainty Refuses(const Situation& s) {
  return Of(!Answers(s.id, s.datagram() ? kOnDatagram : kOn));
}

template <IbStimulus kOn>
Certainty Does(const Situation& s) {
  return Of(!s.datagram() && Answers(s.id, kOn));
}

inline Certainty InitRefused(const Situation& s) {
  return Of(!s.datagram() && !Answers(s.id, IbStimulus::kQpInit));
}

inline Certainty AttrsRefused(const Situation& s) {
  if (s.datagram() || s.id.ib == IbState::kNone) return Certainty::kNo;
  const std::optional<IbStimulus> on = AsksFor(std::get<call::InitQpAttr>(s.call));
  return Of(!on || !Answers(s.id, *on));
}

inline Certainty EstablishedAlready(const Situation& s) {
  return Of(s.id.ib == IbState::kEstablished &&
            std::get<call::Notify>(s.call).what == call::Notify::kCommEst);
}

template <IbStimulus kOn>
Certainty NoticePossible(const Situation& s) {
  return Of(Tells(std::get<call::Notify>(s.call)) == kOn && Answers(s.id, kOn));
}

inline Certainty WithoutDevice(const Situation& s) {
  const auto* set = std::get_if<call::SetOption>(&s.call);
  return Of((set == nullptr || set->option == kIbPathOption) && s.id.device == kNoDevice);
}

inline Certainty QpStateUnknown(const Situation& s) {
  return Of(std::get<call::InitQpAttr>(s.call).state > static_cast<uint8_t>(QpState::kErr));
}

inline Certainty EceMalformed(const Situation& s) {
  const EceOptions& ece = std::get<call::SetLocalEce>(s.call).ece;
  return Of(ece.vendor_id == 0 || ece.comp_mask != 0);
}

// Of the options the acknowledgement time-out alone is none of datagrams.
inline Certainty Datagram(const Situation& s) {
  const auto* set = std::get_if<call::SetOption>(&s.call);
  return Of((set == nullptr || set->option == kAckTimeoutOption) && s.datagram());
}

inline constexpr auto kOfConnections = std::to_array<GuardRow>({
    {Guard::kFine, [](const Situation& /*any*/) { return Certainty::kYes; }},
    {Guard::kSpaceUnknown,
     [](const Situation& s) { return Of(!SpaceKnown(std::get<call::CreateId>(s.call).space)); }},
    {Guard::kDeviceUnknown, DeviceUnknown},
    {Guard::kDeviceRemoved, [](const Situation& s) { return Of(s.id.closed); }},
    {Guard::kQpPresent, [](const Situation& s) { return Of(s.id.qp != QpPhase::kNone); }},
    {Guard::kQpAbsent, [](const Situation& s) { return Of(s.id.qp == QpPhase::kNone); }},
    {Guard::kNoQpNoParam, NoQpNoParam},
    {Guard::kDepthTooLarge,
     [](const Situation& s) {
       return Of(LooksAtParameters(s) && DepthTooLarge(s.call, s.facts.profile().limits));
     }},
    {Guard::kQpCannotComeUp, QpCannotComeUp},
    {Guard::kDataTooLong, DataTooLong},
    {Guard::kPathForeign, [](const Situation& s) { return Of(s.info.path_given); }, over::kIbCm},
    {Guard::kQpSourceLost, QpSourceLost},
    {Guard::kQpWithoutRoute, QpWithoutRoute},
    {Guard::kQpLacksDepth, QpLacksDepth},
    {Guard::kSourceLost, SourceLost},
    {Guard::kHandlesTaken, HandlesTaken},
    {Guard::kInitRefused, InitRefused, over::kIbCm},
    {Guard::kRepRefused, Refuses<IbStimulus::kSendRep, IbStimulus::kSendSidrRep>, over::kIbCm},
    {Guard::kRtuRefused, Refuses<IbStimulus::kSendRtu, IbStimulus::kSendSidrRep>, over::kIbCm},
    {Guard::kRejRefused, Refuses<IbStimulus::kSendRej, IbStimulus::kSendSidrRefusal>, over::kIbCm},
    {Guard::kDreqPossible, Does<IbStimulus::kSendDreq>},
    {Guard::kDrepPossible, Does<IbStimulus::kSendDrep>},
    {Guard::kMessageOutstanding,
     [](const Situation& s) { return Of(s.id.outstanding && s.id.abandoned); }},
    {Guard::kTypeDiffers, TypeDiffers},
    {Guard::kDatagram, Datagram, over::kIbCm},
    {Guard::kEventsUnacked, [](const Situation& s) { return Of(s.info.unacked > 0); }},
    {Guard::kQpStateUnknown, QpStateUnknown},
    {Guard::kWithoutDevice, WithoutDevice},
    {Guard::kAttrsRefused, AttrsRefused, over::kIbCm},
    {Guard::kEstablishedAlready, EstablishedAlready},
    {Guard::kCommEstPossible, NoticePossible<IbStimulus::kCommEst>},
    {Guard::kPathMigPossible, NoticePossible<IbStimulus::kPathMig>},
    {Guard::kEceMalformed, EceMalformed},
    {Guard::kAsynchronous, [](const Situation& s) { return Of(!s.info.synchronous()); }},
    {Guard::kNotAccepted, [](const Situation& s) { return Of(!s.id.accepted); }},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_MACHINE_CONNECTION_GUARDS_H_
