// The programs of a command line, each on its side, with addresses in place of their names: for
// `app`.
#ifndef TOOLS_CMCHECK_APP_PROGRAMS_H_
#define TOOLS_CMCHECK_APP_PROGRAMS_H_

#include <string>
#include <variant>
#include <vector>

#include "model/vocabulary/topology.h"
#include "tools/app/program.h"

namespace cm {

// Programs are separated by a lone ':'. Returns what is wrong with one of them.
std::variant<std::vector<app::ProgramToRun>, std::string> ProgramsOf(
    const std::vector<std::string>& words, const Topology& topology);

}  // namespace cm

#endif  // TOOLS_CMCHECK_APP_PROGRAMS_H_
