#include "model/oracle/machine/steps.h"

#include <algorithm>

namespace cm::model {

// Done promptly: at any time, and certainly by the next settling or within the prompt bound.
Steps::Due Steps::Prompt(Span since, const Window& window, int64_t late) const {
  const int64_t bound = facts_.profile().timing.prompt.nanoseconds();
  Due due{.not_before = since.earliest, .not_after = since.latest + bound + late};
  if (late == 0 && since.latest <= window.settled.earliest)
    due.not_after = std::min(due.not_after, window.settled.latest - 1);
  return due;
}

Steps::Due Steps::Timer(Span since, Duration nominal) const {
  return {.not_before = since.earliest + nominal.nanoseconds(),
          .not_after = since.latest + facts_.profile().timing.Latest(nominal).nanoseconds()};
}

bool Steps::ComesForCertain(const Possibility& p, const Flight& request, Span when) const {
  const Fate fate = fault_model_.FateOf(request, p);
  return fate.can_arrive && !fate.can_be_lost && fate.hits.empty() &&
         !machine_.MayBeFullFor(facts_.id(request.sender).apart_from, when);
}

bool Steps::StaysAway(Possibility* p, ChannelRef channel, const Window& window) const {
  for (size_t f = 0; f < p->flights.size();) {
    Flight& flight = p->flights[f++];
    if (!IsRequest(flight.kind) || !machine_.IsApart(*p, flight)) continue;
    if (facts_.id(facts_.id(flight.sender).apart_from).channel != channel) continue;
    const Fate fate = fault_model_.FateOf(flight, *p);
    const Due due = Prompt(flight.since, window, fate.late);
    const bool over = due.not_after < window.begin;
    if (over && ComesForCertain(*p, flight, {due.not_before, due.not_after})) return false;
    if (!facts_.requests_may_be_late)
      flight.since.earliest = std::clamp(window.begin, flight.since.earliest, flight.since.latest);
    if (!over) continue;
    const Flight dropped = flight;
    p->flights.erase(p->flights.begin() + static_cast<ptrdiff_t>(--f));
    if (dropped.kind == Sends::kMpaRequest)
      machine_.MeetFullQueue(p, dropped, {due.not_before, due.not_after});
  }
  p->Tidy();
  return true;
}

int64_t Steps::ComesFrom(const Possibility& p, IdRef asker) const {
  int64_t from = INT64_MAX;
  for (const Flight& flight : p.flights)
    if (flight.sender == asker && IsRequest(flight.kind) && !flight.doomed &&
        machine_.IsApart(p, flight))
      from = std::min(from, flight.since.earliest);
  const uint8_t at = p.Find(asker);
  if (from != INT64_MAX || at == kNoId || !p.ids[at].outstanding) return from;
  return p.ids[at].last.earliest + facts_.IntervalOf(p.ids[at]).nanoseconds();
}

int64_t Steps::ComesBy(const Possibility& p, IdRef asker, const Window& window) const {
  for (const Flight& flight : p.flights) {
    if (flight.sender != asker || !IsRequest(flight.kind) || !machine_.IsApart(p, flight)) continue;
    const Due due = Prompt(flight.since, window, fault_model_.FateOf(flight, p).late);
    if (ComesForCertain(p, flight, {due.not_before, due.not_after})) return due.not_after;
  }
  return INT64_MAX;
}

}  // namespace cm::model
