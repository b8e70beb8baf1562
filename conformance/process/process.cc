#include "conformance/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "conformance/process/pid_namespace.h"

namespace cm {
namespace {

constexpr int kCannotStart = 127;

// The kernel sends the death signal when the *thread* that started a process ends. This thread
// lives as long as we do, whichever thread calls it.
class Starter {
 public:
  // Never destroyed: its thread uses it. A child that was forked has no such thread, so it makes
  // one of its own.
  static Starter& Instance() {
    static const int kForgets = pthread_atfork(nullptr, nullptr, [] { instance = nullptr; });
    static_cast<void>(kForgets);
    Starter* one = instance;
    if (one != nullptr) return *one;
    auto* const fresh = new Starter;
    return instance.compare_exchange_strong(one, fresh) ? *fresh : *one;
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

  static std::atomic<Starter*> instance;

  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<pid_t()>* wanted_ = nullptr;
  pid_t started_ = -1;
};

std::atomic<Starter*> Starter::instance = nullptr;

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

// In the child: its own group, default signals, killed with its parent, which has the number 0 when
// it is in another PID namespace. System calls only.
void Isolate(pid_t parent, int death_signal) {
  prctl(PR_SET_PDEATHSIG, death_signal);
  if (getppid() != parent) _exit(kCannotStart);  // It ended before prctl took effect.
  setpgid(0, 0);
  for (int number = 1; number < SIGRTMIN; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A fork whose child is in the PID namespace; -1: in ours.
pid_t ForkInto(int process_ids) {
  if (process_ids < 0) return fork();
  const Descriptor ours(open("/proc/thread-self/ns/pid", O_RDONLY | O_CLOEXEC));
  if (ours.get() < 0 || setns(process_ids, CLONE_NEWPID) != 0) return -1;
  const pid_t child = fork();
  const int why = errno;
  if (child != 0) setns(ours.get(), CLONE_NEWPID);
  errno = why;
  return child;
}

// System calls only.
bool Mount(const std::vector<std::pair<std::string, std::string>>& places) {
  return std::ranges::all_of(places, [](const auto& place) {
    constexpr unsigned kFlags = MS_BIND | MS_REC;
    return mount(place.first.c_str(), place.second.c_str(), nullptr, kFlags, nullptr) == 0;
  });
}

// Runs in the child, between fork and exec: system calls only. The thread that starts it has the
// network of the time when it began; `network` is its caller's.
[[noreturn]] void Become(const Launch& launch, const char* path, char* const* arguments,
                         char* const* environment, int network, int problem) {
  // Refused without the privilege, without which no thread has a network of its own.
  static_cast<void>(setns(network, CLONE_NEWNET));
  // Where that is not permitted, runs differ.
  if (launch.fixed_addresses) personality(ADDR_NO_RANDOMIZE);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int input = launch.input >= 0 ? launch.input : nothing;
  const int output = launch.output >= 0 ? launch.output : nothing;
  const int error = launch.error >= 0 ? launch.error : output;
  const bool ready = dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && dup2(error, 2) >= 0 &&
                     (launch.folder.empty() || chdir(launch.folder.c_str()) == 0) &&
                     (launch.process_ids < 0 || (MountProc() && Mount(launch.places)));
  for (const int fd : launch.inherited) fcntl(fd, F_SETFD, 0);
  if (ready) execve(path, arguments, environment);
  const int why = errno;
  static_cast<void>(!write(problem, &why, sizeof(why)));
  _exit(kCannotStart);
}

// 0, or the errno why this file cannot be executed.
int Refuses(const std::string& path) {
  struct stat facts = {};
  if (stat(path.c_str(), &facts) != 0 || access(path.c_str(), X_OK) != 0) return errno;
  return S_ISREG(facts.st_mode) ? 0 : EACCES;
}

std::string CannotStart(const std::string& name, int error) {
  return "cannot start " + name + ": " + strerror(error);
}

ssize_t ReadSome(int fd, void* bytes, size_t count) {
  for (;;) {
    const ssize_t size = read(fd, bytes, count);
    if (size >= 0 || errno != EINTR) return size;
  }
}

}  // namespace

std::variant<std::string, int> FindProgram(const std::string& name,
                                           const std::string& search_path) {
  int worst = ENOENT;
  const bool has_folder = name.find('/') != std::string::npos;
  for (size_t begin = 0; begin <= search_path.size() && !name.empty();) {
    const size_t end = std::min(search_path.find(':', begin), search_path.size());
    std::string path = begin == end ? "." : search_path.substr(begin, end - begin);
    path = has_folder ? name : path.append("/").append(name);
    const int error = Refuses(path);
    if (error == 0) return path;
    if (error == EACCES || has_folder) worst = error;
    begin = end + 1;
  }
  return worst;
}

std::string SearchPath() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
}

// In both processes: either may need the group first.
Process::Process(pid_t pid) : pid_(pid), watch_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  setpgid(pid, pid);
}

std::variant<Process, std::string> Process::Start(const Launch& launch) {
  const std::string& name = launch.arguments.front();
  const std::vector<std::string> variables = Environment(launch.environment);
  const auto path = std::ranges::find_if(
      variables, [](const std::string& variable) { return variable.starts_with("PATH="); });
  const auto found = FindProgram(name, path == variables.end() ? SearchPath() : path->substr(5));
  if (const int* const error = std::get_if<int>(&found)) return CannotStart(name, *error);
  const char* const program = std::get<std::string>(found).c_str();
  const std::vector<char*> arguments = Pointers(launch.arguments);
  const std::vector<char*> environment = Pointers(variables);
  std::optional<Ends> problem = Pipe();  // closed by exec
  if (!problem) return CannotStart(name, errno);
  const Descriptor network(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  const pid_t parent = launch.process_ids < 0 ? getpid() : 0;
  int error = 0;
  const pid_t pid = Starter::Instance().Run([&] {
    const pid_t child = ForkInto(launch.process_ids);
    if (child < 0) error = errno;
    if (child != 0) return child;
    Isolate(parent, launch.death_signal);
    Become(launch, program, arguments.data(), environment.data(), network.get(),
           problem->second.get());
  });
  if (pid < 0) return CannotStart(name, error);
  problem->second.Close();
  Process process(pid);
  if (ReadSome(problem->first.get(), &error, sizeof(error)) == sizeof(error))
    return CannotStart(name, error);
  return process;
}

std::optional<Process> Process::Fork(const std::function<void()>& body) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return std::nullopt;
  if (pid != 0) return Process(pid);
  Isolate(parent, SIGKILL);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  body();
  _exit(0);
}

std::optional<int> Process::Wait(Duration limit) {
  if (pid_ == 0) return 0;
  for (int64_t left = limit.milliseconds();; --left) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    if (ended != 0) {
      pid_ = 0;
      return status;
    }
    if (left <= 0) return std::nullopt;
    pollfd watched{.fd = watch_.get(), .events = POLLIN, .revents = 0};
    poll(&watched, 1, 1);
  }
}

void Process::Signal(int signal) const {
  if (pid_ != 0) kill(-pid_, signal);
}

void Process::Kill() {
  Signal(SIGKILL);
  while (pid_ != 0 && waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
}

int ExitCodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<Ran> RunProgram(const std::vector<std::string>& command) {
  std::optional<Ends> output = Pipe();
  if (!output) return std::nullopt;
  auto started = Process::Start({.arguments = command, .output = output->second.get()});
  auto* const process = std::get_if<Process>(&started);
  if (process == nullptr) return std::nullopt;
  output->second.Close();
  Ran ran;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = ReadSome(output->first.get(), buffer.data(), buffer.size())) > 0;)
    ran.output.append(buffer.data(), static_cast<size_t>(n));
  ran.exit_code = ExitCodeOf(process->Wait(Duration::Seconds(3600)).value_or(SIGKILL));
  return ran;  // one that has not ended is killed now
}

}  // namespace cm
