#include "model/oracle/judge/port_clash.h"

#include "model/oracle/machine/guards.h"

namespace cm::model {
namespace {

// What a call that wants the address meets at one owner of its port, by possibility.
void Count(const PortOwner& owner, const Address& wanted, const Window& window,
           const ConversationFacts& facts, Components& components, PortClash* clash) {
  Verdict ignored;
  if (!components.Close(components.NumberOf(owner.id), window, &ignored)) return;
  size_t wildcard = 0;
  size_t same = 0;
  const std::vector<Possibility>& all = components.PossibilitiesOf(owner.id);
  for (const Possibility& p : all) {
    const uint8_t i = p.Find(owner.id);
    if (i == kNoId || (p.ids[i].closed && !p.ids[i].abandoned)) continue;
    const Address owned = facts.OwnedAddress(owner, p.ids[i]);
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

// An owner that is not judged may have the address of its interface by now.
void Suspect(const PortOwner& owner, const Address& wanted, PortClash* clash) {
  const bool wildcard = wanted.AnyOrLoopback() || owner.address.AnyOrLoopback();
  if (wildcard) clash->wildcard = Certainty::kMaybe;
  if (!wanted.AnyOrLoopback() && (owner.address.AnyOrLoopback() || owner.address == wanted))
    clash->same_address = Certainty::kMaybe;
}

}  // namespace

PortClash ClashFor(IdRef id, const Call& call, const Window& window, const ConversationFacts& facts,
                   Components& components) {
  PortClash clash;
  const IdInfo& info = facts.id(id);
  // A listener that has shared its port must have it for itself.
  const bool listens = std::holds_alternative<call::Listen>(call) && info.shares_port;
  const Address wanted = listens ? info.bound : AddressWantedBy(call);
  if (wanted.kind == AddressKind::kNone || wanted.port == 0) return clash;
  for (const PortOwner& owner : facts.ports) {
    if (owner.id == id || owner.kernel != info.kernel || owner.space != info.space ||
        owner.address.port != wanted.port)
      continue;
    if (!listens && info.shares_port && facts.id(owner.id).shares_port) continue;
    const bool family_only = info.family_only.value_or(!wanted.v6);
    if (owner.family_only && family_only && owner.address.v6 != wanted.v6) continue;
    if (!facts.id(owner.id).in_scope) {
      Suspect(owner, wanted, &clash);
      continue;
    }
    Count(owner, wanted, window, facts, components, &clash);
    if (clash.same_address == Certainty::kYes || clash.wildcard == Certainty::kYes) break;
  }
  return clash;
}

}  // namespace cm::model
