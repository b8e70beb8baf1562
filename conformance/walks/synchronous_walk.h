// The walk over synchronous ids.
#ifndef CONFORMANCE_WALKS_SYNCHRONOUS_WALK_H_
#define CONFORMANCE_WALKS_SYNCHRONOUS_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void SynchronousCalls(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_SYNCHRONOUS_WALK_H_
