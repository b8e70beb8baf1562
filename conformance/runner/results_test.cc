// Results as JSON and as text.
#include "conformance/runner/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/properties/registry.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using Json = nlohmann::ordered_json;

Tally ATally() {
  Tally tally;
  SequenceResult passed{.index = 0, .walk = "random", .topology = "bond"};
  passed.digest = 0x1234;
  passed.calls = 20;
  passed.events = 5;
  passed.observations = 20;
  passed.sharp = 19;
  passed.largest_set = 6;
  passed.followed_in_part = true;
  passed.heard[static_cast<size_t>(EventType::kRejected)] = 2;
  passed.reached.set(0);
  passed.arose.assign(Properties().size(), 1);
  tally.Add(passed);
  SequenceResult failed{
      .index = 1, .walk = "loss", .topology = "bond", .verdict = Verdict::kFailed};
  failed.findings = {{.id = "EST-1",
                      .about = "RDMA_CM_EVENT_ESTABLISHED",
                      .saw = "twice",
                      .permitted = "once",
                      .source = "man rdma_get_cm_event(3)",
                      .index = 1,
                      .where = "active rdma_get_cm_event C"}};
  tally.Add(failed);
  SequenceResult unsupported{
      .index = 2, .walk = "loss", .topology = "bond", .verdict = Verdict::kUnsupported};
  unsupported.reason = "no second device";
  tally.Add(unsupported);
  tally.findings().front().replay = "cmcheck replay est-1.conv";
  return tally;
}

const CampaignName kName{.implementation = "sim+established-twice",
                         .library = "simulated",
                         .kernel = "simulated",
                         .topology = "mixed",
                         .seed = 7,
                         .first = 40};

Json Parsed(const Tally& tally, const CampaignName& name = kName) {
  return Json::parse(ToJson(tally, name, Profiles().front()));
}

TEST(Results, HaveEveryFieldOfTheContractWithItsType) {
  const Json json = Parsed(ATally());
  for (const char* field :
       {"implementation", "profile", "topology", "library", "kernel", "digest", "wire_digest"})
    EXPECT_TRUE(json.at(field).is_string()) << field;
  for (const char* field : {"schema", "seed", "first", "sequences", "calls", "events", "passed",
                            "failed", "inconclusive", "unsupported", "known_deviations",
                            "rules_total", "rules_reached", "state_set_max", "state_set_p99"})
    EXPECT_TRUE(json.at(field).is_number_unsigned()) << field;
  EXPECT_TRUE(json.at("sharpness").is_number_float());
  ASSERT_TRUE(json.at("findings").is_array());
  for (const char* field : {"id", "saw", "permitted", "source", "replay"})
    EXPECT_TRUE(json.at("findings").at(0).at(field).is_string()) << field;
}

TEST(Results, SayWhatTheTallyCounted) {
  const Tally tally = ATally();
  const Json json = Parsed(tally);
  EXPECT_EQ(json["implementation"], "sim+established-twice");
  EXPECT_EQ(json["profile"], "6.1-rxe");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["first"], 40);
  EXPECT_EQ(json["sequences"], 3);
  EXPECT_EQ(json["calls"], 20);
  EXPECT_EQ(json["events"], 5);
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["unsupported"], 1);
  EXPECT_EQ(json["inconclusive"], 0);
  EXPECT_EQ(json["known_deviations"], 0);
  EXPECT_EQ(json["sharpness"], 0.95);
  EXPECT_EQ(json["state_set_max"], 6);
  EXPECT_EQ(json["state_set_p99"], 6);
  EXPECT_EQ(json["followed_in_part"], 1);
  EXPECT_EQ(json["rules_reached"], 1);
  EXPECT_GT(json["rules_total"].get<int>(), 100);
  EXPECT_THAT(json["rules_missed"], SizeIs(json["rules_total"].get<size_t>() - 1));
  EXPECT_EQ(json["heard"]["RDMA_CM_EVENT_REJECTED"], 2);
  EXPECT_EQ(json["reasons"]["no second device"], 1);
  EXPECT_EQ(json["first_with_reason"]["no second device"], 2);
  EXPECT_EQ(json["interrupted"], false);
  EXPECT_EQ(std::stoull(json["digest"].get<std::string>(), nullptr, 16), tally.digest());
  const Json finding = json["findings"][0];
  EXPECT_EQ(finding["id"], "EST-1");
  EXPECT_EQ(finding["saw"], "twice");
  EXPECT_EQ(finding["permitted"], "once");
  EXPECT_EQ(finding["source"], "man rdma_get_cm_event(3)");
  EXPECT_EQ(finding["replay"], "cmcheck replay est-1.conv");
  EXPECT_EQ(finding["sequences"], 1);
}

TEST(Results, OfNothingAreStillAllThere) {
  const Json json = Parsed(Tally());
  EXPECT_EQ(json["sequences"], 0);
  EXPECT_THAT(json["findings"], SizeIs(0));
  EXPECT_TRUE(json["findings"].is_array());
}

TEST(Results, SayThatARunWasInterrupted) {
  CampaignName name = kName;
  name.interrupted = true;
  EXPECT_EQ(Parsed(ATally(), name)["interrupted"], true);
  EXPECT_THAT(ToTable(ATally(), name, Profiles().front(), {}), HasSubstr("interrupted: "));
  EXPECT_THAT(ToTable(ATally(), kName, Profiles().front(), {}), Not(HasSubstr("interrupted")));
}

TEST(Results, ReadAsATableWithARowForEachFamilyAndEachFinding) {
  const std::string table = ToTable(ATally(), kName, Profiles().front(),
                                    {.capabilities = Profiles().front().capabilities});
  for (const Property& property : Properties())
    EXPECT_THAT(table, HasSubstr("\n" + std::string(property.family) + " ")) << property.id;
  EXPECT_THAT(table, AllOf(HasSubstr("sim+established-twice under profile 6.1-rxe"),
                           HasSubstr("1 passed, 1 failed, 0 inconclusive, 1 unsupported"),
                           HasSubstr("1 x no second device"), HasSubstr("failed in 1"),
                           HasSubstr("95.00 % of the answers sharp")));
  EXPECT_THAT(table, AllOf(HasSubstr("EST-1 in 1 sequence, first in 1"),
                           HasSubstr("saw        twice"), HasSubstr("permitted  once"),
                           HasSubstr("replay     cmcheck replay est-1.conv")));
}

TEST(Results, OfOnePropertySayThatTheOthersWereNotJudged) {
  const std::string table = ToTable(ATally(), kName, Profiles().front(), {.property = "EST-1"});
  EXPECT_THAT(table, AllOf(ContainsRegex("\nrows +0 of +1  not judged\n"),
                           ContainsRegex("\nleaks +0 of +1  not judged\n"),
                           ContainsRegex("\nestablishment +1 of +1  failed in 1"),
                           ContainsRegex("\nrejection +[0-9]+ of +[0-9]+  not judged\n"),
                           HasSubstr("\nproperty    EST-1 arose in 1 of 3 sequences\n")));
  EXPECT_THAT(ToTable(ATally(), kName, Profiles().front(), {.property = "ROWS-1"}),
              AllOf(ContainsRegex("\nrows +1 of +1  passed\n"),
                    ContainsRegex("\nleaks +0 of +1  not judged\n")));
  EXPECT_THAT(ToTable(ATally(), kName, Profiles().front(), {}),
              AllOf(Not(HasSubstr("not judged")), Not(HasSubstr("\nproperty "))));
}

TEST(Results, NameTheSequencesThatAreNoRange) {
  CampaignName name = kName;
  name.only = "3,5,8";
  EXPECT_THAT(ToTable(ATally(), name, Profiles().front(), {}),
              HasSubstr("seed 7, sequences 3,5,8\n"));
  EXPECT_THAT(ToTable(ATally(), kName, Profiles().front(), {}),
              HasSubstr("seed 7, sequences 40 to 43\n"));
}

TEST(Results, AreColouredOnlyOnATerminal) {
  EXPECT_THAT(ToTable(ATally(), kName, Profiles().front(), {.colours = true}), HasSubstr("\x1b["));
  EXPECT_THAT(ToTable(ATally(), kName, Profiles().front(), {}), Not(HasSubstr("\x1b[")));
}

TEST(Results, SayWhichClaimsTheEnvironmentCannotMakeHappen) {
  const std::string table = ToTable(Tally(), kName, Profiles().front(), {});
  EXPECT_THAT(table, HasSubstr("did not arise"));
  EXPECT_THAT(table, HasSubstr("unsupported by this environment"));
}

}  // namespace
}  // namespace cm
