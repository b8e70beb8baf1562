// Libraries of another release than this machine's, which may need that release's C library.
#ifndef TOOLS_CMCHECK_OTHER_LOADER_H_
#define TOOLS_CMCHECK_OTHER_LOADER_H_

#include <string>

namespace cm {

// Finds the loader of an unpacked release, with its C library and all others, in the folder of
// `library`, and executes this command again, with the same arguments, by that loader. Returns only
// on failure, with the reason.
std::string StartAgainByLoaderOf(const std::string& library);

}  // namespace cm

#endif  // TOOLS_CMCHECK_OTHER_LOADER_H_
