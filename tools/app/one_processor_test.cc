#include "tools/app/one_processor.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>

namespace cm::app {
namespace {

int ProcessorsOf(pid_t thread) {
  cpu_set_t processors;
  return sched_getaffinity(thread, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors)
                                                                        : -1;
}

// A child process that sleeps.
class Sleeper {
 public:
  Sleeper() : process_(fork()) {
    while (process_ == 0) pause();
  }
  ~Sleeper() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

TEST(OneProcessor, IsTheThreadsAndThatOfAllItStartsUpToItsEnd) {
  const int before = ProcessorsOf(0);
  {
    const OneProcessor one;
    ASSERT_TRUE(one.is_bound());
    EXPECT_EQ(ProcessorsOf(0), 1);
    const Sleeper child;
    EXPECT_EQ(ProcessorsOf(child.process()), 1);
  }
  EXPECT_EQ(ProcessorsOf(0), before);
}

TEST(OneProcessor, SaysWhichThereWereAtFirst) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::string text = OneProcessor().Variable();
  ASSERT_TRUE(text.starts_with("CMSIM_PROCESSORS="));
  text = text.substr(text.find('=') + 1);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ((std::stoull(text, nullptr, 16) >> i & 1) != 0, CPU_ISSET(i, &before) != 0) << i;
}

TEST(OneProcessor, LetsOthersRunUpToTheFirstThatSomethingHasComeOf) {
  OneProcessor one;
  int looks = 0;
  // On a busy machine there is a pause between the turns.
  while (!one.LetOthersRun([&] { return ++looks == 2; })) EXPECT_LT(looks, 2);
  EXPECT_EQ(looks, 2);
  EXPECT_FALSE(one.LetOthersRun([] { return false; }));
}

// A turn takes as long as one who runs on keeps the processor.
TEST(OneProcessor, TakesNoTurnsWhileOtherWorkHasIt) {
  OneProcessor one;
  const pid_t busy = fork();
  while (busy == 0) continue;
  while (one.takes_turns()) one.LetOthersRun([] { return false; });
  kill(busy, SIGKILL);
  waitpid(busy, nullptr, 0);
  EXPECT_TRUE(one.HasBecomeCrowded());
  EXPECT_FALSE(one.HasBecomeCrowded());
  while (!one.takes_turns()) one.LetOthersRun([] { return false; });
}

TEST(OneProcessor, MovesWithAllTheseProcesses) {
  OneProcessor one;
  const Sleeper child;
  const Sleeper late;
  const auto on = [](pid_t thread) {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    sched_getaffinity(thread, sizeof processors, &processors);
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &processors)) return i;
    return -1;
  };
  const int before = on(0);
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor";
  while (on(0) == before) one.Move(std::array{child.process()});
  EXPECT_EQ(on(child.process()), on(0));
  // One that was starting then, and was in no list.
  EXPECT_EQ(on(late.process()), before);
  one.TakeAlong(std::array{late.process()});
  EXPECT_EQ(on(late.process()), on(0));
  EXPECT_EQ(ProcessorsOf(0), 1);
}

}  // namespace
}  // namespace cm::app
