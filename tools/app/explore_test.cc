// Mistakes of a small server with epoll and threads, found by seeds and shrunk.
#include "tools/app/explore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/broker.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<ProgramToRun> Server(const std::string& mistake) {
  return {Beside(kPassiveSide, "planted serve " + mistake),
          Beside(kActiveSide, "planted ask PASSIVE")};
}

Setting SettingOf(const std::string& mistake, uint64_t seed) {
  Setting setting{.topology = FindTopology("two-kernels"),
                  .profile = *FindProfile("6.1-rxe"),
                  .seed = seed,
                  .programs = Server(mistake),
                  .staying_sides = {},
                  .script = {}};
  return setting;
}

Failure Find(const std::string& mistake, uint64_t seeds, size_t shrinks = 12) {
  const auto explored = Explore({.setting = [&](uint64_t nth) { return SettingOf(mistake, nth); },
                                 .seeds = seeds,
                                 .jobs = 2,
                                 .most_shrinks = shrinks});
  if (const auto* problem = std::get_if<std::string>(&explored)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<Failure>(explored);
}

Report Again(const Failure& failure) {
  Setting setting = failure.setting;
  setting.hears = [](std::string_view, std::string_view) {};
  auto ran = Run(setting);
  if (const auto* problem = std::get_if<std::string>(&ran)) ADD_FAILURE() << *problem;
  return std::get<Report>(std::move(ran));
}

TEST_F(Programs, WithoutAMistakeFailUnderNoSeed) { EXPECT_EQ(Find("", 30).kind, ""); }

// The first line in which two runs differ, with what each has there; empty where there is none.
std::string FirstDifference(const std::vector<std::string>& one,
                            const std::vector<std::string>& other) {
  const auto [in_one, in_other] = std::ranges::mismatch(one, other);
  if (in_one == one.end() && in_other == other.end()) return "";
  return "line " + std::to_string(in_one - one.begin()) + "\n" +
         (in_one == one.end() ? "the end" : *in_one) + "\n" +
         (in_other == other.end() ? "the end" : *in_other);
}

TEST_F(Programs, HaveTheSameConversationInEachRunOfASeed) {
  for (const uint64_t seed : {0, 1, 2, 3}) {
    const Ran one = RunAll(Server(""), "", seed);
    EXPECT_TRUE(one.report.clean());
    EXPECT_EQ(FirstDifference(one.trace, RunAll(Server(""), "", seed).trace), "") << seed;
  }
  EXPECT_NE(RunAll(Server(""), "", 3).report.digest, RunAll(Server(""), "", 4).report.digest);
}

TEST_F(Programs, ThatDoNotAcknowledgeOnOnePathAreFound) {
  const Failure found = Find("unacknowledged", 100);
  ASSERT_NE(found.kind, "");
  EXPECT_TRUE(RunAll(Server("unacknowledged")).report.clean()) << "in the usual order";
  const Report report = Again(found);
  EXPECT_EQ(KindOf(report, false), found.kind);
  EXPECT_THAT(report.waiting, Contains(HasSubstr("RDMA_CM_EVENT_DISCONNECTED")));
  EXPECT_LT(found.setting.order->size(), found.decisions / 4) << "in so few runs";
}

TEST_F(Programs, ThatUseAnIdAfterItsDestroyAreFound) {
  const Failure found = Find("use-after-destroy", 100, 24);
  ASSERT_NE(found.kind, "");
  EXPECT_LT(found.setting.order->size(), found.decisions / 2) << "in so few runs";
  EXPECT_TRUE(RunAll(Server("use-after-destroy")).report.clean()) << "in the usual order";
  EXPECT_EQ(KindOf(Again(found), false), found.kind);
}

TEST_F(Programs, ThatWaitForAnEventThatHasComeAreFound) {
  const Failure found = Find("late-wait", 100);
  ASSERT_NE(found.kind, "");
  EXPECT_TRUE(RunAll(Server("late-wait")).report.clean()) << "in the usual order";
  const Report report = Again(found);
  EXPECT_EQ(KindOf(report, false), found.kind);
  EXPECT_THAT(report.waiting, Contains(HasSubstr("waits for another thread: a condition")));
}

}  // namespace
}  // namespace cm::app
