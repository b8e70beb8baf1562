#include "hw_tests/lab/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lab {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

MachinePlaces Places() {
  MachinePlaces places;
  places.kernel = "/image/vmlinux";
  places.root = "/image/initrd";
  places.share = "/share";
  places.agent = 5;
  places.monitor = 6;
  places.console = "/proc/self/fd/21";
  return places;
}

// The word after `option`.
std::string ValueOf(const std::vector<std::string>& options, const std::string& option) {
  const auto found = std::find(options.begin(), options.end(), option);
  return found == options.end() || found + 1 == options.end() ? "" : *(found + 1);
}

TEST(MachineOptions, CountInstructionsAndNeverAskForHardwareHelp) {
  const std::vector<std::string> options = MachineOptions(Places());
  EXPECT_EQ(ValueOf(options, "-icount"), "shift=3,sleep=off");
  EXPECT_EQ(ValueOf(options, "-accel"), "tcg,thread=single");
  EXPECT_EQ(ValueOf(options, "-smp"), "1");
  EXPECT_EQ(ValueOf(options, "-rtc"), "base=2024-01-01,clock=vm");
  EXPECT_THAT(options, Not(Contains(HasSubstr("kvm"))));
  EXPECT_THAT(options, Not(Contains("-netdev")));
  EXPECT_THAT(options, Contains("-nodefaults"));
}

TEST(MachineOptions, OfASavedMachineDifferOnlyInWhereItComesFrom) {
  const std::vector<std::string> booting = MachineOptions(Places());
  MachinePlaces places = Places();
  places.incoming = 9;
  std::vector<std::string> restoring = MachineOptions(places);
  ASSERT_GE(restoring.size(), 2u);
  EXPECT_EQ(restoring[restoring.size() - 2], "-incoming");
  EXPECT_EQ(restoring.back(), "fd:9");
  restoring.resize(restoring.size() - 2);
  EXPECT_EQ(restoring, booting);
}

TEST(MachineOptions, ShareIsReadOnlyUnlessAskedFor) {
  EXPECT_THAT(ValueOf(MachineOptions(Places()), "-fsdev"), HasSubstr("readonly=on"));
  MachinePlaces places = Places();
  places.share_writable = true;
  EXPECT_THAT(ValueOf(MachineOptions(places), "-fsdev"), Not(HasSubstr("readonly")));
}

TEST(MachineOptions, CommasInAFolderNameDoNotEndTheField) {
  EXPECT_EQ(EscapedForOption("/a,b"), "/a,,b");
  MachinePlaces places = Places();
  places.share = "/a,b";
  EXPECT_THAT(ValueOf(MachineOptions(places), "-fsdev"), HasSubstr("path=/a,,b,security_model"));
}

TEST(MachineOptions, OfANodeHaveAWireAndTheTimeOfTheHost) {
  MachinePlaces places = Places();
  places.kind = MachineKind::kNode;
  EXPECT_EQ(ValueOf(MachineOptions(places), "-netdev"), "hubport,id=wire,hubid=0");
  places.node = {.driver = 7, .wire_here = "/w,x/a", .wire_there = "/w,x/b"};
  const std::vector<std::string> options = MachineOptions(places);
  EXPECT_EQ(ValueOf(options, "-netdev"),
            "dgram,id=wire,local.type=unix,local.path=/w,,x/a,remote.type=unix,"
            "remote.path=/w,,x/b");
  EXPECT_THAT(options, Contains("socket,id=driver,fd=7"));
  EXPECT_THAT(options, Not(Contains("-icount")));
}

TEST(MachineOptions, OfANodeLeadToItsSshdWhereAPortIsGiven) {
  MachinePlaces places = Places();
  places.kind = MachineKind::kNode;
  EXPECT_THAT(MachineOptions(places), Contains("user,id=control,restrict=on,net=198.18.0.0/24"));
  places.node.control_port = 2201;
  EXPECT_THAT(MachineOptions(places),
              Contains(testing::AllOf(HasSubstr("user,id=control,restrict=on"),
                                      HasSubstr("hostfwd=tcp:127.0.0.1:2201-198.18.0.15:22"))));
}

TEST(MachineShape, IsPartOfTheOptions) {
  const std::vector<std::string> options = MachineOptions(Places());
  const std::vector<std::string> shape = MachineShape(MachineKind::kAlone);
  EXPECT_NE(std::search(options.begin(), options.end(), shape.begin(), shape.end()), options.end());
}

}  // namespace
}  // namespace lab
