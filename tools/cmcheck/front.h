// The command line of cmcheck and of cmcheck_sim.
#ifndef TOOLS_CMCHECK_FRONT_H_
#define TOOLS_CMCHECK_FRONT_H_

#include <span>

#include "tools/cmcheck/command_line.h"

namespace cm {

using AddVerb = void (*)(Verb cmcheck);

// Runs the verb that the arguments name, or the main job without arguments. Returns the exit code.
int RunCommand(int argc, char** argv, std::span<const AddVerb> verbs);

}  // namespace cm

#endif  // TOOLS_CMCHECK_FRONT_H_
