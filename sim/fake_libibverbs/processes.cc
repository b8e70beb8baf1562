// What a program does to its descriptors and to its environment, and the programs that it starts:
// the fake libibverbs stays with them.
#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/executable.h"
#include "sim/fake_libibverbs/carrying.h"
#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD";
constexpr std::array kOwnNames = {"LD_PRELOAD",       "CMSIM_SOCKET", "CMSIM_ADDRESS",
                                  "CMSIM_ADDRESS6",   "CMSIM_HOST",   "CMSIM_SEED",
                                  "CMSIM_PROCESSORS", "CMSIM_COUNTS"};

// "NAME=value" of what the program's first process was started with; never destroyed.
const std::vector<std::string>& OwnVariables() {
  static const auto* const kOwn = [] {
    auto* const own = new std::vector<std::string>;
    for (const char* const name : kOwnNames)
      if (const char* const value = std::getenv(name))
        own->push_back(std::string(name) + "=" + value);
    return own;
  }();
  return *kOwn;
}

// Before the program can change them.
__attribute__((constructor)) void NoteVariables() { OwnVariables(); }

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

// The environment, with what is missing of our own variables.
class Environment {
 public:
  explicit Environment(char* const* variables) {
    if (OwnVariables().empty()) {
      given_ = variables;
      return;
    }
    for (char* const* at = variables; at != nullptr && *at != nullptr; ++at) all_.push_back(*at);
    for (const std::string& own : OwnVariables()) Add(own);
    all_.push_back(nullptr);
  }

  char* const* get() const { return given_ != nullptr ? given_ : all_.data(); }

 private:
  void Add(const std::string& own) {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const char* variable) {
      return NameOf(variable) == NameOf(own);
    });
    if (found == all_.end()) return all_.push_back(const_cast<char*>(own.c_str()));
    if (NameOf(own) != kPreload) return;
    const std::string_view others(*found);
    const std::string_view object = std::string_view(own).substr(kPreload.size() + 1);
    if (others.find(object) != std::string_view::npos) return;
    preloads_ = own + ":" + std::string(others.substr(kPreload.size() + 1));
    *found = preloads_.data();
  }

  char* const* given_ = nullptr;
  std::string preloads_;
  std::vector<char*> all_;
};

// The open descriptors from `first` to `last` that belong to the program.
std::vector<int> Between(unsigned first, unsigned last) {
  std::vector<int> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
  if (folder == nullptr) return found;
  const std::vector<int> own = OwnDescriptors();
  while (const dirent* const entry = readdir(folder.get())) {
    const int fd = std::atoi(entry->d_name);
    const auto number = static_cast<unsigned>(fd);
    if (entry->d_name[0] == '.' || number < first || number > last || fd == dirfd(folder.get()))
      continue;
    if (std::count(own.begin(), own.end(), fd) == 0 && !IsWriteEnd(fd)) found.push_back(fd);
  }
  return found;
}

// Refuses a program that would not load this object.
bool Refuses(const char* path) {
  if (OwnVariables().empty() || path == nullptr || !IsStatic(path)) return false;
  for (const char* const part : {"cmcheck: cannot start ", path,
                                 ": it is linked statically, and would use the RDMA devices of "
                                 "this system\n"})
    static_cast<void>(!RealLibc().write(STDERR_FILENO, part, std::strlen(part)));
  errno = EACCES;
  return true;
}

// The same for a file of the search path. source: man execvp(3)
bool RefusesFile(const char* file) {
  const char* at = std::getenv("PATH");
  if (file == nullptr || at == nullptr || std::strchr(file, '/') != nullptr) return Refuses(file);
  std::array<char, PATH_MAX> path{};
  for (bool more = true; more;) {
    const char* const end = std::strchr(at, ':');
    const size_t length = end == nullptr ? std::strlen(at) : static_cast<size_t>(end - at);
    more = end != nullptr;
    const int size = std::snprintf(path.data(), path.size(), "%.*s%s%s", static_cast<int>(length),
                                   at, length == 0 ? "" : "/", file);
    if (size > 0 && static_cast<size_t>(size) < path.size() && access(path.data(), X_OK) == 0)
      return Refuses(path.data());
    at += length + 1;
  }
  return false;
}

// The system's call, after which the process is another program, or goes on.
template <typename Execute>
int Become(bool may_succeed, Execute execute) {
  const bool ends = may_succeed && CarryEndsAtExec();
  SpendComputation();
  const int result = [&] {
    const RealCounterMeanwhile real;
    return execute();
  }();
  if (ends) CarryNoEndsAtExec();
  return result;
}

std::vector<char*> Words(const char* first, va_list rest) {
  std::vector<char*> words = {const_cast<char*>(first)};
  while (words.back() != nullptr) words.push_back(va_arg(rest, char*));
  return words;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int close_range(unsigned first, unsigned last, int flags) noexcept {
  static auto* const kReal = Next("close_range", &close_range);
  ForgetNumbers(first, last);
  if (OwnVariables().empty() || first > last || (flags & ~CLOSE_RANGE_CLOEXEC) != 0)
    return kReal(first, last, flags);
  for (const int fd : Between(first, last)) {
    if ((flags & CLOSE_RANGE_CLOEXEC) != 0)
      fcntl(fd, F_SETFD, FD_CLOEXEC);
    else
      close(fd);
  }
  return 0;
}

void closefrom(int first) noexcept {
  static_cast<void>(close_range(static_cast<unsigned>(std::max(first, 0)), ~0U, 0));
}

int clearenv() noexcept {
  static auto* const kReal = Next("clearenv", &clearenv);
  const int result = kReal();
  for (const std::string& own : OwnVariables()) {
    const std::string name(NameOf(own));
    setenv(name.c_str(), own.c_str() + name.size() + 1, 1);
  }
  return result;
}

int execve(const char* path, char* const* words, char* const* variables) noexcept {
  static auto* const kReal = Next("execve", &execve);
  if (Refuses(path)) return -1;
  const Environment environment(variables);
  const bool is_there = access(path, X_OK) == 0;  // a shell tries each folder of PATH
  return Become(is_there, [&] { return kReal(path, words, environment.get()); });
}

int execvpe(const char* file, char* const* words, char* const* variables) noexcept {
  static auto* const kReal = Next("execvpe", &execvpe);
  if (RefusesFile(file)) return -1;
  const Environment environment(variables);
  return Become(true, [&] { return kReal(file, words, environment.get()); });
}

int execv(const char* path, char* const* words) noexcept { return execve(path, words, environ); }

int execvp(const char* file, char* const* words) noexcept { return execvpe(file, words, environ); }

int execl(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  const std::vector<char*> words = Words(first, rest);
  va_end(rest);
  return execv(path, words.data());
}

int execlp(const char* file, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  const std::vector<char*> words = Words(first, rest);
  va_end(rest);
  return execvp(file, words.data());
}

int execle(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  const std::vector<char*> words = Words(first, rest);
  char* const* const variables = va_arg(rest, char**);
  va_end(rest);
  return execve(path, words.data(), variables);
}

// A child goes on at once, and its parent when it is its turn.
pid_t fork() noexcept {
  static auto* const kReal = Next("fork", &fork);
  SpendStart();
  forks = true;
  const pid_t child = kReal();
  forks = false;
  if (child == 0) BeginComputation();
  if (child > 0) AwaitTurn();
  return child;
}

// POSIX permits that it is fork. A child in the memory of its parent would send its requests over
// the connection of its parent.
pid_t vfork() noexcept { return fork(); }

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* words, char* const* variables) {
  static auto* const kReal = Next("posix_spawn", &posix_spawn);
  if (Refuses(path)) return EACCES;
  const Environment environment(variables);
  SpendStart();
  const RealCounterMeanwhile real;
  const int error = kReal(process, path, actions, attributes, words, environment.get());
  if (error == 0) AwaitTurn();
  return error;
}

int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* words, char* const* variables) {
  static auto* const kReal = Next("posix_spawnp", &posix_spawnp);
  if (RefusesFile(file)) return EACCES;
  const Environment environment(variables);
  SpendStart();
  const RealCounterMeanwhile real;
  const int error = kReal(process, file, actions, attributes, words, environment.get());
  if (error == 0) AwaitTurn();
  return error;
}

int system(const char* command) {
  static auto* const kReal = Next("system", &system);
  SpendStart();
  const RealCounterMeanwhile real;
  const int result = kReal(command);
  AwaitTurn();
  return result;
}

FILE* popen(const char* command, const char* type) {
  static auto* const kReal = Next("popen", &popen);
  SpendStart();
  const RealCounterMeanwhile real;
  std::FILE* const pipe = kReal(command, type);
  AwaitTurn();
  return pipe;
}

int fexecve(int file, char* const* words, char* const* variables) noexcept {
  static auto* const kReal = Next("fexecve", &fexecve);
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", file);
  if (Refuses(path.data())) return -1;
  const Environment environment(variables);
  return Become(true, [&] { return kReal(file, words, environment.get()); });
}
}
