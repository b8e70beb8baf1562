// Steps of a message under way: it arrives, is lost, doubled or late.
#include <algorithm>

#include "model/oracle/machine/arrivals.h"
#include "model/oracle/machine/expansion.h"

namespace cm::model {
namespace {

bool IsOverTcp(Sends kind) {
  return kind == Sends::kMpaRequest || kind == Sends::kMpaReply || kind == Sends::kMpaReject ||
         kind == Sends::kFin;
}

}  // namespace

// Its sender takes back a request of which it is left open what it has met.
bool Steps::Expansion::IsBehindApart(const Possibility& p, size_t f) const {
  const Sends kind = p.flights[f].kind;
  if (kind != Sends::kRejTimeout && kind != Sends::kFin) return false;
  return std::ranges::any_of(p.flights, [&](const Flight& other) {
    return IsRequest(other.kind) && other.SameSender(p.flights[f]) && machine_.IsApart(p, other);
  });
}

// What gives up a request reaches the id that answers it, which a request under way may still make.
bool Steps::Expansion::IsOfNone(const Possibility& p, const Flight& flight) const {
  if (flight.tester != kNoTester || steps_.facts_.any_apart) return false;
  if (flight.from != kNoId && (!p.ids[flight.from].gone || p.ids[flight.from].outstanding))
    return false;
  if (flight.kind != Sends::kRejTimeout)
    return flight.to == kNoId || p.ids[flight.to].gone || p.ids[flight.to].closed;
  const auto asks = [&](const Flight& other) {
    return IsRequest(other.kind) && other.sender == flight.sender;
  };
  return FindAnswering(p, flight.sender) == kNoId && std::ranges::none_of(p.flights, asks);
}

// source: linux 6.1 cm.c cm_mra_handler, cm_rej_handler
const IbRule* Steps::Expansion::IgnoredBy(const Possibility& p, const Flight& flight) const {
  if (machine_.over_iwarp() || flight.tester != kNoTester) return nullptr;
  const bool asks = IsRequest(flight.kind) || flight.kind == Sends::kDreq;
  const IbRule* rule = nullptr;
  if (!asks && steps_.facts_.faults_to_come == 0 && IsOfNone(p, flight)) {
    rule = Machine::Find(IbState::kNone, PlainStimulus(flight));
  } else if (flight.kind == Sends::kMra && flight.to != kNoId) {
    const IdState& id = p.ids[flight.to];
    if (id.gone || id.closed || !Matches(id, flight)) return nullptr;
    rule = Machine::Find(id.ib, IbStimulus::kMra);
    if (rule->answer != IbAnswer::kIgnored) return nullptr;
  }
  if (rule == nullptr) return nullptr;
  const Fate fate = steps_.fault_model_.FateOf(flight, p);
  const bool matters = !fate.hits.empty() || fate.loses != kNoRule ||
                       fate.mutes != Certainty::kNo || fate.fails_at_sender;
  return matters ? nullptr : rule;
}

void Steps::Expansion::DropIdle(Possibility* p) const {
  for (size_t f = 0; f < p->flights.size();) {
    const Flight& flight = p->flights[f++];
    const IbRule* rule = IgnoredBy(*p, flight);
    if (rule == nullptr) continue;
    const Fate fate = steps_.fault_model_.FateOf(flight, *p);
    if (fate.can_arrive) (fate.can_be_lost ? p->perhaps : p->used).set(NumberOf(rule));
    p->flights.erase(p->flights.begin() + static_cast<ptrdiff_t>(--f));
  }
}

void Steps::Expansion::ExpandFlight(const Possibility& p, size_t f) {
  const Flight& flight = p.flights[f];
  const Fate& fate = FateAt(p, f);
  if (machine_.AsksElsewhere(p, flight) || IsBehindApart(p, f)) return;
  bool behind = false;
  for (size_t earlier = fate.can_arrive && fate.in_order ? 0 : f; earlier < f && !behind;
       ++earlier) {
    // What is held back itself holds nothing up, nor does the second of two copies.
    const Flight& first = p.flights[earlier];
    behind = first.SameSender(flight) && first.to_device == flight.to_device && !first.copied &&
             FateAt(p, earlier).in_order;
  }
  Due due = steps_.Prompt(flight.since, window_, fate.late);
  due.not_before += fate.early;
  const bool arrives =
      fate.can_arrive && (!behind || !fate.in_order) && !ComesTooLate(p, flight, due);
  if (arrives) OfferArrival(p, f, due);
  if (arrives && MayMeetFullQueue(p, flight, {due.not_before, due.not_after}))
    OfferNoRoom(p, f, due);
  if (arrives && fate.can_be_copied) OfferCopy(p, f, due, kNoRule);
  const bool lost = fate.can_be_lost || !fate.can_arrive;
  if (lost && fate.mutes != Certainty::kYes) OfferLoss(p, f, due, fate.loses);
  if (lost && fate.mutes != Certainty::kNo) OfferLoss(p, f, due, kNoRule, /*mutes=*/true);
  for (const MayHit& hit : fate.hits) {
    switch (hit.effect) {
      case PacketEffect::kNone:
        break;
      case PacketEffect::kLost:
      case PacketEffect::kCorrupt:
        if (!lost) OfferLoss(p, f, due, hit.rule);
        break;
      case PacketEffect::kLate:
      case PacketEffect::kOvertaken:
        OfferDelay(p, f, due, hit.rule);
        break;
      case PacketEffect::kDoubled:
        if (arrives && !flight.copied) OfferCopy(p, f, due, hit.rule);
        break;
    }
  }
}

template <typename Change>
void Steps::Expansion::OfferArrival(const Possibility& p, size_t f, Due due, Change change) {
  const Flight& flight = p.flights[f];
  const bool asks = flight.kind == Sends::kReq || flight.kind == Sends::kRep;
  const uint8_t user = asks ? machine_.UserOf(p, flight, Certainty::kYes) : kNoId;
  const uint8_t other = asks ? machine_.UserOf(p, flight, Certainty::kMaybe) : kNoId;
  const auto offer = [&](uint8_t met) {
    Offer(p, due, "the arrival of a message", [&, met](Possibility* next, Span when) {
      const Flight arrives = p.flights[f];
      change(next);
      Arrive(next, arrives, met, when);
      if (IsRequest(arrives.kind)) NoteRemoval(next, arrives, when);
    });
  };
  offer(user);
  if (other != user) offer(other);
}

void Steps::Expansion::OfferArrival(const Possibility& p, size_t f, Due due) {
  OfferArrival(p, f, due, [f](Possibility* next) {
    next->flights.erase(next->flights.begin() + static_cast<ptrdiff_t>(f));
  });
}

void Steps::Expansion::OfferCopy(const Possibility& p, size_t f, Due due, uint8_t rule) {
  OfferArrival(p, f, due, [f, rule](Possibility* next) {
    next->flights[f].copied = true;
    CountHit(next, rule);
  });
}

void Steps::Expansion::OfferLoss(const Possibility& p, size_t f, Due due, uint8_t rule,
                                 bool mutes) {
  Offer(p, due, "the loss of a message", [f, rule, mutes](Possibility* next, Span) {
    if (mutes) next->mutes |= BitOfDevice(next->flights[f].from_device);
    next->flights.erase(next->flights.begin() + static_cast<ptrdiff_t>(f));
    CountHit(next, rule);
  });
}

void Steps::Expansion::OfferNoRoom(const Possibility& p, size_t f, Due due) {
  Offer(p, due, "the arrival of a message", [&, f](Possibility* next, Span when) {
    const Flight arrives = p.flights[f];
    next->flights.erase(next->flights.begin() + static_cast<ptrdiff_t>(f));
    machine_.MeetFullQueue(next, arrives, when);
  });
}

void Steps::Expansion::OfferDelay(const Possibility& p, size_t f, Due due, uint8_t rule) {
  Offer(p, due, "the delay of a message", [f, rule](Possibility* next, Span) {
    next->flights[f].hit = rule;
    CountHit(next, rule);
  });
}

void Steps::Expansion::CountHit(Possibility* p, uint8_t rule) {
  if (rule != kNoRule) ++p->hits[rule];
}

void Steps::Expansion::Arrive(Possibility* next, const Flight& flight, uint8_t user, Span when) {
  if (IsOverTcp(flight.kind)) return machine_.ArriveOverTcp(next, flight, when);
  if (flight.tester != kNoTester) return machine_.ArriveFromTester(next, flight, user, when);
  if (flight.kind == Sends::kReq || flight.kind == Sends::kSidrReq)
    return machine_.ArriveRequest(next, flight, user, when);
  uint8_t to = flight.to;
  if (flight.kind == Sends::kRejTimeout) to = FindAnswering(*next, flight.sender);
  if (to == kNoId || next->ids[to].gone) return ArriveUnknown(next, flight, when);
  IdState& id = next->ids[to];
  if (id.closed || !Matches(id, flight)) return ArriveUnknown(next, flight, when);
  const IbStimulus on = StimulusOf(id, flight);
  const bool awaited = on == IbStimulus::kRep && Machine::Find(id.ib, IbStimulus::kRepStale);
  if (awaited && user != kNoId) return machine_.RefuseReply(next, to, flight, user, when);
  if (on == IbStimulus::kRep && Machine::Find(id.ib, on)->answer == IbAnswer::kDone) {
    id.met = true;
    id.peer = flight.from;
    id.answered_by = flight.sender;
  }
  machine_.Stimulate(next, to, on, {.payload = flight.payload, .reason = flight.reason}, when);
}

// Those that were made before the removal were marked by it. What a listener on all devices makes
// is left as it is.
// source: linux 6.1 cma.c cma_process_remove, which goes on until the device has no ids any more
void Steps::Expansion::NoteRemoval(Possibility* next, const Flight& flight, Span when) const {
  if (flight.to_device == kNoDevice) return;
  // Long after the last change it is as it is now.
  const Window later{.begin = kNever, .end = kNever};
  if (steps_.fault_model_.Registered(flight.to_device, later) == Certainty::kYes) return;
  const uint8_t ca = steps_.facts_.CaOf(flight.to_device);
  for (const IdState& listener : next->ids) {
    if (steps_.facts_.CaOf(listener.device) != ca) continue;
    for (const Pending& pending : listener.queue) {
      if (pending.type != EventType::kConnectRequest || pending.child == kNoId) continue;
      IdState& child = next->ids[pending.child];
      const bool goes = child.removal_due || child.state == State::kDeviceRemoval;
      if (child.closed || child.gone || goes) continue;
      child.removal_due = true;
      child.due = when;
    }
  }
}

void Steps::Expansion::ArriveUnknown(Possibility* next, const Flight& flight, Span when) {
  const IbRule* rule = Machine::Find(IbState::kNone, PlainStimulus(flight));
  if (rule == nullptr) return;
  next->used.set(NumberOf(rule));
  if (rule->sends != Sends::kDrep) return;
  // The answer names whom it was for, though that one may never have heard of the sender.
  next->Send({.kind = Sends::kDrep,
              .from = flight.to,
              .to = flight.from,
              .from_device = flight.to_device,
              .to_device = flight.from_device,
              .since = when});
}

}  // namespace cm::model
