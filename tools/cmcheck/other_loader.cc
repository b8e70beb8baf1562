#include "tools/cmcheck/other_loader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace cm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoader = "ld-linux-x86-64.so.2";

std::vector<std::string> OwnArguments() {
  std::vector<std::string> arguments;
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(in, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace

std::string StartAgainByLoaderOf(const std::string& library) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(library, error).parent_path();
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (access((folder / kLoader).c_str(), X_OK) != 0)
    return fmt::format("a loader of its release would be looked for as {}",
                       (folder / kLoader).string());
  // /proc/self/exe of a program that a loader starts is the loader.
  if (error || program.filename() == kLoader)
    return "cmcheck was started by the loader of another release already";
  std::vector<std::string> command = {folder / kLoader, "--library-path", folder, program};
  const std::vector<std::string> own = OwnArguments();
  if (!own.empty()) command.insert(command.end(), own.begin() + 1, own.end());
  std::vector<char*> pointers;
  for (std::string& part : command) pointers.push_back(part.data());
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  return fmt::format("cannot start {}: {}", command.front(), std::strerror(errno));
}

}  // namespace cm
