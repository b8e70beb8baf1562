// Memberships in multicast groups.
#ifndef CONFORMANCE_WALKS_MULTICAST_WALK_H_
#define CONFORMANCE_WALKS_MULTICAST_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void GroupsAreJoined(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_MULTICAST_WALK_H_
