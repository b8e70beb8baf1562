// A guest with programs of this machine.
#ifndef HW_TESTS_LAB_OWN_PROGRAMS_H_
#define HW_TESTS_LAB_OWN_PROGRAMS_H_

#include <filesystem>
#include <vector>

#include "hw_tests/lab/image.h"
#include "hw_tests/lab/problem.h"

namespace lab {

// An image in `folder`, which must be empty, that also has these files of this machine and the
// libraries that the loader finds for them, under their paths here. What the guest has already
// stays the guest's. An object that programs open by themselves is named as they are. The image
// belongs to `image`, which must stay where it is.
Outcome<Image> WithPrograms(const Image& image, const std::vector<std::filesystem::path>& files,
                            const std::filesystem::path& folder);

}  // namespace lab

#endif  // HW_TESTS_LAB_OWN_PROGRAMS_H_
