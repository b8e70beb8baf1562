// A property that cannot fail is worthless: each fails in a test, and holds where nothing is wrong.
// A kSometimes property holds in a test, and does not hold in an empty history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/properties/counterexamples.h"
#include "conformance/properties/registry.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"

namespace cm {

// The names of the tests.
void PrintTo(const Counterexample& example, std::ostream* out) {
  *out << example.property << ": " << (example.says.empty() ? "happens" : example.says);
}

namespace {

using testing::IsEmpty;

PropertyResult Hear(std::string_view property, const History& history) {
  const HistoryIndex index(history, ProfileOf(history.conversation));
  PropertyResult result;
  FindProperty(property)->check(index, result);
  return result;
}

// Those of kSometimes properties, or of all others.
std::vector<Counterexample> Those(bool sometimes) {
  std::vector<Counterexample> those = Counterexamples();
  std::erase_if(those, [sometimes](const Counterexample& example) {
    return (FindProperty(example.property)->kind == PropertyKind::kSometimes) != sometimes;
  });
  return those;
}

std::string NameOf(std::string_view property, size_t index) {
  std::string name(property);
  std::ranges::replace(name, '-', '_');
  return name + "_" + std::to_string(index);
}

class Claim : public testing::TestWithParam<Counterexample> {};

TEST_P(Claim, HoldsWhereNothingIsWrong) {
  const PropertyResult result =
      Hear(GetParam().property, OnSim(ConversationOf(GetParam().conversation)));
  EXPECT_GT(result.arose(), 0) << "its premise never arises";
  for (const Violation& violation : result.violations())
    ADD_FAILURE() << "saw " << violation.saw << ", permitted " << violation.permitted;
}

TEST_P(Claim, FailsWhereSomethingIsWrong) {
  History history = OnSim(ConversationOf(GetParam().conversation), GetParam().defect);
  if (GetParam().mutate != nullptr) GetParam().mutate(history);
  const PropertyResult result = Hear(GetParam().property, history);
  ASSERT_FALSE(result.violations().empty()) << "not noticed: " << GetParam().says;
  EXPECT_LT(result.violations().front().record, history.records.size());
  EXPECT_NE(result.violations().front().saw, "");
  EXPECT_NE(result.violations().front().permitted, "");
}

INSTANTIATE_TEST_SUITE_P(Property, Claim, testing::ValuesIn(Those(false)), [](const auto& example) {
  return NameOf(example.param.property, example.index);
});

class Happening : public testing::TestWithParam<Counterexample> {};

TEST_P(Happening, IsNoticed) {
  const PropertyResult result =
      Hear(GetParam().property, OnSim(ConversationOf(GetParam().conversation)));
  EXPECT_GT(result.arose(), 0);
  EXPECT_TRUE(result.violations().empty());
}

TEST_P(Happening, IsMissedWhereItDidNotHappen) {
  EXPECT_EQ(Hear(GetParam().property, OnSim(ConversationOf(Listening("settle\n")))).arose(), 0);
}

INSTANTIATE_TEST_SUITE_P(Property, Happening, testing::ValuesIn(Those(true)),
                         [](const auto& example) {
                           return NameOf(example.param.property, example.index);
                         });

// The rejection is sent 5 us before the sender gives up, and is 10 us under way.
TEST(ARejection, IsNotHeardByAnIdThatGivesUpWhileItIsUnderWay) {
  const History history = OnSim(ConversationOf(
      "topology one-kernel-two-devices\nprofile 6.1-siw\ncapabilities time\n"
      "passive listening L on=S port=7471\nactive connecting A on=C to=passive:7471\n"
      "passive taking S id=P\npass 9999995us\npassive rdma_reject P\nsettle\n"
      "active wait C within=1s\nactive rdma_get_cm_event C\nactive wait C within=1s\n"));
  EXPECT_THAT(Objections(history), IsEmpty());
  const auto gives_up = [&history](const Record& record) {
    return ToString(record, history.conversation).find("UNREACHABLE") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(history.records, gives_up));
}

// The port is that of rdma_create_ep.
TEST(ARejection, OfAnEndpointThatListensHasTheReasonOfTheApplication) {
  const History history = OnSim(ConversationOf(
      Alone("passive rdma_create_ep L src=passive:7471 passive\npassive rdma_listen L backlog=4\n"
            "active connecting A on=C to=passive:7471\nsettle\npassive rdma_get_request L id=P\n"
            "passive rdma_reject P private=\"no\"\nactive taking C\n")));
  EXPECT_THAT(Objections(history), IsEmpty());
  EXPECT_EQ(EventOf(history.records.at(history.records.size() - 2).seen)->type,
            EventType::kRejected);
}

TEST(ASharedPort, IsRefusedWhereAnEndpointHasItToo) {
  const History history = OnSim(ConversationOf(
      Alone("active rdma_create_ep L src=active:7471 passive\npassive rdma_create_event_channel S\n"
            "passive rdma_create_id A on=S\npassive rdma_set_option A option=REUSEADDR value=1\n"
            "passive rdma_bind_addr A addr=passive:7471\npassive rdma_create_id B on=S\n"
            "passive rdma_set_option B option=REUSEADDR value=1\n"
            "passive rdma_bind_addr B addr=any:7471\n")));
  EXPECT_THAT(Objections(history), IsEmpty());
  EXPECT_EQ(std::get<seen::Answered>(history.records.back().seen).reply,
            Reply::Refused(Errno::kAddrNotAvail));
}

TEST(EveryProperty, IsInTheTables) {
  std::set<std::string_view> shown;
  for (const Counterexample& example : Counterexamples()) shown.insert(example.property);
  for (const Property& property : Properties())
    EXPECT_TRUE(shown.erase(property.id) == 1) << "no test shows " << property.id;
  EXPECT_THAT(shown, IsEmpty());
}

TEST(EveryCounterexample, IsADefectOrAMutation) {
  for (const Counterexample& example : Those(false))
    EXPECT_NE(example.defect.empty(), example.mutate == nullptr)
        << example.property << ": " << example.says;
  for (const Counterexample& example : Those(true)) {
    EXPECT_EQ(example.says, counterexamples::kHappens) << example.property;
    EXPECT_TRUE(example.defect.empty() && example.mutate == nullptr) << example.property;
  }
}

}  // namespace
}  // namespace cm
