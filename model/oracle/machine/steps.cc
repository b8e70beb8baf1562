#include "model/oracle/machine/steps.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/oracle/machine/arrivals.h"
#include "model/oracle/machine/sa_queries.h"

namespace cm::model {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 4;

bool IsOverTcp(Sends kind) {
  return kind == Sends::kMpaRequest || kind == Sends::kMpaReply || kind == Sends::kMpaReject ||
         kind == Sends::kFin;
}

}  // namespace

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

// Everything that one possibility may turn into by a single step.
class Steps::Expansion {
 public:
  Expansion(const Steps& steps, const Window& window, const Aim& aim)
      : steps_(steps), machine_(steps.machine_), window_(window), aim_(aim) {}

  bool Expand(const Possibility& p, const Take& take) {
    if (TakeLost(p, take)) return false;
    take_ = &take;
    horizon_ = kNever;
    measuring_ = true;
    crowd_ = IsCrowd(steps_.facts_, p);
    Reach reach(steps_.facts_, machine_, p);
    if (crowd_) Narrow(p, &reach);
    ExpandAll(p);
    measuring_ = false;
    Reach group(steps_.facts_, machine_, p);
    const bool forced = horizon_ < window_.begin;
    if (crowd_ && !forced && aim_.quiet.valid()) return true;
    if (crowd_ && forced && aim_.request == nullptr) {
      AddFirst(p, &group);
      reach_ = &group;
    }
    ExpandAll(p);
    return true;
  }

  // What is overdue in a possibility; empty when it may stay as it is.
  std::string Overdue(const Possibility& p) {
    take_ = nullptr;
    overdue_.clear();
    Reach reach(steps_.facts_, machine_, p);
    crowd_ = IsCrowd(steps_.facts_, p);
    if (crowd_) Narrow(p, &reach);
    ExpandAll(p);
    return overdue_;
  }

 private:
  void Narrow(const Possibility& p, Reach* reach) {
    if (aim_.Everything()) return;
    reach->Add(aim_, window_.end);
    reach_ = reach;
    if (aim_.request == nullptr || take_ == nullptr) return;
    for (uint8_t i = 0; i < p.ids.size(); ++i)
      if (p.ids[i].outstanding && IsRequest(p.ids[i].message) && MayShow(p.ids[i].message_payload))
        reach->Add(i);
  }
  // Whether it is the request that the listener shows; whether others have come before the listener
  // was asked is the same.
  bool MayShow(uint16_t payload) const {
    return take_ != nullptr && steps_.delivery_.MayShow(*aim_.request, aim_.id, payload);
  }
  bool Done() const { return take_ == nullptr && !overdue_.empty(); }

  void ExpandAll(const Possibility& p) {
    for (uint8_t i = 0; i < p.ids.size() && !Done(); ++i) {
      if (reach_ != nullptr && !reach_->Has(i)) continue;
      subject_ = i;
      ExpandId(p, i);
    }
    for (size_t f = 0; f < p.flights.size() && !Done(); ++f) {
      if (reach_ != nullptr && !reach_->Has(p.flights[f])) continue;
      subject_ = p.ids.size() + f;
      const Flight& flight = p.flights[f];
      const bool other = reach_ != nullptr && aim_.request != nullptr && IsRequest(flight.kind) &&
                         !MayShow(flight.payload);
      if (!other)
        ExpandFlight(p, f);
      else if (measuring_)
        NoteCertain(p, flight);
    }
  }

  // In a crowd, whether it may find the queue of its listener full.
  bool MayMeetFullQueue(const Possibility& p, const Flight& flight, Span when) {
    if (!crowd_ || flight.kind != Sends::kReq) return false;
    const uint8_t listener = machine_.ListenerFor(p, flight);
    if (listener == kNoId) return false;
    if (asked_ != listener) asking_ = machine_.CountAsking(p, listener);
    asked_ = listener;
    return Machine::MayBeFull(p.ids[listener], asking_, when);
  }

  // Another request comes first if it has to have come earlier.
  void NoteCertain(const Possibility& p, const Flight& flight) {
    const Fate fate = steps_.fault_model_.FateOf(flight, p);
    const uint8_t listener = machine_.ListenerFor(p, flight);
    const bool full = listener == kNoId || p.ids[listener].backlog <= 0 ||
                      MayMeetFullQueue(p, flight, {flight.since.earliest, window_.end});
    if (!fate.can_arrive || fate.can_be_lost || fate.hits.size() != 0 || full) return;
    horizon_ = std::min(horizon_, steps_.Prompt(flight.since, window_, fate.late).not_after);
  }

  // What has to happen first happens first, with what it can make a difference to.
  void AddFirst(const Possibility& p, Reach* group) const {
    if (first_ < p.ids.size())
      group->Add(static_cast<uint8_t>(first_));
    else
      group->Add(p.flights[first_ - p.ids.size()]);
  }

  // A message that can only be lost is lost before anything else happens: nothing shows when it is,
  // and a hundred of them would be lost in every order.
  bool TakeLost(const Possibility& p, const Take& take) const {
    for (size_t f = 0; f < p.flights.size(); ++f) {
      if (!steps_.fault_model_.FateOf(p.flights[f], p).OnlyLost()) continue;
      Possibility next = p;
      next.flights.erase(next.flights.begin() + static_cast<ptrdiff_t>(f));
      take(std::move(next));
      return true;
    }
    return false;
  }

  // Offers a step: hands on what it leads to when it may happen now, or notes that it is overdue.
  template <typename Change>
  void Offer(const Possibility& p, Due due, std::string_view what, Change change) {
    if (due.not_before > window_.end) return;
    if (take_ == nullptr) {
      if (due.not_after < window_.begin) overdue_ = what;
      return;
    }
    if (measuring_ && due.not_after < horizon_) {
      horizon_ = due.not_after;
      first_ = subject_;
    }
    if (measuring_ || due.not_before > horizon_) return;
    Possibility next = p;
    // What it sets off began no later than it had to happen itself.
    change(&next, Span{due.not_before, std::min(window_.end, due.not_after)});
    steps_.fault_model_.TellEpochs(&next);
    if (reach_ != nullptr && aim_.quiet.valid() && steps_.delivery_.Shows(next, aim_.quiet)) return;
    (*take_)(std::move(next));
  }

  // Offers a step from below.
  void OfferBelow(const Possibility& p, uint8_t i, Due due, std::string_view what, Below on) {
    Offer(p, due, what,
          [&, i, on](Possibility* next, Span when) { machine_.FromBelow(next, i, on, when); });
  }

  void ExpandId(const Possibility& p, uint8_t i) {
    const IdState& id = p.ids[i];
    if (!id.gone && !id.closed) ExpandWork(p, i);
    if (!id.gone && id.HasItsEvent()) ExpandCompletion(p, i);
    if (id.outstanding) ExpandOutstanding(p, i);
    if (id.ib == IbState::kTimewait && !id.closed && !id.gone) {
      // The empty path has no time-out, and with it timewait is over at once.
      const Duration span =
          id.pathless ? Timing::Exponent(0) : steps_.facts_.TimingOf(id).Timewait();
      Due due = steps_.Timer(id.timewait, span);
      if (id.device != kNoDevice)
        due.not_after = std::max(due.not_after, steps_.fault_model_.BusyUntil(id.device) +
                                                    steps_.Prompt({}, window_, 1).not_after);
      Offer(p, due, "the end of timewait", [&, i](Possibility* next, Span when) {
        machine_.Stimulate(next, i, IbStimulus::kTimewaitOver, {}, when);
      });
    }
  }

  // Whether it is overdue is seen where the call is: it has returned or it has not.
  void ExpandCompletion(const Possibility& p, uint8_t i) {
    const Due due{.not_before = p.ids[i].awaited.earliest, .not_after = kNever};
    for (size_t place = 0; place < p.ids[i].queue.size(); ++place) {
      if (!p.ids[i].MayBeFirst(place)) continue;
      Offer(p, due, "the return of a synchronous call",
            [&, i, place](Possibility* next, Span when) {
              next->ids[i].MakeFirst(place);
              steps_.delivery_.TakeAwaited(next, i, when);
            });
    }
  }

  void ExpandWork(const Possibility& p, uint8_t i) {
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
    if (id.addr_change_due > 0) {
      Offer(p, steps_.Prompt(id.due, window_), "the report of the address change",
            [&, i](Possibility* next, Span when) {
              --next->ids[i].addr_change_due;
              machine_.FromBelow(next, i, Below::kAddressChanges, when);
            });
    }
    if (id.neighbour_due > 0) {
      Offer(p, steps_.Prompt(id.due, window_), "the report of the neighbour's change",
            [&, i](Possibility* next, Span when) {
              --next->ids[i].neighbour_due;
              machine_.FromBelow(next, i, Below::kNeighbourChanges, when);
            });
    }
  }

  // It is answered, or repeated until it is given up.
  template <typename Becomes>
  void ExpandSaQuery(const Possibility& p, const SaQuery& asked, std::string_view what,
                     Below answered, Below unheard, Becomes becomes) {
    const FaultModel::Query& query = asked.query;
    Due due = steps_.Prompt(asked.since, window_);
    if (!query.prompt) {
      const Timing& timing = steps_.facts_.profile().timing;
      const int64_t latest = timing.Latest(asked.in_all).nanoseconds();
      due.not_after = asked.waits ? kNever : asked.since.latest + latest;
    }
    const Due given_up{.not_before = asked.since.earliest + asked.in_all.nanoseconds(),
                       .not_after = due.not_after};
    due.not_before = query.answered_from;
    if (query.answered) Offer(p, due, what, becomes(answered));
    if (query.answered && asked.refused) Offer(p, due, what, becomes(Below::kRouteRefused));
    if (query.unheard) Offer(p, given_up, what, becomes(unheard));
  }

  void ExpandRouteQuery(const Possibility& p, uint8_t i) {
    const SaQuery asked = QueryForRoute(steps_.facts_, steps_.fault_model_, p.ids[i]);
    ExpandSaQuery(p, asked, "the end of route resolution", Below::kRouteFound,
                  Below::kRouteTimesOut, [this, i](Below on) {
                    return [this, i, on](Possibility* next, Span when) {
                      machine_.FromBelow(next, i, on, when);
                    };
                  });
  }

  void ExpandJoin(const Possibility& p, uint8_t i, size_t which) {
    const uint16_t payload = p.ids[i].joining[which];
    const SaQuery asked = QueryForGroup(steps_.facts_, steps_.fault_model_, p.ids[i],
                                        steps_.facts_.payloads[payload].membership);
    ExpandSaQuery(p, asked, "the report of a membership", Below::kGroupJoined,
                  Below::kGroupTimesOut, [this, i, which](Below on) {
                    return [this, i, which, on](Possibility* next, Span when) {
                      machine_.ReportMembership(next, i, which, on, when);
                    };
                  });
  }

  void ExpandResolution(const Possibility& p, uint8_t i) {
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
    const Certainty registered = id.device != kNoDevice ? Certainty::kYes
                                 : device == kNoDevice
                                     ? Certainty::kNo
                                     : steps_.fault_model_.Registered(device, window_);
    if (registered != Certainty::kNo) {
      Offer(p, found, "the end of address resolution",
            [&, i, device](Possibility* next, Span when) {
              if (next->ids[i].device == kNoDevice) next->ids[i].device = device;
              machine_.FromBelow(next, i, Below::kAddressFound, when);
            });
    }
    if (registered != Certainty::kYes) {
      OfferBelow(p, i, found, "the end of address resolution", Below::kAddressWithoutDevice);
    }
  }

  // The message is repeated while it is not answered, and given up at last. It is repeated only
  // when the last copy is not under way any more, or is held back by a fault.
  void ExpandOutstanding(const Possibility& p, uint8_t i) {
    const IdState& id = p.ids[i];
    if (id.message == Sends::kMpaRequest) return ExpandAwaitedReply(p, i);
    const Certainty kept = Keeps(id, p);
    if (kept == Certainty::kYes) return;  // neither repeated nor given up
    const Timing timing = steps_.facts_.TimingOf(id);
    const bool active = !id.origin.valid();
    const Duration plain = id.message == Sends::kRep || id.message == Sends::kSidrReq || !active
                               ? timing.ReplyInterval()
                               : timing.RequestInterval();
    const Duration interval = id.mra ? timing.AfterMra() : plain;
    bool under_way = false;
    bool fails = false;
    for (const Flight& flight : p.flights) {
      if (flight.from != i || flight.kind != id.message) continue;
      under_way |= flight.hit == kNoRule;
      fails |= steps_.fault_model_.FateOf(flight, p).fails_at_sender;
    }
    if (fails) {
      Offer(p, steps_.Prompt(id.last, window_, kNever), "", [&, i](Possibility* next, Span when) {
        std::erase_if(next->flights, [&](const Flight& f) {
          return f.from == i && f.kind == next->ids[i].message;
        });
        if (next->ids[i].abandoned)
          next->ids[i].outstanding = next->ids[i].abandoned = false;
        else
          machine_.Stimulate(next, i, IbStimulus::kSendFails, {}, when);
        next->Tidy();
      });
    }
    if (!under_way) {
      Due again = InTurn(id.last, interval);
      if (!MustRepeat(id, timing, plain) || kept != Certainty::kNo) again.not_after = kNever;
      Offer(p, again, "the repetition of a message", [&, i](Possibility* next, Span when) {
        machine_.Stimulate(next, i, IbStimulus::kRetry, {}, when);
      });
    }
    if (MustRepeat(id, timing, plain)) return;
    Due end = InTurn(id.first, timing.GiveUp(plain));
    // An MRA makes it longer, but for one of a tester, which may say anything.
    const int64_t earliest = EarliestEnd(id, plain);
    end.not_before = id.mra_timeout != 0 ? earliest : std::max(end.not_before, earliest);
    const Duration longest = std::max(timing.GiveUp(plain), timing.GiveUp(timing.AfterMra()));
    if (id.mra) end.not_after = id.first.latest + timing.Latest(longest).nanoseconds();
    if (kept != Certainty::kNo) end.not_after = kNever;
    Offer(p, end, "the last repetition of a message", [&, i](Possibility* next, Span when) {
      std::erase_if(next->flights,
                    [&](const Flight& f) { return f.from == i && f.kind == next->ids[i].message; });
      const bool abandoned = next->ids[i].abandoned;
      machine_.Stimulate(next, i, IbStimulus::kExhausted, {}, when);
      if (abandoned) next->ids[i].outstanding = next->ids[i].abandoned = false;
      next->Tidy();
    });
  }

  // The timer of a message that may have to wait for its turn.
  Due InTurn(Span since, Duration nominal) const {
    Due due = steps_.Timer(since, nominal);
    due.not_after = since.latest + (due.not_after - since.latest) * steps_.facts_.Turns();
    return due;
  }

  // TCP repeats what is lost, until the provider waits no more.
  void ExpandAwaitedReply(const Possibility& p, uint8_t i) {
    const Duration wait = steps_.facts_.profile().timing.mpa_reply;
    Offer(p, steps_.Timer(p.ids[i].first, wait), "the end of waiting for an MPA reply",
          [&, i](Possibility* next, Span when) {
            machine_.StimulateIw(next, i, IwStimulus::kNoReply, {}, when);
            next->Tidy();
          });
  }

  // Whether the device keeps its message. source: observed 6.12-rxe 73-link_down_when_resolving
  Certainty Keeps(const IdState& id, const Possibility& p) const {
    const uint8_t peer = steps_.facts_.PeerDeviceOf(id);
    if (id.device == kNoDevice || id.device == peer) return Certainty::kNo;
    return steps_.fault_model_.carriers().Keeps(id.device, peer, id.last, p);
  }

  // Whether there must be a further retransmission.
  bool MustRepeat(const IdState& id, const Timing& timing, Duration plain) const {
    if (id.mra || id.abandoned) return false;
    return id.last.latest < id.first.earliest + timing.max_retries * plain.nanoseconds();
  }

  // From the first MRA on each wait that is left takes as long as it says.
  int64_t EarliestEnd(const IdState& id, Duration plain) const {
    if (!id.mra) return 0;
    const Timing timing = steps_.facts_.TimingOf(id);
    const int64_t waited = (id.first_mra.latest - id.first.earliest) / plain.nanoseconds();
    const int64_t left = timing.max_retries + 1 - std::min<int64_t>(timing.max_retries, waited);
    return id.first_mra.earliest + left * timing.AfterMra().nanoseconds();
  }

  void ExpandFlight(const Possibility& p, size_t f) {
    const Flight& flight = p.flights[f];
    const Fate fate = steps_.fault_model_.FateOf(flight, p);
    if (machine_.AsksElsewhere(p, flight)) return;
    bool behind = false;
    for (size_t earlier = 0; earlier < f && !behind; ++earlier) {
      // What is held back itself holds nothing up, nor does the second of two copies.
      const Flight& first = p.flights[earlier];
      behind = first.SameSender(flight) && first.to_device == flight.to_device && !first.copied &&
               steps_.fault_model_.FateOf(first, p).in_order;
    }
    Due due = steps_.Prompt(flight.since, window_, fate.late);
    due.not_before += fate.early;
    const bool arrives = fate.can_arrive && (!behind || !fate.in_order);
    if (arrives) OfferArrival(p, f, due);
    if (arrives && MayMeetFullQueue(p, flight, {due.not_before, due.not_after}))
      OfferDrop(p, f, due);
    if (arrives && fate.can_be_copied) OfferCopy(p, f, due, kNoRule);
    const bool lost = fate.can_be_lost || !fate.can_arrive;
    if (lost && fate.mutes != Certainty::kYes) OfferLoss(p, f, due, kNoRule);
    if (lost && fate.mutes != Certainty::kNo) OfferMuting(p, f, due);
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

  // One that arrives meets the user of its queue pair's number: what may find it in use may find
  // that it is not. `change` comes before.
  template <typename Change>
  void OfferArrival(const Possibility& p, size_t f, Due due, Change change) {
    const Flight& flight = p.flights[f];
    const bool asks = flight.kind == Sends::kReq || flight.kind == Sends::kRep;
    const uint8_t user = asks ? machine_.UserOf(p, flight, Certainty::kYes) : kNoId;
    const uint8_t other = asks ? machine_.UserOf(p, flight, Certainty::kMaybe) : kNoId;
    const auto offer = [&](uint8_t met) {
      Offer(p, due, "the arrival of a message", [&, met](Possibility* next, Span when) {
        const Flight arrives = p.flights[f];
        change(next);
        Arrive(next, arrives, met, when);
      });
    };
    offer(user);
    if (other != user) offer(other);
  }

  void OfferArrival(const Possibility& p, size_t f, Due due) {
    OfferArrival(p, f, due, [f](Possibility* next) {
      next->flights.erase(next->flights.begin() + static_cast<ptrdiff_t>(f));
    });
  }

  // Its copy arrives first. `rule`: the counted rule that does it; none of those that are not.
  void OfferCopy(const Possibility& p, size_t f, Due due, uint8_t rule) {
    OfferArrival(p, f, due, [f, rule](Possibility* next) {
      next->flights[f].copied = true;
      CountHit(next, rule);
    });
  }

  void OfferLoss(const Possibility& p, size_t f, Due due, uint8_t rule) {
    Offer(p, due, "the loss of a message", [f, rule](Possibility* next, Span) {
      next->flights.erase(next->flights.begin() + static_cast<ptrdiff_t>(f));
      CountHit(next, rule);
    });
  }

  // The listener's queue was full when it came.
  void OfferDrop(const Possibility& p, size_t f, Due due) {
    Offer(p, due, "the arrival of a message", [f](Possibility* next, Span) {
      static const RuleNumber full = NumberOf(
          &*std::ranges::find(rules::kRequests, RequestGuard::kBacklogFull, &RequestRule::when));
      next->used.set(full);
      next->flights.erase(next->flights.begin() + static_cast<ptrdiff_t>(f));
    });
  }

  // It is lost, since the link has no carrier, and all that comes after it.
  void OfferMuting(const Possibility& p, size_t f, Due due) {
    Offer(p, due, "the loss of a message", [f](Possibility* next, Span) {
      next->mutes |= static_cast<uint8_t>(1U << next->flights[f].from_device);
      next->flights.erase(next->flights.begin() + static_cast<ptrdiff_t>(f));
    });
  }

  void OfferDelay(const Possibility& p, size_t f, Due due, uint8_t rule) {
    Offer(p, due, "the delay of a message", [f, rule](Possibility* next, Span) {
      next->flights[f].hit = rule;
      CountHit(next, rule);
    });
  }

  static void CountHit(Possibility* p, uint8_t rule) {
    if (rule != kNoRule) ++p->hits[rule];
  }

  void Arrive(Possibility* next, const Flight& flight, uint8_t user, Span when) {
    if (IsOverTcp(flight.kind)) return machine_.ArriveOverTcp(next, flight, when);
    if (flight.tester != kNoTester) return machine_.ArriveFromTester(next, flight, user, when);
    if (flight.kind == Sends::kReq || flight.kind == Sends::kSidrReq)
      return machine_.ArriveRequest(next, flight, user, when);
    uint8_t to = flight.to;
    if (flight.kind == Sends::kRejTimeout) to = FindAnswering(*next, flight.sender);
    if (to == kNoId || next->ids[to].gone) return ArriveUnknown(next, flight, when);
    IdState& id = next->ids[to];
    if (id.closed || !Matches(id, flight)) return ArriveUnknown(next, flight, when);
    IbStimulus on = StimulusOf(id, flight);
    if (Machine::HasMoved(id) && (on == IbStimulus::kRej || on == IbStimulus::kRejStale))
      on = IbStimulus::kRejMoved;
    const bool awaited = on == IbStimulus::kRep && Machine::Find(id.ib, IbStimulus::kRepStale);
    if (awaited && user != kNoId) return machine_.RefuseReply(next, to, flight, user, when);
    if (on == IbStimulus::kRep && Machine::Find(id.ib, on)->answer == IbAnswer::kDone) {
      id.met = true;
      id.peer = flight.from;
      id.answered_by = flight.sender;
    }
    machine_.Stimulate(next, to, on, {.payload = flight.payload, .reason = flight.reason}, when);
  }

  // A message for an identifier that is gone: only DREQ is answered.
  void ArriveUnknown(Possibility* next, const Flight& flight, Span when) {
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

  const Steps& steps_;
  const Machine& machine_;
  const Window& window_;
  const Aim& aim_;
  bool crowd_ = false;
  uint8_t asked_ = kNoId;  // a listener, and how many ask it
  int asking_ = 0;
  const Reach* reach_ = nullptr;  // of what is followed; null: everything
  size_t subject_ = 0;            // the id, or behind the ids the message, whose steps are offered
  size_t first_ = 0;              // the one that has to be first
  const Take* take_ = nullptr;
  std::string overdue_;
  // When the first of the steps that have to happen has happened: none that is later comes before.
  int64_t horizon_ = kNever;
  bool measuring_ = false;
};

bool Steps::Expand(const Possibility& p, const Window& window, const Aim& aim,
                   const Take& take) const {
  return Expansion(*this, window, aim).Expand(p, take);
}

std::string Steps::Overdue(const Possibility& p, const Window& window, const Aim& aim) const {
  return Expansion(*this, window, aim).Overdue(p);
}

}  // namespace cm::model
