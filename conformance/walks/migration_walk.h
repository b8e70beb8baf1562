// Ids move from channel to channel, with what is unread and what is not acknowledged.
#ifndef CONFORMANCE_WALKS_MIGRATION_WALK_H_
#define CONFORMANCE_WALKS_MIGRATION_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void IdsMove(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_MIGRATION_WALK_H_
