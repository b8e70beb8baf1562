#include "conformance/properties/property.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/profile.h"

namespace cm {
namespace {

using testing::EndsWith;
using testing::Matches;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;

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

TEST(Properties, ThatDoNotConcernIwarpAreTheseTen) {
  std::vector<std::string_view> of_others;
  for (const Property& property : Properties()) {
    EXPECT_TRUE(Concerns(property, *FindProfile("6.1-rxe"))) << property.id;
    EXPECT_TRUE(Concerns(property, *FindProfile("6.1-ib"))) << property.id;
    if (!Concerns(property, *FindProfile("6.1-siw"))) of_others.push_back(property.id);
  }
  EXPECT_THAT(of_others, UnorderedElementsAre("DIS-3", "EV-8", "EV-9", "MC-7", "REJ-7", "REJ-8",
                                              "REJ-9", "TW-4", "TW-5", "UD-5"));
}

TEST(Properties, CoverEveryFamily) {
  std::set<std::string_view> families;
  for (const Property& property : Properties()) families.insert(property.family);
  for (const std::string_view family :
       {"lifecycle", "events", "ack/destroy", "addressing/ports", "establishment", "rejection",
        "disconnect/timewait", "device removal", "address change", "loss", "attributes",
        "synchronous", "datagrams", "options", "migration", "multicast", "endpoints", "lookups",
        "data"})
    EXPECT_TRUE(families.contains(family)) << family;
  EXPECT_EQ(families.size(), 19U);
}

}  // namespace
}  // namespace cm
