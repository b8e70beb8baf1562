#include "model/oracle/judge/counted_faults.h"

#include <algorithm>

#include "model/oracle/judge/answers.h"

namespace cm::model {
namespace {

// The message of that kind that the id has sent in the possibility; none: its end.
size_t PlaceOf(const Possibility& p, IdRef id, Sends kind) {
  const uint8_t at = p.Find(id);
  const auto found = std::ranges::find_if(p.flights, [&](const Flight& flight) {
    return at != kNoId && flight.from == at && flight.kind == kind;
  });
  return static_cast<size_t>(found - p.flights.begin());
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

bool CountedFaults::IsCertain(const Record& record, IdRef id) const {
  if (IsTogether(conversation_, record.line) || !facts_.tester_messages.empty()) return false;
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (!facts_.id(IdRef{i}).in_scope) return false;
  return components_.Has(components_.NumberOf(id));
}

void CountedFaults::Learn(const Record& record, const Line& line) {
  const auto* calls = std::get_if<line::Calls>(&line);
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (facts_.allowances == Hits{} || calls == nullptr || answered == nullptr) return;
  const CallKind kind = KindOf(calls->call);
  const bool asks = kind == CallKind::kConnect;
  if (!asks && kind != CallKind::kAccept) return;
  const Reply& reply = answered->reply;
  if (reply.kind == ReplyKind::kReturned && !reply.succeeded()) return;
  const IdRef id = IdOf(calls->call);
  const Sends sends = asks ? Sends::kReq : Sends::kRep;
  const std::vector<Possibility>& all = components_.PossibilitiesOf(id);
  const bool sent = !all.empty() && std::ranges::all_of(all, [&](const Possibility& p) {
    const size_t place = PlaceOf(p, id, sends);
    return place < p.flights.size() && IsCounted(fault_model_.FateOf(p.flights[place], p));
  });
  if (!sent || !IsCertain(record, id))
    return fault_model_.StopCounting(MadKinds(asks ? MadKind::kReq : MadKind::kRep));
  const Possibility& one = all.front();
  const Timing timing = facts_.TimingOf(one.ids[one.Find(id)]);
  const Duration repeats = std::min(timing.RequestInterval(), timing.ReplyInterval());
  const auto counted =
      fault_model_.Count(one.flights[PlaceOf(one, id, sends)], record.begin.nanoseconds(),
                         (record.begin + repeats).nanoseconds());
  if (!counted) return;
  search_.Change(components_.NumberOf(id),
                 [&](Possibility* p) { Apply(*counted, p, PlaceOf(*p, id, sends)); });
}

}  // namespace cm::model
