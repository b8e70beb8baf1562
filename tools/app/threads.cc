#include "tools/app/threads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "sim/uapi/poll_marks.h"

namespace cm::app {
namespace {

namespace fs = std::filesystem;

// Files of /proc, kept open: opening one takes longer than reading it.
class Files {
 public:
  // Empty when there is no such file, or none any more.
  std::string Text(const std::string& file) {
    if (const auto found = open_.find(file); found != open_.end()) {
      std::string text = Read(found->second);
      if (!text.empty()) return text;
      // Of a thread that has ended. Its number may be another one's by now.
      close(found->second);
      open_.erase(found);
    }
    int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    const bool too_many = fd < 0 && (errno == EMFILE || errno == ENFILE);
    if (too_many || open_.size() >= most_) CloseAll();
    if (too_many) fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    std::string text = Read(fd);
    if (text.empty())
      close(fd);
    else
      open_[file] = fd;
    return text;
  }

 private:
  // A part of the files that this process may have open.
  static size_t Most() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return std::clamp<size_t>(limit.rlim_cur / 4, 256, 8192);
  }

  // Most of many are of threads that have ended.
  void CloseAll() {
    for (const auto& [file, fd] : open_) close(fd);
    open_.clear();
  }

  static std::string Read(int fd) {
    std::array<char, 4096> buffer{};
    const ssize_t size = pread(fd, buffer.data(), buffer.size(), 0);
    return {buffer.data(), static_cast<size_t>(std::max<ssize_t>(size, 0))};
  }

  const size_t most_ = Most();
  std::unordered_map<std::string, int> open_;
};

std::string Text(const std::string& file) {
  static auto* const kFiles = new Files;
  return kFiles->Text(file);
}

std::string Line(const std::string& file) {
  const std::string text = Text(file);
  return text.substr(0, text.find('\n'));
}

// "pid (name) S ...": the name may contain anything.
char StateIn(const std::string& stat) {
  const size_t end = stat.rfind(')');
  return end == std::string::npos || end + 2 >= stat.size() ? '?' : stat[end + 2];
}

// The number after a word; 0 without it.
uint64_t NumberAfter(std::string_view word, const std::string& text) {
  const size_t at = text.find(word);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + word.size(), nullptr, 10);
}

uint64_t SleepsIn(const std::string& status) {
  return NumberAfter("\nvoluntary_ctxt_switches:", status);
}

// How often the thread has run. Where the system does not count that, its context switches, which
// take ten times as long to read. source: linux 6.1 base.c proc_pid_schedstat, the last number
uint64_t RunsOf(const std::string& files) {
  const std::string line = Line(files + "/schedstat");
  const size_t last = line.rfind(' ');
  const uint64_t runs =
      last == std::string::npos ? 0 : std::strtoull(line.c_str() + last, nullptr, 10);
  if (runs != 0) return runs;
  const std::string status = Text(files + "/status");
  return SleepsIn(status) + NumberAfter("\nnonvoluntary_ctxt_switches:", status);
}

// User and system time, also of children that were waited for. source: man proc(5),
// /proc/[pid]/stat (14) to (17)
uint64_t TicksIn(const std::string& stat, bool with_children = false) {
  if (stat.empty()) return 0;
  std::istringstream words(stat.substr(std::min(stat.rfind(')'), stat.size() - 1) + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) words >> skipped;
  uint64_t sum = 0;
  uint64_t ticks = 0;
  for (int field = 14; field < (with_children ? 18 : 16) && words >> ticks; ++field) sum += ticks;
  return sum;
}

// A thread that runs this many ticks without a sleep runs endlessly.
constexpr uint64_t kOnAndOn = 100;
constexpr uint64_t kOnceMore = 2;

struct SystemCall {
  int64_t number = -1;
  std::array<uint64_t, 6> arguments{};
};

// "7 0x7ffd 0x1 0xffffffffffffffff ...", or "running". source: man proc(5)
SystemCall CallIn(const std::string& line) {
  SystemCall call;
  std::istringstream words(line);
  words >> call.number;
  if (!words) return {};
  for (uint64_t& argument : call.arguments) words >> std::hex >> argument;
  return call;
}

// A timeout in milliseconds; a negative one is none.
bool Ends(uint64_t milliseconds) { return static_cast<int32_t>(milliseconds) >= 0; }

bool EndsByItself(const SystemCall& call) {
  switch (call.number) {
    case SYS_poll:
      return Ends(call.arguments[2]);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return Ends(call.arguments[3]);
    case SYS_ppoll:
      return call.arguments[2] != 0;
    case SYS_select:
    case SYS_pselect6:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
      return call.arguments[4] != 0;
    case SYS_futex:
    case SYS_semtimedop:
    case SYS_epoll_pwait2:
      return call.arguments[3] != 0;
    case SYS_rt_sigtimedwait:
      return call.arguments[2] != 0;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_restart_syscall:  // of a call with a limit
    case SYS_io_uring_enter:   // one of its operations may have a limit
      return true;
    default:
      return false;
  }
}

std::vector<pid_t> TasksOf(pid_t process) {
  return NumbersIn(fmt::format("/proc/{}/task", process));
}

std::string FilesOf(pid_t process, pid_t thread) {
  return fmt::format("/proc/{}/task/{}", process, thread);
}

// `before`: as it was last seen; may be null.
ThreadState StateIn(pid_t process, pid_t number, const IsAsking& is_asking,
                    const ThreadState* before) {
  ThreadState thread;
  thread.thread = number;
  const std::string files = FilesOf(process, number);
  // One that waits for us sleeps with a limit, too; we may have heard its request since.
  const bool asks = before != nullptr && before->timed && is_asking && is_asking(number);
  const bool slept =
      before != nullptr && before->state == 'S' && before->call >= 0 && before->runs != 0 && !asks;
  // It may have been woken. That is for the second look.
  if (slept && RunsOf(files) == before->runs) return *before;
  const std::string stat = Line(files + "/stat");
  thread.state = StateIn(stat);
  thread.asks = thread.state == 'S' && is_asking && is_asking(number);
  if (thread.asks || thread.state == '?') return thread;
  thread.runs = RunsOf(files);
  if (thread.state == 'R') {
    thread.ticks = TicksIn(stat);
    thread.sleeps = SleepsIn(Text(files + "/status"));
  }
  const SystemCall call = CallIn(Line(files + "/syscall"));
  thread.call = call.number;
  thread.timed = EndsByItself(call);
  return thread;
}

// It has not run since.
bool IsStill(pid_t process, const ThreadState& before) {
  const std::string files = FilesOf(process, before.thread);
  // One that has been woken and has not run is in another state, while /proc still names its system
  // call. source: observed with Linux 6.18
  if (StateIn(Line(files + "/stat")) != before.state) return false;
  return before.asks || RunsOf(files) == before.runs;
}

// A stopped process continues on SIGCONT.
bool Sleeps(const ThreadState& thread) {
  return thread.state == 'S' || thread.state == 'Z' || IsStopped(thread);
}

}  // namespace

// Read with each quiet moment.
uint64_t LastCreated() {
  static const int kFile = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  std::array<char, 128> line;
  const ssize_t size = pread(kFile, line.data(), line.size() - 1, 0);
  if (size <= 0) return 0;
  line[static_cast<size_t>(size)] = '\0';
  const char* const last = std::strrchr(line.data(), ' ');
  return last == nullptr ? 0 : std::strtoull(last, nullptr, 10);
}

std::vector<ThreadState> ThreadsOf(pid_t process, const IsAsking& is_asking, Listed* listed) {
  std::vector<ThreadState> threads;
  if (listed == nullptr || !listed->contains(process)) {
    for (const pid_t thread : TasksOf(process))
      threads.push_back(StateIn(process, thread, is_asking, nullptr));
  } else {
    for (const ThreadState& before : listed->at(process)) {
      const ThreadState now = StateIn(process, before.thread, is_asking, &before);
      if (now.state != '?') threads.push_back(now);
    }
  }
  if (listed != nullptr) (*listed)[process] = threads;
  return threads;
}

bool AreAll(const Listed& listed) {
  return std::ranges::all_of(listed, [](const auto& one) {
    return std::ranges::equal(TasksOf(one.first), one.second, {}, {}, &ThreadState::thread);
  });
}

char StateOf(pid_t process, pid_t thread) {
  return StateIn(Line(fmt::format("/proc/{}/task/{}/stat", process, thread)));
}

uint64_t TicksWithChildren(pid_t process) {
  return TicksIn(Line(fmt::format("/proc/{}/stat", process)), true);
}

// The ids of a thread in all its namespaces; the last is its own. source: man proc(5), NSpid. Most
// ask when they begin: the last ones first.
pid_t ThreadCalled(pid_t process, pid_t own) {
  const auto is_called = [&](pid_t thread) {
    const std::string status = Text(FilesOf(process, thread) + "/status");
    const size_t at = status.find("\nNSpid:");
    if (at == std::string::npos) return false;
    const std::string ids = status.substr(at + 1, status.find('\n', at + 1) - at - 1);
    return std::atoi(ids.c_str() + ids.rfind('\t') + 1) == own;
  };
  const std::vector<pid_t> all = TasksOf(process);
  const auto found = std::find_if(all.rbegin(), all.rend(), is_called);
  return found == all.rend() ? 0 : *found;
}

std::vector<pid_t> NumbersIn(const std::string& folder) {
  std::vector<pid_t> numbers;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    pid_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc())
      numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<pid_t> ChildrenOf(pid_t process) {
  std::vector<pid_t> all;
  for (const pid_t thread : TasksOf(process)) {
    std::istringstream children(Text(fmt::format("/proc/{}/task/{}/children", process, thread)));
    for (pid_t child = 0; children >> child;) all.push_back(child);
  }
  return all;
}

std::vector<pid_t> TreeOf(pid_t process) {
  std::vector<pid_t> tree = {process};
  for (size_t at = 0; at < tree.size(); ++at)
    for (const pid_t child : ChildrenOf(tree[at])) tree.push_back(child);
  return tree;
}

std::string NameOfProcess(pid_t process) { return Line(fmt::format("/proc/{}/comm", process)); }

// All threads of a zombie have ended; its first one may have ended before others.
bool IsGone(pid_t process) {
  if (const char first = StateOf(process, process); first != 'Z' && first != '?') return false;
  return std::ranges::all_of(ThreadsOf(process),
                             [](const ThreadState& thread) { return thread.state == 'Z'; });
}

bool Restless::Runs(const ThreadState& thread) {
  const auto [at, first] = known_.try_emplace(
      thread.thread, Known{.sleeps = thread.sleeps, .ticks = thread.ticks, .before = false});
  Known& known = at->second;
  if (thread.state != 'R' || thread.sleeps != known.sleeps) {
    known.sleeps = thread.sleeps;
    known.ticks = thread.ticks;
    return false;
  }
  if (thread.ticks - known.ticks < (known.before ? kOnceMore : kOnAndOn)) return false;
  known.before = true;
  return true;
}

void Restless::HasAsked(pid_t thread) {
  const auto found = known_.find(thread);
  if (found != known_.end()) found->second.sleeps = UINT64_MAX;
}

bool IsStopped(const ThreadState& thread) { return thread.state == 'T' || thread.state == 't'; }

Sleep SleepOf(std::span<const pid_t> processes, Restless* restless, size_t* running_on,
              const IsAsking& is_asking, Listed* listed) {
  std::vector<std::vector<ThreadState>> first;
  std::vector<size_t> passed_of;  // how many of each process run endlessly
  bool timed = false;
  bool all_ask = true;
  for (const pid_t process : processes) {
    first.push_back(ThreadsOf(process, is_asking, listed));
    passed_of.push_back(std::erase_if(first.back(), [restless](const ThreadState& thread) {
      return !thread.asks && restless->Runs(thread);
    }));
    for (const ThreadState& thread : first.back()) {
      if (!Sleeps(thread)) return Sleep::kNone;
      timed = timed || thread.timed;
      all_ask = all_ask && thread.asks;
    }
  }
  *running_on = std::accumulate(passed_of.begin(), passed_of.end(), size_t{0});
  if (all_ask && *running_on == 0) return Sleep::kAsking;
  for (size_t i = 0; i < processes.size(); ++i) {
    const auto is_still = [&](const ThreadState& thread) { return IsStill(processes[i], thread); };
    if (!std::ranges::all_of(first[i], is_still)) return Sleep::kNone;
    if (listed == nullptr && TasksOf(processes[i]).size() != first[i].size() + passed_of[i])
      return Sleep::kNone;
  }
  return timed ? Sleep::kTimed : Sleep::kAll;
}

std::string NameOfCall(int64_t call) {
  switch (call) {
    case SYS_poll:
      return "poll";
    case SYS_ppoll:
      return "ppoll";
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return "epoll_wait";
    case SYS_select:
    case SYS_pselect6:
      return "select";
    case SYS_futex:
      return "a lock, condition, semaphore or thread of its own (futex)";
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return "nanosleep";
    case SYS_io_getevents:
    case SYS_io_pgetevents:
      return "io_getevents";
    case SYS_io_uring_enter:
      return "io_uring_enter";
    case SYS_write:
    case SYS_writev:
      return "write";
    case SYS_read:
      return "read";
    case SYS_recvfrom:
    case SYS_recvmsg:
      return "a socket";
    case SYS_accept:
    case SYS_accept4:
      return "accept";
    case SYS_wait4:
    case SYS_waitid:
      return "a child process";
    default:
      return fmt::format("system call {}", call);
  }
}

std::string NameOfCall(pid_t process, const ThreadState& thread) {
  if (thread.call != SYS_poll && thread.call != SYS_ppoll) return NameOfCall(thread.call);
  const SystemCall call = CallIn(Line(FilesOf(process, thread.thread) + "/syscall"));
  pollfd first{};
  const iovec ours = {.iov_base = &first, .iov_len = sizeof first};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a program's pointer
  const iovec theirs = {.iov_base = reinterpret_cast<void*>(call.arguments[0]),
                        .iov_len = sizeof first};
  const bool is_there = call.number == thread.call && call.arguments[1] > 0 &&
                        process_vm_readv(process, &ours, 1, &theirs, 1, 0) == sizeof first;
  switch (sim::uapi::MarkIn(is_there ? first.events : short{0})) {
    case sim::uapi::SleepsIn::kRead:
      return NameOfCall(SYS_read);
    case sim::uapi::SleepsIn::kReceive:
      return NameOfCall(SYS_recvmsg);
    case sim::uapi::SleepsIn::kAccept:
      return NameOfCall(SYS_accept);
    case sim::uapi::SleepsIn::kEpoll:
      return NameOfCall(SYS_epoll_wait);
    case sim::uapi::SleepsIn::kPoll:
      break;
  }
  return NameOfCall(thread.call);
}

}  // namespace cm::app
