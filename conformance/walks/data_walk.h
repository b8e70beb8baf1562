// The walk over queues and memory regions.
#ifndef CONFORMANCE_WALKS_DATA_WALK_H_
#define CONFORMANCE_WALKS_DATA_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void DataMoves(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_DATA_WALK_H_
