// Every implementation that cmcheck tests, the plain simulator included.
#ifndef TOOLS_CMCHECK_IMPLEMENTATIONS_H_
#define TOOLS_CMCHECK_IMPLEMENTATIONS_H_

#include <string>
#include <variant>

#include "model/vocabulary/profile.h"
#include "tools/cmcheck/command.h"

namespace cm {

// The variable of the environment with the token of `tcp:HOST:PORT` and of `cmcheck agent`.
inline constexpr const char* kTokenVariable = "CMCHECK_TOKEN";

// A simulator, with its defects; `dl`, `dl:PATH`, `lib`, `lib:PATH`, `exec:COMMAND`,
// `tcp:HOST:PORT`, `sides:active=IMPL,passive=IMPL` or `nodes`. Or the error, in one line.
std::variant<Answering, std::string> ResolveAny(const Asked& asked, const Profile& profile);

}  // namespace cm

#endif  // TOOLS_CMCHECK_IMPLEMENTATIONS_H_
