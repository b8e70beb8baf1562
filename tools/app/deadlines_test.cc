// Virtual time passes with what a program does: for one that polls, and for one that waits with a
// limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "model/base/duration.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ProgramToRun Deadline(const std::string& how) { return Beside(kActiveSide, "deadlines " + how); }

using Polling = Programs;

// The microseconds in a line "active| ... 100001us".
int64_t MicrosecondsIn(const std::vector<std::string>& output) {
  if (output.size() != 1) return -1;
  const size_t end = output[0].rfind("us");
  return std::stoll(output[0].substr(output[0].rfind(' ', end)));
}

TEST_F(Polling, OfAnEmptyChannelMeetsTheProgramsOwnDeadline) {
  const Ran ran = RunAll({Deadline("channel 10.0.1.99")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre(HasSubstr("no event")));
  EXPECT_GE(MicrosecondsIn(ran.output), 100'000);
  EXPECT_LE(MicrosecondsIn(ran.output), 100'001);
}

TEST_F(Polling, OfTheClockMeetsItsDeadlineWhateverOthersWaitFor) {
  for (const char* others : {"1", "300", "1000"}) {
    const Ran ran = RunAll({Deadline(std::string("clock ") + others)});
    EXPECT_TRUE(ran.report.clean());
    EXPECT_GE(MicrosecondsIn(ran.output), 10'000);
    EXPECT_LE(MicrosecondsIn(ran.output), 10'001);
    EXPECT_LE(ran.report.ended - Instant(), Duration::Milliseconds(11));
  }
}

TEST_F(Polling, IsTheSameInEveryRun) {
  const Ran first = RunAll({Deadline("channel 10.0.1.99")});
  for (int i = 0; i < 2; ++i) {
    const Ran again = RunAll({Deadline("channel 10.0.1.99")});
    EXPECT_EQ(again.output, first.output);
    EXPECT_EQ(again.report.digest, first.report.digest);
  }
}

TEST_F(Polling, WithoutEndReachesTheLimitOfTime) {
  const Ran ran = RunAll({Deadline("completions")}, "", 0, {}, Duration::Seconds(1));
  EXPECT_TRUE(ran.report.at_limit);
  EXPECT_EQ(ran.report.ended - Instant(), Duration::Seconds(1));
  EXPECT_THAT(ran.report.waiting, ElementsAre("active thread 1: polls: ibv_poll_cq cq=1"));
}

TEST_F(Polling, OfAProgramThatStaysEndsSoonAfterTheOthers) {
  const Ran ran =
      RunAll({Deadline("completions"), Words(kPassiveSide, "true")}, "", 0, {kActiveSide});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.at_limit);
  EXPECT_LE(ran.report.ended - Instant(), Duration::Seconds(2));
}

struct Limited {
  const char* how;
  int result;  // an errno
};

class Limits : public Programs, public testing::WithParamInterface<Limited> {};

TEST_P(Limits, AreReachedInVirtualTime) {
  const std::string how = GetParam().how;
  const Ran ran = RunAll({Deadline(how)});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.report.waiting, IsEmpty());
  EXPECT_THAT(ran.output, testing::Contains("active| " + how + ": " +
                                            std::to_string(GetParam().result) + " after 2000ms"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Limits,
    testing::Values(Limited{"receive", EAGAIN}, Limited{"signal", EAGAIN},
                    Limited{"queue", ETIMEDOUT}, Limited{"set", EAGAIN},
                    Limited{"mutex", ETIMEDOUT}, Limited{"mutex-by-a-clock", ETIMEDOUT},
                    Limited{"unlocked", 0}, Limited{"read-lock", ETIMEDOUT},
                    Limited{"write-lock", ETIMEDOUT}, Limited{"join", ETIMEDOUT},
                    Limited{"semaphore", ETIMEDOUT}, Limited{"condition", ETIMEDOUT},
                    Limited{"signalled", 0}, Limited{"turns", 100}, Limited{"timer", 41},
                    Limited{"alarm", 42}, Limited{"counter", 0}, Limited{"halves", 0},
                    Limited{"loaded", 0}, Limited{"messages", 0}, Limited{"fault", 0}),
    [](const auto& info) {
      std::string name = info.param.how;
      std::erase(name, '-');
      return name;
    });

// Ends in virtual time, with that line, and each time likewise.
void EndTheSame(const std::vector<ProgramToRun>& programs, const std::string& line) {
  const Ran ran = RunAll(programs);
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.report.waiting, IsEmpty());
  EXPECT_THAT(ran.output, ElementsAre("active| " + line));
  EXPECT_EQ(RunAll(programs).report.digest, ran.report.digest);
}

class LimitsOfLanguages : public Programs, public testing::WithParamInterface<Limited> {};

TEST_P(LimitsOfLanguages, AreReachedInVirtualTime) {
  const std::string how = GetParam().how;
  EndTheSame({Beside(kActiveSide, "language_waits " + how)},
             how + ": " + std::to_string(GetParam().result) + " after 2000ms");
}

INSTANTIATE_TEST_SUITE_P(All, LimitsOfLanguages,
                         testing::Values(Limited{"c-sleep", 0}, Limited{"c-mutex", thrd_timedout},
                                         Limited{"c-condition", thrd_timedout},
                                         Limited{"c-thread", 7}, Limited{"future", 1},
                                         Limited{"promise", 3}, Limited{"atomic", 4},
                                         Limited{"futex", ETIMEDOUT},
                                         Limited{"futex-until", ETIMEDOUT},
                                         Limited{"refusing-futex", 0}, Limited{"system-calls", 2},
                                         Limited{"short-alarm", 1}, Limited{"read", EAGAIN},
                                         Limited{"pieces", EAGAIN}, Limited{"many", EAGAIN}),
                         [](const auto& info) {
                           std::string name = info.param.how;
                           std::erase(name, '-');
                           return name;
                         });

class Left : public Programs, public testing::WithParamInterface<const char*> {};

// After one second, and another wait of one follows.
TEST_P(Left, ByAJumpOutOfAHandlerIsNoWaitAnyMore) {
  const std::string how = GetParam();
  EndTheSame({Beside(kActiveSide, "jumps " + how)}, how + ": 0 after 2000ms");
}

INSTANTIATE_TEST_SUITE_P(All, Left,
                         testing::Values("event", "poll", "read", "sleep", "semaphore", "futex",
                                         "mutex", "name", "stack", "thread", "nothing"));

// Once: signals may wake threads in another order each time.
void EndAfterTwoSeconds(const std::string& program, const Limited& way) {
  const std::string how = way.how;
  const Ran ran = RunAll({Beside(kActiveSide, program + " " + how)});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.report.waiting, IsEmpty());
  EXPECT_THAT(ran.output,
              ElementsAre("active| " + how + ": " + std::to_string(way.result) + " after 2000ms"));
}

std::string NameOf(const testing::TestParamInfo<Limited>& info) {
  std::string name = info.param.how;
  std::erase(name, '-');
  return name;
}

class Interrupted : public Programs, public testing::WithParamInterface<Limited> {};

// source: man signal(7), "Interruption of system calls and library functions by signal handlers"
TEST_P(Interrupted, EndOrGoOnAsTheirHandlerSays) { EndAfterTwoSeconds("interrupted", GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Interrupted,
                         testing::Values(Limited{"event", 1}, Limited{"semaphore", 0},
                                         Limited{"futex", 0}, Limited{"timer", 1},
                                         Limited{"alarms", 2}, Limited{"alarms-and-event", 3},
                                         Limited{"select", 1}, Limited{"real-time-signal", EINTR},
                                         Limited{"closed-alarm", 2}, Limited{"closed-timer", 1},
                                         Limited{"counter", 2000}),
                         NameOf);

class Extremes : public Programs, public testing::WithParamInterface<Limited> {};

TEST_P(Extremes, OfWaitsAndTimersAreThoseOfLinux) { EndAfterTwoSeconds("extremes", GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Extremes,
                         testing::Values(Limited{"sleep", EINTR}, Limited{"condition", 0},
                                         Limited{"semaphore", 0}, Limited{"mutex", 0},
                                         Limited{"clocks", ETIMEDOUT}, Limited{"select", 0},
                                         Limited{"locked-twice", 0},
                                         Limited{"locked-by-another", 0}, Limited{"expired", 0},
                                         Limited{"no-times", 0}, Limited{"pieces", 0}),
                         NameOf);

// Threads then give way where they look, too: what comes meanwhile is not missed.
TEST_F(Programs, HearOfOtherThreadsWithEachSeed) {
  for (const char* how : {"turns", "signalled", "unlocked"})
    for (uint64_t seed = 1; seed <= 4; ++seed)
      EXPECT_THAT(RunAll({Deadline(how)}, "", seed).output,
                  ElementsAre(testing::ContainsRegex(": [0-9]+ after 20[0-9][0-9]ms$")))
          << how << ", seed " << seed;
}

TEST_F(Programs, HearAtOnceWhatAQueueRefuses) {
  const Ran ran = RunAll({Deadline("refusing-queue")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, testing::Contains("active| refusing-queue: 0 after 0ms"));
}

TEST_F(Programs, HaveTimersThatStartThreads) {
  const Ran ran = RunAll({Deadline("threads")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| a thread", "active| a thread",
                                      "active| threads: 43 after 3500ms"));
}

// A condition in memory of several processes.
class Shared : public Programs, public testing::WithParamInterface<Limited> {};

TEST_P(Shared, IsHeardOfWhenAnotherProcessSignalsIt) {
  const std::string what = GetParam().how;
  EndTheSame({Beside(kActiveSide, "shared_memory " + what)},
             what + ": " + std::to_string(GetParam().result) + " after 2s");
}

INSTANTIATE_TEST_SUITE_P(All, Shared,
                         testing::Values(Limited{"limit", ETIMEDOUT}, Limited{"child", 0},
                                         Limited{"child-for-ever", 0}, Limited{"turns", 0}),
                         [](const auto& info) {
                           std::string name = info.param.how;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace cm::app
