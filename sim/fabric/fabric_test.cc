#include "sim/fabric/fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace cm::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two devices; messages carry a number in their port.
class FabricTest : public testing::Test {
 protected:
  void Send(MadKind kind, uint16_t number, uint8_t from = 0) {
    Mad mad;
    mad.kind = kind;
    mad.port = number;
    EXPECT_TRUE(fabric_.Send(&agenda_, from, static_cast<uint8_t>(1 - from), mad));
  }
  // The numbers that arrive, in order.
  std::vector<int> Arrivals() {
    std::vector<int> numbers;
    while (agenda_.NextAt()) {
      const Event event = agenda_.Take();
      if (const auto packet = fabric_.Arrive(agenda_.Now(), event.on()))
        numbers.push_back(packet->mad.port);
    }
    return numbers;
  }

  const Profile& profile_ = *FindProfile("6.1-rxe");
  Agenda agenda_;
  Fabric fabric_{FindTopology("two-kernels"), &profile_};
};

constexpr Fault Drop(MadKind kind, uint32_t first = 1, uint32_t last = 0) {
  return {.kind = FaultKind::kDrop, .messages = MadKinds(kind), .first = first, .last = last};
}

TEST_F(FabricTest, DeliversInOrder) {
  for (const uint16_t n : {1, 2, 3}) Send(MadKind::kReq, n);
  EXPECT_THAT(Arrivals(), ElementsAre(1, 2, 3));
}

TEST_F(FabricTest, DropsTheOccurrencesThatItIsToldTo) {
  fabric_.Install(Drop(MadKind::kReq, 2, 3), agenda_.Now());
  for (const uint16_t n : {1, 2, 3, 4}) Send(MadKind::kReq, n);
  EXPECT_THAT(Arrivals(), ElementsAre(1, 4));
}

TEST_F(FabricTest, CountsOnlyMessagesOfTheKindAndDirection) {
  fabric_.Install(Drop(MadKind::kReq, 2, 2), agenda_.Now());
  Send(MadKind::kReq, 1);
  Send(MadKind::kRep, 2);
  Send(MadKind::kReq, 3, 1);
  Send(MadKind::kReq, 4);
  Send(MadKind::kReq, 5);
  EXPECT_THAT(Arrivals(), ElementsAre(1, 2, 3, 5));
}

TEST_F(FabricTest, DropsForAsLongAsItsWindowIsOpen) {
  Fault fault = Drop(MadKind::kReq);
  fault.window = Duration::Milliseconds(10);
  fabric_.Install(fault, agenda_.Now());
  Send(MadKind::kReq, 1);
  agenda_.AdvanceTo(agenda_.Now() + Duration::Nanoseconds(9999999));
  Send(MadKind::kReq, 2);
  agenda_.AdvanceTo(agenda_.Now() + Duration::Nanoseconds(1));
  Send(MadKind::kReq, 3);
  EXPECT_THAT(Arrivals(), ElementsAre(3));
}

TEST_F(FabricTest, LetsTheFirstRuleThatMatchesDecide) {
  fabric_.Install({.kind = FaultKind::kDelay,
                   .messages = MadKinds(MadKind::kReq),
                   .first = 1,
                   .last = 1,
                   .by = Duration::Seconds(1)},
                  agenda_.Now());
  fabric_.Install(Drop(MadKind::kReq), agenda_.Now());
  Send(MadKind::kReq, 1);
  Send(MadKind::kReq, 2);
  EXPECT_THAT(Arrivals(), ElementsAre(1));
  EXPECT_GE(agenda_.Now(), Instant() + Duration::Seconds(1));
}

TEST_F(FabricTest, DeliversADoubledMessageTwice) {
  fabric_.Install({.kind = FaultKind::kDuplicate, .messages = MadKinds(MadKind::kRep)},
                  agenda_.Now());
  Send(MadKind::kRep, 1);
  EXPECT_THAT(Arrivals(), ElementsAre(1, 1));
}

TEST_F(FabricTest, LetsTheNextMessagePassAReorderedOne) {
  fabric_.Install(
      {.kind = FaultKind::kReorder, .messages = MadKinds(MadKind::kDreq), .first = 1, .last = 1},
      agenda_.Now());
  for (const uint16_t n : {1, 2, 3}) Send(MadKind::kDreq, n);
  EXPECT_THAT(Arrivals(), testing::AnyOf(ElementsAre(2, 1, 3), ElementsAre(2, 3, 1)));
}

TEST_F(FabricTest, DeliversAMessageThatNobodyPasses) {
  fabric_.Install({.kind = FaultKind::kReorder, .messages = MadKinds::All()}, agenda_.Now());
  Send(MadKind::kReq, 1);
  EXPECT_THAT(Arrivals(), ElementsAre(1));
}

TEST_F(FabricTest, LosesWhatIsSentToAnInterfaceThatIsDown) {
  fabric_.device(1).up = false;
  Send(MadKind::kReq, 1);
  EXPECT_THAT(Arrivals(), IsEmpty());
}

// linux 6.1 rxe fails the send at once; linux 6.12 keeps the message, and linux 7.2 loses it.
TEST_F(FabricTest, SaysThatItCannotSendWhereTheKernelDoes) {
  fabric_.device(0).up = false;
  EXPECT_FALSE(fabric_.Send(&agenda_, 0, 1, Mad{}));
  EXPECT_FALSE(fabric_.Keeps(0, 1));
  for (const auto& [profile, keeps] : {std::pair{"6.12-rxe", true}, std::pair{"7.2-rxe", false}}) {
    Fabric other(FindTopology("two-kernels"), FindProfile(profile));
    EXPECT_FALSE(other.Keeps(0, 1)) << profile;
    other.device(0).up = false;
    EXPECT_TRUE(other.Send(&agenda_, 0, 1, Mad{})) << profile;
    EXPECT_EQ(other.Keeps(0, 1), keeps) << profile;
    EXPECT_FALSE(other.Keeps(0, 0)) << profile;
    EXPECT_FALSE(other.Keeps(1, 0)) << profile;
  }
  EXPECT_THAT(Arrivals(), IsEmpty());
}

TEST_F(FabricTest, LosesWhatIsSentToAWrongHardwareAddress) {
  fabric_.device(0).neighbour_wrong = true;
  Send(MadKind::kReq, 1);
  Send(MadKind::kReq, 2, 1);
  EXPECT_THAT(Arrivals(), ElementsAre(2));
}

TEST_F(FabricTest, KeepsWhatStaysOnOneDeviceOffTheLink) {
  fabric_.Install(Drop(MadKind::kReq), agenda_.Now());
  fabric_.device(0).up = false;
  Mad mad;
  mad.port = 9;
  EXPECT_TRUE(fabric_.Send(&agenda_, 0, 0, mad));
  EXPECT_THAT(Arrivals(), ElementsAre(9));
}

}  // namespace
}  // namespace cm::sim
