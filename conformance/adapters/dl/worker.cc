#include "conformance/adapters/dl/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace cm {
namespace {

constexpr Duration kReapWithin = Duration::Seconds(10);
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr int64_t kNanosecondsPerMillisecond = 1'000'000;

timespec ToTimespec(int64_t ns) {
  return {.tv_sec = ns / kNanosecondsPerSecond, .tv_nsec = ns % kNanosecondsPerSecond};
}

// In the child: its own process group, default signals, no core dump, killed with its parent.
void Isolate(pid_t parent) {
  setpgid(0, 0);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGHUP,
                           SIGQUIT, SIGCHLD, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2}) {
    std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent had died before
}

// Whether the process has ended, killed or not.
bool Reaped(pid_t process) {
  const pid_t reaped = waitpid(process, nullptr, WNOHANG);
  return reaped == process || (reaped < 0 && errno == ECHILD);
}

}  // namespace

Instant RealNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return Instant::FromNanoseconds(now.tv_sec * kNanosecondsPerSecond + now.tv_nsec);
}

void ReallySleep(Duration span) {
  timespec rest = ToTimespec(span.nanoseconds());
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}

Deadline::Deadline(Duration within) {
  const Instant now = RealNow();
  at_ = within > Instant::Never() - now ? Instant::Never() : now + within;
}

int Deadline::milliseconds_left() const {
  constexpr int64_t kLongestPoll = 1'000'000'000;
  const int64_t left = (at_ - RealNow()).nanoseconds();
  if (left <= 0) return 0;
  const int64_t rounded =
      left / kNanosecondsPerMillisecond + (left % kNanosecondsPerMillisecond != 0 ? 1 : 0);
  return static_cast<int>(std::min(rounded, kLongestPoll));
}

void LateProcesses::Add(pid_t process) {
  const std::lock_guard lock(mutex_);
  processes_.push_back(process);
}

size_t LateProcesses::Reap() {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, Reaped);
  return processes_.size();
}

std::unique_ptr<Worker> Worker::Start(const std::function<void(int connection)>& serve,
                                      LateProcesses* late) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return nullptr;
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    return nullptr;
  }
  if (process == 0) {
    close(ends[0]);
    Isolate(parent);
    serve(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  setpgid(process, process);  // in both processes: either may need it first
  const auto watch = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  return std::unique_ptr<Worker>(new Worker(process, ends[0], watch, late));
}

Worker::~Worker() { End(); }

void Worker::Disconnect() {
  if (connection_ >= 0) close(connection_);
  connection_ = -1;
}

bool Worker::Ask(const Request& request) { return alive() && Send(connection_, request); }

bool Worker::Tell(std::string_view text) { return alive() && SendText(connection_, text); }

bool Worker::End() {
  if (process_ <= 0) return true;
  kill(-process_, SIGKILL);
  kill(process_, SIGKILL);
  Disconnect();
  const Deadline deadline(kReapWithin);
  bool reaped = Reaped(process_);
  while (!reaped && deadline.milliseconds_left() > 0) {
    pollfd watched{.fd = watch_, .events = POLLIN, .revents = 0};
    if (watch_ >= 0)
      poll(&watched, 1, deadline.milliseconds_left());
    else
      ReallySleep(Duration::Milliseconds(1));
    reaped = Reaped(process_);
  }
  if (watch_ >= 0) close(watch_);
  watch_ = -1;
  if (!reaped) late_->Add(process_);
  process_ = 0;
  return reaped;
}

Worker::Heard Worker::Listen(size_t self) {
  std::optional<Answer> answer = ReceiveAnswer(connection_);
  if (!answer) Disconnect();
  return {.worker = self, .answer = std::move(answer)};
}

std::optional<Worker::Heard> Worker::Hear(const std::vector<std::unique_ptr<Worker>>& workers,
                                          const Deadline& deadline) {
  std::vector<pollfd> watched;
  for (const auto& worker : workers) {  // poll ignores negative descriptors
    watched.push_back({.fd = worker->connection_, .events = POLLIN, .revents = 0});
    const int watch = worker->alive() ? worker->watch_ : -1;
    watched.push_back({.fd = watch, .events = POLLIN, .revents = 0});
  }
  for (;;) {
    const int ready = poll(watched.data(), watched.size(), deadline.milliseconds_left());
    if (ready > 0) break;
    if (ready == 0 && deadline.milliseconds_left() == 0) return std::nullopt;
    if (ready < 0 && errno != EINTR) return std::nullopt;
  }
  // Answers that a worker sent before it died come first.
  for (size_t i = 0; i < workers.size(); ++i)
    if (watched[2 * i].revents != 0) return workers[i]->Listen(i);
  for (size_t i = 0; i < workers.size(); ++i)
    if (watched[2 * i + 1].revents != 0) return workers[i]->Listen(i);
  return std::nullopt;
}

}  // namespace cm
