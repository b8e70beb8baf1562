// Memberships of ids in groups, in a possibility.
#ifndef MODEL_ORACLE_MACHINE_GROUPS_H_
#define MODEL_ORACLE_MACHINE_GROUPS_H_

#include <cstdint>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"
#include "model/vocabulary/call.h"

namespace cm::model {

// What a call asks to join; `address` is that of the group.
struct Joins {
  Address address;
  uint16_t context = 0;
  bool send_only = false;
};
Joins JoinsOf(const Call& call);

// The report of a new membership is due; `found`: the group can be found.
void Join(ConversationFacts& facts, IdState* id, const Call& call, bool found, Span when);
// Drops queued and pending events of the membership.
void DropEvents(const ConversationFacts& facts, IdState* id, uint16_t membership);
// Whether the queue pair of the id becomes a member when its MULTICAST_JOIN is fetched, if it has
// a queue pair.
bool CanAttach(const ConversationFacts& facts, const IdState& id, const Pending& joined);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_GROUPS_H_
