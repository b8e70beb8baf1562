// Options of ids, set in every state; ports that are shared; timers that are other than usual.
#ifndef CONFORMANCE_WALKS_OPTION_WALK_H_
#define CONFORMANCE_WALKS_OPTION_WALK_H_

#include "conformance/walks/stage.h"

namespace cm {

void OptionsInEveryState(Stage& stage);

}  // namespace cm

#endif  // CONFORMANCE_WALKS_OPTION_WALK_H_
