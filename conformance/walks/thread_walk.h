// The walk over calls that several threads make at once.
#ifndef CONFORMANCE_WALKS_THREAD_WALK_H_
#define CONFORMANCE_WALKS_THREAD_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void ThreadsAtOnce(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_THREAD_WALK_H_
