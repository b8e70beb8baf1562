// Requests that a listener has not read when it moves to another channel: each has an id of its own
// on the channel that it came by.
#ifndef MODEL_ORACLE_MACHINE_LEFT_REQUESTS_H_
#define MODEL_ORACLE_MACHINE_LEFT_REQUESTS_H_

#include <cstdint>
#include <functional>

#include "model/oracle/belief/conversation_facts.h"
#include "model/oracle/belief/state.h"
#include "model/oracle/machine/machine.h"

namespace cm::model {

// The id and its events go to the channel. Where the old one goes as well, as the private one of a
// synchronous id does, the requests go with it.
void MoveTo(ChannelRef channel, ConversationFacts& facts, const Machine& machine, Possibility* p,
            uint8_t id, Span when);
// Destroys the requests that were left on one of the channels.
void DestroyLeftOn(const std::function<bool(ChannelRef)>& among, const Machine& machine,
                   Possibility* p, Span when);
bool HasLeftOn(const Possibility& p, ChannelRef channel);

}  // namespace cm::model

#endif  // MODEL_ORACLE_MACHINE_LEFT_REQUESTS_H_
