// A guest with a kernel of the user's own.
#ifndef HW_TESTS_LAB_OWN_KERNEL_H_
#define HW_TESTS_LAB_OWN_KERNEL_H_

#include <filesystem>

#include "hw_tests/lab/image.h"
#include "hw_tests/lab/problem.h"

namespace lab {

struct OwnKernel {
  std::filesystem::path kernel;   // a bzImage, a vmlinux, or a Debian package with its modules
  std::filesystem::path modules;  // of `make modules_install`; empty with a package
};

// An image in `folder`, which must be empty, of that kernel and the programs and librdmacm of
// `image`. Its kernel_version() is "own-" and a digest of kernel and modules. A bzImage takes the
// guest some seconds more to start than the kernels of the cache, which are unpacked.
Outcome<Image> WithKernel(const Image& image, const OwnKernel& own,
                          const std::filesystem::path& folder);

}  // namespace lab

#endif  // HW_TESTS_LAB_OWN_KERNEL_H_
