// `cmcheck lab scenarios`: the protocol's scenarios on a real kernel, beside the simulator.
#ifndef TOOLS_CMCHECK_SCENARIOS_H_
#define TOOLS_CMCHECK_SCENARIOS_H_

#include "tools/cmcheck/command.h"

namespace cm {

// Adds the verb under `lab`.
void AddLabScenarios(Verb lab);

}  // namespace cm

#endif  // TOOLS_CMCHECK_SCENARIOS_H_
