#include "tools/app/orphans.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "tools/app/threads.h"

namespace cm::app {
namespace {

namespace fs = std::filesystem;

// A program that starts processes faster than they can be killed is not followed for ever.
constexpr int kRounds = 1000;

// The variables follow one another, each with a terminating zero. source: man proc(5)
std::string EnvironmentText(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/environ", process), std::ios::binary);
  return std::string(1, '\0') + std::string(std::istreambuf_iterator<char>(in), {});
}

bool Has(pid_t process, const std::string& setting) {
  return EnvironmentText(process).find('\0' + setting) != std::string::npos;
}

// Of a killed process, which an init may reap in our place.
void AwaitEnd(pid_t process) {
  if (waitpid(process, nullptr, 0) == process) return;
  pollfd ended{
      .fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0)), .events = POLLIN, .revents = 0};
  if (ended.fd < 0) return;
  poll(&ended, 1, -1);
  close(ended.fd);
}

// In the guard's process: it ignores signals, and has closed our streams.
[[noreturn]] void Keep(int pipe, const std::string& setting, const std::string& folder) {
  setsid();
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP}) signal(ignored, SIG_IGN);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  char told = 0;
  ssize_t size = 0;
  while ((size = read(pipe, &told, 1)) < 0 && errno == EINTR) continue;
  if (size > 0) _exit(0);
  for (int round = 0; round < kRounds; ++round) {
    bool any = false;
    for (const pid_t process : NumbersIn("/proc"))
      if (process != getpid() && Has(process, setting) && kill(process, SIGKILL) == 0) any = true;
    if (!any) break;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  _exit(0);
}

}  // namespace

Orphans::Orphans(std::vector<pid_t> inits)
    : inits_(std::move(inits)), known_(ChildrenOf(getpid())) {
  prctl(PR_GET_CHILD_SUBREAPER, &before_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() {
  EndAll({});
  prctl(PR_SET_CHILD_SUBREAPER, before_);
}

std::vector<pid_t> Orphans::Children(std::span<const pid_t> programs) const {
  std::vector<pid_t> children = ChildrenOf(getpid());
  for (const pid_t init : inits_) std::ranges::copy(ChildrenOf(init), std::back_inserter(children));
  std::erase_if(children, [&](pid_t child) {
    return std::ranges::count(known_, child) != 0 || std::ranges::count(programs, child) != 0;
  });
  return children;
}

std::vector<pid_t> Orphans::Alive(std::span<const pid_t> programs) const {
  std::vector<pid_t> alive = Children(programs);
  std::erase_if(alive, IsGone);
  return alive;
}

void Orphans::Reap(std::span<const pid_t> programs) const {
  siginfo_t ended{};
  const bool any = waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (!any || ended.si_pid == 0) return;
  for (const pid_t child : Children(programs))
    if (IsGone(child)) waitpid(child, nullptr, WNOHANG);
}

// Children of a killed process are adopted in turn.
void Orphans::EndAll(std::span<const pid_t> programs) const {
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<pid_t> children = Children(programs);
    if (children.empty()) return;
    for (const pid_t child : children) kill(child, SIGKILL);
    for (const pid_t child : children) AwaitEnd(child);
  }
}

std::string EnvironmentOf(pid_t process, const std::string& name) {
  const std::string text = EnvironmentText(process);
  const std::string before = '\0' + name + '=';
  const size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const size_t begin = at + before.size();
  return text.substr(begin, text.find('\0', begin) - begin);
}

// Not by conformance/process, whose processes end with this one: the guard stays longer.
Guard::Guard(std::string setting, std::string folder) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    close(pipe[1]);
    Keep(pipe[0], setting, folder);
  }
  close(pipe[0]);
  pipe_ = pipe[1];
}

Guard::~Guard() {
  if (pipe_ < 0) return;
  if (write(pipe_, "", 1) != 1 && process_ > 0) kill(process_, SIGKILL);
  close(pipe_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

}  // namespace cm::app
