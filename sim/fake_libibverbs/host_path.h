// Where files of a program's host are: below the folder that the environment names.
#ifndef SIM_FAKE_LIBIBVERBS_HOST_PATH_H_
#define SIM_FAKE_LIBIBVERBS_HOST_PATH_H_

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace cm::sim::fake_libibverbs {

// The path itself, unless it is that of an RDMA device in /sys or /dev, or of the host's
// interfaces.
class HostPath {
 public:
  explicit HostPath(const char* path) : path_(path) {
    constexpr std::array<std::string_view, 5> kFolders = {"/sys/class/infiniband",
                                                          "/dev/infiniband", "/sys/class/net",
                                                          "/proc/net/dev", "/proc/net/if_inet6"};
    if (path == nullptr) return;
    const std::string_view text(path);
    for (const std::string_view folder : kFolders) {
      if (!text.starts_with(folder)) continue;
      const std::string_view rest = text.substr(folder.size());
      const char* const host = std::getenv("CMSIM_HOST");
      if (host != nullptr && (rest.empty() || rest.front() == '/')) own_ = host + std::string(text);
    }
  }
  const char* get() const { return own_.empty() ? path_ : own_.c_str(); }
  // Files there are those of devices.
  bool IsInDev() const { return !own_.empty() && std::string_view(path_).starts_with("/dev"); }

 private:
  const char* path_;
  std::string own_;
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_HOST_PATH_H_
