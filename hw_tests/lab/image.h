// The guest's kernel and root file system, built once from the distribution's packages.
#ifndef HW_TESTS_LAB_IMAGE_H_
#define HW_TESTS_LAB_IMAGE_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "conformance/process/process.h"
#include "hw_tests/lab/problem.h"

namespace lab {

// Callbacks of a long operation; either may be empty.
struct Caller {
  std::function<void(std::string_view)> progress;  // one line, without its end
  std::function<bool()> cancelled;                 // called ten times a second
};

// Soft-RoCE, or Soft-iWARP, which is built from the kernel's source.
enum class RdmaDriver { kRxe, kSiw };

struct ImageSettings {
  std::filesystem::path cache;
  std::string search_path = cm::SearchPath();  // where the builder searches its programs
  std::filesystem::path package_lists = "/var/lib/apt/lists";
  // A Debian release, such as trixie, whose lists are fetched once and kept in the cache; empty:
  // this machine's lists.
  std::string suite;
  RdmaDriver driver = RdmaDriver::kRxe;
};

class Image {
 public:
  // Builds the image of the package lists and the embedded scripts, unless the cache has it: half a
  // minute and 90 MB of downloads. Concurrent callers build it once. Without package lists it
  // returns the newest image of the same scripts.
  static Outcome<Image> Ensure(const ImageSettings& settings, const Caller& caller);

  // Opens a folder that contains an image.
  static Outcome<Image> Open(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path kernel() const { return folder_ / "vmlinux"; }
  std::filesystem::path root() const { return folder_ / "initrd"; }

  const std::string& kernel_release() const { return kernel_release_; }        // 6.1.0-56-amd64
  const std::string& kernel_version() const { return kernel_version_; }        // 6.1.192-2
  const std::string& librdmacm_version() const { return librdmacm_version_; }  // 44.0-2

 private:
  std::filesystem::path folder_;
  std::string kernel_release_;
  std::string kernel_version_;
  std::string librdmacm_version_;
};

}  // namespace lab

#endif  // HW_TESTS_LAB_IMAGE_H_
