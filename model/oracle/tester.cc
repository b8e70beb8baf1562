// What becomes of messages that are made by hand: whom they reach, and which row answers them.
#include <algorithm>
#include <utility>

#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// How the oracle calls a message under way.
Sends SendsOf(const TesterMad& mad) {
  if (mad.kind == MadKind::kRej) return Sends::kRejOther;
  if (mad.kind == MadKind::kSidrRep)
    return mad.status == SidrStatus::kSuccess ? Sends::kSidrRep : Sends::kSidrRefusal;
  return OnlySendsOf(mad.kind).value_or(Sends::kLap);
}

// Whether the message looks for an id that does not know its peer's communication id yet.
bool ForUnmet(const TesterMad& mad) {
  if (mad.kind == MadKind::kMra || mad.kind == MadKind::kRej) return mad.about == About::kReq;
  return mad.kind == MadKind::kSidrRep;
}

bool FindsByGuid(const TesterMad& mad) {
  return mad.kind == MadKind::kRej && mad.reason == RejReason::kTimeout;
}

MadGuard GuardOf(const TesterMad& mad, bool over_infiniband) {
  const bool other = mad.kind == MadKind::kOther;
  const bool asks = mad.method == kGetMethod || mad.method == kSetMethod;
  const bool of_paths = mad.kind == MadKind::kLap || mad.kind == MadKind::kApr;
  if (mad.base_version != kMadBaseVersion) return MadGuard::kBaseVersion;
  if (other && mad.attribute == kClassPortInfo && asks) return MadGuard::kAsksClass;
  if (mad.method != kSendMethod) return MadGuard::kMethod;
  if (mad.class_version != kCmClassVersion) return MadGuard::kClassVersion;
  if (other) return MadGuard::kAttribute;
  return of_paths && !over_infiniband ? MadGuard::kLapOverRoce : MadGuard::kFine;
}

// It begins a conversation of its own, with an id that the tester cannot have.
bool BeginsForAnother(const TesterMad& mad) {
  return mad.local.of.valid() && (mad.kind == MadKind::kReq || mad.kind == MadKind::kRep ||
                                  mad.kind == MadKind::kSidrReq || FindsByGuid(mad));
}

ConnFields Swapped(ConnFields conn) {
  std::swap(conn.responder_resources, conn.initiator_depth);
  return conn;
}

}  // namespace

// The id that the communication ids of the message lead to; kNoId for none.
// source: linux 6.1 cm.c cm_acquire_id, cm_acquire_rejected_id, cm_acquire_mraed_id
uint8_t Machine::FindForTester(const Possibility& p, const Flight& flight) const {
  const TesterMad& mad = *facts_.tester_messages[flight.tester].mad;
  if (FindsByGuid(mad)) {
    for (uint8_t i = 0; i < p.ids.size(); ++i)
      if (KnownRemotely(p.ids[i]) && facts_.SamePeer(p.ids[i].PeerName(), flight.sender)) return i;
    return kNoId;
  }
  const uint8_t to = mad.remote.of.valid() ? p.Find(mad.remote.of) : kNoId;
  if (to == kNoId || p.ids[to].gone || p.ids[to].closed || p.ids[to].ib == IbState::kNone)
    return kNoId;
  const IdState& id = p.ids[to];
  const bool known = id.met && facts_.SamePeer(id.PeerName(), flight.sender);
  if (mad.kind == MadKind::kRep) return !id.met || known ? to : kNoId;
  return (ForUnmet(mad) ? !id.met : known) ? to : kNoId;
}

IbStimulus Machine::StimulusOfTester(const Possibility& p, uint8_t to, const Flight& flight,
                                     uint8_t user) const {
  const TesterMad& mad = *facts_.tester_messages[flight.tester].mad;
  const IdState* id = to == kNoId ? nullptr : &p.ids[to];
  switch (mad.kind) {
    case MadKind::kMra:
      return IbStimulus::kMra;
    case MadKind::kRej:
      if (id != nullptr && HasMoved(*id)) return IbStimulus::kRejMoved;
      return mad.reason == RejReason::kStaleConn ? IbStimulus::kRejStale : IbStimulus::kRej;
    case MadKind::kRep:
      if (id == nullptr) return IbStimulus::kRep;
      if (id->met) return IbStimulus::kRepAgain;
      if (Find(id->ib, IbStimulus::kRepKnown) == nullptr) return IbStimulus::kRep;
      if (Known(p, flight)) return IbStimulus::kRepKnown;
      return user != kNoId ? IbStimulus::kRepStale : IbStimulus::kRep;
    case MadKind::kRtu:
      return IbStimulus::kRtu;
    case MadKind::kDreq: {
      const bool own = mad.qp.of.valid() ? mad.qp.of == mad.remote.of : mad.qp.plain == 0;
      return own ? IbStimulus::kDreq : IbStimulus::kDreqOtherQp;
    }
    case MadKind::kDrep:
      return IbStimulus::kDrep;
    case MadKind::kSidrRep:
      if (mad.status != SidrStatus::kSuccess) return IbStimulus::kSidrRefusal;
      return id != nullptr && mad.qkey != QkeyOf(facts_.SpaceOf(*id)) ? IbStimulus::kSidrOtherKey
                                                                      : IbStimulus::kSidrRep;
    case MadKind::kLap:
      return id != nullptr && id->ib == IbState::kEstablished && id->lap_rcvd
                 ? IbStimulus::kLapAgain
                 : IbStimulus::kLap;
    case MadKind::kReq:
    case MadKind::kSidrReq:
    case MadKind::kApr:
    case MadKind::kOther:
    case MadKind::kMpaRequest:
    case MadKind::kMpaReply:
    case MadKind::kMpaReject:
    case MadKind::kFin:
      break;
  }
  return IbStimulus::kApr;
}

void Machine::ArriveFromTester(Possibility* p, const Flight& flight, uint8_t user,
                               Span when) const {
  const TesterMad& mad = *facts_.tester_messages[flight.tester].mad;
  if (mad.kind == MadKind::kReq || mad.kind == MadKind::kSidrReq)
    return ArriveRequest(p, flight, user, when);
  const uint8_t to = FindForTester(*p, flight);
  const IbStimulus on = StimulusOfTester(*p, to, flight, user);
  if (to == kNoId) {  // the tester ignores any answer
    if (const IbRule* rule = Find(IbState::kNone, on)) p->used.set(NumberOf(rule));
    return;
  }
  if (on == IbStimulus::kRepStale) return RefuseReply(p, to, flight, user, when);
  IdState& id = p->ids[to];
  // An MRA names the message that it is about.
  const bool of_reply = id.ib == IbState::kRepSent;
  if (on == IbStimulus::kMra && of_reply && mad.about != About::kRep) return;
  const IbRule* rule = Find(id.ib, on);
  if (rule != nullptr && rule->answer == IbAnswer::kDone) {
    if (on == IbStimulus::kRep) {
      id.met = true;
      id.answered_by = flight.sender;
    }
    if (on == IbStimulus::kMra) id.mra_timeout = mad.service_timeout;
    if (on == IbStimulus::kLap) {
      id.lap_rcvd = true;
      id.pathless = false;
    }
  }
  Stimulate(p, to, on, {.payload = flight.payload, .reason = flight.reason}, when);
}

// What the application hears when it is taken.
uint16_t Oracle::PayloadOfTester(const TesterMad& mad) {
  const Limits& limits = profile_.limits;
  Payload payload;
  switch (mad.kind) {
    case MadKind::kReq:
    case MadKind::kRep:
      payload.conn = Swapped(mad.conn);
      if (mad.kind == MadKind::kRep) payload.conn.retry_count = 0;
      payload.qp_num = mad.qp.plain == 0 ? kTesterQpNumber : mad.qp.plain;
      payload.data =
          mad.data.Resized(mad.kind == MadKind::kReq ? limits.request_data : limits.reply_data);
      break;
    case MadKind::kRej:
      payload.data = mad.data.Resized(limits.reject_data);
      break;
    case MadKind::kSidrReq:
      payload.data = mad.data.Resized(limits.datagram_request_data);
      break;
    case MadKind::kSidrRep:
      payload.data = mad.data.Resized(limits.datagram_reply_data);
      if (mad.status != SidrStatus::kSuccess || mad.qkey != kDatagramQkey) break;
      payload.qkey = mad.qkey;
      payload.qp_num = mad.qp.plain == 0 ? kTesterQpNumber : mad.qp.plain;
      break;
    case MadKind::kMra:
    case MadKind::kRtu:
    case MadKind::kDreq:
    case MadKind::kDrep:
    case MadKind::kLap:
    case MadKind::kApr:
    case MadKind::kOther:
    case MadKind::kMpaRequest:
    case MadKind::kMpaReply:
    case MadKind::kMpaReject:
    case MadKind::kFin:
      return kNoPayload;
  }
  return facts_.payloads.Intern(payload);
}

// Whom the message may reach, or whose numbers tell whether it is taken: one id of each component.
std::vector<IdRef> Oracle::ConcernedBy(const TesterMessage& message) const {
  const TesterMad& mad = *message.mad;
  const bool begins = mad.kind == MadKind::kReq || mad.kind == MadKind::kSidrReq;
  const bool by_peer = begins || mad.kind == MadKind::kRep || FindsByGuid(mad);
  std::vector<IdRef> concerned;
  const IdRef to = mad.remote.of;
  if (to.valid() && !begins && facts_.id(to).exists) concerned.push_back(to);
  if (begins)
    for (const PortOwner& owner : facts_.ports)
      if (owner.kernel == facts_.KernelOf(message.to_device) && owner.space == mad.space &&
          owner.address.port == mad.port)
        concerned.push_back(owner.id);
  if (!by_peer || (concerned.empty() && mad.kind == MadKind::kRep)) return concerned;
  const uint64_t key = facts_.id(message.sender).qp_key;
  for (const auto& [number, component] : components_) {
    const bool meets = std::ranges::any_of(component.set.items(), [&](const Possibility& p) {
      return std::ranges::any_of(p.ids, [&](const IdState& id) {
        const IdRef peer = id.PeerName();
        return peer.valid() && (facts_.SameAsker(peer, message.sender) ||
                                (begins && facts_.id(peer).qp_key == key) ||
                                (mad.kind == MadKind::kRep && facts_.id(peer).qp_key == key));
      });
    });
    if (meets && !component.ids.empty()) concerned.push_back(component.ids.front());
  }
  return concerned;
}

Judgement Oracle::TesterSends(uint32_t line, Span when) {
  Judgement judgement;
  const auto number =
      static_cast<uint16_t>(std::ranges::find(facts_.tester_messages, line, &TesterMessage::line) -
                            facts_.tester_messages.begin());
  const TesterMessage message = facts_.tester_messages[number];
  const TesterMad& mad = *message.mad;
  const MadGuard guard = GuardOf(mad, machine_.over_infiniband());
  const auto mad_rule = std::ranges::find(rules::kMads, guard, &MadRule::when);
  if (!fault_model_.disturbed()) judgement.certain.set(NumberOf(&*mad_rule));
  if (mad_rule->outcome != MadOutcome::kTaken) return judgement;
  if (mad.unresolvable && (mad.kind == MadKind::kReq || mad.kind == MadKind::kSidrReq))
    fault_model_.Occupy(message.to_device, when.latest);
  const std::vector<IdRef> concerned = ConcernedBy(message);
  const bool judged =
      std::ranges::all_of(concerned, [this](IdRef id) { return facts_.id(id).in_scope; });
  if (!judged || BeginsForAnother(mad)) {
    for (const IdRef id : concerned) MarkOutOfScope(id);
    return judgement;
  }
  Flight flight{.kind = SendsOf(mad),
                .from_device = message.from_device,
                .to_device = message.to_device,
                .reason = static_cast<uint16_t>(mad.reason),
                .sender = message.sender,
                .payload = PayloadOfTester(mad),
                .tester = number,
                .since = when};
  if (mad.kind == MadKind::kSidrRep) flight.reason = static_cast<uint16_t>(mad.status);
  if (concerned.empty()) {
    Possibility empty;
    machine_.ArriveFromTester(&empty, flight, kNoId, when);
    if (!fault_model_.disturbed()) judgement.certain |= empty.used;
    return judgement;
  }
  for (const IdRef other : concerned) Merge(concerned.front(), other);
  Component& component = ComponentOf(concerned.front());
  PossibilitySet next;
  for (Possibility p : component.set.items()) {
    p.Send(flight);
    next.Add(std::move(p));
  }
  component.set = std::move(next);
  return judgement;
}

}  // namespace cm::model
