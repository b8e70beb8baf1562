// Faults that hit a number of messages: what is known of a message's place among them.
#include <algorithm>

#include "model/oracle/belief/fault_model.h"

namespace cm::model {

bool FaultModel::HasBegun(const Rule& rule, const Flight& flight) const {
  return rule.meets_flights ? flight.since.earliest > rule.first()
                            : flight.since.earliest >= rule.first();
}

// What may still have been in flight when the rule was installed counts: see Matches. What answers
// it was sent a moment later.
FaultModel::Places FaultModel::PlacesBehind(uint32_t before, const Rule& rule,
                                            const Flight& flight) const {
  const int64_t prompt = profile_.timing.prompt.nanoseconds();
  const bool any = delays_ && rule.fault.after == Duration();
  const int64_t from = any ? std::numeric_limits<int64_t>::min() : rule.first() - 2 * prompt;
  const uint32_t most = may_sends_.Most(rule.fault.messages, from, flight.since.latest);
  return {.first = before + 1, .last = most == 0 ? kNoEnd : std::max(most, before + 1)};
}

FaultModel::Places FaultModel::PlacesOf(const Rule& rule, const Flight& flight) const {
  const auto before = std::ranges::count_if(
      rule.sent, [&](Span sent) { return sent.latest < flight.since.earliest; });
  return PlacesBehind(static_cast<uint32_t>(before), rule, flight);
}

std::optional<Counted> FaultModel::Count(const Flight& flight) {
  const auto counts =
      std::ranges::find_if(rules_, [&](const Rule& rule) { return Matches(rule, flight); });
  if (counts == rules_.end() || !Counts(counts->fault) || !HasBegun(*counts, flight) ||
      flight.since.latest > counts->last())
    return std::nullopt;
  const Fault& fault = counts->fault;
  const auto before = static_cast<uint32_t>(counts->sent.size());
  const Places places = PlacesBehind(before, *counts, flight);
  counts->sent.push_back(flight.since);
  if (counts->counted == kNoRule || fault.window != Duration::Max()) return std::nullopt;
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
