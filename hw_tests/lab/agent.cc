#include "hw_tests/lab/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw_tests/lab/frame.h"

namespace lab {
namespace {

constexpr size_t kReadBytes = 65536;

uint64_t GuestClockNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

// The read end of one output of a command, and the destination of its bytes.
struct Pipe {
  int fd = -1;
  FrameType type = FrameType::kOutput;
};

class Agent {
 public:
  Agent(int port, int children) : port_(port), children_(children) {}

  [[noreturn]] void Serve();

 private:
  void Send(FrameType type, std::string_view payload);
  void ReadPort();
  void Handle(const Frame& frame);
  void KillShell();
  void Refuse(std::string_view why);
  void Start(const std::string& command);
  [[noreturn]] void BecomeShell(const std::string& command, int output, int error);
  void Forward(const Pipe& pipe);
  void Discard(int fd);
  void Reap();
  void Finish(int wait_status);

  int port_;
  int children_;
  FrameDecoder decoder_;
  uint32_t command_ = 0;
  pid_t shell_ = 0;  // 0 while no command runs
  uint64_t started_ns_ = 0;
  std::vector<Pipe> pipes_;     // of the running command
  std::vector<int> left_over_;  // of ended commands, still held open by their children
};

void Agent::Send(FrameType type, std::string_view payload) {
  const std::string bytes = Encode({type, command_, std::string(payload)});
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = write(port_, bytes.data() + sent, bytes.size() - sent);
    if (n > 0) {
      sent += static_cast<size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      pollfd ready = {port_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (n < 0 && errno != EINTR) {
      return;  // The host is gone; the next command finds a new one or none.
    }
  }
}

void Agent::Serve() {
  Send(FrameType::kReady, "");
  for (;;) {
    std::vector<pollfd> waits = {{port_, POLLIN, 0}, {children_, POLLIN, 0}};
    for (const Pipe& pipe : pipes_) waits.push_back({pipe.fd, POLLIN, 0});
    const size_t first_left_over = waits.size();
    for (int fd : left_over_) waits.push_back({fd, POLLIN, 0});
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    // Output goes out before the exit status, so pipes are looked at before children.
    const std::vector<Pipe> pipes = pipes_;
    for (size_t i = 0; i < pipes.size(); ++i) {
      if (waits[2 + i].revents != 0) Forward(pipes[i]);
    }
    for (size_t i = first_left_over; i < waits.size(); ++i) {
      if (waits[i].revents != 0) Discard(waits[i].fd);
    }
    if (waits[1].revents != 0) Reap();
    if (waits[0].revents & POLLIN) {
      ReadPort();
    } else if (waits[0].revents != 0) {
      usleep(1000);  // The host is not connected; poll() would return immediately for ever.
    }
  }
}

void Agent::ReadPort() {
  std::array<char, kReadBytes> buffer;
  const ssize_t n = read(port_, buffer.data(), buffer.size());
  if (n <= 0) return;
  decoder_.Append({buffer.data(), static_cast<size_t>(n)});
  while (std::optional<Frame> frame = decoder_.Next()) Handle(*frame);
  // A stream that lost its boundaries cannot be repaired. The end of process 1 is the end of the
  // guest, which the host notices.
  if (decoder_.broken()) _exit(1);
}

void Agent::Handle(const Frame& frame) {
  if (frame.type == FrameType::kKill) {
    if (shell_ != 0) KillShell();
    return;
  }
  if (frame.type != FrameType::kRun) return;
  if (shell_ != 0) {  // The host never does this; finish the old command rather than lose track.
    KillShell();
    int status = 0;
    waitpid(shell_, &status, 0);
    Finish(status);
  }
  command_ = frame.command;
  Start(frame.payload);
}

// The command does not begin.
void Agent::Refuse(std::string_view why) {
  Send(FrameType::kError, why);
  Send(FrameType::kExit, EncodeExit({126, 0}));
}

// The shell leads a process group of its own, but may not have created it yet.
void Agent::KillShell() {
  kill(-shell_, SIGKILL);
  kill(shell_, SIGKILL);
}

// Not by conformance/process: its programs end with the agent and have default signals, and the
// agent is process 1 of the guest, which reaps whatever a command leaves running.
void Agent::Start(const std::string& command) {
  std::array<int, 2> output;
  std::array<int, 2> error;
  if (pipe2(output.data(), O_CLOEXEC) != 0) return Refuse("agent: no more pipes\n");
  if (pipe2(error.data(), O_CLOEXEC) != 0) {
    for (const int end : output) close(end);
    return Refuse("agent: no more pipes\n");
  }
  started_ns_ = GuestClockNs();
  const pid_t shell = fork();
  if (shell == 0) BecomeShell(command, output[1], error[1]);
  close(output[1]);
  close(error[1]);
  if (shell < 0) {
    close(output[0]);
    close(error[0]);
    return Refuse("agent: no more processes\n");
  }
  shell_ = shell;
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  fcntl(error[0], F_SETFL, O_NONBLOCK);
  pipes_ = {{output[0], FrameType::kOutput}, {error[0], FrameType::kError}};
}

void Agent::BecomeShell(const std::string& command, int output, int error) {
  setsid();  // Its own process group, so that kKill reaches the whole command.
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  dup2(output, 1);
  dup2(error, 2);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

// Sends the available bytes, at most what a full pipe holds; forgets the pipe at its end.
void Agent::Forward(const Pipe& pipe) {
  std::array<char, kReadBytes> buffer;
  for (int reads = 0; reads < 2; ++reads) {
    const ssize_t n = read(pipe.fd, buffer.data(), buffer.size());
    if (n > 0) {
      Send(pipe.type, {buffer.data(), static_cast<size_t>(n)});
      continue;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close(pipe.fd);
    std::erase_if(pipes_, [&](const Pipe& other) { return other.fd == pipe.fd; });
    return;
  }
}

// A background child that prints must not be stopped by a full pipe, nor killed by a closed one.
void Agent::Discard(int fd) {
  std::array<char, kReadBytes> buffer;
  const ssize_t n = read(fd, buffer.data(), buffer.size());
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return;
  close(fd);
  std::erase(left_over_, fd);
}

void Agent::Reap() {
  signalfd_siginfo info;
  while (read(children_, &info, sizeof(info)) > 0) {
  }
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == shell_) Finish(status);
  }
}

void Agent::Finish(int wait_status) {
  for (const Pipe& pipe : std::vector<Pipe>(pipes_)) Forward(pipe);
  for (const Pipe& pipe : pipes_) left_over_.push_back(pipe.fd);
  pipes_.clear();
  shell_ = 0;
  const int status =
      WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  Send(FrameType::kExit, EncodeExit({status, GuestClockNs() - started_ns_}));
}

}  // namespace

void ServeAgent(int port) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  signal(SIGPIPE, SIG_IGN);
  Agent agent(port, signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  agent.Serve();
}

}  // namespace lab
