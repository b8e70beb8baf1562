// Execution of the iWARP CM: its rows, MPA frames and the end of TCP connections.
#include "model/oracle/machine/machine.h"

namespace cm::model {

const IwRule* Machine::FindIw(IwState state, IwStimulus on) {
  for (const IwRule& rule : rules::kIwCm)
    if (rule.on == on && rule.from.Has(state)) return &rule;
  return nullptr;
}

// The queue pair follows the connection: the provider modifies it, without the library.
void Machine::Enter(IdState* id, IwState state, Span when) {
  const IwState before = id->iw;
  id->iw = state;
  if (state == IwState::kEstablished && id->qp == QpPhase::kInit) id->qp = QpPhase::kRts;
  if (before == IwState::kEstablished && id->qp == QpPhase::kRts) id->qp = QpPhase::kErr;
  if (state == IwState::kClosing) id->timewait = when;
  if (state == IwState::kConnSent) {
    id->message = Sends::kMpaRequest;
    id->outstanding = true;
    id->first = id->last = when;
  } else if (before == IwState::kConnSent) {
    id->outstanding = false;
  }
}

void Machine::SendOverTcp(Possibility* p, uint8_t id, Sends kind, const Details& details,
                          Span when) const {
  const IdState& own = p->ids[id];
  p->Send({.kind = kind,
           .from = id,
           .to = kind == Sends::kMpaRequest ? kNoId : own.peer,
           .from_device = own.device,
           .to_device = facts_.PeerDeviceOf(own),
           .reason = kind == Sends::kMpaReply ? details.reason : uint16_t{0},
           .sender = own.name,
           .payload = kind == Sends::kFin ? kNoPayload : details.payload,
           .since = when});
}

const IwRule* Machine::StimulateIw(Possibility* p, uint8_t id, IwStimulus on,
                                   const Details& details, Span when) const {
  const IwRule* rule = FindIw(p->ids[id].iw, on);
  if (rule == nullptr) return nullptr;
  p->used.set(NumberOf(rule));
  const bool awaited = p->ids[id].iw == IwState::kConnSent;
  if (on == IwStimulus::kDestroy && rule->answer == IwAnswer::kWaits)
    p->ids[id].abandoned = p->ids[id].outstanding;
  if (rule->to != IwState::kSame) Enter(&p->ids[id], rule->to, when);
  if (rule->sends != Sends::kNothing) SendOverTcp(p, id, rule->sends, details, when);
  // An id that is being destroyed receives no further event.
  if (!p->ids[id].abandoned) Report(p, id, rule->reports, details);
  if (!awaited || p->ids[id].iw == IwState::kConnSent) return rule;
  // Calls that have waited for the reply continue.
  if (p->ids[id].abandoned) {
    p->ids[id].abandoned = false;
    StimulateIw(p, id, IwStimulus::kDestroy, {}, when);
  } else if (p->ids[id].ending) {
    p->ids[id].ending = false;
    StimulateIw(p, id, IwStimulus::kDisconnect, {}, when);
  }
  return rule;
}

void Machine::ArriveOverTcp(Possibility* p, const Flight& flight, Span when) const {
  if (flight.kind == Sends::kMpaRequest) {
    uint8_t listener = kNoId;
    const RequestGuard guard = GuardOf(*p, flight, &listener);
    const IwRequestRule& rule = Use(p, rules::kIwRequests, guard);
    if (guard == RequestGuard::kFine) return Deliver(p, flight, listener, when);
    return Refuse(p, flight, rule.sends, 0, when);
  }
  uint8_t to = flight.to;
  // A sender that gives its request up does not know the id that it was delivered to.
  if (to == kNoId && flight.kind == Sends::kFin && flight.sender.valid()) {
    for (uint8_t i = 0; i < p->ids.size(); ++i)
      if (p->ids[i].origin == flight.sender && !p->ids[i].gone) to = i;
  }
  if (to == kNoId) return;
  if (p->ids[to].peer == kNoId) p->ids[to].peer = flight.from;
  IwStimulus on = IwStimulus::kPeerCloses;
  if (flight.kind == Sends::kMpaReject) on = IwStimulus::kRejection;
  if (flight.kind == Sends::kMpaReply)
    on = p->ids[to].qp == QpPhase::kErr ? IwStimulus::kReplyInVain : IwStimulus::kReply;
  const bool in_vain = on == IwStimulus::kReplyInVain;
  StimulateIw(p, to, on, {.payload = in_vain ? flight.reason : flight.payload}, when);
  p->Tidy();
}

RequestGuard Machine::AcceptorOf(const Possibility& p, uint8_t id) const {
  const IdState& own = p.ids[id];
  const Flight flight{.kind = Sends::kMpaRequest,
                      .from = id,
                      .from_device = own.device,
                      .to_device = facts_.PeerDeviceOf(own),
                      .sender = own.name};
  uint8_t listener = kNoId;
  return GuardOf(p, flight, &listener);
}

}  // namespace cm::model
