#include "hw_tests/node/held_back.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace node {
namespace {

namespace fs = std::filesystem;

// source: linux 6.1 sched.h PF_EXITING
constexpr uint64_t kExiting = 0x4;

bool IsBeingKilled(const fs::path& task) {
  std::ifstream status(task / "status");
  const std::string wanted = "SigPnd:";
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(wanted)) continue;
    uint64_t pending = 0;
    std::istringstream(line.substr(wanted.size())) >> std::hex >> pending;
    return (pending >> (SIGKILL - 1) & 1) != 0;
  }
  return false;
}

// Empty when it is not held back. The leader of a process may be a zombie while a thread is.
// "181 (cmcheck) D 1 180 167 0 -1 4194368 57 …" source: man proc(5)
std::string NameOfHeldBack(const fs::path& task) {
  std::string line;
  std::ifstream stat(task / "stat");
  if (!std::getline(stat, line)) return {};
  const size_t begins = line.find('(');
  const size_t ends = line.rfind(')');
  if (begins == std::string::npos || ends == std::string::npos) return {};
  std::istringstream rest(line.substr(ends + 1));
  char state = 0;
  int64_t skipped = 0;
  uint64_t flags = 0;
  rest >> state;
  for (int i = 0; i < 5; ++i) rest >> skipped;
  rest >> flags;
  if (state != 'D' || ((flags & kExiting) == 0 && !IsBeingKilled(task))) return {};
  return line.substr(begins, ends + 1 - begins);
}

}  // namespace

std::string HeldBack(const std::string& processes) {
  // A process may end while it is looked at.
  std::error_code error;
  for (fs::directory_iterator one(processes, error), end; !error && one != end;
       one.increment(error)) {
    const std::string pid = one->path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    for (fs::directory_iterator task(one->path() / "task", gone); !gone && task != end;
         task.increment(gone))
      if (const std::string name = NameOfHeldBack(task->path()); !name.empty())
        return fmt::format("{} {}", pid, name);
  }
  return {};
}

}  // namespace node
