// What becomes of messages that are made by hand: whom they reach, and which row answers them.

#include "model/oracle/machine/arrivals.h"
#include "model/oracle/machine/machine.h"

namespace cm::model {
namespace {

// Whether the message looks for an id that does not know its peer's communication id yet.
bool ForUnmet(const TesterMad& mad) {
  if (mad.kind == MadKind::kMra || mad.kind == MadKind::kRej) return mad.about == About::kReq;
  return mad.kind == MadKind::kSidrRep;
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
  if (mad.kind == MadKind::kApr) return IbStimulus::kApr;
  if (mad.kind == MadKind::kLap) {
    const bool again = id != nullptr && id->ib == IbState::kEstablished && id->lap_rcvd;
    return again ? IbStimulus::kLapAgain : IbStimulus::kLap;
  }
  if (mad.kind == MadKind::kDreq) {
    const bool own = mad.qp.of.valid() ? mad.qp.of == mad.remote.of : mad.qp.plain == 0;
    return own ? IbStimulus::kDreq : IbStimulus::kDreqOtherQp;
  }
  if (id == nullptr) return PlainStimulus(flight);
  const IbStimulus on = StimulusOf(*id, flight);
  if (on == IbStimulus::kSidrRep && mad.qkey != QkeyOf(facts_.SpaceOf(*id)))
    return IbStimulus::kSidrOtherKey;
  if (on != IbStimulus::kRep || Find(id->ib, IbStimulus::kRepKnown) == nullptr) return on;
  if (Known(p, flight)) return IbStimulus::kRepKnown;
  return user != kNoId ? IbStimulus::kRepStale : on;
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

}  // namespace cm::model
