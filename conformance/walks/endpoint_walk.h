// The walk of endpoints: what is looked up, made at once and destroyed at once.
#ifndef CONFORMANCE_WALKS_ENDPOINT_WALK_H_
#define CONFORMANCE_WALKS_ENDPOINT_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void EndpointsMeet(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_ENDPOINT_WALK_H_
