#include "hw_tests/lab/linux_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/duration.h"
#include "model/conversation/history.h"
#include "model/mad/frame.h"
#include "model/mad/messages.h"
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
using ::testing::_;
using ::testing::AllOf;
using ::testing::AnyNumber;
using ::testing::AtLeast;
using ::testing::HasSubstr;
using ::testing::InSequence;
using ::testing::NiceMock;
using ::testing::Return;

class MockTools : public GuestTools {
 public:
  MOCK_METHOD(Ran, Run, (const std::string& command), (override));
  MOCK_METHOD(std::optional<Ran>, RunBehind, (const std::string& command, Duration within),
              (override));
  MOCK_METHOD(std::vector<std::string>, AwaitBehind, (Duration within), (override));
  MOCK_METHOD(void, KillBehind, (), (override));
  MOCK_METHOD(std::optional<Problem>, AddRule, (const CmRule& rule), (override));
  MOCK_METHOD(std::optional<Problem>, ClearRules, (), (override));
  MOCK_METHOD(std::string, Read, (const std::string& path), (override));
};

cm::Conversation On(std::string_view topology) {
  cm::Conversation conversation;
  conversation.topology = cm::FindTopology(topology);
  return conversation;
}

// What the test says has left.
class SaidTap : public FrameTap {
 public:
  explicit SaidTap(std::vector<TappedFrame>* frames) : frames_(frames) {}
  std::vector<TappedFrame> Take() override { return std::exchange(*frames_, {}); }
  uint32_t Missed() override { return 2; }

 private:
  std::vector<TappedFrame>* frames_;
};

// A place in a guest with that network, prepared for a conversation.
class Place {
 public:
  explicit Place(const std::string& network, const std::string& driver = "rxe",
                 std::unique_ptr<FrameTap> tap = nullptr) {
    auto tools = std::make_unique<NiceMock<MockTools>>();
    tools_ = tools.get();
    ON_CALL(*tools_, Run).WillByDefault(Return(Ran{}));
    ON_CALL(*tools_, RunBehind).WillByDefault(Return(Ran{}));
    ON_CALL(*tools_, Read("/lab/topology")).WillByDefault(Return(network + "\n"));
    ON_CALL(*tools_, Read("/etc/rdma_driver")).WillByDefault(Return(driver + "\n"));
    ON_CALL(*tools_, Read("/lab/baseline")).WillByDefault(Return("a fact\nanother\n"));
    ON_CALL(*tools_, Run("sh /lab/net_reset.sh"))
        .WillByDefault(Return(Ran{0, "a fact\nanother\n"}));
    place_.emplace(std::move(tools), "Linux 6.1", std::move(tap));
    prepared_ = place_->Prepare(On(network == "bond" ? "bond" : "one-kernel-two-devices"));
  }

  MockTools& tools() { return *tools_; }
  LinuxPlace* operator->() { return &*place_; }
  const std::string& prepared() const { return prepared_; }

 private:
  NiceMock<MockTools>* tools_ = nullptr;
  std::optional<LinuxPlace> place_;
  std::string prepared_;
};

TEST(LinuxPlace, ServesTheTopologyOfTheGuestAndNoOther) {
  Place pair("pair");
  EXPECT_EQ(pair.prepared(), "");
  EXPECT_EQ(pair->Prepare(On("bond")), "the guest's network is 'pair', which is not bond");
  EXPECT_THAT(pair->Prepare(On("two-kernels")), HasSubstr("two-kernels"));
  Place bond("bond");
  EXPECT_EQ(bond.prepared(), "");
  EXPECT_THAT(bond->Prepare(On("one-kernel-two-devices")), HasSubstr("'bond'"));
  Place none("");
  EXPECT_THAT(none.prepared(), HasSubstr("''"));
}

TEST(LinuxPlace, CanFailOverOnABondOnlyAndAddADeviceNowhere) {
  for (const char* network : {"pair", "bond"}) {
    Place place(network);
    EXPECT_EQ(place->capabilities().Has(Capability::kFailOver), std::string(network) == "bond");
    EXPECT_FALSE(place->capabilities().Has(Capability::kAddDevice));
    EXPECT_TRUE(place->capabilities().Has(Capability::kDropNth));
    EXPECT_TRUE(place->patient());
  }
}

TEST(LinuxPlace, OverSoftIwarpHasDevicesOfItsDriverAndNoFilterThatFits) {
  Place place("pair", "siw");
  EXPECT_FALSE(place->capabilities().Has(Capability::kDrop));
  EXPECT_FALSE(place->capabilities().Has(Capability::kReorder));
  EXPECT_TRUE(place->capabilities().Has(Capability::kRemoveDevice));
  EXPECT_CALL(place.tools(), Run("rdma link add rxe0 type siw netdev veth0"));
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kAddDevice}).ok);
  EXPECT_CALL(place.tools(), AddRule).Times(0);
  EXPECT_FALSE(place->Inject({.kind = FaultKind::kDrop, .messages = MadKinds(MadKind::kReq)}).ok);
}

TEST(LinuxPlace, LosesMessagesAtTheSideThatTheyGoTo) {
  Place place("pair");
  const MadKinds any = MadKinds::All();
  InSequence in_this_order;
  EXPECT_CALL(place.tools(), AddRule(CmRule{Toward::kPassive, MadKinds(MadKind::kReq),
                                            CmAction::kDrop, 1, kEveryOne}));
  EXPECT_CALL(place.tools(),
              AddRule(CmRule{Toward::kActive, any, CmAction::kDelay, 2, 3, 1'500'000}));
  EXPECT_CALL(place.tools(), AddRule(CmRule{Toward::kActive, MadKinds(MadKind::kRtu),
                                            CmAction::kDuplicate, 1, kEveryOne, 0, 7'000'000'000}));
  EXPECT_CALL(place.tools(), AddRule(CmRule{Toward::kPassive, MadKinds(MadKind::kDrep),
                                            CmAction::kReorder, 1, kEveryOne}));
  EXPECT_CALL(place.tools(), Run).Times(0);
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kDrop, .messages = MadKinds(MadKind::kReq)}).ok);
  EXPECT_TRUE(place
                  ->Inject({.kind = FaultKind::kDelay,
                            .side = 1,
                            .messages = MadKinds::All(),
                            .first = 2,
                            .last = 3,
                            .by = Duration::Microseconds(1500)})
                  .ok);
  EXPECT_TRUE(place
                  ->Inject({.kind = FaultKind::kDuplicate,
                            .side = 1,
                            .messages = MadKinds(MadKind::kRtu),
                            .window = Duration::Seconds(7)})
                  .ok);
  EXPECT_TRUE(
      place->Inject({.kind = FaultKind::kReorder, .messages = MadKinds(MadKind::kDrep)}).ok);
}

TEST(LinuxPlace, SaysWhenThereIsNoRoomForAFault) {
  Place place("pair");
  EXPECT_CALL(place.tools(), AddRule).WillOnce(Return(Problem{"no room"}));
  const cm::seen::Done done =
      place->Inject({.kind = FaultKind::kDrop, .messages = MadKinds::All()});
  EXPECT_FALSE(done.ok);
  EXPECT_EQ(done.note, "no room");
}

TEST(LinuxPlace, TakesTheInterfaceDownThatTheSideStandsOn) {
  Place pair("pair");
  EXPECT_CALL(pair.tools(), Run("ip link set veth1 down"));
  EXPECT_TRUE(pair->Inject({.kind = FaultKind::kLinkDown, .side = 1}).ok);
  Place bond("bond");
  EXPECT_CALL(bond.tools(), Run("ip link set bond0 down"));
  EXPECT_TRUE(bond->Inject({.kind = FaultKind::kLinkDown}).ok);
}

TEST(LinuxPlace, WaitsForARaisedLinkBeforeItPutsTheRoutesRight) {
  Place place("bond");
  EXPECT_CALL(place.tools(), Run(AllOf(HasSubstr("ip link set bond0 up && for "),
                                       HasSubstr("/sys/class/net/bond0/operstate"),
                                       HasSubstr("done && sh /lab/net_routes.sh"))));
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kLinkUp}).ok);
}

TEST(LinuxPlace, SaysWhatAToolPrintedThatFailed) {
  Place place("pair");
  EXPECT_CALL(place.tools(), AwaitBehind);
  EXPECT_CALL(place.tools(), Run("rdma link add rxe1 type rxe netdev veth1"))
      .WillOnce(Return(Ran{1, "error: File exists\n"}));
  const cm::seen::Done done = place->Inject({.kind = FaultKind::kAddDevice, .side = 1});
  EXPECT_FALSE(done.ok);
  EXPECT_EQ(done.note, "status 1: error: File exists");
}

TEST(LinuxPlace, RemovesADeviceInTheBackground) {
  Place place("pair");
  EXPECT_CALL(place.tools(), RunBehind("rdma link del rxe0", _))
      .WillOnce(Return(std::nullopt))
      .WillOnce(Return(Ran{}))
      .WillOnce(Return(Ran{1, "error: No such device\n"}));
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kRemoveDevice}).ok) << "it goes on";
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kRemoveDevice}).ok) << "no process used it";
  const cm::seen::Done done = place->Inject({.kind = FaultKind::kRemoveDevice});
  EXPECT_FALSE(done.ok);
  EXPECT_THAT(done.note, HasSubstr("No such device"));
}

TEST(LinuxPlace, FailsOverToTheInterfaceThatIsNotActive) {
  Place place("bond");
  const std::string path = "/sys/class/net/bond0/bonding/active_slave";
  InSequence in_this_order;
  EXPECT_CALL(place.tools(), Read(path)).WillOnce(Return("b0\n"));
  EXPECT_CALL(place.tools(), Run("sh /lab/net_failover.sh b1"));
  EXPECT_CALL(place.tools(), Read(path)).WillOnce(Return("b1\n"));
  EXPECT_CALL(place.tools(), Run("sh /lab/net_failover.sh b0"));
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kFailOver}).ok);
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kFailOver}).ok);
  EXPECT_EQ(place->Inject({.kind = FaultKind::kFailOver, .side = 1}).note, "veth1 is no bond");
}

TEST(LinuxPlace, GivesTheOtherSideAWrongHardwareAddress) {
  Place place("pair");
  EXPECT_CALL(place.tools(),
              Run("ip -batch - <<END\n"
                  "neigh replace 10.0.0.1 lladdr 02:00:00:00:00:99 dev veth1 nud permanent\n"
                  "neigh replace fd00::1 lladdr 02:00:00:00:00:99 dev veth1 nud permanent\nEND\n"));
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kNeighbourChange, .side = 1}).ok);
}

TEST(LinuxPlace, ForgetsTheOtherSideButNotWhatIsWrongOfIt) {
  Place place("pair");
  EXPECT_CALL(place.tools(), Run("ip neigh show 10.0.0.1 dev veth1 | grep -q 02:00:00:00:00:99 || "
                                 "ip neigh del 10.0.0.1 dev veth1; "
                                 "ip neigh show fd00::1 dev veth1 | grep -q 02:00:00:00:00:99 || "
                                 "ip neigh del fd00::1 dev veth1; :"));
  EXPECT_TRUE(place->Inject({.kind = FaultKind::kNeighbourExpires, .side = 1}).ok);
  EXPECT_CALL(place.tools(), Run("sh /lab/net_routes.sh"));
  EXPECT_TRUE(place->Heal().ok);
}

TEST(LinuxPlace, RefusesWhatIsNotItsOwn) {
  Place place("pair");
  EXPECT_FALSE(place->Inject({.kind = FaultKind::kExit}).ok);
}

TEST(LinuxPlace, HealsOnlyWhatWasBroken) {
  Place place("pair");
  EXPECT_CALL(place.tools(), ClearRules).Times(3);
  EXPECT_CALL(place.tools(), Run).Times(0);
  EXPECT_TRUE(place->Heal().ok);
  EXPECT_CALL(place.tools(), Run(HasSubstr("ip -batch")));
  place->Inject({.kind = FaultKind::kNeighbourChange});
  EXPECT_CALL(place.tools(), Run("sh /lab/net_routes.sh"));
  EXPECT_TRUE(place->Heal().ok);
  EXPECT_TRUE(place->Heal().ok);
}

TEST(LinuxPlace, HealsEveryLinkBeforeItWaitsForOne) {
  Place place("pair");
  EXPECT_CALL(place.tools(), Run(HasSubstr("down"))).Times(2);
  place->Inject({.kind = FaultKind::kLinkDown});
  place->Inject({.kind = FaultKind::kLinkDown, .side = 1});
  EXPECT_CALL(place.tools(), Run(AllOf(HasSubstr("ip link set veth0 up && "
                                                 "ip link set veth1 up && for "),
                                       HasSubstr("veth1/operstate"))));
  EXPECT_TRUE(place->Heal().ok);
}

TEST(LinuxPlace, IsRightWhenTheResetFindsTheBaseline) {
  Place place("pair");
  EXPECT_CALL(place.tools(), RunBehind).Times(0);
  EXPECT_CALL(place.tools(), ClearRules);
  EXPECT_CALL(place.tools(), Run("sh /lab/net_reset.sh"));
  EXPECT_EQ(place->PutRight(), "");
}

TEST(LinuxPlace, LooksOnlyAtTheDevicesWhenNothingElseCanHaveChanged) {
  Place place("pair");
  ON_CALL(place.tools(), Read("/lab/baseline"))
      .WillByDefault(Return("a fact\nlink rxe0/1 up\nlink rxe1/1 up\nrxe0: pd 1\nrxe1: pd 1\n"));
  EXPECT_CALL(place.tools(), Run).Times(AnyNumber());
  EXPECT_CALL(place.tools(), Run("sh /lab/net_reset.sh"))
      .Times(3)
      .WillRepeatedly(
          Return(Ran{0, "a fact\nlink rxe0/1 up\nlink rxe1/1 up\nrxe0: pd 1\nrxe1: pd 1\n"}));
  EXPECT_EQ(place->PutRight(), "") << "the first time, at all";
  EXPECT_CALL(place.tools(), Run(HasSubstr("rdma -b -")))
      .WillOnce(
          Return(Ran{0, "link rxe0/1 up \nlink rxe1/1 up \n3: rxe0: pd 1 \n2: rxe1: pd 1 \n"}))
      .WillOnce(
          Return(Ran{0, "link rxe0/1 up \nlink rxe1/1 up \n3: rxe0: pd 2 \n2: rxe1: pd 1 \n"}));
  place->Inject({.kind = FaultKind::kDrop, .messages = MadKinds::All()});
  EXPECT_EQ(place->PutRight(), "") << "devices only";
  EXPECT_EQ(place->PutRight(), "") << "they differ, so all of it";
  place->Inject({.kind = FaultKind::kNeighbourChange});
  EXPECT_EQ(place->PutRight(), "") << "not only packets, so all of it";
}

TEST(LinuxPlace, NamesTheFactsThatDiffer) {
  Place place("pair");
  EXPECT_CALL(place.tools(), Run("sh /lab/net_reset.sh"))
      .WillOnce(Return(Ran{0, "a fact\nnews 1\nnews 2\nnews 3\nnews 4\n"}))
      .WillOnce(Return(Ran{2, "ip: not found\n"}));
  EXPECT_EQ(place->PutRight(),
            "not there: another; should not be there: news 1; news 2; news 3; and 1 more");
  EXPECT_EQ(place->PutRight(), "net_reset.sh: status 2: ip: not found");
}

TEST(LinuxPlace, MakesDevicesAnewThatMayHaveGoneDeaf) {
  for (const FaultKind kind :
       {FaultKind::kLinkDown, FaultKind::kFailOver, FaultKind::kRemoveDevice}) {
    Place place("bond");
    place->Inject({.kind = kind});
    ::testing::Sequence removals;
    for (const char* device : {"rxe0", "rxe1"})
      EXPECT_CALL(place.tools(),
                  RunBehind(AllOf(HasSubstr("[ ! -e /sys/class/infiniband/"),
                                  HasSubstr(std::string("|| rdma link del ") + device)),
                            _))
          .InSequence(removals);
    EXPECT_CALL(place.tools(), Run).Times(AnyNumber());
    EXPECT_CALL(place.tools(), Run("sh /lab/net_reset.sh")).Times(AtLeast(1));
    EXPECT_EQ(place->PutRight(), "") << cm::ToString(kind);
    EXPECT_EQ(place->PutRight(), "") << "and only once";
  }
}

TEST(LinuxPlace, TouchesNothingWhileADeviceIsInUse) {
  Place place("pair");
  place->Inject({.kind = FaultKind::kRemoveDevice});
  EXPECT_CALL(place.tools(), AwaitBehind)
      .WillOnce(Return(std::vector<std::string>{"rdma link del rxe0"}))
      .WillRepeatedly(Return(std::vector<std::string>{}));
  EXPECT_CALL(place.tools(), KillBehind);
  EXPECT_CALL(place.tools(), Run).Times(0);
  EXPECT_EQ(place->PutRight(), "'rdma link del rxe0' does not end");
  EXPECT_CALL(place.tools(), RunBehind)
      .WillOnce(Return(std::nullopt))
      .WillOnce(Return(Ran{1, "error: Invalid argument\n"}));
  EXPECT_EQ(place->PutRight(), "rxe0 is in use");
  EXPECT_EQ(place->PutRight(), "rxe0: error: Invalid argument");
}

TEST(LinuxPlace, DoesEachKindOfFaultOrSaysWhyNot) {
  for (const cm::FaultRow& row : cm::kFaultKinds) {
    const LinuxPlace::FaultHandler handler = LinuxPlace::HandlerOf(row.kind);
    EXPECT_NE(handler.act == nullptr, handler.why_not.empty())
        << "linux_place.cc has no row for " << row.name;
    if (handler.act == nullptr) {
      EXPECT_FALSE(GuestCapabilities(true, cm::Transport::kRoce).Has(row.needs)) << row.name;
    }
  }
}

// One that comes later would be part of another conversation.
TEST(LinuxPlace, ForgetsWhatItHasHeldBack) {
  for (const FaultKind kind : {FaultKind::kDelay, FaultKind::kReorder, FaultKind::kDrop}) {
    Place place("pair");
    EXPECT_TRUE(
        place
            ->Inject(
                {.kind = kind, .messages = MadKinds(MadKind::kReq), .by = Duration::Seconds(9)})
            .ok);
    EXPECT_CALL(place.tools(), Run(_)).Times(AnyNumber());
    EXPECT_CALL(place.tools(), Run("ip link set ifb0 down && ip link set ifb0 up"))
        .Times(kind == FaultKind::kDrop ? 0 : 1);
    EXPECT_EQ(place->PutRight(), "");
    EXPECT_EQ(place->PutRight(), "");
  }
}

// Messages of the passive side.
TappedFrame Left(const cm::mad::Message& message) {
  cm::mad::Frame frame{.link = cm::mad::Ethernet{}, .ip = cm::mad::Ipv4{}};
  frame.mad = cm::mad::MakeMad(message, 7);
  const cm::mad::FrameBytes bytes = cm::mad::Seal(frame);
  return {.interface = "veth1", .bytes = {bytes.view().begin(), bytes.view().end()}};
}

TEST(LinuxPlace, ShowsWhatLeavesInAConversationAndWhatMayComeTwice) {
  std::vector<TappedFrame> leave = {Left(cm::mad::Rtu{})};  // before it is prepared
  Place place("pair", "rxe", std::make_unique<SaidTap>(&leave));
  EXPECT_TRUE(leave.empty());
  EXPECT_TRUE(place->TakeWire().empty());
  leave = {Left(cm::mad::Rep{}), Left(cm::mad::Rtu{})};
  std::vector<cm::WireRecord> sent = place->TakeWire();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].kind, MadKind::kRep);
  EXPECT_FALSE(sent[0].doubled || sent[1].doubled);

  EXPECT_TRUE(place
                  ->Inject({.kind = FaultKind::kDuplicate,
                            .side = cm::kPassiveSide,
                            .messages = MadKinds(MadKind::kRep)})
                  .ok);
  leave = {Left(cm::mad::Rep{}), Left(cm::mad::Rtu{})};
  sent = place->TakeWire();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_TRUE(sent[0].doubled);
  EXPECT_FALSE(sent[1].doubled);

  leave = {Left(cm::mad::Rep{})};
  EXPECT_TRUE(place->Heal().ok);
  leave = {Left(cm::mad::Rep{})};
  sent = place->TakeWire();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_TRUE(sent[0].doubled);
  EXPECT_FALSE(sent[1].doubled);

  EXPECT_FALSE(place->Disturbed());
  EXPECT_EQ(place->PutRight(), "");
  EXPECT_TRUE(place->Disturbed());  // the tap has missed two
}

}  // namespace
}  // namespace lab
