// `cmcheck lab compare`: the fidelity of the simulator, measured against a real kernel.
#ifndef TOOLS_CMCHECK_COMPARE_H_
#define TOOLS_CMCHECK_COMPARE_H_

#include "tools/cmcheck/command_line.h"

namespace cm {

// Adds the verb under `lab`.
void AddLabCompare(Verb lab);

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMPARE_H_
