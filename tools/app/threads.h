// What the threads of programs are doing, as the system tells everybody.
#ifndef TOOLS_APP_THREADS_H_
#define TOOLS_APP_THREADS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cm::app {

struct ThreadState {
  pid_t thread = 0;
  char state = '?';       // 'S': it sleeps. source: man proc(5)
  uint64_t switches = 0;  // how often it has stopped running
  uint64_t sleeps = 0;    // how often of these to wait for something
  uint64_t ticks = 0;     // how long it has run, in hundredths of a second
  int64_t call = -1;      // the system call that it sleeps in; -1 when nobody tells
  bool timed = false;     // and that ends by itself
  friend bool operator==(const ThreadState&, const ThreadState&) = default;
};

// Those of a process, in the order of their numbers; none when it is gone.
std::vector<ThreadState> ThreadsOf(pid_t process);

// Those that the process has started, by /proc, and those that it takes over from others.
std::vector<pid_t> ChildrenOf(pid_t process);

// The process and all that come from it; a child whose parent is gone is none of them.
std::vector<pid_t> TreeOf(pid_t process);

// The system's short name of it.
std::string NameOfProcess(pid_t process);

// It has ended, whether or not its parent has heard of it.
bool IsGone(pid_t process);

enum class Sleep : uint8_t {
  kNone,   // some thread runs
  kTimed,  // all sleep, one of them in what ends by itself
  kAll,
};

// Threads that run on and on: they wait for memory to change, or have much to compute. One that has
// done so before is known by it sooner.
class Restless {
 public:
  // To be told of the thread again and again.
  bool Runs(const ThreadState& thread);

 private:
  struct Known {
    uint64_t sleeps = 0;
    uint64_t ticks = 0;  // when it was first seen to run since its last sleep
    bool before = false;
  };
  std::map<pid_t, Known> known_;
};

// Whether the threads of these processes sleep, so that none will run but by what comes from
// outside or from its own clock. Two looks: a thread that another one wakes between them either
// runs at the second or has been switched once more.
// Who runs on and on is not looked at, and counted.
Sleep SleepOf(std::span<const pid_t> processes, Restless* restless, size_t* running_on);

// By a signal, or by whoever traces it.
bool IsStopped(const ThreadState& thread);

// "futex", "poll", "system call 17".
std::string NameOfCall(int64_t call);

}  // namespace cm::app

#endif  // TOOLS_APP_THREADS_H_
