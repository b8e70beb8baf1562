// `cmcheck lab compare`: how like a real kernel the simulator is.
#ifndef TOOLS_CMCHECK_COMPARE_H_
#define TOOLS_CMCHECK_COMPARE_H_

#include <CLI/CLI.hpp>

namespace cm {

// Adds the verb under `lab`; its exit code goes to `exit_code`.
void AddLabCompare(CLI::App* lab, int* exit_code);

}  // namespace cm

#endif  // TOOLS_CMCHECK_COMPARE_H_
