#include "tools/app/threads.h"

#include <gtest/gtest.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/app/child.h"

namespace cm::app {
namespace {

class Watched : public Child {
 public:
  using Child::Child;

  Sleep Asleep() {
    size_t running_on = 0;
    return SleepOf(std::array{process()}, &restless_, &running_on);
  }
  ThreadState Only() {
    while (Asleep() == Sleep::kNone) sched_yield();
    return ThreadsOf(process()).at(0);
  }

 private:
  Restless restless_;
};

TEST(Threads, OneThatRunsIsNotAsleep) {
  Watched child([] {});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(child.Asleep(), Sleep::kNone);
}

TEST(Threads, OneThatSleepsTellsWhereItSleeps) {
  Watched child([] { poll(nullptr, 0, -1); });
  const ThreadState state = child.Only();
  EXPECT_EQ(NameOfCall(state.call), "poll");
  EXPECT_FALSE(state.timed);
  EXPECT_EQ(child.Asleep(), Sleep::kAll);
}

TEST(Threads, OneThatSleepsForAWhileTellsThatItEnds) {
  Watched child([] { poll(nullptr, 0, 100'000); });
  EXPECT_TRUE(child.Only().timed);
  EXPECT_EQ(child.Asleep(), Sleep::kTimed);
}

// Without functions of the C library, as libaio makes them.
TEST(Threads, OneThatSleepsInACallOfItsOwnTellsWhereAndThatItEnds) {
  static constexpr timespec kLimit = {.tv_sec = 100, .tv_nsec = 0};
  static constexpr auto kWaitForAnEvent = [](const timespec* limit) {
    aio_context_t context = 0;
    io_event event{};
    syscall(SYS_io_setup, 1, &context);
    syscall(SYS_io_getevents, context, 1L, 1L, &event, limit);
  };
  Watched poller([] {
    constexpr size_t kBytesOfSignals = 8;
    epoll_event event{};
    syscall(SYS_epoll_pwait2, epoll_create1(0), &event, 1, &kLimit, nullptr, kBytesOfSignals);
  });
  EXPECT_TRUE(poller.Only().timed);
  EXPECT_EQ(NameOfCall(poller.Only().call), "epoll_wait");
  Watched reader([] { kWaitForAnEvent(&kLimit); });
  EXPECT_TRUE(reader.Only().timed);
  EXPECT_EQ(NameOfCall(reader.Only().call), "io_getevents");
  Watched patient([] { kWaitForAnEvent(nullptr); });
  EXPECT_FALSE(patient.Only().timed);
}

TEST(Threads, OneThatIsStoppedSleepsUntilSomebodyLetsItGoOn) {
  Watched child([] { raise(SIGSTOP); });
  EXPECT_TRUE(IsStopped(child.Only()));
  EXPECT_EQ(child.Asleep(), Sleep::kAll);
}

TEST(Threads, ThatBeginChangeTheNumberOfTheLastOne) {
  const uint64_t before = LastCreated();
  if (before == 0) GTEST_SKIP() << "/proc/loadavg does not say which process was the last";
  const Watched child([] { poll(nullptr, 0, -1); });
  EXPECT_NE(LastCreated(), before);
}

TEST(Threads, ThatAreKnownAreNotListedAgain) {
  std::mutex held;
  std::atomic<pid_t> number = 0;
  const auto wait = [&] {
    number = gettid();
    const std::lock_guard until_the_end(held);
  };
  const auto is_among = [](const std::vector<ThreadState>& threads, pid_t one) {
    return std::ranges::count(threads, one, &ThreadState::thread) == 1;
  };
  held.lock();
  std::thread first(wait);
  while (number == 0) sched_yield();
  const pid_t first_number = number.exchange(0);
  Listed listed;
  EXPECT_TRUE(is_among(ThreadsOf(getpid(), {}, &listed), first_number));
  EXPECT_TRUE(AreAll(listed));
  std::thread second(wait);
  while (number == 0) sched_yield();
  EXPECT_FALSE(is_among(ThreadsOf(getpid(), {}, &listed), number));
  EXPECT_TRUE(is_among(ThreadsOf(getpid()), number));
  EXPECT_FALSE(AreAll(listed));
  held.unlock();
  first.join();
  second.join();
  while (StateOf(getpid(), first_number) != '?') sched_yield();
  EXPECT_FALSE(is_among(ThreadsOf(getpid(), {}, &listed), first_number)) << "it has ended";
}

// Each signal takes it from one sleep to the next, and then to none.
TEST(Threads, ThatAreKnownAndHaveRunSinceAreReadAgain) {
  Watched child([] {
    signal(SIGUSR1, [](int) {});
    poll(nullptr, 0, -1);
    pause();
    for (volatile bool runs = true; runs;) continue;
  });
  const auto sleeps_in = [&](int64_t call) { return child.Only().call == call; };
  Listed listed;
  Restless restless;
  size_t running_on = 0;
  const auto asleep = [&] {
    return SleepOf(std::array{child.process()}, &restless, &running_on, {}, &listed);
  };
  while (!sleeps_in(SYS_poll) || asleep() != Sleep::kAll) sched_yield();
  EXPECT_EQ(ThreadsOf(child.process(), {}, &listed).at(0).call, SYS_poll);
  kill(child.process(), SIGUSR1);
  while (!sleeps_in(SYS_pause)) sched_yield();
  EXPECT_EQ(ThreadsOf(child.process(), {}, &listed).at(0).call, SYS_pause);
  EXPECT_EQ(asleep(), Sleep::kAll);
  kill(child.process(), SIGUSR1);
  while (StateOf(child.process(), child.process()) != 'R') sched_yield();
  EXPECT_EQ(asleep(), Sleep::kNone);
}

TEST(Threads, ThatAreKnownAndAreHeardToAskSinceAsk) {
  const Watched child([] { poll(nullptr, 0, 100'000); });
  Listed listed;
  Restless restless;
  size_t running_on = 0;
  const auto asleep = [&](bool asks) {
    const auto is_asking = [asks](pid_t /*thread*/) { return asks; };
    return SleepOf(std::array{child.process()}, &restless, &running_on, is_asking, &listed);
  };
  while (asleep(false) != Sleep::kTimed) sched_yield();
  EXPECT_EQ(asleep(true), Sleep::kAsking);
}

TEST(Threads, OfATreeAreThoseOfChildrenAndTheirChildren) {
  Watched child([] {
    if (fork() == 0 && fork() == 0) poll(nullptr, 0, -1);
    poll(nullptr, 0, -1);
  });
  while (TreeOf(child.process()).size() < 3) sched_yield();
  const std::vector<pid_t> tree = TreeOf(child.process());
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree[0], child.process());
  kill(tree[2], SIGKILL);
  kill(tree[1], SIGKILL);
}

TEST(Threads, OfAProcessAndTheChildrenThatItHasWaitedForHaveTheirTime) {
  const uint64_t before = TicksWithChildren(getpid());
  const pid_t child = fork();
  if (child == 0) {
    while (TicksWithChildren(getpid()) < 3) continue;
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_GE(TicksWithChildren(getpid()), before + 3);
  EXPECT_EQ(TicksWithChildren(0), 0U);
}

TEST(Threads, AProcessIsGoneBeforeItsParentHearsOfIt) {
  Watched child([] { poll(nullptr, 0, -1); });
  EXPECT_FALSE(IsGone(child.process()));
  kill(child.process(), SIGKILL);
  while (!IsGone(child.process())) sched_yield();
}

TEST(Threads, OfAProcessThatIsGoneThereAreNone) { EXPECT_TRUE(ThreadsOf(0).empty()); }

}  // namespace
}  // namespace cm::app
