// Steps of an id: what comes from below, timers, and what waits for it.
#include <algorithm>

#include "model/oracle/machine/expansion.h"

namespace cm::model {

void Steps::Expansion::ExpandId(const Possibility& p, uint8_t i) {
  const IdState& id = p.ids[i];
  if (!id.gone && !id.closed) ExpandWork(p, i);
  if (!id.gone && id.HasItsEvent()) ExpandCompletion(p, i);
  if (id.outstanding) ExpandOutstanding(p, i);
  if (id.ib == IbState::kTimewait && !id.closed && !id.gone) {
    // The empty path has no time-out, and with it timewait is over at once.
    const Duration span = id.pathless ? Timing::Exponent(0) : steps_.facts_.TimingOf(id).Timewait();
    Due due = steps_.Timer(id.timewait, span);
    if (id.device != kNoDevice)
      due.not_after = std::max(due.not_after, steps_.fault_model_.BusyUntil(id.device) +
                                                  steps_.Prompt({}, window_, 1).not_after);
    Offer(p, due, "the end of timewait", [&, i](Possibility* next, Span when) {
      machine_.Stimulate(next, i, IbStimulus::kTimewaitOver, {}, when);
    });
  }
}

void Steps::Expansion::ExpandCompletion(const Possibility& p, uint8_t i) {
  const Due due{.not_before = p.ids[i].awaited.earliest, .not_after = kNever};
  for (size_t place = 0; place < p.ids[i].queue.size(); ++place) {
    if (!p.ids[i].MayBeFirst(place)) continue;
    Offer(p, due, "the return of a synchronous call", [&, i, place](Possibility* next, Span when) {
      next->ids[i].MakeFirst(place);
      steps_.delivery_.TakeAwaited(next, i, when);
    });
  }
}

void Steps::Expansion::ExpandWork(const Possibility& p, uint8_t i) {
  const IdState& id = p.ids[i];
  if (id.state == State::kAddrQuery) ExpandResolution(p, i);
  if (id.state == State::kRouteQuery && machine_.over_infiniband()) {
    ExpandRouteQuery(p, i);
  } else if (id.state == State::kRouteQuery) {
    OfferBelow(p, i, steps_.Prompt(id.resolving, window_), "the end of route resolution",
               Below::kRouteFound);
  }
  if (id.removal_due && id.state != State::kDeviceRemoval) {
    Offer(p, steps_.Prompt(id.due, window_), "the removal of the device",
          [&, i](Possibility* next, Span when) {
            next->ids[i].removal_due = false;
            machine_.FromBelow(next, i, Below::kDeviceGoes, when);
          });
  }
  if (id.state == State::kDeviceRemoval) {
    OfferBelow(p, i, steps_.Prompt(id.due, window_), "the end of the kernel's id",
               Below::kKernelIdClosed);
  }
  if (id.iw == IwState::kClosing) {
    Offer(p, steps_.Prompt(id.timewait, window_), "the end of the connection",
          [&, i](Possibility* next, Span when) {
            machine_.StimulateIw(next, i, IwStimulus::kClosed, {}, when);
          });
  }
  if (machine_.over_infiniband()) {
    for (size_t which = 0; which < id.joining.size(); ++which) ExpandJoin(p, i, which);
  } else if (!id.joining.empty()) {
    Offer(p, steps_.Prompt(id.joined, window_), "the report of a membership",
          [&, i](Possibility* next, Span when) {
            machine_.ReportMembership(next, i, 0, Below::kGroupJoined, when);
          });
  }
  const auto report = [&](uint8_t IdState::*due, std::string_view what, Below on) {
    if (id.*due == 0) return;
    Offer(p, steps_.Prompt(id.due, window_), what, [&](Possibility* next, Span when) {
      --(next->ids[i].*due);
      machine_.FromBelow(next, i, on, when);
    });
  };
  report(&IdState::addr_change_due, "the report of the address change", Below::kAddressChanges);
  report(&IdState::neighbour_due, "the report of the neighbour's change", Below::kNeighbourChanges);
}

Steps::Expansion::SaQuery Steps::Expansion::QueryForRoute(const IdState& id) const {
  const IdInfo& info = steps_.facts_.id(id.name);
  // The kernel uses the timeout as an unsigned number.
  const Duration patience = Duration::Milliseconds(static_cast<uint32_t>(info.timeout_ms));
  // There is no path to a group that does not exist.
  return {.query = steps_.fault_model_.QueryOf(id.device, id.resolving, patience),
          .since = id.resolving,
          .patience = patience,
          .refused = info.destination.kind == AddressKind::kGroup};
}

Steps::Expansion::SaQuery Steps::Expansion::QueryForGroup(const IdState& id,
                                                          uint16_t membership) const {
  const IdInfo& info = steps_.facts_.id(id.name);
  const Span since = info.memberships[membership - 1].since;
  const Duration patience = steps_.facts_.profile().timing.group_reply;
  SaQuery asked{.query = steps_.fault_model_.QueryOf(id.device, since, patience),
                .since = since,
                .patience = patience};
  asked.waits = steps_.facts_.SharesGroup(info, membership);
  // The port may be in the group already, or another query for it may be outstanding.
  if (asked.waits && asked.query.silenced)
    asked.query = {
        .answered_from = since.earliest, .prompt = false, .unheard = true, .silenced = true};
  return asked;
}

template <typename Becomes>
void Steps::Expansion::ExpandSaQuery(const Possibility& p, const SaQuery& asked,
                                     std::string_view what, Below answered, Below unheard,
                                     Becomes becomes) {
  const FaultModel::Query& query = asked.query;
  Due due = steps_.Prompt(asked.since, window_);
  if (!query.prompt) {
    const Timing& timing = steps_.facts_.profile().timing;
    const int64_t latest =
        timing.LatestOf(Timing::AskInterval(asked.patience), Timing::AskTimes(asked.patience))
            .nanoseconds();
    due.not_after = asked.waits ? kNever : asked.since.latest + latest;
  }
  const Due given_up{
      .not_before = asked.since.earliest + Timing::AskPatience(asked.patience).nanoseconds(),
      .not_after = due.not_after};
  due.not_before = query.answered_from;
  const auto offer = [&](Due at, Below how) {
    Offer(p, at, what, [&, how](Possibility* next, Span when) { becomes(next, how, when); });
  };
  if (query.answered) offer(due, answered);
  if (query.answered && asked.refused) offer(due, Below::kRouteRefused);
  if (query.unheard) offer(given_up, unheard);
}

void Steps::Expansion::ExpandRouteQuery(const Possibility& p, uint8_t i) {
  ExpandSaQuery(p, QueryForRoute(p.ids[i]), "the end of route resolution", Below::kRouteFound,
                Below::kRouteTimesOut, [&](Possibility* next, Below how, Span when) {
                  machine_.FromBelow(next, i, how, when);
                });
}

void Steps::Expansion::ExpandJoin(const Possibility& p, uint8_t i, size_t which) {
  const uint16_t payload = p.ids[i].joining[which];
  const uint16_t membership = steps_.facts_.payloads[payload].membership;
  ExpandSaQuery(p, QueryForGroup(p.ids[i], membership), "the report of a membership",
                Below::kGroupJoined, Below::kGroupTimesOut,
                [&](Possibility* next, Below how, Span when) {
                  machine_.ReportMembership(next, i, which, how, when);
                });
}

void Steps::Expansion::ExpandResolution(const Possibility& p, uint8_t i) {
  const IdState& id = p.ids[i];
  const IdInfo& info = steps_.facts_.id(id.name);
  const bool for_ever = info.timeout_ms < 0;
  const Due timer = steps_.Timer(id.resolving, Duration::Milliseconds(info.timeout_ms));
  Due found = steps_.Prompt(id.resolving, window_);
  if (info.asking.asks) found.not_after = for_ever ? kNever : timer.not_after;
  if (info.asking.answered != Certainty::kYes && !for_ever)
    OfferBelow(p, i, timer, "the time-out of address resolution", Below::kAddressTimesOut);
  if (info.asking.answered == Certainty::kNo) return;
  const bool other_link = info.space == PortSpace::kIpoib && !machine_.over_infiniband();
  if (other_link && id.device == kNoDevice) {
    OfferBelow(p, i, found, "the end of address resolution", Below::kAddressOfOtherLink);
    return;
  }
  const uint8_t device = info.interface;
  // From a loopback address nothing leads to a device.
  const bool from_loopback = info.bound.kind == AddressKind::kLoopback && !info.resolves_loopback;
  const Certainty registered = id.device != kNoDevice ? Certainty::kYes
                               : device == kNoDevice || from_loopback
                                   ? Certainty::kNo
                                   : steps_.fault_model_.Registered(device, window_);
  if (registered != Certainty::kNo) {
    Offer(p, found, "the end of address resolution", [&, i, device](Possibility* next, Span when) {
      if (next->ids[i].device == kNoDevice) next->ids[i].device = device;
      machine_.FromBelow(next, i, Below::kAddressFound, when);
    });
  }
  if (registered != Certainty::kYes) {
    OfferBelow(p, i, found, "the end of address resolution", Below::kAddressWithoutDevice);
  }
}

void Steps::Expansion::ExpandOutstanding(const Possibility& p, uint8_t i) {
  const IdState& id = p.ids[i];
  if (id.message == Sends::kMpaRequest) return ExpandAwaitedReply(p, i);
  const Timing timing = steps_.facts_.TimingOf(id);
  const Duration plain = steps_.facts_.IntervalOf(id);
  const Duration interval = id.mra ? timing.AfterMra() : plain;
  bool under_way = false;
  bool fails = false;
  Due again = InTurn(id.last, interval);
  for (size_t f = 0; f < p.flights.size(); ++f) {
    const Flight& flight = p.flights[f];
    if (flight.from != i || flight.kind != id.message) continue;
    const Fate& fate = FateAt(p, f);
    under_way |= flight.hit == kNoRule && !MayOvertake(p, flight, fate, again);
    fails |= fate.fails_at_sender;
  }
  if (fails) {
    Offer(p, steps_.Prompt(id.last, window_, kNever), "", [&, i](Possibility* next, Span when) {
      std::erase_if(next->flights,
                    [&](const Flight& f) { return f.from == i && f.kind == next->ids[i].message; });
      if (next->ids[i].abandoned)
        next->ids[i].outstanding = next->ids[i].abandoned = false;
      else
        machine_.Stimulate(next, i, IbStimulus::kSendFails, {}, when);
      next->Tidy();
    });
  }
  const Certainty kept = Keeps(id, p);
  // A message that is kept is neither repeated nor given up.
  if (kept == Certainty::kYes && !MayFailWhenRepeated(id)) return;
  if (!under_way && !RepeatsApart(p, i)) {
    // One that a fault delays may still have been under way then.
    Flight sent = machine_.RequestOf(id);
    sent.since = id.last;
    const Duration held = steps_.fault_model_.LongestDelay(sent);
    if (held > interval) {
      const Due then = steps_.Prompt(id.last, window_, held.nanoseconds());
      again.not_after = std::max(again.not_after, then.not_after);
    }
    if (!MustRepeat(id, timing, plain) || kept != Certainty::kNo) again.not_after = kNever;
    Offer(p, again, kRepetition, [&, i](Possibility* next, Span when) {
      machine_.Stimulate(next, i, IbStimulus::kRetry, {}, when);
    });
  }
  if (MustRepeat(id, timing, plain) && !RepeatsApart(p, i)) return;
  const Duration latest = timing.LatestGiveUp(plain);
  Due end = InTurn(id.first, timing.GiveUp(plain));
  end.not_after = id.first.latest + latest.nanoseconds() * steps_.facts_.Turns();
  // An MRA makes it longer, but for one of a tester, which may say anything.
  const int64_t earliest = EarliestEnd(id, plain);
  end.not_before = id.mra_timeout != 0 ? earliest : std::max(end.not_before, earliest);
  const Duration longest = std::max(latest, timing.LatestGiveUp(timing.AfterMra()));
  if (id.mra || MayHaveMra(p, i)) end.not_after = id.first.latest + longest.nanoseconds();
  if (kept != Certainty::kNo) end.not_after = kNever;
  Offer(p, end, "the last repetition of a message", [&, i](Possibility* next, Span when) {
    // What would make it wait longer comes too late; a counted fault may still hit it.
    const bool counts = steps_.facts_.allowances != Hits{};
    std::erase_if(next->flights, [&](const Flight& f) {
      const bool own = f.from == i && f.kind == next->ids[i].message;
      return (own && !machine_.IsApart(*next, f)) ||
             (f.to == i && f.kind == Sends::kMra && !counts);
    });
    const bool abandoned = next->ids[i].abandoned;
    while (RepeatsApart(*next, i) && RepeatOnce(next, i)) {
    }
    machine_.Stimulate(next, i, IbStimulus::kExhausted, {}, when);
    if (abandoned) next->ids[i].outstanding = next->ids[i].abandoned = false;
    next->Tidy();
  });
}

// The rule that delays a message may not be there any more when it is repeated.
bool Steps::Expansion::MayOvertake(const Possibility& p, const Flight& message, const Fate& first,
                                   Due again) const {
  if (first.late == 0) return false;
  Flight repetition = message;
  repetition.since = {again.not_before, again.not_after};
  const Fate second = steps_.fault_model_.FateOf(repetition, p);
  return second.late < first.late &&
         again.not_before + second.early < message.since.latest + first.late;
}

bool Steps::Expansion::RepeatsApart(const Possibility& p, uint8_t i) const {
  const IdState& id = p.ids[i];
  const bool asks = steps_.facts_.any_apart && id.outstanding && id.message == Sends::kReq &&
                    !id.mra && id.name.valid();
  const auto answers = [i](const Flight& flight) { return flight.to == i; };
  return asks && machine_.IsApart(p, machine_.RequestOf(id)) &&
         std::ranges::none_of(p.flights, answers);
}

// A repetition has met the request in the queue.
bool Steps::Expansion::MayHaveMra(const Possibility& p, uint8_t i) const {
  if (!RepeatsApart(p, i)) return false;
  const int64_t interval = steps_.facts_.IntervalOf(p.ids[i]).nanoseconds();
  return std::ranges::any_of(p.flights, [&](const Flight& flight) {
    return flight.from == i && IsRequest(flight.kind) &&
           flight.since.earliest + interval <= window_.end;
  });
}

std::optional<Possibility> Steps::Expansion::WithMra(const Possibility& p, IdRef asker) const {
  const uint8_t i = p.Find(asker);
  if (i == kNoId || !MayHaveMra(p, i)) return {};
  Possibility next = p;
  const int64_t first = p.ids[i].first.earliest + steps_.facts_.IntervalOf(p.ids[i]).nanoseconds();
  machine_.Stimulate(&next, i, IbStimulus::kMra, {}, {first, window_.end});
  return next;
}

// One that may have repeated it looks like one that has not: the times of both would be one. So it
// has when it had to.
void Steps::Expansion::RepeatApart(Possibility* p) {
  for (uint8_t i = 0; i < p->ids.size(); ++i)
    while (RepeatsApart(*p, i) && Keeps(p->ids[i], *p) == Certainty::kNo &&
           InTurn(p->ids[i].last, steps_.facts_.IntervalOf(p->ids[i])).not_after < window_.begin &&
           RepeatOnce(p, i)) {
    }
}

// False where it would be once too often.
bool Steps::Expansion::RepeatOnce(Possibility* p, uint8_t i) const {
  const IdState& id = p->ids[i];
  const Duration interval = steps_.facts_.IntervalOf(id);
  if (!MustRepeat(id, steps_.facts_.TimingOf(id), interval)) return false;
  const Due due = InTurn(id.last, interval);
  machine_.Stimulate(p, i, IbStimulus::kRetry, {},
                     {due.not_before, std::min(due.not_after, window_.end)});
  machine_.JoinApart(p, i);
  return true;
}

std::optional<Possibility> Steps::Expansion::WithRepetition(const Possibility& p,
                                                            IdRef asker) const {
  const uint8_t i = p.Find(asker);
  if (i == kNoId || !RepeatsApart(p, i)) return {};
  const IdState& id = p.ids[i];
  if (InTurn(id.last, steps_.facts_.IntervalOf(id)).not_before > window_.end) return {};
  std::optional<Possibility> next = p;
  if (!RepeatOnce(&*next, i)) return {};
  return next;
}

Steps::Due Steps::Expansion::InTurn(Span since, Duration nominal) const {
  Due due = steps_.Timer(since, nominal);
  due.not_after = since.latest + (due.not_after - since.latest) * steps_.facts_.Turns();
  return due;
}

void Steps::Expansion::ExpandAwaitedReply(const Possibility& p, uint8_t i) {
  // One of a crowd: whether it has got one is left open, until an event shows it.
  const auto is_open = [&](const Flight& flight) {
    return flight.from == i && machine_.IsApart(p, flight);
  };
  if (std::ranges::any_of(p.flights, is_open)) return;
  const Duration wait = steps_.facts_.profile().timing.mpa_reply;
  Offer(p, steps_.Timer(p.ids[i].first, wait), "the end of waiting for an MPA reply",
        [&, i](Possibility* next, Span when) {
          machine_.StimulateIw(next, i, IwStimulus::kNoReply, {}, when);
          next->Tidy();
        });
}

Certainty Steps::Expansion::Keeps(const IdState& id, const Possibility& p) const {
  const uint8_t peer = steps_.facts_.PeerDeviceOf(id);
  if (id.device == kNoDevice) return Certainty::kNo;
  return steps_.fault_model_.carriers().Keeps(id.device, peer, id.last, p);
}

bool Steps::Expansion::MayFailWhenRepeated(const IdState& id) const {
  Flight message = machine_.RequestOf(id);
  message.since = id.last;
  if (steps_.fault_model_.carriers().Missed(message) == Certainty::kYes) return false;
  message.source_from = steps_.facts_.EarliestSourceOf(id);
  message.source_to = steps_.facts_.LatestSourceOf(id);
  message.since = {window_.begin, window_.end};
  return steps_.fault_model_.SentWithoutSource(message) != Certainty::kNo;
}

bool Steps::Expansion::MustRepeat(const IdState& id, const Timing& timing, Duration plain) const {
  if (id.mra || id.abandoned) return false;
  return id.last.latest < id.first.earliest + timing.max_retries * plain.nanoseconds();
}

int64_t Steps::Expansion::EarliestEnd(const IdState& id, Duration plain) const {
  if (!id.mra) return 0;
  const Timing timing = steps_.facts_.TimingOf(id);
  const int64_t waited = (id.first_mra.latest - id.first.earliest) / plain.nanoseconds();
  const int64_t left = timing.max_retries + 1 - std::min<int64_t>(timing.max_retries, waited);
  return id.first_mra.earliest + left * timing.AfterMra().nanoseconds();
}

}  // namespace cm::model
