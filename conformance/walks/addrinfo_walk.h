// The calls of the library's map 1.4.
#ifndef CONFORMANCE_WALKS_ADDRINFO_WALK_H_
#define CONFORMANCE_WALKS_ADDRINFO_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

// Ids in every state look addresses up, in order and out of it, and events are written to them.
void AddressesForIds(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_ADDRINFO_WALK_H_
