// Runs the tests of the verdicts of tools/bench/run, which are in Python.
#include <gtest/gtest.h>

#include <cstdlib>

namespace cm::bench {
namespace {

TEST(TheVerdicts, AreWhatTheirOwnTestsExpect) {
  EXPECT_EQ(std::system("python3 tools/bench/metrics_test.py"), 0);
}

}  // namespace
}  // namespace cm::bench
