#include "tools/lint/subprocess.h"

#include <gtest/gtest.h>

namespace lint {
namespace {

TEST(Subprocess, ReturnsWhatWasSaidAndHowItEnded) {
  const std::optional<Ended> ended = RunProgram({"sh", "-c", "echo a; echo b >&2; exit 3"});
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->output, "a\nb\n");
  EXPECT_EQ(ended->exit_code, 3);
}

TEST(Subprocess, SaysWhichSignalEndedIt) {
  const std::optional<Ended> ended = RunProgram({"sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->exit_code, 128 + 9);
}

TEST(Subprocess, KnowsWhenThereIsNoSuchProgram) {
  EXPECT_FALSE(RunProgram({"no-such-program-anywhere"}).has_value());
}

}  // namespace
}  // namespace lint
