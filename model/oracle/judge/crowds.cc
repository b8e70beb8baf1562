// Many that ask one listener, each judged apart from it.
#include <algorithm>
#include <array>
#include <utility>

#include "model/oracle/judge/components.h"
#include "model/oracle/machine/aim.h"
#include "model/oracle/machine/machine.h"

namespace cm::model {
namespace {

// Its request may be in the queue of its listener, or come there: no id has been seen that it has
// reached.
bool MayAsk(const ConversationFacts& facts, const Possibility& p, IdRef asker) {
  const auto knows = [&](const IdState& id) {
    return facts.SamePeer(id.origin, asker) && Machine::KnownRemotely(id);
  };
  const auto repeats = [&](const IdState& id) {
    return id.name == asker && id.outstanding && id.message == Sends::kReq;
  };
  const auto asks = [&](const Flight& f) { return IsRequest(f.kind) && f.sender == asker; };
  return std::ranges::none_of(p.ids, knows) &&
         (std::ranges::any_of(p.ids, repeats) || std::ranges::any_of(p.flights, asks));
}

}  // namespace

bool Components::MayStandApart(IdRef id) const {
  const auto asks = [&](const Possibility& p) {
    const uint8_t at = p.Find(id);
    return at != kNoId && p.ids[at].outstanding && NeedsRoom(p.ids[at].message);
  };
  const std::vector<Possibility>& own = PossibilitiesOf(id);
  return !own.empty() && std::ranges::all_of(own, asks) && !facts_.MayShareQpNumber(id);
}

bool Components::StandsApart(IdRef id, const std::vector<IdRef>& owners) {
  if (owners.size() != 1 || !facts_.id(owners.front()).crowd.apart) return false;
  const IdRef listener = owners.front();
  const bool asks_yet =
      MayBe(id, [id](const IdState& own) { return own.name == id && own.outstanding; });
  if (!asks_yet) return false;
  if (!MayStandApart(id)) {
    JudgeTogether(listener);
    return false;
  }
  facts_.id(id).apart_from = listener;
  CountAsking(listener);
  return true;
}

void Components::FormCrowd(IdRef listener) {
  IdInfo& info = facts_.id(listener);
  if (info.crowd.apart || info.crowd.together || !info.in_scope || info.synchronous() ||
      !facts_.tester_messages.empty())
    return;
  std::vector<IdRef> asking;
  for (const IdRef id : IdsOf(NumberOf(listener))) {
    const auto may_ask = [&](const Possibility& p) { return MayAsk(facts_, p, id); };
    if (facts_.id(id).connected && std::ranges::any_of(PossibilitiesOf(id), may_ask))
      asking.push_back(id);
  }
  if (asking.size() + 1 < facts_.crowd) return;
  const auto may = [this](IdRef id) { return MayStandApart(id); };
  if (!std::ranges::all_of(asking, may)) {
    info.crowd.together = true;
    return;
  }
  info.crowd.apart = facts_.any_apart = true;
  for (const IdRef id : asking) facts_.id(id).apart_from = listener;
  Split(NumberOf(listener));
  CountAsking(listener);
}

void Components::JudgeTogether(IdRef listener) {
  Crowd& crowd = facts_.id(listener).crowd;
  if (!crowd.apart) return;
  crowd.apart = false;
  crowd.together = true;
  crowd.asking = 0;
  crowd.too_many = false;
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (facts_.id(IdRef{i}).apart_from == listener) facts_.id(IdRef{i}).apart_from = {};
  JoinAllAsked();
}

void Components::PrepareCall(IdRef id) {
  JudgeTogether(id);
  const IdRef listener = facts_.id(id).apart_from;
  const bool over_tcp = facts_.profile().transport == Transport::kIwarp;
  if (over_tcp && listener.valid() && Has(NumberOf(id)) && Has(NumberOf(listener)))
    Merge(listener, id);
}

void Components::JudgeAllTogether() {
  for (const PortOwner& owner : std::vector<PortOwner>(facts_.ports)) JudgeTogether(owner.id);
}

std::vector<IdRef> Components::AskingApart(IdRef listener) const {
  std::vector<IdRef> asking;
  if (!facts_.id(listener).crowd.apart) return asking;
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdRef id{i};
    const IdInfo& info = facts_.id(id);
    if (info.apart_from != listener || info.component == facts_.id(listener).component) continue;
    const auto may_ask = [&](const Possibility& p) { return MayAsk(facts_, p, id); };
    if (std::ranges::any_of(PossibilitiesOf(id), may_ask)) asking.push_back(id);
  }
  return asking;
}

std::vector<IdRef> Components::CrowdsOn(ChannelRef channel) const {
  std::vector<IdRef> listeners;
  for (const PortOwner& owner : facts_.ports) {
    const IdInfo& info = facts_.id(owner.id);
    if (info.crowd.apart && info.channel == channel) listeners.push_back(owner.id);
  }
  return listeners;
}

Components::Asked Components::AskedBy(IdRef id) const {
  const std::vector<Possibility>& all = PossibilitiesOf(id);
  const uint8_t at = all.empty() ? kNoId : all.front().Find(id);
  if (at == kNoId) return {};
  const IdState& own = all.front().ids[at];
  if (own.origin.valid())
    return {facts_.id(own.origin).apart_from, own.request_payload, /*answers=*/true};
  Asked asked{facts_.id(id).apart_from, own.message_payload};
  for (const Flight& flight : all.front().flights)
    if (IsRequest(flight.kind) && flight.sender == id) asked.payload = flight.payload;
  for (const IdState& other : all.front().ids)
    if (other.origin == id) asked.payload = other.request_payload;
  return asked;
}

void Components::Exchange(IdRef a, IdRef b) {
  const auto change = [a, b](IdRef* one) { *one = *one == a ? b : *one == b ? a : *one; };
  std::array<Number, 2> numbers{NumberOf(a), NumberOf(b)};
  Since first;
  Since last;
  bool any = false;
  const auto for_both = [&](auto use) {
    for (const Number number : numbers)
      for (Possibility& p : SetOf(number).mutable_items())
        for (IdState& id : p.ids)
          if (id.name == a || id.name == b) use(&id);
  };
  for_both([&](IdState* id) {
    if (!any) first = id->first, last = id->last;
    any = true;
    first.Widen(id->first);
    last.Widen(id->last);
  });
  for_both([&](IdState* id) { id->first = first, id->last = last; });
  const size_t count = numbers[0] == numbers[1] ? 1 : 2;
  for (size_t i = 0; i < count; ++i) {
    PossibilitySet changed;
    for (Possibility& p : SetOf(numbers[i]).mutable_items()) {
      for (IdState& id : p.ids)
        for (IdRef* one : {&id.name, &id.origin, &id.answered_by}) change(one);
      for (Flight& flight : p.flights) change(&flight.sender);
      changed.Add(std::move(p));
    }
    SetOf(numbers[i]) = std::move(changed);
    for (IdRef& id : components_[numbers[i]].ids) change(&id);
  }
  std::swap(facts_.id(a).component, facts_.id(b).component);
}

void Components::CountAsking(IdRef listener) {
  Crowd& crowd = facts_.id(listener).crowd;
  if (!crowd.apart) return;
  const auto asking = static_cast<int>(AskingApart(listener).size());
  int room = 0;  // the least
  bool known = false;
  for (const Possibility& p : PossibilitiesOf(listener)) {
    const uint8_t at = p.Find(listener);
    if (at == kNoId) continue;
    room = known ? std::min<int>(room, p.ids[at].backlog) : p.ids[at].backlog;
    known = true;
  }
  const Span now{look_ahead_.earliest, look_ahead_.latest};
  if (asking > room || crowd.too_many) {
    if (crowd.full.latest == 0) crowd.full = now;
    crowd.full.Widen(now);
  }
  crowd.asking = asking;
  crowd.too_many = asking > room;
}

}  // namespace cm::model
