// The class that carries hidden steps out: what one possibility may turn into by a single step.
#ifndef MODEL_ORACLE_MACHINE_EXPANSION_H_
#define MODEL_ORACLE_MACHINE_EXPANSION_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/oracle/machine/aim.h"
#include "model/oracle/machine/steps.h"

namespace cm::model {

inline constexpr std::string_view kRepetition = "the repetition of a message";

class Steps::Expansion {
 public:
  // The references outlive it.
  Expansion(const Steps& steps, const Window& window, const Aim& aim)
      : steps_(steps), machine_(steps.machine_), window_(window), aim_(aim) {}

  // Calls `take` with each possibility that one step of `p` leads to, by window.end, as far as the
  // step makes a difference to the aim. `remains` is set before the first of them.
  void Expand(const Possibility& p, const Take& take, Remains* remains) {
    *remains = Remains::kIsStoodFor;
    if (TakeLost(p, take) || TakeIdle(p, take)) return;
    *remains = Remains::kMayStay;
    take_ = &take;
    Measure(p);
    measuring_ = false;
    Reach group(steps_.facts_, machine_, p);
    const bool forced = horizon_ < window_.begin;
    if (crowd_ && !forced && aim_.quiet.valid()) return;
    if (!crowd_ && forced) *remains = Remains::kIsOverdue;
    if (crowd_ && forced && aim_.request == nullptr) {
      AddFirst(p, &group);
      reach_ = &group;
      followed_ = first_;
    } else if (forced && RepeatsFirst(p)) {
      AddFirst(p, &group);
      own_ = &group;
    }
    ExpandAll(p);
  }

  // There were more senders of requests that look like the one that is shown than are followed.
  bool cuts() const { return cuts_; }

  // Those that are judged apart have repeated their requests as they had to by window.begin.
  void RepeatApart(Possibility* p);
  // The same where it has done so once more, which need not be yet; none where that cannot be.
  std::optional<Possibility> WithRepetition(const Possibility& p, IdRef asker) const;
  // The same where one of these has met the request of such a one in a queue, which is answered
  // with an MRA; none where that cannot be.
  std::optional<Possibility> WithMra(const Possibility& p, IdRef asker) const;

  // Whether a step that makes a difference to the aim may happen by window.end.
  bool MayGoOn(const Possibility& p) {
    const Take none = [](Possibility, IdRef) {};
    take_ = &none;
    Measure(p);
    return offered_;
  }

  // Of the steps that had to happen before window.begin and make a difference to the aim the one
  // that had to happen first; empty when there is none.
  std::string Overdue(const Possibility& p) {
    Measure(p);
    return std::string(overdue_);
  }

 private:
  // Looks at each step that makes a difference to the aim, and takes none.
  void Measure(const Possibility& p) {
    measuring_ = take_ != nullptr;
    crowd_ = IsCrowd(steps_.facts_, p);
    if (crowd_) Narrow(p);
    ExpandAll(p);
  }
  void Narrow(const Possibility& p) {
    if (aim_.Everything() && !IsLazy(steps_.facts_, p)) return;
    reach_ = &narrow_.emplace(steps_.facts_, machine_, p);
    narrow_->Add(aim_, window_.end);
    if (aim_.request == nullptr || take_ == nullptr) return;
    ChooseAlike(p);
    for (uint8_t i = 0; i < p.ids.size(); ++i)
      if (IsChosen(p.ids[i].name)) narrow_->Add(i);
  }
  bool IsChosen(IdRef sender) const {
    return sender.valid() && std::ranges::find(alike_, sender) != alike_.end();
  }
  void Choose(IdRef sender) {
    const bool other = aim_.only.valid() && sender != aim_.only;
    if (sender.valid() && !other && !IsChosen(sender)) alike_.push_back(sender);
  }
  // Senders of requests that look like the one that is shown.
  void ChooseAlike(const Possibility& p) {
    alike_.clear();
    const uint8_t listener = p.Find(aim_.id);
    const auto reaches = [&](const Flight& request) {
      return machine_.IsKnown(p, request) || machine_.ListenerFor(p, request) == listener;
    };
    for (const IdState& id : p.ids)
      if (id.outstanding && IsRequest(id.message) && MayShow(id.message_payload) &&
          reaches(machine_.RequestOf(id)))
        Choose(id.name);
    for (const Flight& flight : p.flights)
      if (IsRequest(flight.kind) && MayShow(flight.payload) && reaches(flight))
        Choose(flight.sender);
    if (alike_.size() <= (aim_.guesses ? kOldest : kMostGuesses)) return;
    alike_.resize(kOldest);
    cuts_ = true;
  }
  // Whether it is the request that the listener shows; whether others have come before the listener
  // was asked is the same.
  bool MayShow(uint16_t payload) const {
    return take_ != nullptr && steps_.delivery_.MayShow(*aim_.request, aim_.id, payload);
  }

  void ExpandAll(const Possibility& p) {
    for (uint8_t i = 0; i < p.ids.size(); ++i) {
      if (reach_ != nullptr && !reach_->Has(i)) continue;
      if (own_ != nullptr && !own_->Has(i)) continue;
      subject_ = i;
      ExpandId(p, i);
    }
    for (size_t f = 0; f < p.flights.size(); ++f) {
      subject_ = p.ids.size() + f;
      if (reach_ != nullptr && subject_ != followed_ && !reach_->Has(p.flights[f])) continue;
      if (own_ != nullptr && !own_->Has(p.flights[f])) continue;
      const Flight& flight = p.flights[f];
      const bool other = reach_ != nullptr && aim_.request != nullptr && IsRequest(flight.kind) &&
                         !IsChosen(flight.sender);
      if (!other)
        ExpandFlight(p, f);
      else if (measuring_)
        NoteCertain(p, f);
    }
  }

  // In a crowd, and of what is left of one, whether it may find the queue of its listener full.
  bool MayMeetFullQueue(const Possibility& p, const Flight& flight, Span when) {
    if (!NeedsRoom(flight.kind)) return false;
    const uint8_t listener = machine_.ListenerFor(p, flight);
    if (listener == kNoId) return false;
    // Or its listener was in one, with requests that were not fetched yet.
    const bool was_crowd = steps_.facts_.crowd == kRestOfCrowd || p.ids[listener].full.latest > 0;
    if (!crowd_ && !was_crowd) return false;
    // What is left of a crowd was in its queue, and not before others for certain.
    const bool alone = steps_.facts_.id(p.ids[listener].name).crowd.asking == 0;
    if (!crowd_ && alone) return machine_.MayBeFull(p.ids[listener], 0, when);
    if (asked_ != listener) asking_ = machine_.CountAsking(p, listener);
    asked_ = listener;
    return machine_.MayBeFull(p.ids[listener], asking_, when);
  }

  // Another request comes first if it has to have come earlier.
  void NoteCertain(const Possibility& p, size_t f) {
    const Flight& flight = p.flights[f];
    const Fate& fate = FateAt(p, f);
    const uint8_t listener = machine_.ListenerFor(p, flight);
    const bool full = listener == kNoId || p.ids[listener].backlog <= 0 ||
                      MayMeetFullQueue(p, flight, {flight.since.earliest, window_.end});
    if (!fate.can_arrive || fate.can_be_lost || fate.hits.size() != 0 || full) return;
    horizon_ = std::min(horizon_, steps_.Prompt(flight.since, window_, fate.late).not_after);
  }

  // What may become of a message under way in the one possibility that is expanded.
  const Fate& FateAt(const Possibility& p, size_t f) {
    while (fates_.size() < p.flights.size())
      fates_.push_back(steps_.fault_model_.FateOf(p.flights[fates_.size()], p));
    return fates_[f];
  }

  // A request that comes to the listener behind one that must have come before it, and is not
  // shown.
  bool ComesTooLate(const Possibility& p, const Flight& flight, Due due) const {
    return aim_.request != nullptr && due.not_before > aim_.before && IsRequest(flight.kind) &&
           machine_.ListenerFor(p, flight) == p.Find(aim_.id);
  }

  // What has to happen first happens first, with what it can make a difference to.
  void AddFirst(const Possibility& p, Reach* group) const {
    if (first_ < p.ids.size())
      group->Add(static_cast<uint8_t>(first_));
    else
      group->Add(p.flights[first_ - p.ids.size()]);
  }

  // What has to happen first is that an id repeats a message, and no request of its is under way:
  // whether steps of others come before or after it is the same.
  bool RepeatsFirst(const Possibility& p) const {
    const auto under_way = [&](const Flight& flight) {
      return flight.from == first_ && IsRequest(flight.kind);
    };
    return first_repeats_ && first_ < p.ids.size() && aim_.request == nullptr &&
           std::ranges::none_of(p.flights, under_way) && !ShareQpNumbers(steps_.facts_, p);
  }

  // A message that can only be lost is lost before anything else happens: nothing shows when it is,
  // and a hundred of them would be lost in every order.
  bool TakeLost(const Possibility& p, const Take& take) {
    for (size_t f = 0; f < p.flights.size(); ++f) {
      const Fate& fate = FateAt(p, f);
      if (!fate.OnlyLost()) continue;
      Possibility next = p;
      next.flights.erase(next.flights.begin() + static_cast<ptrdiff_t>(f));
      CountHit(&next, fate.loses);
      take(std::move(next), {});
      return true;
    }
    return false;
  }

  // What makes no difference any more is not followed either.
  bool TakeIdle(const Possibility& p, const Take& take) const {
    const auto ignored = [&](const Flight& flight) { return IgnoredBy(p, flight) != nullptr; };
    if (std::ranges::none_of(p.flights, ignored)) return false;
    Possibility next = p;
    DropIdle(&next);
    take(std::move(next), {});
    return true;
  }

  // Offers a step: hands on what it leads to when it may happen now, or notes that it is overdue.
  template <typename Change>
  void Offer(const Possibility& p, Due due, std::string_view what, Change change) {
    if (due.not_before > window_.end) return;
    if (take_ == nullptr) {
      if (due.not_after < window_.begin && due.not_after < overdue_since_) {
        overdue_ = what;
        overdue_since_ = due.not_after;
      }
      return;
    }
    offered_ = true;
    if (measuring_ && due.not_after < horizon_) {
      horizon_ = due.not_after;
      first_ = subject_;
      first_repeats_ = what == kRepetition;
    }
    if (measuring_ || due.not_before > horizon_) return;
    Possibility next = p;
    // What it sets off began no later than it had to happen itself.
    change(&next, Span{due.not_before, std::min(window_.end, due.not_after)});
    steps_.fault_model_.TellEpochs(&next);
    DropIdle(&next);
    if (reach_ != nullptr && aim_.quiet.valid() && steps_.delivery_.Shows(next, aim_.quiet)) return;
    const IdRef of =
        subject_ < p.ids.size() ? p.ids[subject_].name : p.flights[subject_ - p.ids.size()].sender;
    // What had to happen first is no reason to follow its sender alone.
    const bool forced = horizon_ < window_.begin;
    (*take_)(std::move(next), IsChosen(of) && !forced ? of : IdRef());
  }

  // Offers a step from below.
  void OfferBelow(const Possibility& p, uint8_t i, Due due, std::string_view what, Below on) {
    Offer(p, due, what,
          [&, i, on](Possibility* next, Span when) { machine_.FromBelow(next, i, on, when); });
  }

  // One of a crowd repeats its request, and what becomes of that is left open.
  bool RepeatsApart(const Possibility& p, uint8_t i) const;
  bool RepeatOnce(Possibility* p, uint8_t i) const;
  bool MayHaveMra(const Possibility& p, uint8_t i) const;

  // Steps of an id. expansion_ids.cc
  void ExpandId(const Possibility& p, uint8_t i);
  // Whether it is overdue is seen where the call is: it has returned or it has not.
  void ExpandCompletion(const Possibility& p, uint8_t i);
  void ExpandWork(const Possibility& p, uint8_t i);
  // Over InfiniBand: a query to the SA of the id's subnet, for a route or for a group.
  struct SaQuery {
    FaultModel::Query query;
    Span since;
    Duration patience;     // its timeout
    bool waits = false;    // it may be queued behind others
    bool refused = false;  // the response may be an error
  };
  SaQuery QueryForRoute(const IdState& id) const;
  // `membership`: its number.
  SaQuery QueryForGroup(const IdState& id, uint16_t membership) const;
  // It is answered, or repeated until it is given up: `becomes(possibility, how, when)`.
  template <typename Becomes>
  void ExpandSaQuery(const Possibility& p, const SaQuery& asked, std::string_view what,
                     Below answered, Below unheard, Becomes becomes);
  void ExpandRouteQuery(const Possibility& p, uint8_t i);
  void ExpandJoin(const Possibility& p, uint8_t i, size_t which);
  void ExpandResolution(const Possibility& p, uint8_t i);
  // The message is repeated while it is not answered, and given up at last. It is repeated only
  // when the last copy is not under way any more, or is held back by a fault.
  void ExpandOutstanding(const Possibility& p, uint8_t i);
  bool MayOvertake(const Possibility& p, const Flight& message, const Fate& fate, Due again) const;
  // The timer of a message that may have to wait for its turn.
  Due InTurn(Span since, Duration nominal) const;
  // TCP repeats what is lost, until the provider waits no more.
  void ExpandAwaitedReply(const Possibility& p, uint8_t i);
  // Whether the device keeps its message. source: observed 6.12-rxe 73-link_down_when_resolving
  Certainty Keeps(const IdState& id, const Possibility& p) const;
  // Of an id whose device is mute: its message was sent before, over a link that was up, and is
  // repeated; the repetition fails where its source address is gone.
  bool MayFailWhenRepeated(const IdState& id) const;
  // Whether there must be a further retransmission.
  bool MustRepeat(const IdState& id, const Timing& timing, Duration plain) const;
  // From the first MRA on each wait that is left takes as long as it says.
  int64_t EarliestEnd(const IdState& id, Duration plain) const;

  // Steps of a message under way. expansion_messages.cc
  void ExpandFlight(const Possibility& p, size_t f);
  bool IsBehindApart(const Possibility& p, size_t f) const;
  // A message that is ignored, and that no fault counts, is not followed: when it comes is the
  // same.
  void DropIdle(Possibility* p) const;
  // The row by which it is ignored, whenever it comes, and which makes no difference to anything
  // else; null where that is not certain.
  const IbRule* IgnoredBy(const Possibility& p, const Flight& flight) const;
  // Neither its sender nor whom it reaches is there any more.
  bool IsOfNone(const Possibility& p, const Flight& flight) const;
  // One that arrives meets the user of its queue pair's number: what may find it in use may find
  // that it is not. `change` comes before.
  template <typename Change>
  void OfferArrival(const Possibility& p, size_t f, Due due, Change change);
  void OfferArrival(const Possibility& p, size_t f, Due due);
  // Its copy arrives first. `rule`: the counted rule that does it; none of those that are not.
  void OfferCopy(const Possibility& p, size_t f, Due due, uint8_t rule);
  // With `mutes` since the link has no carrier, and all that comes after it is lost as well.
  void OfferLoss(const Possibility& p, size_t f, Due due, uint8_t rule, bool mutes = false);
  // The listener's queue was full when it came.
  void OfferNoRoom(const Possibility& p, size_t f, Due due);
  void OfferDelay(const Possibility& p, size_t f, Due due, uint8_t rule);
  static void CountHit(Possibility* p, uint8_t rule);
  void Arrive(Possibility* next, const Flight& flight, uint8_t user, Span when);
  // The device that it came to is being removed, and the id that a request has made goes with it.
  void NoteRemoval(Possibility* next, const Flight& flight, Span when) const;
  // A message for an identifier that is gone: only DREQ is answered.
  void ArriveUnknown(Possibility* next, const Flight& flight, Span when);

  const Steps& steps_;
  const Machine& machine_;
  const Window& window_;
  const Aim& aim_;
  bool crowd_ = false;
  std::vector<Fate> fates_;   // by message
  std::vector<IdRef> alike_;  // the senders that are followed
  bool cuts_ = false;
  bool offered_ = false;
  uint8_t asked_ = kNoId;  // a listener, and how many ask it
  int asking_ = 0;
  std::optional<Reach> narrow_;   // what the aim depends on, where that is not everything
  const Reach* reach_ = nullptr;  // of what is followed; null: everything
  size_t subject_ = 0;            // the id, or behind the ids the message, whose steps are offered
  const Reach* own_ = nullptr;    // the same where a repetition has to be first
  size_t first_ = 0;              // the one that has to be first
  bool first_repeats_ = false;
  size_t followed_ = SIZE_MAX;  // that one, which is followed even where it reaches no id
  const Take* take_ = nullptr;
  std::string_view overdue_;
  int64_t overdue_since_ = kNever;
  // When the first of the steps that have to happen has happened: none that is later comes before.
  int64_t horizon_ = kNever;
  bool measuring_ = false;
};

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_EXPANSION_H_
