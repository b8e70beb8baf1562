// What programs of users were refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::ElementsAre;
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

}  // namespace
}  // namespace cm::app
