#include "tools/app/objects.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace cm::app {
std::string Strangers::Sees(pid_t process) {
  std::error_code error;
  const std::string program =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), error);
  if (error || !seen_.emplace(process, program).second) return {};
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  bool any = false;
  for (std::string line; std::getline(maps, line); any = true)
    if (line.find(object_) != std::string::npos) return {};
  return any ? program : "";
}

}  // namespace cm::app
