// What programs of users were refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/app/network.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;

ProgramToRun Reported(uint8_t side, const std::string& what) {
  return Beside(side, "reported " + what);
}

TEST_F(Programs, MoveNoBytesWithoutAKeyAndSeeTheirTimeout) {
  const Ran ran = RunAll(
      {Reported(kPassiveSide, "serve PASSIVE"), Reported(kActiveSide, "move-nothing PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  // source: linux 6.1 cma.c CMA_IBOE_PACKET_LIFETIME, cm.c cm_ack_timeout
  EXPECT_THAT(ran.output, UnorderedElementsAre("passive| timeout 19", "active| timeout 19",
                                               "active| write of no bytes: success",
                                               "active| read of no bytes: success"));
}

TEST_F(Programs, HaveAtOnceWhatAChildHadWhenTheyHaveWaitedForIt) {
  const Ran ran = RunAll({Reported(kActiveSide, "bind")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| the child: Success, its parent: Success"));
}

TEST_F(Programs, ThatCloseAllDescriptorsKeepTheirMachine) {
  const Ran ran = RunAll({Reported(kActiveSide, "close-all PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| after all descriptors are closed: Success"));
}

TEST_F(Programs, HaveChildrenOnTheSameHostWhateverTheirEnvironment) {
  const Ran ran = RunAll({Reported(kActiveSide, "without-environment PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| the child: Success", "active| the child: Success"));
}

TEST_F(Programs, StartOthersInEachWay) {
  const Ran ran = RunAll({Reported(kActiveSide, "start-others")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| system 0", "active| popen", "active| execv 0",
                                      "active| fexecve 0", "active| posix_spawnp 0"));
}

// source: the world begins in 2001, see sim/fake_libibverbs/clock.h
TEST_F(Programs, OfAnOlderCLibraryAreUnderTheSimulatedOne) {
  const Ran ran = RunAll({Beside(kActiveSide, "older")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| begun 1", "active| -1 after 2s, 1000000000"));
}

TEST_F(Programs, KnowTheirOwnHostOnly) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = RunAll({Reported(kPassiveSide, "host"), Reported(kActiveSide, "host")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("passive| passive passive", "passive| lo 127.0.0.1",
                                      "passive| veth1 10.0.1.1", "active| active active",
                                      "active| lo 127.0.0.1", "active| veth0 10.0.0.1"));
}

TEST_F(Programs, HaveRandomNumbersOfTheSeed) {
  const auto numbers = [](uint64_t seed) {
    return RunAll({Reported(kPassiveSide, "random"), Reported(kActiveSide, "random")}, "", seed)
        .output;
  };
  const std::vector<std::string> first = numbers(1);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_NE(first[0].substr(first[0].find('|')), first[1].substr(first[1].find('|')));
  EXPECT_THAT(first, Each(MatchesRegex("(passive|active)[|] [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+")));
  EXPECT_EQ(numbers(1), first);
  EXPECT_NE(numbers(2), first);
}

}  // namespace
}  // namespace cm::app
