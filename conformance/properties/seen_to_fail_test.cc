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

#include "conformance/properties/property.h"
#include "conformance/properties/trips.h"
#include "conformance/scenarios/on_sim.h"

namespace cm {

// The names of the tests.
void PrintTo(const Trip& trip, std::ostream* out) { *out << trip.property << ": " << trip.says; }
void PrintTo(const Reach& reach, std::ostream* out) { *out << reach.property; }

namespace {

using testing::IsEmpty;

Testimony Hear(std::string_view property, const History& history) {
  const Account account(history, ProfileOf(history.conversation));
  Testimony testimony;
  FindProperty(property)->check(account, testimony);
  return testimony;
}

std::vector<Trip> AllTrips() {
  std::vector<Trip> all = TripsOfIds();
  for (const std::vector<Trip>& more :
       {TripsOfConnections(), TripsOfTrouble(), TripsBesideATester(), TripsOfAttributes(),
        TripsOfSynchronousIds(), TripsOfOptions(), TripsOfGroups(), TripsOfEndpoints(),
        TripsOfLaterCalls(), TripsOfData()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string NameOf(std::string_view property, size_t index) {
  std::string name(property);
  std::ranges::replace(name, '-', '_');
  return name + "_" + std::to_string(index);
}

class Claim : public testing::TestWithParam<Trip> {};

TEST_P(Claim, HoldsWhereNothingIsWrong) {
  const Testimony testimony =
      Hear(GetParam().property, OnSim(ConversationOf(GetParam().conversation)));
  EXPECT_GT(testimony.arose(), 0) << "its premise never arises";
  for (const Violation& violation : testimony.violations())
    ADD_FAILURE() << "saw " << violation.saw << ", permitted " << violation.permitted;
}

TEST_P(Claim, FailsWhereSomethingIsWrong) {
  History history = OnSim(ConversationOf(GetParam().conversation), GetParam().defect);
  if (GetParam().damage != nullptr) GetParam().damage(history);
  const Testimony testimony = Hear(GetParam().property, history);
  ASSERT_FALSE(testimony.violations().empty()) << "not noticed: " << GetParam().says;
  EXPECT_LT(testimony.violations().front().record, history.records.size());
  EXPECT_NE(testimony.violations().front().saw, "");
  EXPECT_NE(testimony.violations().front().permitted, "");
}

INSTANTIATE_TEST_SUITE_P(Property, Claim, testing::ValuesIn(AllTrips()),
                         [](const auto& trip) { return NameOf(trip.param.property, trip.index); });

class Happening : public testing::TestWithParam<Reach> {};

TEST_P(Happening, IsNoticed) {
  const Testimony testimony =
      Hear(GetParam().property, OnSim(ConversationOf(GetParam().conversation)));
  EXPECT_GT(testimony.arose(), 0);
  EXPECT_TRUE(testimony.violations().empty());
}

TEST_P(Happening, IsMissedWhereItDidNotHappen) {
  EXPECT_EQ(Hear(GetParam().property, OnSim(ConversationOf(Listening("settle\n")))).arose(), 0);
}

INSTANTIATE_TEST_SUITE_P(Property, Happening, testing::ValuesIn(Reaches()), [](const auto& reach) {
  return NameOf(reach.param.property, reach.index);
});

TEST(EveryProperty, IsInTheTables) {
  std::set<std::string_view> tripped;
  for (const Trip& trip : AllTrips()) tripped.insert(trip.property);
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
  for (const Trip& trip : AllTrips())
    EXPECT_NE(trip.defect.empty(), trip.damage == nullptr) << trip.property << ": " << trip.says;
}

}  // namespace
}  // namespace cm
