#include "model/oracle/judge/call_rows.h"

namespace cm::model {
namespace {

// What a call that wants the address meets at one owner of its port, by possibility.
void Count(const PortOwner& owner, const Address& wanted, const Window& window,
           JudgeContext& context, PortClash* clash) {
  Verdict ignored;
  if (!context.search.Close(owner.id, window, &ignored)) return;
  size_t wildcard = 0;
  size_t same = 0;
  const std::vector<Possibility>& all = context.components.PossibilitiesOf(owner.id);
  for (const Possibility& p : all) {
    const uint8_t i = p.Find(owner.id);
    if (i == kNoId || (p.ids[i].closed && !p.ids[i].abandoned)) continue;
    const Address owned = context.facts.OwnedAddress(owner, p.ids[i]);
    if (wanted.AnyOrLoopback() || owned.AnyOrLoopback())
      ++wildcard;
    else if (owned == wanted)
      ++same;
  }
  const auto note = [&](size_t holding, Certainty* which) {
    if (holding == all.size())
      *which = Certainty::kYes;
    else if (holding > 0 && *which == Certainty::kNo)
      *which = Certainty::kMaybe;
  };
  note(wildcard, &clash->wildcard);
  note(same, &clash->same_address);
  // Owners are looked at the newest first, and the first in the way says what is wrong.
  if (clash->same_address == Certainty::kYes && clash->wildcard == Certainty::kMaybe)
    *clash = {.same_address = Certainty::kMaybe, .wildcard = Certainty::kYes};
}

// What a call that wants the address may meet at an owner that is not judged, or whose port the
// kernel has drawn. The owner may have the address of its interface by now.
void Suspect(const PortOwner& owner, const Address& wanted, PortClash* clash) {
  const bool wildcard = wanted.AnyOrLoopback() || owner.address.AnyOrLoopback();
  if (wildcard) clash->wildcard = Certainty::kMaybe;
  const bool same = owner.address.WithPort(wanted.port) == wanted;
  if (!wanted.AnyOrLoopback() && (owner.address.AnyOrLoopback() || same))
    clash->same_address = Certainty::kMaybe;
}

}  // namespace

PortClash ClashFor(IdRef id, const Call& call, const Window& window, JudgeContext& context) {
  const ConversationFacts& facts = context.facts;
  PortClash clash;
  const IdInfo& info = facts.id(id);
  // A listener that has shared its port must have it for itself.
  const bool listens = std::holds_alternative<call::Listen>(call) && info.shares_port;
  const Address wanted = listens ? info.bound : AddressWantedBy(call);
  if (wanted.kind == AddressKind::kNone || wanted.port == 0) return clash;
  for (const PortOwner& owner : facts.ports) {
    const bool maybe_drawn = owner.address.port == 0 && wanted.port >= kFirstEphemeralPort;
    if (owner.id == id || owner.kernel != info.kernel || owner.space != info.space ||
        (owner.address.port != wanted.port && !maybe_drawn))
      continue;
    if (!listens && info.shares_port && facts.id(owner.id).shares_port) continue;
    const bool family_only = info.family_only.value_or(!wanted.v6);
    if (owner.family_only && family_only && owner.address.v6 != wanted.v6) continue;
    if (maybe_drawn || !facts.id(owner.id).in_scope) {
      Suspect(owner, wanted, &clash);
      continue;
    }
    Count(owner, wanted, window, context, &clash);
    if (clash.same_address == Certainty::kYes || clash.wildcard == Certainty::kYes) break;
  }
  return clash;
}

// Of calls that last it is not known which faults they precede. What ids are at its ends may change
// while a message is under way: one may be destroyed.
void CallRows::NumberSent(const Possibility& before, Possibility* after) const {
  if (window_.begin != window_.end) return;
  const auto without_ends = [](Flight flight) {
    flight.from = flight.to = kNoId;
    return flight;
  };
  for (Flight& flight : after->flights)
    if (std::ranges::find(before.flights, without_ends(flight), without_ends) ==
        before.flights.end())
      flight.faults = context_.fault_model.Injected();
}

Possibility CallRows::After(const Possibility& p, uint8_t at, const CallRule& rule,
                            Guard guard) const {
  Possibility after = p;
  after.used |= ConsultedBy(context_.facts, p.ids[at], call_, guard);
  context_.executor.Apply(&after, at, rule, call_, window_.span());
  NumberSent(p, &after);
  return after;
}

// A loopback destination takes the first device that works, immediately.
InlineVector<uint8_t, 2> CallRows::DevicesAfter(const IdState& before, const CallRule& rule) const {
  const auto* resolve = std::get_if<call::ResolveAddr>(&call_);
  const bool unbound = resolve != nullptr && rule.to == State::kAddrQuery &&
                       resolve->destination.AnyOrLoopback() && before.device == kNoDevice &&
                       (before.state != State::kIdle || AddressWantedBy(call_).AnyOrLoopback());
  if (unbound)
    return context_.fault_model.LoopbackDevices(context_.facts.id(before.name).kernel, window_);
  InlineVector<uint8_t, 2> same;
  same.push_back(kNoDevice);
  return same;
}

}  // namespace cm::model
