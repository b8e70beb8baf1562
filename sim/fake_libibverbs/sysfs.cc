// sysfs lookups of RDMA devices by programs: the system's folder is replaced by that of the
// program's host, where the environment names it.
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/fake_libibverbs/libc.h"

namespace cm::sim::fake_libibverbs {
namespace {

// The path on the program's host.
class Place {
 public:
  explicit Place(const char* path) : path_(path) {
    constexpr std::string_view kDevices = "/sys/class/infiniband";
    const char* host = std::getenv("CMSIM_HOST");
    if (host == nullptr || path == nullptr) return;
    const std::string_view text(path);
    if (!text.starts_with(kDevices)) return;
    const std::string_view rest = text.substr(kDevices.size());
    if (rest.empty() || rest.front() == '/') own_ = host + std::string(text);
  }
  const char* path() const { return own_.empty() ? path_ : own_.c_str(); }

 private:
  const char* path_;
  std::string own_;
};

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int stat(const char* path, struct stat* status) noexcept {
  static auto* const kReal = Next("stat", static_cast<int (*)(const char*, struct stat*)>(nullptr));
  return kReal(Place(path).path(), status);
}

int stat64(const char* path, struct stat64* status) noexcept {
  static auto* const kReal =
      Next("stat64", static_cast<int (*)(const char*, struct stat64*)>(nullptr));
  return kReal(Place(path).path(), status);
}

int statx(int folder, const char* path, int flags, unsigned int mask,
          struct statx* status) noexcept {
  static auto* const kReal = Next(
      "statx", static_cast<int (*)(int, const char*, int, unsigned int, struct statx*)>(nullptr));
  return kReal(folder, Place(path).path(), flags, mask, status);
}

DIR* opendir(const char* path) {
  static auto* const kReal = Next("opendir", &opendir);
  return kReal(Place(path).path());
}
}
