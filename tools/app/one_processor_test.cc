#include "tools/app/one_processor.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include "conformance/process/real_time.h"
#include "tools/app/child.h"

namespace cm::app {
namespace {

cpu_set_t ProcessorsOf(pid_t thread) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  sched_getaffinity(thread, sizeof processors, &processors);
  return processors;
}

int CountOf(pid_t thread) {
  const cpu_set_t processors = ProcessorsOf(thread);
  return CPU_COUNT(&processors);
}

int FirstOf(pid_t thread) {
  const cpu_set_t processors = ProcessorsOf(thread);
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &processors)) return i;
  return -1;
}

void Sleeps() { pause(); }
void RunsOn() {}

class OneProcessorTest : public testing::Test {
 protected:
  void SetUp() override {
    one_.emplace();
    if (!one_->is_bound()) GTEST_SKIP() << "the system does not let a thread stay on a processor";
  }
  // On a busy machine there are pauses: not for ever.
  template <typename Condition>
  static bool Comes(const Condition& condition) {
    const Deadline deadline(Duration::Seconds(60));
    while (!condition())
      if (deadline.milliseconds_left() == 0) return false;
    return true;
  }

  const cpu_set_t before_ = ProcessorsOf(0);
  std::optional<OneProcessor> one_;
};

TEST_F(OneProcessorTest, IsTheThreadsAndThatOfAllItStartsUpToItsEnd) {
  EXPECT_EQ(CountOf(0), 1);
  const Child child(&Sleeps);
  EXPECT_EQ(CountOf(child.process()), 1);
  one_.reset();
  const cpu_set_t after = ProcessorsOf(0);
  EXPECT_TRUE(CPU_EQUAL(&after, &before_));
}

TEST_F(OneProcessorTest, SaysWhichThereWereAtFirst) {
  std::string text = one_->Variable();
  ASSERT_TRUE(text.starts_with("CMSIM_PROCESSORS="));
  text = text.substr(text.find('=') + 1);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ((std::stoull(text, nullptr, 16) >> i & 1) != 0, CPU_ISSET(i, &before_) != 0) << i;
}

TEST_F(OneProcessorTest, LetsOthersRunUpToTheFirstThatSomethingHasComeOf) {
  int looks = 0;
  EXPECT_TRUE(Comes([&] { return one_->LetOthersRun([&] { return ++looks == 2; }); }));
  EXPECT_EQ(looks, 2);
  EXPECT_FALSE(one_->LetOthersRun([] { return false; }));
}

// A turn takes as long as one that runs on keeps the processor.
TEST_F(OneProcessorTest, TakesNoTurnsWhileOtherWorkHasIt) {
  const auto takes_turns = [&] {
    one_->LetOthersRun([] { return false; });
    return one_->takes_turns();
  };
  {
    const Child busy(&RunsOn);
    EXPECT_TRUE(Comes([&] { return !takes_turns(); }));
  }
  EXPECT_TRUE(one_->HasBecomeCrowded());
  EXPECT_FALSE(one_->HasBecomeCrowded());
  EXPECT_TRUE(Comes(takes_turns));
}

TEST_F(OneProcessorTest, MovesWithAllTheseProcesses) {
  if (CPU_COUNT(&before_) < 2) GTEST_SKIP() << "there is one processor";
  const Child child(&Sleeps);
  const Child late(&Sleeps);
  const int before = FirstOf(0);
  EXPECT_TRUE(Comes([&] {
    one_->Move(std::array{child.process()});
    return FirstOf(0) != before;
  }));
  EXPECT_EQ(FirstOf(child.process()), FirstOf(0));
  EXPECT_EQ(CountOf(0), 1);
  // One that was starting then, and was in no list.
  EXPECT_EQ(FirstOf(late.process()), before);
  one_->TakeAlong(std::array{late.process()});
  EXPECT_EQ(FirstOf(late.process()), FirstOf(0));
}

}  // namespace
}  // namespace cm::app
