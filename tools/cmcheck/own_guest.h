// A guest of the lab with a kernel, or with kernel modules, of the user's own.
#ifndef TOOLS_CMCHECK_OWN_GUEST_H_
#define TOOLS_CMCHECK_OWN_GUEST_H_

#include <filesystem>
#include <string>
#include <vector>

#include "hw_tests/lab/image.h"
#include "hw_tests/lab/problem.h"
#include "tools/cmcheck/command_line.h"

namespace cm {

// Paths as the user gave them.
struct OwnGuest {
  std::vector<std::string> modules;  // in place of those of the guest's kernel
  std::string kernel;                // in place of the guest's; empty: that
  std::string kernel_modules;        // all of that kernel's
};

void AddOwnGuest(Verb verb, OwnGuest* own);

bool IsOwn(const OwnGuest& own);
// What is wrong with the files, before anything is done; or nothing.
std::string WhyUnusable(const OwnGuest& own);
// For a command that does the same.
std::string ArgumentsOf(const OwnGuest& own);

// The image with them, in `folder`, which has to be empty and to stay; without any of them `image`.
lab::Outcome<lab::Image> OwnImage(const OwnGuest& own, const lab::Image& image,
                                  const std::filesystem::path& folder);

}  // namespace cm

#endif  // TOOLS_CMCHECK_OWN_GUEST_H_
