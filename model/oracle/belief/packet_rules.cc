// Faults of packets: what a rule makes of a message, which may be hit by its place among those that
// the rule counts.
#include <algorithm>
#include <limits>
#include <optional>

#include "model/oracle/belief/fault_model.h"

namespace cm::model {
namespace {

// Maximum delay of a message that others overtake.
constexpr Duration kReordering = Duration::Milliseconds(10);

}  // namespace

void FaultModel::Delay(const Fault& fault, Fate* fate) {
  const bool late = fault.Effect() == PacketEffect::kLate;
  fate->in_order = false;
  fate->late += (late ? fault.MostLate() : kReordering).nanoseconds();
}

void FaultModel::AddRule(const Fault& fault, int64_t now, bool meets_flights) {
  Rule rule{.fault = fault, .since = now, .meets_flights = meets_flights};
  if (fault.last != 0 && counted_.size() < kCountedRules) {
    rule.counted = static_cast<uint8_t>(counted_.size());
    counted_.push_back(fault);
  }
  if (fault.Effect() == PacketEffect::kDoubled) may_sends_.LoseAnswersTo(fault.messages);
  rules_.push_back(rule);
  const PacketEffect effect = fault.Effect();
  delays_ |= effect == PacketEffect::kLate || effect == PacketEffect::kOvertaken;
  if (fault.Loses() && fault.window != Duration::Max()) losses_end_.push_back(rule.last());
}

bool FaultModel::Matches(const Rule& rule, const Flight& flight) const {
  const Fault& fault = rule.fault;
  if (flight.from_device == flight.to_device) return false;  // it does not use the link
  if (!Names(fault.side, flight.from_device) || !Names(fault.to, flight.to_device) ||
      !fault.messages.Has(MadKindOf(flight.kind).value_or(MadKind::kOther))) {
    return false;
  }
  // It may have been in flight for the time of a prompt event, if nothing has delayed it.
  const int64_t prompt = profile_.timing.prompt.nanoseconds();
  const bool too_early =
      (fault.after > Duration() || !delays_) && flight.since.latest + prompt < rule.first();
  const bool too_late = rule.until != kStill && flight.faults >= rule.healed;
  return !too_early && !too_late && flight.since.earliest <= rule.last();
}

Certainty FaultModel::ApplyRule(const Rule& rule, const Flight& flight, const Hits& hits,
                                bool asked, Fate* fate) const {
  const Fault& fault = rule.fault;
  if (!Matches(rule, flight)) return Certainty::kNo;
  bool hits_all = true;
  if (fault.CountsMessages()) {
    const Places places = PlacesOf(rule, flight);
    if (places.AreBeyond(fault)) return Certainty::kNo;
    hits_all = places.AreWithin(fault) && fault.Loses();
  }
  const bool always = hits_all && HasBegun(rule, flight) && Lasts(rule, flight);
  if (rule.counted != kNoRule) {
    const bool spared = ((flight.spared >> rule.counted) & 1) != 0;
    const bool used_up = !hits_all && hits[rule.counted] > fault.last - fault.first;
    if (spared || used_up) return Certainty::kNo;
    if (!always) {
      fate->hits.push_back({rule.counted, fault.Effect()});
      return Certainty::kMaybe;
    }
    if (asked && !fate->can_be_lost) fate->loses = rule.counted;
  }
  switch (fault.Effect()) {
    case PacketEffect::kNone:
      break;
    case PacketEffect::kLost:
    case PacketEffect::kCorrupt:
      fate->Lose(always && asked ? Certainty::kYes : Certainty::kMaybe);
      break;
    case PacketEffect::kLate:
    case PacketEffect::kOvertaken:
      Delay(fault, fate);
      if (always && asked && flight.since.latest < rule.last() && !MayBeOvertaken(rule, flight))
        fate->early += fault.by.nanoseconds();
      break;
    case PacketEffect::kDoubled:
      fate->can_be_copied = !flight.copied;
      break;
  }
  return always && flight.since.latest < rule.last() ? Certainty::kYes : Certainty::kMaybe;
}

bool FaultModel::HasBegun(const Rule& rule, const Flight& flight) const {
  return rule.meets_flights ? flight.since.earliest > rule.first()
                            : flight.since.earliest >= rule.first();
}

bool FaultModel::Lasts(const Rule& rule, const Flight& flight) const {
  if (rule.fault.window == Duration::Max()) return true;
  return flight.since.latest + profile_.timing.prompt.nanoseconds() < rule.last();
}

// A repetition that is delayed as well is followed only when the message has arrived, and a third
// one, which is not delayed any more, only behind that: what it brings is seen before. A tester may
// ask for repetitions at any interval.
bool FaultModel::MayBeOvertaken(const Rule& rule, const Flight& flight) const {
  const int64_t end = rule.last();
  if (end == kStill || end > flight.since.earliest + rule.fault.by.nanoseconds()) return false;
  const bool any_interval = topology_.devices[flight.to_device].tester;
  const int64_t interval = any_interval ? 0 : profile_.timing.ReplyInterval().nanoseconds();
  return end >= flight.since.earliest + interval;
}

// What may still have been in flight when the rule was installed counts: see Matches. What answers
// it was sent a moment later.
FaultModel::Places FaultModel::PlacesBehind(uint32_t before, const Rule& rule,
                                            const Flight& flight) const {
  const int64_t prompt = profile_.timing.prompt.nanoseconds();
  const bool any = delays_ && rule.fault.after == Duration();
  const int64_t from = any ? std::numeric_limits<int64_t>::min() : rule.first() - 2 * prompt;
  const uint8_t side = rule.fault.side;
  const uint8_t sender = side == kAnySide ? kNoDevice : topology_.sides[side].device;
  const uint32_t most = may_sends_.Most(rule.fault.messages, sender, from, flight.since.latest);
  return {.first = before + 1, .last = most == 0 ? kNoEnd : std::max(most, before + 1)};
}

FaultModel::Places FaultModel::PlacesOf(const Rule& rule, const Flight& flight) const {
  const auto before = std::ranges::count_if(
      rule.sent, [&](Span sent) { return sent.latest < flight.since.earliest; });
  return PlacesBehind(static_cast<uint32_t>(before), rule, flight);
}

std::optional<Counted> FaultModel::Count(const Flight& flight) {
  // What was healed before the call does not count what the call sends.
  const auto counts = std::ranges::find_if(
      rules_, [&](const Rule& rule) { return rule.until == kStill && Matches(rule, flight); });
  if (counts == rules_.end() || !counts->fault.CountsMessages() || !HasBegun(*counts, flight) ||
      !Lasts(*counts, flight))
    return std::nullopt;
  const Fault& fault = counts->fault;
  const auto before = static_cast<uint32_t>(counts->sent.size());
  const Places places = PlacesBehind(before, *counts, flight);
  counts->sent.push_back(flight.since);
  if (counts->counted == kNoRule) return std::nullopt;
  const bool hits = places.AreWithin(fault) && fault.Effect() != PacketEffect::kDoubled;
  if (!hits && !places.AreBeyond(fault)) return std::nullopt;
  return Counted{.rule = counts->counted, .effect = fault.Effect(), .hits = hits};
}

Hits FaultModel::allowances() const {
  Hits most{};
  for (size_t i = 0; i < counted_.size(); ++i)
    most[i] =
        static_cast<uint8_t>(std::min<int64_t>(counted_[i].last - counted_[i].first + 1, 255));
  return most;
}

}  // namespace cm::model
