// Many that ask one listener, each judged apart from it.
#include <algorithm>
#include <array>
#include <utility>

#include "model/oracle/belief/alike.h"
#include "model/oracle/judge/components.h"
#include "model/oracle/judge/lookalikes.h"
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

// So many that ask one listener are judged apart from it.
constexpr size_t kApartFrom = 8;

// A request of the id comes to the listener. source: linux 6.1 cma.c cma_find_listener
bool Reaches(const ConversationFacts& facts, IdRef id, IdRef listener) {
  const Address& asked = facts.id(id).destination;
  const auto fits = [&](const PortOwner& owner) {
    const bool wildcard = owner.address.AnyOrLoopback();
    return owner.id == listener &&
           ((wildcard && !owner.family_only) ||
            (owner.address.v6 == asked.v6 && (wildcard || owner.address.SameHost(asked))));
  };
  return facts.id(listener).listens && std::ranges::any_of(facts.ports, fits);
}

}  // namespace

bool Components::MayStandApart(IdRef id) const {
  const auto asks = [&](const Possibility& p) {
    const uint8_t at = p.Find(id);
    return at != kNoId && p.ids[at].outstanding && NeedsRoom(p.ids[at].message);
  };
  const std::vector<Possibility>& own = PossibilitiesOf(id);
  return !own.empty() && std::ranges::all_of(own, asks) && !facts_.MayShareQpNumber(id) &&
         !facts_.id(id).synchronous();
}

bool Components::PutApart(IdRef id, const std::vector<IdRef>& owners) {
  if (owners.size() != 1) return false;
  const IdRef listener = owners.front();
  if (!facts_.id(listener).crowd.apart || !Reaches(facts_, id, listener) || !MayStandApart(id))
    return false;
  facts_.id(id).apart_from = listener;
  CountAsking(listener);
  return true;
}

void Components::FormCrowd(IdRef listener) {
  IdInfo& info = facts_.id(listener);
  if (facts_.no_crowds || info.crowd.apart || info.crowd.together || !info.in_scope ||
      info.synchronous() || !facts_.tester_messages.empty())
    return;
  std::vector<IdRef> asking;
  for (const IdRef id : IdsOf(NumberOf(listener))) {
    const auto may_ask = [&](const Possibility& p) { return MayAsk(facts_, p, id); };
    if (facts_.id(id).connected && std::ranges::any_of(PossibilitiesOf(id), may_ask) &&
        Reaches(facts_, id, listener) && MayStandApart(id))
      asking.push_back(id);
  }
  if (asking.size() < kApartFrom) return;
  info.crowd.apart = facts_.any_apart = true;
  Lookalikes(facts_, *this).TellAllApart(NumberOf(listener));
  for (const IdRef id : asking) facts_.id(id).apart_from = listener;
  Split(NumberOf(listener));
  CountAsking(listener);
  if (info.crowd.too_many) info.crowd.full.earliest = 0;
}

void Components::LeaveOpenUntil(int64_t until) {
  for (const PortOwner& owner : facts_.ports)
    if (Crowd& crowd = facts_.id(owner.id).crowd; crowd.apart) crowd.full = {0, until};
}

bool Components::IsAloneButForCrowd(IdRef listener) {
  return facts_.id(listener).crowd.apart && Has(NumberOf(listener)) &&
         IdsOf(NumberOf(listener)).size() == 1;
}

std::vector<Components::Number> Components::ApartFrom(IdRef listener) const {
  std::vector<Number> apart;
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const Number number = NumberOf(IdRef{i});
    if (facts_.id(IdRef{i}).apart_from == listener && Has(number) && number != NumberOf(listener))
      apart.push_back(number);
  }
  apart.erase(std::unique(apart.begin(), apart.end()), apart.end());
  return apart;
}

void Components::EndCrowd(IdRef listener) {
  Crowd& crowd = facts_.id(listener).crowd;
  crowd.apart = false;
  crowd.together = true;
  crowd.asking = 0;
  crowd.too_many = false;
  for (uint16_t i = 0; i < facts_.id_count(); ++i)
    if (facts_.id(IdRef{i}).apart_from == listener) facts_.id(IdRef{i}).apart_from = {};
}

void Components::JudgeTogether(IdRef listener) {
  if (!facts_.id(listener).crowd.apart) return;
  EndCrowd(listener);
  JoinAllAsked();
}

void Components::PrepareCall(IdRef id) {
  JudgeTogether(id);
  const IdRef listener = facts_.id(id).apart_from;
  if (facts_.over_iwarp() && listener.valid() && Has(NumberOf(id)) && Has(NumberOf(listener)))
    Merge(listener, id);
}

void Components::JudgeAllTogether() {
  for (const PortOwner& owner : std::vector<PortOwner>(facts_.ports)) JudgeTogether(owner.id);
}

bool Components::AsksApart(IdRef id) const {
  const IdInfo& info = facts_.id(id);
  const auto may_ask = [&](const Possibility& p) { return MayAsk(facts_, p, id); };
  return info.apart_from.valid() && facts_.id(info.apart_from).in_scope &&
         info.component != facts_.id(info.apart_from).component &&
         std::ranges::any_of(PossibilitiesOf(id), may_ask);
}

std::vector<IdRef> Components::AskingApart(IdRef listener) const {
  std::vector<IdRef> asking;
  if (!facts_.id(listener).crowd.apart) return asking;
  for (uint16_t i = 0; i < facts_.id_count(); ++i) {
    const IdRef id{i};
    if (facts_.id(id).apart_from == listener && AsksApart(id)) asking.push_back(id);
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
  if (all.empty()) return {};
  const Possibility& one = all.front();
  const uint8_t at = one.Find(id);
  if (at != kNoId && one.ids[at].origin.valid()) {
    const IdState& own = one.ids[at];
    return {facts_.id(own.origin).apart_from, own.request_payload, /*answers=*/true};
  }
  Asked asked{facts_.id(id).apart_from, at == kNoId ? kNoPayload : one.ids[at].message_payload};
  for (const Flight& flight : one.flights)  // it may be gone
    if (IsRequest(flight.kind) && flight.sender == id) asked.payload = flight.payload;
  for (const IdState& other : one.ids)
    if (other.origin == id) asked.payload = other.request_payload;
  return asked;
}

void Components::Exchange(IdRef a, IdRef b) {
  const NewNames names{{a, b}, {b, a}};
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
      Rename(&p, names);
      changed.Add(std::move(p));
    }
    SetOf(numbers[i]) = std::move(changed);
    for (IdRef& id : components_[numbers[i]].ids) id = id == a ? b : id == b ? a : id;
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
    const auto asks = [](const IdState& id) { return id.outstanding && NeedsRoom(id.message); };
    const int left = p.ids[at].backlog - static_cast<int>(std::ranges::count_if(p.ids, asks));
    room = known ? std::min(room, left) : left;
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
