// Tests LinuxPlace inside a guest. Run there by lab_test:
//
//   linux_place_trial [GoogleTest's flags]
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/place.h"
#include "conformance/process/real_time.h"
#include "hw_tests/lab/guest_tools.h"
#include "hw_tests/lab/linux_place.h"
#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/topology.h"

namespace lab {
namespace {

using cm::Capability;
using cm::Duration;
using cm::Fault;
using cm::FaultKind;
using cm::MadKind;
using cm::MadKinds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

std::string FirstWordOf(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

class Trial : public ::testing::Test {
 protected:
  Trial() : network_(FirstWordOf("/lab/topology")) {
    Outcome<std::unique_ptr<GuestTools>> tools = MakeGuestTools();
    if (!tools.ok()) ADD_FAILURE() << tools.problem().line;
    tools_ = std::move(tools.value());
    Outcome<std::unique_ptr<cm::Place>> place = LinuxPlace::Open();
    if (!place.ok()) ADD_FAILURE() << place.problem().line;
    place_ = std::move(place.value());
    cm::Conversation conversation;
    conversation.topology =
        cm::FindTopology(network_ == "bond" ? "bond" : "one-kernel-two-devices");
    EXPECT_EQ(place_->Prepare(conversation), "");
  }
  ~Trial() override { EXPECT_EQ(place_->PutRight(), ""); }

  std::string Says(const std::string& command) { return tools_->Run(command).printed; }

  void Does(const Fault& fault) {
    const cm::seen::Done done = place_->Inject(fault);
    EXPECT_TRUE(done.ok) << cm::ToString(fault.kind) << ": " << done.note;
  }

  // One connection and its disconnect, in both directions.
  void Connects() {
    for (const std::string& pair :
         {std::string("10.0.1.1 -I 10.0.0.1"), std::string("fd00::1 -I fd00:1::1")}) {
      const Ran ran =
          tools_->Run(fmt::format("timeout 90 rping -s -a {} -C 2 & sleep 0.1; "
                                  "timeout 90 rping -c -C 2 -a {}",
                                  pair.substr(0, pair.find(' ')), pair));
      EXPECT_EQ(ran.status, 0) << pair << ": " << ran.printed;
    }
  }

  std::string network_;
  std::unique_ptr<GuestTools> tools_;
  std::unique_ptr<cm::Place> place_;
};

TEST_F(Trial, TellsWhereItIs) {
  EXPECT_THAT(place_->name(), StartsWith("Linux "));
  EXPECT_EQ(place_->capabilities().Has(Capability::kFailOver), network_ == "bond");
  Connects();
}

// A connection and its end over IPv4, from the active side, and over IPv6, from the passive one.
TEST_F(Trial, SeesWhatLeaves) {
  const cm::Instant begin = cm::RealNow();
  Does({.kind = FaultKind::kDrop, .messages = MadKinds(MadKind::kReq), .last = 1});
  Connects();
  const std::vector<cm::WireRecord> sent = place_->TakeWire();
  std::vector<std::pair<uint8_t, MadKind>> requests;
  for (const cm::WireRecord& one : sent)
    if (one.kind == MadKind::kReq || one.kind == MadKind::kRtu)
      requests.emplace_back(one.side, one.kind);
  // Also the one that was lost.
  EXPECT_THAT(requests,
              ElementsAre(Pair(0, MadKind::kReq), Pair(0, MadKind::kReq), Pair(0, MadKind::kRtu),
                          Pair(1, MadKind::kReq), Pair(1, MadKind::kRtu)));
  EXPECT_GE(sent.front().at, begin);
  EXPECT_TRUE(std::ranges::is_sorted(sent, {}, &cm::WireRecord::at));
  EXPECT_LE(sent.back().at, cm::RealNow());
}

TEST_F(Trial, LosesWhatItIsToldUntilItHeals) {
  Does({.kind = FaultKind::kDrop, .messages = MadKinds(MadKind::kReq), .last = 1});
  Does({.kind = FaultKind::kDelay,
        .side = 1,
        .messages = MadKinds::All(),
        .by = Duration::Milliseconds(20)});
  Connects();
  EXPECT_THAT(Says("cmfault show"), HasSubstr("drop REQ passive 1 1 seen 2 hit 1\n"));
  EXPECT_TRUE(place_->Heal().ok);
  EXPECT_EQ(Says("cmfault show"), "");
}

// A request is on its way for ten seconds, and its sender is gone.
TEST_F(Trial, ForgetsWhatItHasHeldBack) {
  Does({.kind = FaultKind::kDelay,
        .messages = MadKinds(MadKind::kReq),
        .by = Duration::Seconds(10)});
  tools_->Run("timeout 1 rping -c -C 1 -a 10.0.1.1 -I 10.0.0.1");
  EXPECT_EQ(place_->PutRight(), "");
  place_->TakeWire();
  cm::ReallySleep(Duration::Seconds(20));
  EXPECT_TRUE(place_->TakeWire().empty());
}

TEST_F(Trial, ForgetsAFaultWhenItsWindowIsOver) {
  Does({.kind = FaultKind::kDrop,
        .messages = MadKinds(MadKind::kReq),
        .window = Duration::Seconds(3)});
  // The first is lost, the second arrives 6.4 s later.
  Connects();
  EXPECT_THAT(Says("cmfault show"), HasSubstr("for another 0 ms seen 1 hit 1\n"));
}

TEST_F(Trial, TakesLinksDownAndUp) {
  for (uint8_t side : {cm::kActiveSide, cm::kPassiveSide}) {
    Does({.kind = FaultKind::kLinkDown, .side = side});
    Does({.kind = FaultKind::kLinkUp, .side = side});
    Connects();
  }
  for (uint8_t side : {cm::kActiveSide, cm::kPassiveSide})
    Does({.kind = FaultKind::kLinkDown, .side = side});
  Does({.kind = FaultKind::kLinkUp, .side = cm::kPassiveSide});
  Does({.kind = FaultKind::kLinkUp, .side = cm::kActiveSide});
  Connects();
  for (uint8_t side : {cm::kActiveSide, cm::kPassiveSide})
    Does({.kind = FaultKind::kLinkDown, .side = side});
  EXPECT_TRUE(place_->Heal().ok);
  Connects();
}

TEST_F(Trial, GivesADeviceThatWentDeafItsHearingBack) {
  Does({.kind = FaultKind::kLinkDown});
  EXPECT_NE(tools_->Run("timeout 200 rping -c -C 1 -a 10.0.1.1 -I 10.0.0.1").status, 0);
  EXPECT_TRUE(place_->Heal().ok);
  EXPECT_EQ(place_->PutRight(), "");
  Connects();
}

TEST_F(Trial, ChangesTheNeighbourUntilItHeals) {
  for (uint8_t side : {cm::kActiveSide, cm::kPassiveSide}) {
    Does({.kind = FaultKind::kNeighbourChange, .side = side});
    EXPECT_THAT(Says("ip neigh show nud permanent"), HasSubstr("lladdr 02:00:00:00:00:99"));
  }
  EXPECT_TRUE(place_->Heal().ok);
  Connects();
}

TEST_F(Trial, RemovesADeviceThatIsInUse) {
  Says("sleep 1000 </dev/infiniband/uverbs0 & echo $! >/tmp/user");
  Does({.kind = FaultKind::kRemoveDevice});
  EXPECT_FALSE(place_->Inject({.kind = FaultKind::kAddDevice}).ok) << "as long as it is in use";
  EXPECT_TRUE(place_->Heal().ok);
  Says("kill -9 $(cat /tmp/user)");
  EXPECT_EQ(place_->PutRight(), "");
  Connects();
}

TEST_F(Trial, MakesDevicesAnewInTheirOrder) {
  Does({.kind = FaultKind::kRemoveDevice});
  Does({.kind = FaultKind::kAddDevice});
  EXPECT_EQ(place_->PutRight(), "");
  EXPECT_THAT(Says("rdma link show"), StartsWith("link rxe0/1"));
  EXPECT_THAT(place_->Inject({.kind = FaultKind::kAddDevice}).note, HasSubstr("File exists"));
}

TEST_F(Trial, FailsOverWhereThereIsABond) {
  const cm::seen::Done done = place_->Inject({.kind = FaultKind::kFailOver});
  EXPECT_EQ(done.ok, network_ == "bond");
  if (!done.ok) return;
  EXPECT_EQ(FirstWordOf("/sys/class/net/bond0/bonding/active_slave"), "b1");
  Connects();
  Does({.kind = FaultKind::kFailOver});
  EXPECT_EQ(FirstWordOf("/sys/class/net/bond0/bonding/active_slave"), "b0");
  Does({.kind = FaultKind::kFailOver});
  EXPECT_EQ(place_->PutRight(), "");
  EXPECT_EQ(FirstWordOf("/sys/class/net/bond0/bonding/active_slave"), "b0");
}

// Measures PutRight when nothing is wrong.
TEST_F(Trial, FindsQuicklyThatNothingIsWrong) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(place_->PutRight(), "");
  const auto each =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin) / 10;
  printf("%d ms of the guest's time\n", static_cast<int>(each.count()));
  EXPECT_LT(each, std::chrono::milliseconds(1000));
}

}  // namespace
}  // namespace lab
