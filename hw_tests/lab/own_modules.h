// A guest with kernel modules of the user's own.
#ifndef HW_TESTS_LAB_OWN_MODULES_H_
#define HW_TESTS_LAB_OWN_MODULES_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw_tests/lab/image.h"
#include "hw_tests/lab/problem.h"

namespace lab {

// The files of an archive in cpio's format newc, as a kernel reads its first root file system.
// Empty when it is none. source: linux 6.1 Documentation/driver-api/early-userspace/buffer-format
std::optional<std::vector<std::string>> FilesOfArchive(std::string_view bytes);

inline constexpr uint32_t kRegular = 0100644;
inline constexpr uint32_t kProgram = 0100755;
inline constexpr uint32_t kFolder = 040755;

struct ArchiveFile {
  std::string path;
  std::string bytes;
  uint32_t mode = kRegular;
};
// A kernel unpacks it over one that stands before it, and a file only into a folder that there is.
std::string ArchiveOf(const std::vector<ArchiveFile>& files);

// An image in `folder`, which must be empty, with these files over those of `image`, whose archive
// is `root`. It belongs to `image`, which must stay where it is.
Outcome<Image> WithFiles(const Image& image, const std::string& root,
                         const std::vector<ArchiveFile>& files,
                         const std::filesystem::path& folder);

// An image in `folder`, which must be empty, whose modules are replaced by these files: each by
// that of the module with its name. They must be of the kernel's release, which the guest's kernel
// checks when it loads them. The image belongs to `image`, which must stay where it is.
Outcome<Image> WithModules(const Image& image, const std::vector<std::filesystem::path>& modules,
                           const std::filesystem::path& folder);

}  // namespace lab

#endif  // HW_TESTS_LAB_OWN_MODULES_H_
