// The walk of messages that arrive where nobody expects them any more.
#ifndef CONFORMANCE_WALKS_STRAY_WALK_H_
#define CONFORMANCE_WALKS_STRAY_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void StrayMessages(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_STRAY_WALK_H_
