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
  const std::atomic<int64_t>* const seen = SeeTime(path.c_str());
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(*seen, 0);
  const pid_t child = fork();
  if (child == 0) {
    time->Set(1'000'000'007);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(*seen, 1'000'000'007);
}

TEST(SharedTime, StandsWhenItsMachineHasGone) {
  const std::string path = testing::TempDir() + "stands";
  std::unique_ptr<SharedTime> time = SharedTime::Make(path);
  ASSERT_TRUE(time);
  const std::atomic<int64_t>* const seen = SeeTime(path.c_str());
  time->Set(5);
  time.reset();
  unlink(path.c_str());
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(*seen, 5);
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
