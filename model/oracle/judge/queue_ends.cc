#include "model/oracle/judge/queue_ends.h"

namespace cm::model {

QpPhases PhasesOf(IdRef id, Components& components) {
  QpPhases phases;
  for (const Possibility& p : components.PossibilitiesOf(id)) {
    const uint8_t at = p.Find(id);
    phases = phases | (at == kNoId || p.ids[at].gone ? QpPhase::kNone : p.ids[at].qp);
  }
  return phases;
}

// The peer is certain as soon as it is known at all.
void MeetPeer(IdRef id, ConversationFacts& facts, Components& components) {
  QueuesInfo& own = facts.work.of(id);
  uint8_t device = kNoDevice;
  bool moved = false;
  for (const Possibility& p : components.PossibilitiesOf(id)) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) continue;
    const uint8_t ca = facts.CaOf(p.ids[at].device);
    moved |= device != kNoDevice && device != ca;
    device = ca;
    const uint8_t peer = p.ids[at].peer;
    if (own.peer.valid() || peer == kNoId || !p.ids[peer].name.valid()) continue;
    own.peer = p.ids[peer].name;
    if (!facts.work.of(own.peer).peer.valid()) facts.work.of(own.peer).peer = id;
  }
  own.device = moved ? kNoDevice : device;
}

Ends EndsOf(IdRef id, ConversationFacts& facts, Components& components) {
  MeetPeer(id, facts, components);
  const IdRef peer = facts.work.of(id).peer;
  Ends ends{.own = PhasesOf(id, components)};
  if (!peer.valid()) return ends;
  MeetPeer(peer, facts, components);
  ends.peers = PhasesOf(peer, components);
  return ends;
}

}  // namespace cm::model
