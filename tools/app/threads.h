// The state of the threads of programs, from /proc.
#ifndef TOOLS_APP_THREADS_H_
#define TOOLS_APP_THREADS_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cm::app {

struct ThreadState {
  pid_t thread = 0;
  char state = '?';     // 'S': sleeping. source: man proc(5)
  uint64_t runs = 0;    // how often it has begun or gone on to run
  uint64_t sleeps = 0;  // context switches of its own will; of one that runs
  uint64_t ticks = 0;   // CPU time in hundredths of a second; of one that runs
  int64_t call = -1;    // the system call that it sleeps in; -1 when unknown
  bool timed = false;   // the call has a time limit
  bool asks = false;    // it sleeps until we answer it; nothing else is known
};

// A number that changes when the system creates a process or a thread; 0 when unknown.
// source: linux 6.1 loadavg.c loadavg_proc_show, the last number
uint64_t LastCreated();

// The threads of processes as they were last seen, kept so that they are not listed again, and that
// of one that has not run since only little is read; without those that have ended.
using Listed = std::map<pid_t, std::vector<ThreadState>>;

// Whether these are all threads of their processes.
bool AreAll(const Listed& listed);

// Whether a thread waits for an answer of ours; empty: none does.
using IsAsking = std::function<bool(pid_t thread)>;

// The threads of a process, by number; none when it has ended. Lists them where they are not in
// `listed`.
std::vector<ThreadState> ThreadsOf(pid_t process, const IsAsking& is_asking = {},
                                   Listed* listed = nullptr);

// 'S', 'R', ...; '?' when it has ended.
char StateOf(pid_t process, pid_t thread);

// CPU time of a process in hundredths of a second, with that of children that it has waited for.
uint64_t TicksWithChildren(pid_t process);

// The thread of the process that calls itself `own` in its own PID namespace; 0 when there is none.
pid_t ThreadCalled(pid_t process, pid_t own);

// The entries of a folder of /proc that are numbers, sorted: processes, or threads.
std::vector<pid_t> NumbersIn(const std::string& folder);

// Child processes by /proc, including adopted ones.
std::vector<pid_t> ChildrenOf(pid_t process);

// The process and its descendants; a child whose parent has ended is not among them.
std::vector<pid_t> TreeOf(pid_t process);

// The system's short name of the process (comm).
std::string NameOfProcess(pid_t process);

// True when it has ended, reaped or not.
bool IsGone(pid_t process);

enum class Sleep : uint8_t {
  kNone,    // a thread runs
  kTimed,   // all sleep, one of them with a time limit
  kAll,     // all sleep
  kAsking,  // all sleep until we answer them
};

// Detects threads that run endlessly: they poll memory, or compute for long. A thread that has done
// so before is detected sooner.
class Restless {
 public:
  // Call with the thread's state repeatedly.
  bool Runs(const ThreadState& thread);
  // Between two requests it may give way instead of sleeping, so that it is not seen to sleep.
  void HasAsked(pid_t thread);

 private:
  struct Known {
    uint64_t sleeps = 0;
    uint64_t ticks = 0;  // CPU time when it was first seen after its last sleep
    bool before = false;
  };
  std::map<pid_t, Known> known_;
};

// Whether the threads of these processes sleep, so that none will run unless it is woken from
// outside or by its own clock. Looks twice: a thread that another one wakes in between runs at the
// second look, or has run once more. Only we can wake a thread that asks: where all do, one look is
// enough. Threads that run endlessly are skipped, and counted.
Sleep SleepOf(std::span<const pid_t> processes, Restless* restless, size_t* running_on,
              const IsAsking& is_asking = {}, Listed* listed = nullptr);

// Stopped by a signal or by a tracer.
bool IsStopped(const ThreadState& thread);

// "futex", "poll", "system call 17".
std::string NameOfCall(int64_t call);
// The same for a thread that sleeps: the call of its program, where that is another one.
std::string NameOfCall(pid_t process, const ThreadState& thread);

}  // namespace cm::app

#endif  // TOOLS_APP_THREADS_H_
