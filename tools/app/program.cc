#include "tools/app/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

namespace cm::app {
namespace {

constexpr int kCannotStart = 127;
constexpr int kCannotSay = 126;
// A longer piece without end of line is passed on as it is.
constexpr size_t kLongestLine = size_t{1} << 20;

std::string CannotStart(const std::string& name, int error) {
  return fmt::format("cannot start {}: {}", name, std::strerror(error));
}

// 0, or the errno why this file cannot be executed.
int Refuses(const std::string& path) {
  if (access(path.c_str(), X_OK) != 0) return errno;
  return std::filesystem::is_directory(path) ? EACCES : 0;
}

// In the child: a process group of its own, killed with its parent.
[[noreturn]] void Become(const ProgramToRun& program, const std::vector<std::string>& environment,
                         int output, int problem) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_DFL);
  // Fixed addresses: programs order things by them, too. Where that is not permitted, runs differ.
  personality(ADDR_NO_RANDOMIZE);
  const int nowhere = open("/dev/null", O_RDONLY);
  dup2(nowhere, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const std::string& setting : environment) {
    const size_t equals = setting.find('=');
    setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> words;
  for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  _exit(write(problem, &error, sizeof error) == sizeof error ? kCannotStart : kCannotSay);
}

// Waits until execve has succeeded or failed. Returns whether it failed.
bool ReadsError(int problem, int* error) {
  for (;;) {
    const ssize_t size = read(problem, error, sizeof *error);
    if (size >= 0 || errno != EINTR) return size == sizeof *error;
  }
}

}  // namespace

std::string WhyNotFound(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    const int error = Refuses(name);
    return error == 0 ? "" : CannotStart(name, error);
  }
  int worst = ENOENT;
  const char* path = std::getenv("PATH");
  // source: man execvp(3)
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const int error = name.empty() ? ENOENT : Refuses((folder.empty() ? "." : folder) + "/" + name);
    if (error == 0) return {};
    if (error == EACCES) worst = EACCES;
  }
  return CannotStart(name, worst);
}

std::variant<Program, std::string> Program::Start(const ProgramToRun& program,
                                                  const std::vector<std::string>& environment) {
  std::array<int, 2> pipe{};
  std::array<int, 2> problem{};  // closed by execve
  if (pipe2(pipe.data(), O_CLOEXEC) != 0)
    return fmt::format("no pipe for {}: {}", program.words[0], std::strerror(errno));
  if (pipe2(problem.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    for (const int end : pipe) close(end);
    return fmt::format("no pipe for {}: {}", program.words[0], std::strerror(error));
  }
  const pid_t process = fork();
  if (process == 0) Become(program, environment, pipe[1], problem[1]);
  int error = errno;
  close(pipe[1]);
  close(problem[1]);
  const bool failed = process > 0 && ReadsError(problem[0], &error);
  close(problem[0]);
  if (process < 0 || failed) close(pipe[0]);
  if (process < 0)
    return fmt::format("no process for {}: {}", program.words[0], std::strerror(error));
  if (failed) {
    waitpid(process, nullptr, 0);
    return CannotStart(program.words[0], error);
  }
  setpgid(process, process);
  fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  return Program(process, pipe[0]);
}

Program::Program(Program&& other) noexcept
    : process_(std::exchange(other.process_, 0)),
      output_(std::exchange(other.output_, -1)),
      ended_(other.ended_),
      status_(other.status_),
      said_(std::move(other.said_)) {}

Program::~Program() {
  if (process_ > 0) kill(-process_, SIGKILL);
  if (process_ > 0 && !ended_) waitpid(process_, nullptr, 0);
  if (output_ >= 0) close(output_);
}

std::vector<std::string> Program::TakeLines(size_t most) {
  std::array<char, 4096> buffer{};
  for (size_t taken = 0; output_ >= 0 && taken < most;) {
    const ssize_t size = read(output_, buffer.data(), buffer.size());
    if (size > 0) {
      said_.append(buffer.data(), static_cast<size_t>(size));
      taken += static_cast<size_t>(size);
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    close(std::exchange(output_, -1));
  }
  if (output_ < 0 && !said_.empty() && said_.back() != '\n') said_ += '\n';
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end = said_.find('\n'); end != std::string::npos; end = said_.find('\n', begin)) {
    lines.push_back(said_.substr(begin, end - begin));
    begin = end + 1;
  }
  said_.erase(0, begin);
  if (said_.size() >= kLongestLine) lines.push_back(std::exchange(said_, {}));
  return lines;
}

bool Program::Ended() {
  if (!ended_) ended_ = waitpid(process_, &status_, WNOHANG) == process_;
  return ended_;
}

void Program::Kill(int signal) const {
  if (!ended_) kill(-process_, signal);
}

std::string HowItEnded(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  if (!WIFSIGNALED(status)) return fmt::format("wait status {}", status);
  return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

}  // namespace cm::app
