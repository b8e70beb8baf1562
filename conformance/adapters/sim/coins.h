// The random choices of a conversation's world.
#ifndef CONFORMANCE_ADAPTERS_SIM_COINS_H_
#define CONFORMANCE_ADAPTERS_SIM_COINS_H_

#include "model/base/choice.h"
#include "model/conversation/conversation.h"

namespace cm {

// The same for every implementation in a simulated world.
StreamState CoinsOf(const Conversation& conversation);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_SIM_COINS_H_
