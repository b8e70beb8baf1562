// Implementations that are shared libraries, on the kernel of this machine or on the simulated one.
#ifndef TOOLS_CMCHECK_LIBRARIES_H_
#define TOOLS_CMCHECK_LIBRARIES_H_

#include <string>
#include <variant>

#include "model/vocabulary/profile.h"
#include "tools/cmcheck/command.h"

namespace cm {

// The implementation `dl`, `dl:PATH`, `lib` or `lib:PATH`; or the error, in one line.
std::variant<Answering, std::string> ResolveDlOrLib(const Asked& asked, const Profile& profile);

}  // namespace cm

#endif  // TOOLS_CMCHECK_LIBRARIES_H_
