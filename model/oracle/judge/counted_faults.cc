#include "model/oracle/judge/counted_faults.h"

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "model/oracle/judge/answers.h"
#include "model/vocabulary/protocol.h"

namespace cm::model {
namespace {

bool CountsMessages(const cm::Line& line) {
  const auto* injects = std::get_if<line::Injects>(&line);
  return injects != nullptr && injects->fault.OnPackets() && injects->fault.CountsMessages();
}

// Its attempt, or its connection, is over: nothing of it is sent again.
bool EndsRepetitions(EventType type) {
  return type == EventType::kConnectResponse || type == EventType::kEstablished ||
         type == EventType::kRejected || type == EventType::kDisconnected;
}

// Their kernel ends ids of a process, of a host or of a device.
bool EndsIds(FaultKind kind) {
  return kind == FaultKind::kExit || kind == FaultKind::kCrash || kind == FaultKind::kRemoveDevice;
}

// The one message of that kind that the id has sent in the record, in the possibility; none: their
// end.
size_t PlaceOf(const Possibility& p, IdRef id, MadKind kind, const Record& record) {
  size_t place = p.flights.size();
  for (size_t i = 0; i < p.flights.size(); ++i) {
    const Flight& flight = p.flights[i];
    const bool now = flight.since.earliest >= record.begin.nanoseconds() &&
                     flight.since.latest <= record.end.nanoseconds();
    if (flight.sender != id || MadKindOf(flight.kind) != kind || !now) continue;
    if (place < p.flights.size() || flight.copied) return p.flights.size();
    place = i;
  }
  return place;
}

// It gets to where faults count, whatever else may happen to it there.
bool IsCounted(const Fate& fate) {
  return fate.can_arrive && !fate.can_be_lost && !fate.fails_at_sender &&
         fate.mutes == Certainty::kNo;
}

void Apply(const Counted& counted, Possibility* p, size_t place) {
  Flight& flight = p->flights[place];
  if (!counted.hits) {
    flight.spared |= static_cast<uint8_t>(1U << counted.rule);
    return;
  }
  ++p->hits[counted.rule];
  const bool lost =
      counted.effect == PacketEffect::kLost || counted.effect == PacketEffect::kCorrupt;
  flight.doomed = lost;
  if (!lost) flight.hit = counted.rule;
}

}  // namespace

CountedFaults::CountedFaults(JudgeContext& context)
    : JudgeBase(context), interval_(profile_.timing.ReplyInterval().nanoseconds()) {
  counts_ = !machine_.over_iwarp() && std::ranges::any_of(conversation_.lines, CountsMessages);
}

// A call that has not returned may still send it.
Span CountedFaults::TimeOf(const Record& record) {
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  const bool open = answered != nullptr && answered->reply.kind == ReplyKind::kBlocked;
  return {record.begin.nanoseconds(), open ? kStill : record.end.nanoseconds()};
}

void CountedFaults::Expect(const Record& record, const Line& line) {
  if (!counts_) return;
  if (std::holds_alternative<line::Sends>(line))
    return fault_model_.may_sends().Lose(MadKinds::All());
  if (const auto* injects = std::get_if<line::Injects>(&line)) {
    if (EndsIds(injects->fault.kind))
      EndsAll({record.begin.nanoseconds(), kStill}, [](const IdInfo& /*any*/) { return true; });
    return;
  }
  const auto* calls = std::get_if<line::Calls>(&line);
  if (calls == nullptr) return;
  if (IsTogether(conversation_, record.line)) return ExpectGroup(record);
  if (const CmEvent* event = EventOf(record.seen); event != nullptr && event->id.valid())
    Fetched(*event, record);
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (answered != nullptr) Calls(calls->call, answered->reply, TimeOf(record));
}

// All of them before the first is judged: any of them may have been the first.
void CountedFaults::ExpectGroup(const Record& record) {
  const std::vector<cm::Line>& lines = conversation_.lines;
  uint32_t first = record.line;
  while (std::get<line::Calls>(lines[first]).meanwhile) --first;
  if (!fault_model_.may_sends().NoteGroup(first)) return;
  const Span when{record.begin.nanoseconds(), kStill};
  for (size_t i = first; i < EndOfTogether(conversation_, first); ++i) {
    const Call& call = std::get<line::Calls>(lines[i]).call;
    Calls(call, Reply::Returned(), when);
    if (KindOf(call) != CallKind::kGetCmEvent) continue;
    Once(MadKind::kRtu, when);
    Once(MadKind::kRej, when);
  }
}

// As it is before the call: calls that are made at once, or a call that waits, may change it.
CountedFaults::Route CountedFaults::RouteOf(IdRef id, Span when) const {
  if (when.latest == kStill) return {};
  std::optional<Route> route;
  for (const Possibility& p : components_.PossibilitiesOf(id)) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) return {};
    const Route one{.own = p.ids[at].device, .peer = facts_.PeerDeviceOf(p.ids[at])};
    if (route && *route != one) return {};
    route = one;
  }
  return route.value_or(Route());
}

// What a kernel sends for a message is sent for each repetition of it; an MRA for a repetition
// alone. source: linux 6.1 cm.c cm_req_handler, cm_dup_req_handler
void CountedFaults::Asks(IdRef id, Span when) {
  MaySends& sends = fault_model_.may_sends();
  const Route route = RouteOf(id, when);
  const Span ever{when.earliest, kStill};
  sends.Add({.kinds = MadKinds(MadKind::kReq),
             .when = when,
             .interval = interval_,
             .attempt = id,
             .from = route.own});
  sends.Add({.kinds = MadKinds(MadKind::kMra),
             .when = when,
             .interval = interval_,
             .first = false,
             .attempt = id,
             .from = route.peer});
  // Also when a listener ends that has not shown it.
  sends.Add({.kinds = MadKinds(MadKind::kRej),
             .when = ever,
             .interval = interval_,
             .attempt = id,
             .from = route.peer});
}

// Each request is answered once at most, by whatever call, or by a kernel without a listener, or
// when what it was for ends. source: linux 6.1 cm.c cm_sidr_req_handler, cm_destroy_id
void CountedFaults::AsksForService(IdRef id, Span when) {
  MaySends& sends = fault_model_.may_sends();
  const Route route = RouteOf(id, when);
  const Span ever{when.earliest, kStill};
  sends.Add({.kinds = MadKinds(MadKind::kSidrReq),
             .when = when,
             .interval = interval_,
             .attempt = id,
             .from = route.own});
  sends.Add({.kinds = MadKinds(MadKind::kSidrRep),
             .when = ever,
             .interval = interval_,
             .attempt = id,
             .from = route.peer});
}

// source: linux 6.1 cm.c cm_rep_handler, cm_dup_rep_handler
void CountedFaults::Replies(IdRef id, Span when) {
  MaySends& sends = fault_model_.may_sends();
  sends.Add({.kinds = MadKinds(MadKind::kRep),
             .when = when,
             .interval = interval_,
             .attempt = id,
             .from = RouteOf(id, when).own});
  sends.Add({MadKinds(MadKind::kRej), when, interval_, true, id});
  for (const MadKind kind : {MadKind::kMra, MadKind::kRtu})
    sends.Add({MadKinds(kind), when, interval_, false, id});
}

// A DREP is sent for a DREQ, by whatever call. source: linux 6.1 cm.c cm_dreq_handler
void CountedFaults::Disconnects(IdRef id, Span when) {
  MaySends& sends = fault_model_.may_sends();
  sends.Add({.kinds = MadKinds(MadKind::kDreq),
             .when = when,
             .interval = interval_,
             .attempt = id,
             .from = RouteOf(id, when).own});
  sends.Add({MadKinds(MadKind::kDrep), when, interval_, true, id});
}

// The REJ of one that was asked is that of its request, as long as one is counted for that.
void CountedFaults::Rejects(IdRef id, Span when) {
  const std::vector<Possibility>& all = components_.PossibilitiesOf(id);
  const auto rejects = [&] { Once(MadKind::kRej, when, RouteOf(id, when).own); };
  IdRef asker;
  for (const Possibility& p : all) {
    const uint8_t at = p.Find(id);
    const IdRef origin = at == kNoId ? IdRef() : p.ids[at].origin;
    if (!origin.valid() || (asker.valid() && asker != origin)) return rejects();
    asker = origin;
  }
  if (!fault_model_.may_sends().MayBeRejected(asker)) rejects();
}

// That of a request for a service is noted with it.
void CountedFaults::Ends(IdRef id, Span when) {
  if (IsDatagram(facts_.id(id).space)) return;
  Disconnects(id, when);
  Rejects(id, when);
}

template <typename IsSo>
void CountedFaults::EndsAll(Span when, IsSo is_so) {
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (const IdInfo& info = facts_.id(IdRef{i}); info.exists && is_so(info)) Ends(IdRef{i}, when);
}

void CountedFaults::Fetched(const CmEvent& event, const Record& record) {
  // A call that has waited was noted when it began to.
  const bool waited = std::holds_alternative<seen::Released>(record.seen);
  const IdInfo& info = facts_.id(event.id);
  const bool datagram = IsDatagram(info.space);
  const Span when = TimeOf(record);
  if (!waited && event.type == EventType::kEstablished && info.connected && !datagram)
    Once(MadKind::kRtu, when, RouteOf(event.id, when).own);
  if (!waited && event.type == EventType::kConnectError) Once(MadKind::kRej, when);
  const bool fails = datagram && event.type == EventType::kUnreachable;
  if (fails || EndsRepetitions(event.type))
    fault_model_.may_sends().End(event.id, record.end.nanoseconds());
}

void CountedFaults::Calls(const Call& call, const Reply& reply, Span when) {
  const IdRef id = IdOf(call);
  // A call that waits for an event sends before it is refused.
  const bool waits = id.valid() && facts_.id(id).synchronous();
  const bool made = waits || reply.kind != ReplyKind::kReturned || reply.succeeded();
  const CallKind kind = KindOf(call);
  if (id.valid() && IsDatagram(facts_.id(id).space)) {
    if (kind == CallKind::kConnect && made) AsksForService(id, when);
    return;
  }
  if (kind == CallKind::kConnect) {
    if (made) Asks(id, when);
    if (waits) Once(MadKind::kRtu, {when.earliest, kStill});
    if (waits) Once(MadKind::kRej, {when.earliest, kStill});
  } else if (kind == CallKind::kAccept) {
    if (made) Replies(id, when);
    Rejects(id, when);  // one that cannot be accepted
  } else if (kind == CallKind::kReject || kind == CallKind::kRejectEce) {
    if (made) Rejects(id, when);
  } else if (kind == CallKind::kGetCmEvent && reply.kind == ReplyKind::kBlocked) {
    Once(MadKind::kRtu, when);  // the library answers a reply when the call wakes up
    Once(MadKind::kRej, when);
  } else if (kind == CallKind::kEstablish) {
    if (made) Once(MadKind::kRtu, when);
  } else if (kind == CallKind::kDisconnect) {
    if (made) Disconnects(id, when);
  } else if (kind == CallKind::kDestroyId || kind == CallKind::kDestroyEp) {
    Ends(id, when);
  } else if (kind == CallKind::kDestroyEventChannel) {
    EndsAll(when,
            [channel = ChannelOf(call)](const IdInfo& info) { return info.channel == channel; });
  }
}

// For one whose queue pair number another has, a kernel ends the connection of that.
// source: linux 6.1 cm.c cm_match_req, cm_rep_handler
void CountedFaults::LoseStale(const Call& call) {
  const CallKind kind = KindOf(call);
  const bool names = kind == CallKind::kConnect || kind == CallKind::kAccept;
  if (names && facts_.MayShareQpNumber(IdOf(call)))
    fault_model_.may_sends().Lose(MadKinds(MadKind::kDreq) | MadKinds(MadKind::kDrep));
}

void CountedFaults::LearnOf(IdRef id, MadKind kind, const Record& record) {
  const std::vector<Possibility>& all = components_.PossibilitiesOf(id);
  const bool sent = !all.empty() && std::ranges::all_of(all, [&](const Possibility& p) {
    const size_t place = PlaceOf(p, id, kind, record);
    return place < p.flights.size() && IsCounted(fault_model_.FateBeforeRules(p.flights[place], p));
  });
  if (!sent) return;
  // So it has not sent the DREQ that was expected.
  if (kind == MadKind::kDrep) fault_model_.may_sends().TakeBack(id, record.begin.nanoseconds());
  const Flight& flight = all.front().flights[PlaceOf(all.front(), id, kind, record)];
  const int64_t begin = record.begin.nanoseconds();
  if (!fault_model_.may_sends().NoteSent(id, kind, flight.since.latest, begin)) return;
  const auto counted = fault_model_.Count(flight);
  if (!counted) return;
  search_.Change(components_.NumberOf(id),
                 [&](Possibility* p) { Apply(*counted, p, PlaceOf(*p, id, kind, record)); });
}

void CountedFaults::Learn(const Record& record, const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (!counts_ || calls == nullptr || answered == nullptr) return;
  LoseStale(calls->call);
  if (IsTogether(conversation_, record.line) || !facts_.tester_messages.empty()) return;
  const IdRef id = answered->event ? answered->event->id : IdOf(calls->call);
  if (!id.valid() || !facts_.id(id).in_scope || !components_.Has(components_.NumberOf(id))) return;
  for (const MadKind kind : {MadKind::kReq, MadKind::kRep, MadKind::kRtu, MadKind::kDreq,
                             MadKind::kDrep, MadKind::kRej, MadKind::kSidrReq, MadKind::kSidrRep})
    LearnOf(id, kind, record);
}

}  // namespace cm::model
