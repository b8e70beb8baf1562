// The walk over what ids have beside states.
#ifndef CONFORMANCE_WALKS_ATTRIBUTE_WALK_H_
#define CONFORMANCE_WALKS_ATTRIBUTE_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void AttributesInEveryState(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_ATTRIBUTE_WALK_H_
