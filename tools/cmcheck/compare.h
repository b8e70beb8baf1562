// `cmcheck lab compare`: how like a real kernel the simulator is.
#ifndef TOOLS_CMCHECK_COMPARE_H_
#define TOOLS_CMCHECK_COMPARE_H_

#include "tools/cmcheck/command_line.h"

namespace cm {

// Adds the verb under `lab`.
void AddLabCompare(Verb lab);

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMPARE_H_
