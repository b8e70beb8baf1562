// Conversations of a tester with a passive peer, drawn from a seed.
#ifndef CONFORMANCE_ADAPTERS_WIRE_DRAWN_H_
#define CONFORMANCE_ADAPTERS_WIRE_DRAWN_H_

#include <cstdint>
#include <string>

#include "model/conversation/conversation.h"

namespace cm::live {

// The same for the same seed and number.
Conversation Draw(uint64_t seed, uint64_t number, const std::string& profile);

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_DRAWN_H_
