#include "hw_tests/lab/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

namespace lab {
namespace {

constexpr int kFirstInherited = 20;

// The kernel sends the death signal when the *thread* that started a process ends. This thread
// lives as long as we do, whichever thread calls it.
class Starter {
 public:
  static Starter& Instance() {
    static Starter* const starter = new Starter;  // never destroyed: its thread uses it
    return *starter;
  }

  pid_t Run(const std::function<pid_t()>& start) {
    const std::lock_guard<std::mutex> one_at_a_time(callers_);
    std::unique_lock<std::mutex> lock(mutex_);
    wanted_ = &start;
    changed_.notify_all();
    changed_.wait(lock, [this] { return wanted_ == nullptr; });
    return started_;
  }

 private:
  Starter() {
    std::thread([this] { Serve(); }).detach();
  }

  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return wanted_ != nullptr; });
      started_ = (*wanted_)();
      wanted_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<pid_t()>* wanted_ = nullptr;
  pid_t started_ = -1;
};

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view ours = *entry;
    const std::string_view name = ours.substr(0, ours.find('=') + 1);
    bool changed = false;
    for (const std::string& change : changes) changed = changed || change.starts_with(name);
    if (!changed) all.emplace_back(ours);
  }
  return all;
}

// Runs in the child, between fork and exec: system calls only.
[[noreturn]] void Become(const Launch& launch, pid_t parent, char* const* arguments,
                         char* const* environment) {
  prctl(PR_SET_PDEATHSIG, launch.death_signal);
  if (getppid() != parent) _exit(127);  // It ended before prctl took effect.
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int output = launch.output >= 0 ? launch.output : nothing;
  if (dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(127);
  for (int fd : launch.inherited) fcntl(fd, F_SETFD, 0);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

}  // namespace

void Descriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Descriptor MemoryFile(std::string_view bytes) {
  const Descriptor low(memfd_create("lab", MFD_CLOEXEC));
  Descriptor file(fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstInherited));
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = write(file.get(), bytes.data() + written, bytes.size() - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  return file;
}

std::string InheritedPath(const Descriptor& descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor.get());
}

std::string ReadFromStart(const Descriptor& descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n =
        pread(descriptor.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(n));
  }
}

std::optional<std::pair<Descriptor, Descriptor>> SocketPair() {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

std::optional<std::pair<Descriptor, Descriptor>> Pipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

std::optional<std::string> FindProgram(const std::string& name, const std::string& search_path) {
  size_t begin = 0;
  while (begin <= search_path.size()) {
    const size_t end = std::min(search_path.find(':', begin), search_path.size());
    const std::string path = search_path.substr(begin, end - begin) + "/" + name;
    struct stat facts = {};
    const bool is_file = stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    if (is_file && access(path.c_str(), X_OK) == 0) return path;
    begin = end + 1;
  }
  return std::nullopt;
}

std::string SearchPath() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

Outcome<Process> Process::Start(const Launch& launch) {
  const std::vector<std::string> variables = Environment(launch.environment);
  const std::vector<char*> arguments = Pointers(launch.arguments);
  const std::vector<char*> environment = Pointers(variables);
  const pid_t parent = getpid();
  const pid_t pid = Starter::Instance().Run([&] {
    const pid_t child = fork();
    if (child == 0) Become(launch, parent, arguments.data(), environment.data());
    return child;
  });
  if (pid < 0) {
    return Problem{"cannot start " + launch.arguments[0] + ": " + strerror(errno)};
  }
  setpgid(pid, pid);  // Both sides do it: either may need the group first.
  return Process(pid);
}

std::optional<int> Process::Wait(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    int status = 0;
    const pid_t ended = pid_ == 0 ? -1 : waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ && pid_ != 0) {
      pid_ = 0;
      return status;
    }
    if (ended < 0 && errno != EINTR) return 0;
    if (std::chrono::steady_clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void Process::Signal(int signal) {
  if (pid_ == 0) return;
  kill(-pid_, signal);
  kill(pid_, signal);
}

void Process::Kill() {
  if (pid_ == 0) return;
  Signal(SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

}  // namespace lab
