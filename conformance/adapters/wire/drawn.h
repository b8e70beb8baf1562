// Conversations of a tester with a peer, drawn from a seed.
#ifndef CONFORMANCE_ADAPTERS_WIRE_DRAWN_H_
#define CONFORMANCE_ADAPTERS_WIRE_DRAWN_H_

#include <cstdint>
#include <string>

#include "model/conversation/conversation.h"

namespace cm::live {

struct Manner {
  bool active = false;  // a third are with an active peer, whose application a driver has to be
  bool v6 = false;      // some go over IPv6
};

// The same for the same seed and number, and in the same manner.
Conversation Draw(uint64_t seed, uint64_t number, const std::string& profile, Manner manner = {});

}  // namespace cm::live

#endif  // CONFORMANCE_ADAPTERS_WIRE_DRAWN_H_
