#include "sim/fabric/fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/vocabulary/neighbours.h"

namespace cm::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two devices; messages have a number in their port.
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

TEST_F(FabricTest, DropsWhatIsCorruptAndWritesThatDown) {
  fabric_.watches = true;
  fabric_.Install(
      {.kind = FaultKind::kCorrupt, .messages = MadKinds(MadKind::kReq), .first = 1, .last = 1},
      agenda_.Now());
  for (const uint16_t n : {1, 2}) Send(MadKind::kReq, n);
  EXPECT_THAT(Arrivals(), ElementsAre(2));
  ASSERT_EQ(fabric_.wire_notes.size(), 2u);
  EXPECT_TRUE(fabric_.wire_notes[0].corrupt);
  EXPECT_FALSE(fabric_.wire_notes[1].corrupt);
}

TEST_F(FabricTest, DropsBetweenThoseThatTheRuleNames) {
  Fault fault = Drop(MadKind::kReq);
  fault.side = kAnySide;
  fault.to = 1;
  fabric_.Install(fault, agenda_.Now());
  Send(MadKind::kReq, 1);
  Send(MadKind::kReq, 2, 1);
  EXPECT_THAT(Arrivals(), ElementsAre(2));
}

TEST_F(FabricTest, DropsFromTheTimeOnThatTheRuleSays) {
  Fault fault = Drop(MadKind::kReq);
  fault.after = Duration::Milliseconds(10);
  fault.window = Duration::Milliseconds(5);
  fabric_.Install(fault, agenda_.Now());
  const auto send_at = [&](int64_t microseconds, uint16_t number) {
    agenda_.AdvanceTo(Instant() + Duration::Microseconds(microseconds));
    Send(MadKind::kReq, number);
  };
  send_at(9'999, 1);
  EXPECT_THAT(Arrivals(), ElementsAre(1));
  send_at(10'009, 2);
  send_at(14'999, 3);
  send_at(15'000, 4);
  EXPECT_THAT(Arrivals(), ElementsAre(4));
}

// The delays of 200 messages, in microseconds.
std::vector<int64_t> Delays(DelayShape shape, StreamState coins) {
  Agenda agenda;
  Fabric fabric(FindTopology("two-kernels"), FindProfile("6.1-rxe"), coins);
  fabric.Install({.kind = FaultKind::kDelay,
                  .messages = MadKinds::All(),
                  .by = Duration::Milliseconds(1),
                  .at_most = Duration::Seconds(1),
                  .shape = shape},
                 agenda.Now());
  std::vector<int64_t> delays;
  for (int i = 0; i < 200; ++i) {
    const Instant sent = agenda.Now();
    fabric.Send(&agenda, 0, 1, Mad{});
    const Event event = agenda.Take();
    EXPECT_TRUE(fabric.Arrive(agenda.Now(), event.on()));
    delays.push_back((agenda.Now() - sent).nanoseconds() / 1000);
  }
  return delays;
}

TEST(ADelay, IsDrawnForEachMessageAndStaysWithinItsRange) {
  for (const DelayShape shape : {DelayShape::kUniform, DelayShape::kTail}) {
    const std::vector<int64_t> delays = Delays(shape, {.seed = 1});
    EXPECT_THAT(delays, testing::Each(testing::AllOf(testing::Ge(1000), testing::Le(1'000'010))));
    EXPECT_EQ(delays, Delays(shape, {.seed = 1}));
    EXPECT_NE(delays, Delays(shape, {.seed = 2}));
    const auto below = [&](int64_t bound) {
      return std::count_if(delays.begin(), delays.end(), [&](int64_t d) { return d < bound; });
    };
    // A tenth of the range holds a tenth of the uniform ones, and most of those with a tail.
    EXPECT_EQ(below(100'000) > 100, shape == DelayShape::kTail);
    EXPECT_GT(200 - below(500'000), 0);
  }
}

// A thousand bits a second: 125 bytes take one, and those after them wait.
TEST_F(FabricTest, SendsOneAfterTheOtherWhereBandwidthIsLimited) {
  const Instant now;
  EXPECT_EQ(fabric_.Leaves(now, 0, 1, 125, 0), Duration()) << "no limit";
  EXPECT_EQ(fabric_.Leaves(now, 0, 1, 125, 2'000), Duration::Milliseconds(500));
  EXPECT_EQ(fabric_.Leaves(now, 0, 1, 125, 1'000), Duration::Milliseconds(1'500));
  EXPECT_EQ(fabric_.Leaves(now, 1, 0, 125, 1'000), Duration::Seconds(1)) << "the other way";
  EXPECT_EQ(fabric_.Leaves(now, 0, 0, 125, 1'000), Duration()) << "no link";
  EXPECT_EQ(fabric_.Leaves(now + Duration::Seconds(2), 0, 1, 125, 1'000), Duration::Seconds(1));
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

// source: hw_tests/lab/cm_filter.cc holds it for a fixed time
TEST_F(FabricTest, DoesNotHoldAReorderedMessageForALateOne) {
  fabric_.Install({.kind = FaultKind::kReorder, .messages = MadKinds(MadKind::kDreq)},
                  agenda_.Now());
  fabric_.Install(
      {.kind = FaultKind::kDelay, .messages = MadKinds(MadKind::kRej), .by = Duration::Seconds(5)},
      agenda_.Now());
  Send(MadKind::kDreq, 1);
  Send(MadKind::kRej, 2);
  EXPECT_THAT(Arrivals(), ElementsAre(1, 2));
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

TEST_F(FabricTest, LosesWhatIsLateForAnInterfaceThatHasGoneDown) {
  fabric_.Install(
      {.kind = FaultKind::kDelay, .messages = MadKinds(MadKind::kReq), .by = Duration::Seconds(1)},
      agenda_.Now());
  Send(MadKind::kReq, 1);
  fabric_.device(1).up = false;
  EXPECT_THAT(Arrivals(), IsEmpty());
}

TEST_F(FabricTest, DeliversWhatIsPromptAlthoughTheInterfaceGoesDown) {
  Send(MadKind::kReq, 1);
  fabric_.device(1).up = false;
  EXPECT_THAT(Arrivals(), ElementsAre(1));
}

// linux 6.1 rxe fails the send immediately; linux 6.12 keeps the message, and linux 7.2 loses it.
TEST_F(FabricTest, SaysThatItCannotSendWhereTheKernelDoes) {
  fabric_.device(0).up = false;
  EXPECT_FALSE(fabric_.Send(&agenda_, 0, 1, Mad{}));
  EXPECT_FALSE(fabric_.Keeps(0, 1));
  for (const auto& [profile, keeps] : {std::pair{"6.12-rxe", true}, std::pair{"7.2-rxe", false}}) {
    Fabric other(FindTopology("two-kernels"), FindProfile(profile));
    EXPECT_FALSE(other.Keeps(0, 1)) << profile;
    other.device(0).up = false;
    EXPECT_FALSE(other.Keeps(0, 0)) << profile;
    EXPECT_TRUE(other.Send(&agenda_, 0, 1, Mad{})) << profile;
    EXPECT_EQ(other.Keeps(0, 1), keeps) << profile;
    EXPECT_EQ(other.Keeps(0, 0), keeps) << profile << ": it is mute now, to itself as well";
    // Neither end has a carrier.
    EXPECT_EQ(other.Keeps(1, 0), keeps) << profile;
  }
  EXPECT_THAT(Arrivals(), IsEmpty());
}

// The other end of a link to a switch takes no carrier away.
TEST_F(FabricTest, LosesWhatIsSentToAPortOfASwitchWithoutALink) {
  for (const char* const profile : {"6.12-rxe", "7.2-rxe"}) {
    Fabric other(FindTopology("bond"), FindProfile(profile));
    other.device(1).up = false;
    EXPECT_FALSE(other.Keeps(0, 1)) << profile;
    EXPECT_TRUE(other.Send(&agenda_, 0, 1, Mad{})) << profile;
    EXPECT_FALSE(other.device(0).mute) << profile;
  }
  EXPECT_THAT(Arrivals(), IsEmpty());
}

TEST_F(FabricTest, LetsAMuteDeviceHearNothing) {
  Send(MadKind::kReq, 1, 1);
  fabric_.device(0).mute = true;
  Send(MadKind::kReq, 2, 1);
  Send(MadKind::kReq, 3, 0);
  EXPECT_TRUE(fabric_.Send(&agenda_, 0, 0, Mad{}));
  EXPECT_THAT(Arrivals(), IsEmpty());
  fabric_.device(0).mute = false;
  Send(MadKind::kReq, 4, 1);
  EXPECT_THAT(Arrivals(), ElementsAre(4));
}

// Linux 6.12 and 7.2: nothing gets out after a message that was sent over a dead link.
TEST_F(FabricTest, MakesADeviceMuteWhereTheKernelDoes) {
  for (const auto& [profile, mute] :
       {std::pair{"6.1-rxe", false}, std::pair{"6.12-rxe", true}, std::pair{"7.2-rxe", true}}) {
    Fabric other(FindTopology("two-kernels"), FindProfile(profile));
    other.device(0).up = false;
    static_cast<void>(other.Send(&agenda_, 0, 1, Mad{}));
    EXPECT_EQ(other.device(0).mute, mute) << profile;
    EXPECT_FALSE(other.device(1).mute) << profile;
    other.device(0).up = true;
    EXPECT_TRUE(other.Send(&agenda_, 0, 1, Mad{})) << profile;
    EXPECT_EQ(other.Keeps(0, 1), other.device(0).mute && profile == std::string_view("6.12-rxe"));
    other.Unregister(0);
    other.Register(0);
    EXPECT_FALSE(other.device(0).mute) << profile;
  }
}

TEST_F(FabricTest, LosesWhatIsSentToAWrongHardwareAddress) {
  fabric_.device(0).neighbours = NeighbourTable(Neighbour::kWrong);
  Send(MadKind::kReq, 1);
  Send(MadKind::kReq, 2, 1);
  EXPECT_THAT(Arrivals(), ElementsAre(2));
}

TEST_F(FabricTest, AsksForAnAbsentNeighbourWhichAnswersOverALinkThatIsUp) {
  fabric_.device(1).up = false;
  EXPECT_TRUE(fabric_.FindsNeighbour(0, 1));
  fabric_.device(0).neighbours.Set(1, Neighbour::kAbsent);
  EXPECT_FALSE(fabric_.FindsNeighbour(0, 1));
  EXPECT_TRUE(fabric_.FindsNeighbour(1, 0));
  fabric_.device(1).up = true;
  EXPECT_TRUE(fabric_.FindsNeighbour(0, 1));
  fabric_.device(1).halted = true;
  fabric_.device(0).neighbours.Set(1, Neighbour::kRight);
  EXPECT_FALSE(fabric_.FindsNeighbour(0, 1)) << "its host does not run";
}

TEST_F(FabricTest, KeepsWhatStaysOnOneDeviceOffTheLink) {
  fabric_.Install(Drop(MadKind::kReq), agenda_.Now());
  fabric_.device(0).up = false;
  Mad mad;
  mad.port = 9;
  EXPECT_TRUE(fabric_.Send(&agenda_, 0, 0, mad));
  EXPECT_THAT(Arrivals(), ElementsAre(9));
}

// When the numbered messages arrive, and how each left the sender, under one fault or none.
std::vector<std::string> Course(std::optional<FaultKind> kind) {
  Agenda agenda;
  Fabric fabric(FindTopology("two-kernels"), FindProfile("6.1-rxe"));
  fabric.watches = true;
  if (kind)
    fabric.Install(
        {.kind = *kind, .messages = MadKinds::All(), .last = 1, .by = Duration::Seconds(1)},
        agenda.Now());
  for (const uint16_t n : {1, 2}) {
    Mad mad;
    mad.port = n;
    fabric.Send(&agenda, 0, 1, mad);
  }
  std::vector<std::string> course;
  for (const WireNote& note : fabric.wire_notes)
    course.push_back(note.corrupt ? "corrupt" : note.lost ? "lost" : "sent");
  while (agenda.NextAt()) {
    const Event event = agenda.Take();
    if (const Packet* const packet = fabric.Arrive(agenda.Now(), event.on()))
      course.push_back(std::to_string(packet->mad.port) + " at " + ToString(agenda.Now()));
  }
  return course;
}

TEST(EachPacketFault, ChangesTheCourseOfMessagesInItsOwnWay) {
  std::set<std::vector<std::string>> courses{Course(std::nullopt)};
  for (const FaultRow& row : kFaultKinds)
    if (row.packets != PacketEffect::kNone) {
      EXPECT_TRUE(courses.insert(Course(row.kind)).second) << row.name;
    }
}

TEST_F(FabricTest, DiffersWhereFaultsHitDataFromOneWhereTheyDoNot) {
  Fabric other = fabric_;
  EXPECT_TRUE(other == fabric_);
  other.rules_hit_data = true;
  EXPECT_FALSE(other == fabric_);
}

}  // namespace
}  // namespace cm::sim
