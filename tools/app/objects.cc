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
  if (error || seen_.contains({process, program})) return {};
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  bool any = false;
  bool has_loader = false;
  bool has_library = false;
  for (std::string line; std::getline(maps, line); any = true) {
    has_loader = has_loader || line.find("/ld-linux") != std::string::npos;
    has_library = has_library || line.find("/libc.so") != std::string::npos;
    if (line.find(object_) == std::string::npos) continue;
    seen_.emplace(process, program);
    return {};
  }
  // A debugger stops a program before its loader has loaded anything.
  if (has_loader && !has_library) return {};
  seen_.emplace(process, program);
  return any ? program : "";
}

}  // namespace cm::app
