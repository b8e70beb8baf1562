#include "sim/uapi/shared_time.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <string>

namespace cm::sim::uapi {
namespace {

TEST(SharedTime, IsSeenByAnotherProcess) {
  const std::string path = testing::TempDir() + "seen";
  const std::unique_ptr<SharedTime> time = SharedTime::Make(path);
  ASSERT_TRUE(time);
  const TimeRecord* const seen = SeeTime(path.c_str());
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->now, 0);
  const pid_t child = fork();
  if (child == 0) {
    time->Set(1'000'000'007);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(seen->now, 1'000'000'007);
}

TEST(SharedTime, SaysWhatCostsTimeAndHowFarAThreadMayGo) {
  const std::string path = testing::TempDir() + "costs";
  const auto time = SharedTime::Make(path, {.reading = 3, .look = 5, .request = 7});
  ASSERT_TRUE(time);
  const TimeRecord* const seen = SeeTime(path.c_str());
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->costs.reading, 3);
  EXPECT_EQ(seen->costs.look, 5);
  EXPECT_EQ(seen->costs.request, 7);
  EXPECT_EQ(seen->until, INT64_MAX);
  time->SetUntil(9);
  time->NoteHappened();
  EXPECT_EQ(seen->until, 9);
  EXPECT_EQ(seen->happened, 1U);
}

TEST(SharedTime, StandsWhenItsMachineHasGone) {
  const std::string path = testing::TempDir() + "stands";
  std::unique_ptr<SharedTime> time = SharedTime::Make(path);
  ASSERT_TRUE(time);
  const TimeRecord* const seen = SeeTime(path.c_str());
  time->Set(5);
  time.reset();
  unlink(path.c_str());
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->now, 5);
}

TEST(SharedTime, IsNowhereWhereNobodyMadeIt) {
  EXPECT_EQ(SeeTime("/nowhere/time"), nullptr);
  const std::string empty = testing::TempDir() + "empty";
  std::ofstream{empty};
  EXPECT_EQ(SeeTime(empty.c_str()), nullptr) << "to read it would end the program";
  EXPECT_FALSE(SharedTime::Make(empty)) << "a file of another owner";
  EXPECT_EQ(errno, EEXIST);
}

}  // namespace
}  // namespace cm::sim::uapi
