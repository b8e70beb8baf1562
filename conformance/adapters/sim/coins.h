// What the world of a conversation draws from.
#ifndef CONFORMANCE_ADAPTERS_SIM_COINS_H_
#define CONFORMANCE_ADAPTERS_SIM_COINS_H_

#include "model/base/choice.h"
#include "model/conversation/conversation.h"

namespace cm {

// The same wherever the conversation takes place in a simulated world.
StreamState CoinsOf(const Conversation& conversation);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_SIM_COINS_H_
