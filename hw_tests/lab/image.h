// The guest's kernel and root file system, built once out of the distribution's packages.
#ifndef HW_TESTS_LAB_IMAGE_H_
#define HW_TESTS_LAB_IMAGE_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "hw_tests/lab/problem.h"
#include "hw_tests/lab/process.h"

namespace lab {

// What something that takes its time does with its caller meanwhile. Either may be empty.
struct Caller {
  std::function<void(std::string_view)> progress;  // one line, without its end
  std::function<bool()> cancelled;                 // asked ten times a second
};

// Soft-RoCE, or Soft-iWARP, which is built from the kernel's source.
enum class RdmaDriver { kRxe, kSiw };

struct ImageSettings {
  std::filesystem::path cache;
  std::string search_path = SearchPath();  // where the builder finds its programs
  std::filesystem::path package_lists = "/var/lib/apt/lists";
  // A release of Debian, as trixie, whose lists are fetched once and kept in the cache; empty: what
  // this machine's lists offer.
  std::string suite;
  RdmaDriver driver = RdmaDriver::kRxe;
};

class Image {
 public:
  // Builds the image that the package lists and the embedded scripts describe, unless the cache has
  // it: half a minute and 90 MB of downloads. Two at once build one. Without package lists the
  // newest image of the same scripts serves.
  static Outcome<Image> Ensure(const ImageSettings& settings, const Caller& caller);

  // Takes a folder that holds one.
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
