#include "conformance/process/pid_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace cm {
namespace {

// The last id that the namespace has given. source: man pid_namespaces(7), ns_last_pid
bool CountFrom(const std::string& before) {
  const int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  return write(fd, before.data(), before.size()) == static_cast<ssize_t>(before.size());
}

// In the init, a copy of this process. It says when it is ready, and then only adopts processes.
[[noreturn]] void BeInit(int ready, const std::string& before) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  for (int number = 1; number < SIGRTMIN; ++number) signal(number, SIG_DFL);
  signal(SIGCHLD, SIG_IGN);  // children that have ended are reaped
  signal(SIGPIPE, SIG_IGN);
  // Others wait for the ends of what this process has inherited.
  constexpr int kReady = 3;
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  dup2(ready, kReady);
  close_range(kReady + 1, ~0U, 0);
  // Fails when the parent had ended before prctl took effect: then nothing reads it.
  if (!MountProc() || !CountFrom(before) || write(kReady, "", 1) != 1) _exit(1);
  close(kReady);
  for (;;) pause();
}

}  // namespace

bool MountProc() {
  return unshare(CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0 &&
         mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

PidNamespace::PidNamespace(pid_t init)
    : init_(init),
      descriptor_(
          open(("/proc/" + std::to_string(init) + "/ns/pid").c_str(), O_RDONLY | O_CLOEXEC)) {}

std::optional<PidNamespace> PidNamespace::Make(pid_t first) {
  const std::string before = std::to_string(first - 1);
  const Descriptor ours(open("/proc/thread-self/ns/pid", O_RDONLY | O_CLOEXEC));
  std::optional<Ends> ready = Pipe();
  if (ours.get() < 0 || !ready || unshare(CLONE_NEWPID) != 0) return std::nullopt;
  const pid_t init = fork();
  if (init == 0) {
    ready->first.Close();
    BeInit(ready->second.get(), before);
  }
  // Of later children of this thread.
  setns(ours.get(), CLONE_NEWPID);
  if (init < 0) return std::nullopt;
  ready->second.Close();
  PidNamespace made(init);
  char byte = 0;
  ssize_t size = 0;
  while ((size = read(ready->first.get(), &byte, 1)) < 0 && errno == EINTR) continue;
  if (size != 1 || made.descriptor() < 0) return std::nullopt;
  return made;
}

PidNamespace::~PidNamespace() {
  if (init_ <= 0) return;
  kill(init_, SIGKILL);
  while (waitpid(init_, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace cm
