#include "model/oracle/machine/aim.h"

#include <algorithm>
#include <vector>

namespace cm::model {

bool ShareQpNumbers(const ConversationFacts& facts, const Possibility& p) {
  std::vector<uint64_t> keys;
  for (const IdState& id : p.ids) {
    const uint64_t key = id.name.valid() ? facts.id(id.name).qp_key : 0;
    if (key != 0 && key < kFirstLibraryQp) keys.push_back(key);
  }
  std::ranges::sort(keys);  // lint: keys are plain numbers
  return std::ranges::adjacent_find(keys) != keys.end();
}

bool IsLazy(const ConversationFacts& facts, const Possibility& p) {
  const auto lazy = [&facts](const IdState& id) {
    return id.name.valid() && facts.id(id.name).lazy;
  };
  return facts.any_lazy && std::ranges::any_of(p.ids, lazy);
}

bool IsCrowd(const ConversationFacts& facts, const Possibility& p) {
  if (IsLazy(facts, p)) return true;
  // The removal of a listener's device concerns each id that asks it; that of another id's device
  // concerns the id alone.
  const auto plain = [&facts](const IdState& id) {
    const bool listens = id.name.valid() && facts.id(id.name).listens;
    const bool removed = id.removal_due || id.state == State::kDeviceRemoval;
    return !(removed && listens) && id.addr_change_due == 0 && id.neighbour_due == 0;
  };
  const auto by_hand = [](const Flight& flight) { return flight.tester != kNoTester; };
  return p.ids.size() >= facts.crowd && p.mutes == 0 && std::ranges::all_of(p.ids, plain) &&
         std::ranges::none_of(p.flights, by_hand) && !ShareQpNumbers(facts, p);
}

void Reach::Add(const Aim& aim, int64_t until) {
  for (uint8_t i = 0; i < p_.ids.size(); ++i) {
    const IdRef name = p_.ids[i].name;
    if (!name.valid()) continue;
    if (aim.id.valid() && name == aim.id) {
      // The requests of a listener make a difference to it where it shows them.
      if (aim.request != nullptr)
        Set(i);
      else
        Add(i);
    }
    if (aim.quiet.valid() && facts_.id(name).channel == aim.quiet && !Waits(i, until)) Add(i);
  }
}

// Its request is repeated, and nothing else comes of that before it is given up.
bool Reach::Waits(uint8_t id, int64_t until) const {
  const IdState& own = p_.ids[id];
  const bool asks = own.outstanding && IsRequest(own.message) && !own.abandoned && !own.ending;
  if (!asks || own.message == Sends::kMpaRequest || !own.queue.empty() || own.removal_due)
    return false;
  const Duration repeats = facts_.TimingOf(own).GiveUp(facts_.IntervalOf(own));
  const auto answered = [&](const IdState& other) {
    const bool removed = other.removal_due || other.state == State::kDeviceRemoval;
    return other.origin == own.name && (other.outstanding || other.gone || other.closed || removed);
  };
  const auto answers = [&](const Flight& flight) {
    if (flight.to == id) return true;
    if (flight.from != id || machine_.IsKnown(p_, flight)) return false;
    const uint8_t owner = machine_.ListenerFor(p_, flight);
    return owner == kNoId || p_.ids[owner].state != State::kListen;  // it is refused
  };
  return until < own.first.earliest + repeats.nanoseconds() &&
         std::ranges::none_of(p_.ids, answered) && std::ranges::none_of(p_.flights, answers);
}

void Reach::Add(uint8_t id) {
  if (id == kNoId || ids_.test(id)) return;
  Set(id);
  const IdState& own = p_.ids[id];
  Add(own.peer);
  for (uint8_t i = 0; i < p_.ids.size(); ++i) {
    const IdState& other = p_.ids[i];
    const bool asked = other.origin.valid() && other.origin == own.name;
    const bool asks = own.origin.valid() && own.origin == other.name;
    if (other.peer == id || asked || asks) Add(i);
  }
}

void Reach::Add(const Flight& flight) {
  Add(flight.from);
  Add(flight.to);
}

bool Reach::Has(const Flight& flight) const {
  if (Has(flight.from) || Has(flight.to)) return true;
  return IsRequest(flight.kind) && HasPort() && Has(machine_.ListenerFor(p_, flight));
}

bool Reach::HasPort() const {
  if (!has_port_)
    has_port_ = std::ranges::any_of(facts_.ports, [this](const PortOwner& owner) {
      return owner.address.port != 0 && Has(p_.Find(owner.id));
    });
  return *has_port_;
}

}  // namespace cm::model
