// Any implementation as a driver: the other side of docs/driver_protocol.md.
#ifndef CONFORMANCE_ADAPTERS_EXEC_SERVE_H_
#define CONFORMANCE_ADAPTERS_EXEC_SERVE_H_

#include <cstdio>
#include <string>

#include "conformance/adapters/exec/greeting.h"
#include "conformance/driver/implementation.h"

namespace cm {

// What the implementation has, as a greeting says it.
Greeting GreetingOf(const Implementation& implementation);

// Sends the greeting, and carries out conversations until the input ends, or the implementation is
// spoiled: a suite starts its driver again. A conversation that is under way then ends as well.
// When a call is `blocked` is for the implementation to say: the `patience` of `begin` is ignored.
// `token`: the first line that is wanted; empty: none. False when it was another one, or the output
// cannot be written.
bool ServeConversations(Implementation& implementation, const Greeting& greeting,
                        const std::string& token, std::FILE* input, std::FILE* output);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_SERVE_H_
