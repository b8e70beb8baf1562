#include "tools/app/threads.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace cm::app {
namespace {

// A process that does one thing for ever.
class Child {
 public:
  explicit Child(void (*does)()) : process_(fork()) {
    if (process_ != 0) return;
    for (;;) does();
  }
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool Asleep() const { return AllAsleep(std::array{process_}); }
  ThreadState Only() const {
    while (!Asleep()) sched_yield();
    return ThreadsOf(process_).at(0);
  }

 private:
  pid_t process_;
};

TEST(Threads, OneThatRunsIsNotAsleep) {
  const Child child([] {});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(child.Asleep());
}

TEST(Threads, OneThatSleepsTellsWhereItSleeps) {
  const Child child([] { poll(nullptr, 0, -1); });
  const ThreadState state = child.Only();
  EXPECT_EQ(NameOfCall(state.call), "poll");
  EXPECT_FALSE(state.timed);
}

TEST(Threads, OneThatSleepsForAWhileTellsThatItEnds) {
  const Child child([] { poll(nullptr, 0, 100'000); });
  EXPECT_TRUE(child.Only().timed);
}

TEST(Threads, OfAProcessThatIsGoneThereAreNone) { EXPECT_TRUE(ThreadsOf(0).empty()); }

}  // namespace
}  // namespace cm::app
