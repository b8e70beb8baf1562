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
#include "conformance/properties/property.h"
#include "conformance/scenarios/on_sim.h"

namespace cm {

// The names of the tests.
void PrintTo(const Counterexample& trip, std::ostream* out) {
  *out << trip.property << ": " << trip.says;
}
void PrintTo(const Reach& reach, std::ostream* out) { *out << reach.property; }

namespace {

using testing::IsEmpty;

PropertyResult Hear(std::string_view property, const History& history) {
  const HistoryIndex account(history, ProfileOf(history.conversation));
  PropertyResult result;
  FindProperty(property)->check(account, result);
  return result;
}

std::vector<Counterexample> AllTrips() {
  std::vector<Counterexample> all = TripsOfIds();
  for (const std::vector<Counterexample>& more :
       {TripsOfConnections(), TripsOfTrouble(), TripsBesideATester(), TripsOfAttributes(),
        TripsOfSynchronousIds(), TripsOfOptions(), TripsOfGroups(), TripsOfEndpoints(),
        TripsOfLookups(), TripsOfData()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
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
  if (GetParam().damage != nullptr) GetParam().damage(history);
  const PropertyResult result = Hear(GetParam().property, history);
  ASSERT_FALSE(result.violations().empty()) << "not noticed: " << GetParam().says;
  EXPECT_LT(result.violations().front().record, history.records.size());
  EXPECT_NE(result.violations().front().saw, "");
  EXPECT_NE(result.violations().front().permitted, "");
}

INSTANTIATE_TEST_SUITE_P(Property, Claim, testing::ValuesIn(AllTrips()),
                         [](const auto& trip) { return NameOf(trip.param.property, trip.index); });

class Happening : public testing::TestWithParam<Reach> {};

TEST_P(Happening, IsNoticed) {
  const PropertyResult result =
      Hear(GetParam().property, OnSim(ConversationOf(GetParam().conversation)));
  EXPECT_GT(result.arose(), 0);
  EXPECT_TRUE(result.violations().empty());
}

TEST_P(Happening, IsMissedWhereItDidNotHappen) {
  EXPECT_EQ(Hear(GetParam().property, OnSim(ConversationOf(Listening("settle\n")))).arose(), 0);
}

INSTANTIATE_TEST_SUITE_P(Property, Happening, testing::ValuesIn(Reaches()), [](const auto& reach) {
  return NameOf(reach.param.property, reach.index);
});

TEST(EveryProperty, IsInTheTables) {
  std::set<std::string_view> tripped;
  for (const Counterexample& trip : AllTrips()) tripped.insert(trip.property);
  std::set<std::string_view> reached;
  for (const Reach& reach : Reaches()) reached.insert(reach.property);
  for (const Property& property : Properties()) {
    const bool sometimes = property.kind == PropertyKind::kSometimes;
    EXPECT_TRUE((sometimes ? reached : tripped).erase(property.id) == 1)
        << "no test shows " << property.id << (sometimes ? " happen" : " fail");
  }
  EXPECT_THAT(tripped, IsEmpty());
  EXPECT_THAT(reached, IsEmpty());
}

TEST(EveryTrip, IsADefectOrDamage) {
  for (const Counterexample& trip : AllTrips())
    EXPECT_NE(trip.defect.empty(), trip.damage == nullptr) << trip.property << ": " << trip.says;
}

}  // namespace
}  // namespace cm
