#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/properties/registry.h"
#include "model/vocabulary/profile.h"

namespace cm {
namespace {

using testing::EndsWith;
using testing::Matches;
using testing::MatchesRegex;

TEST(Properties, HaveIdsOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const Property& property : Properties()) {
    EXPECT_THAT(std::string(property.id), MatchesRegex("[A-Z]+-[0-9]+"));
    EXPECT_TRUE(ids.insert(property.id).second) << property.id << " is there twice";
  }
}

TEST(Properties, AreFoundByTheirIds) {
  for (const Property& property : Properties()) EXPECT_EQ(FindProperty(property.id), &property);
  EXPECT_EQ(FindProperty("EST-0"), nullptr);
}

TEST(Properties, AreSentencesWithASource) {
  const auto is_source = Matches(MatchesRegex(
      "((man|linux|rdma-core|ibta) .+)(, (man|linux|rdma-core|ibta|[a-z]+\\.c|[A-Z ]+).*)*"));
  for (const Property& property : Properties()) {
    EXPECT_THAT(std::string(property.says), EndsWith(".")) << property.id;
    EXPECT_TRUE(is_source(std::string(property.source))) << property.id << ": " << property.source;
  }
}

// Only kSometimes properties need capabilities that not every environment has.
TEST(Properties, NeedAnEnvironmentOnlyToHappen) {
  for (const Property& property : Properties()) {
    if (property.kind == PropertyKind::kSometimes) continue;
    EXPECT_EQ(property.needs, Capabilities()) << property.id;
  }
}

TEST(Properties, HoldOverSomeTransport) {
  for (const Property& property : Properties()) EXPECT_FALSE(property.over.empty()) << property.id;
}

// The manual pages describe RoCE: what is not of iWARP is of both transports that have the IB CM.
TEST(Properties, ConcernRoceAndInfinibandAlike) {
  for (const Property& property : Properties())
    EXPECT_EQ(Concerns(property, *FindProfile("6.1-rxe")),
              Concerns(property, *FindProfile("6.1-ib")))
        << property.id;
}

TEST(Properties, StandInFamiliesWithASafetyPropertyEach) {
  std::set<std::string_view> titles;
  std::vector<std::string_view> in_order;
  std::set<std::string_view> safe;
  for (const Property& property : Properties()) {
    if (titles.insert(property.family).second) in_order.push_back(property.family);
    EXPECT_EQ(in_order.back(), property.family) << property.id << " stands apart from its family";
    if (property.kind == PropertyKind::kAlways) safe.insert(property.family);
  }
  EXPECT_EQ(safe, titles);
}

#define CM_FAMILY(name, title) \
  TEST(FamilyOf##name, IsNotEmpty) { EXPECT_FALSE(families::name().empty()); }
CM_PROPERTY_FAMILIES(CM_FAMILY)
#undef CM_FAMILY

}  // namespace
}  // namespace cm
