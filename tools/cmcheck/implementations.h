// Every implementation that cmcheck tests, the plain simulator included.
#ifndef TOOLS_CMCHECK_IMPLEMENTATIONS_H_
#define TOOLS_CMCHECK_IMPLEMENTATIONS_H_

#include <string>
#include <variant>

#include "model/vocabulary/profile.h"
#include "tools/cmcheck/command.h"

namespace cm {

// A simulator, with its defect; `dl`, `dl:PATH`, `lib` or `lib:PATH`. Or the error, in one line.
std::variant<Answering, std::string> ResolveAny(const Asked& asked, const Profile& profile);

}  // namespace cm

#endif  // TOOLS_CMCHECK_IMPLEMENTATIONS_H_
