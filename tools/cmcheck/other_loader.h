// Libraries of another release than this machine's, which may need that release's C library.
#ifndef TOOLS_CMCHECK_OTHER_LOADER_H_
#define TOOLS_CMCHECK_OTHER_LOADER_H_

#include <string>

namespace cm {

// Where an unpacked release has its loader, its C library and all others: in the folder of
// `library`. Starts this command again, with the same arguments, by that loader and with those
// libraries. Returns only when that cannot be done, and says why.
std::string StartAgainByLoaderOf(const std::string& library);

}  // namespace cm

#endif  // TOOLS_CMCHECK_OTHER_LOADER_H_
