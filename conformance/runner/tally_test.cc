// Sums over a campaign, and campaign-wide properties.
#include "conformance/runner/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/properties/registry.h"
#include "model/base/digest.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

SequenceResult Result(uint64_t index, Verdict verdict = Verdict::kPassed) {
  return {.index = index, .walk = "random", .topology = "bond", .verdict = verdict};
}

SequenceResult Failed(uint64_t index, const std::string& id, const std::string& about) {
  SequenceResult result = Result(index, Verdict::kFailed);
  result.findings = {{.id = id, .about = about, .index = index}};
  return result;
}

Capabilities Everything() { return Profiles().front().capabilities; }

Tally CampaignOf(uint64_t sequences, const std::vector<uint32_t>& arose) {
  Tally tally;
  for (uint64_t i = 0; i < sequences; ++i) {
    SequenceResult result = Result(i);
    if (i == 0) result.arose = arose;
    tally.Add(result);
  }
  return tally;
}

// Index of the first kSometimes property that every environment can satisfy.
size_t ASometimes() {
  const auto all = Properties();
  const auto found = std::find_if(all.begin(), all.end(), [](const Property& property) {
    return property.kind == PropertyKind::kSometimes && property.needs == Capabilities();
  });
  return static_cast<size_t>(found - all.begin());
}

// Every premise arose, except that of the property at `never`.
std::vector<uint32_t> AllAroseBut(size_t never) {
  std::vector<uint32_t> arose(Properties().size(), 1);
  arose.at(never) = 0;
  return arose;
}

std::vector<std::string> IdsOf(const Tally& tally) {
  std::vector<std::string> ids;
  for (const CountedFinding& counted : tally.findings())
    ids.push_back(counted.finding.id + " " + counted.finding.about);
  return ids;
}

TEST(Tally, SumsWhatItsSequencesCounted) {
  Tally tally;
  for (uint64_t i = 0; i < 3; ++i) {
    SequenceResult result = Result(i);
    result.calls = 10 + i;
    result.events = i;
    result.heard[static_cast<size_t>(EventType::kRejected)] = 2;
    result.reached.set(i);
    result.confirmed.set(0);
    result.arose = {0, static_cast<uint32_t>(i)};
    tally.Add(result);
  }
  EXPECT_EQ(tally.sequences(), 3u);
  EXPECT_EQ(tally.calls(), 33u);
  EXPECT_EQ(tally.events(), 3u);
  EXPECT_EQ(tally.Heard(EventType::kRejected), 6u);
  EXPECT_EQ(tally.Heard(EventType::kEstablished), 0u);
  EXPECT_EQ(tally.reached().count(), 3u);
  EXPECT_EQ(tally.confirmed().count(), 1u);
  EXPECT_EQ(tally.Arose(0), 0u);
  EXPECT_EQ(tally.Arose(1), 2u);  // in two sequences, however often in each
  EXPECT_EQ(tally.Arose(1000), 0u);
}

TEST(Tally, CountsVerdictsWithTheirReasons) {
  Tally tally;
  tally.Add(Result(0));
  for (uint64_t i = 1; i <= 2; ++i) {
    SequenceResult result = Result(i, Verdict::kUnsupported);
    result.reason = "no second device";
    tally.Add(result);
  }
  tally.Add(Result(3, Verdict::kKnownDeviation));
  EXPECT_EQ(tally.With(Verdict::kPassed), 1u);
  EXPECT_EQ(tally.With(Verdict::kUnsupported), 2u);
  EXPECT_EQ(tally.With(Verdict::kKnownDeviation), 1u);
  EXPECT_EQ(tally.With(Verdict::kFailed), 0u);
  EXPECT_THAT(tally.reasons(),
              ElementsAre(Pair("no second device", Reason{.sequences = 2, .first = 1})));
  EXPECT_FALSE(tally.failed());
  tally.Add(Failed(4, "ROWS-1", "rdma_bind_addr"));
  EXPECT_TRUE(tally.failed());
}

TEST(Tally, IsTooInconclusiveAboveTheShareThatIsPermittedAndNotAtIt) {
  Tally tally;
  for (uint64_t i = 0; i < 49; ++i) tally.Add(Result(i));
  tally.Add(Result(49, Verdict::kInconclusive));
  EXPECT_FALSE(tally.TooInconclusive(200));  // 2 %
  EXPECT_TRUE(tally.TooInconclusive(199));
  EXPECT_FALSE(Tally().TooInconclusive(0));
}

TEST(Tally, HasADigestOverTheDigestsOfItsSequencesInTheirOrder) {
  const std::vector<uint64_t> digests = {0x1122334455667788, 7, 0xffffffffffffffff};
  Tally tally;
  Digest expected;
  Digest expected_of_wire;
  for (const uint64_t digest : digests) {
    SequenceResult result = Result(0);
    result.digest = digest;
    result.wire_digest = digest ^ 1;
    tally.Add(result);
    for (int i = 0; i < 8; ++i) {
      expected.U8(static_cast<uint8_t>(digest >> (8 * i)));
      expected_of_wire.U8(static_cast<uint8_t>((digest ^ 1) >> (8 * i)));
    }
  }
  EXPECT_EQ(tally.digest(), expected.Value());
  EXPECT_EQ(tally.wire_digest(), expected_of_wire.Value());
  Tally reversed;
  for (auto digest = digests.rbegin(); digest != digests.rend(); ++digest) {
    SequenceResult result = Result(0);
    result.digest = *digest;
    reversed.Add(result);
  }
  EXPECT_NE(reversed.digest(), tally.digest());
}

TEST(Tally, SaysWhichSetSizeNinetyNinePerCentStayBelow) {
  EXPECT_EQ(Tally().set_p99(), 0u);
  Tally tally;
  const auto add = [&](uint64_t largest_set, uint64_t observations) {
    SequenceResult result = Result(0);
    result.largest_set = largest_set;
    result.observations = observations;
    tally.Add(result);
  };
  for (int i = 0; i < 99; ++i) add(static_cast<uint64_t>(i % 9 + 1), 1);
  add(4000, 1);
  add(9999, 0);  // nothing was observed: does not count
  EXPECT_EQ(tally.set_p99(), 9u);
  EXPECT_EQ(tally.largest_set(), 4000u);
  add(4000, 1);
  EXPECT_EQ(tally.set_p99(), 4000u);
}

TEST(Tally, SaysHowSharpItWasRoundedDown) {
  EXPECT_EQ(Tally().sharpness_basis_points(), 10000u);
  Tally tally;
  SequenceResult result = Result(0);
  result.observations = 3;
  result.sharp = 2;
  tally.Add(result);
  EXPECT_EQ(tally.sharpness_basis_points(), 6666u);
}

TEST(Tally, CountsTheSameFindingOnceASequenceAndKeepsTheFirst) {
  Tally tally;
  tally.Add(Failed(3, "ROWS-1", "rdma_bind_addr"));
  tally.Add(Failed(5, "ROWS-1", "rdma_listen"));
  tally.Add(Failed(8, "ROWS-1", "rdma_bind_addr"));
  tally.Add(Failed(9, "LEAK-1", "end"));
  EXPECT_THAT(IdsOf(tally),
              ElementsAre("ROWS-1 rdma_bind_addr", "ROWS-1 rdma_listen", "LEAK-1 end"));
  EXPECT_EQ(tally.findings()[0].finding.index, 3u);
  EXPECT_EQ(tally.findings()[0].sequences, 2u);
  EXPECT_EQ(tally.findings()[1].sequences, 1u);
  EXPECT_EQ(tally.Against("ROWS-1"), 3u);
  EXPECT_EQ(tally.Against("LEAK-1"), 1u);
  EXPECT_EQ(tally.Against("EST-1"), 0u);
}

// Over a thousand sequences, a campaign-wide property.
class WholeCampaign : public testing::Test {
 protected:
  const size_t never_ = ASometimes();
  const Property& property_ = Properties()[never_];
  const CampaignScope whole_{.capabilities = Everything()};
  const Profile& profile_ = Profiles().front();
};

TEST_F(WholeCampaign, InWhichSomethingNeverHappenedFails) {
  Tally tally = CampaignOf(1000, AllAroseBut(never_));
  tally.Conclude(whole_, profile_);
  EXPECT_THAT(IdsOf(tally), ElementsAre("NEVER-1 " + std::string(property_.id)));
  EXPECT_EQ(tally.findings().front().finding.permitted, property_.says);
  EXPECT_EQ(tally.findings().front().finding.source, property_.source);
  EXPECT_TRUE(tally.failed());
}

TEST_F(WholeCampaign, InWhichEverythingHappenedPasses) {
  Tally tally = CampaignOf(1000, std::vector<uint32_t>(Properties().size(), 1));
  tally.Conclude(whole_, profile_);
  EXPECT_THAT(IdsOf(tally), IsEmpty());
  EXPECT_FALSE(tally.failed());
}

TEST_F(WholeCampaign, IsNotBlamedForAnAlwaysClaimWhosePremiseNeverArose) {
  const auto all = Properties();
  const auto always = std::find_if(all.begin(), all.end(), [](const Property& property) {
    return property.kind == PropertyKind::kAlways;
  });
  Tally tally = CampaignOf(1000, AllAroseBut(static_cast<size_t>(always - all.begin())));
  tally.Conclude(whole_, profile_);
  EXPECT_THAT(IdsOf(tally), IsEmpty());
}

TEST_F(WholeCampaign, IsNothingShorterThanAThousandSequences) {
  Tally tally = CampaignOf(999, AllAroseBut(never_));
  tally.Conclude(whole_, profile_);
  EXPECT_THAT(IdsOf(tally), IsEmpty());
}

TEST_F(WholeCampaign, IsNoneRestrictedToAWalkOrAClaim) {
  for (const CampaignScope& restricted :
       {CampaignScope{.capabilities = Everything(), .every_walk = false},
        CampaignScope{.capabilities = Everything(), .every_property = false}}) {
    Tally tally = CampaignOf(1000, AllAroseBut(never_));
    tally.Conclude(restricted, profile_);
    EXPECT_THAT(IdsOf(tally), IsEmpty());
  }
}

TEST_F(WholeCampaign, IsNotBlamedForWhatItsEnvironmentCannotMakeHappen) {
  const auto all = Properties();
  const auto needy = std::find_if(all.begin(), all.end(), [](const Property& property) {
    return property.kind == PropertyKind::kSometimes && property.needs != Capabilities();
  });
  ASSERT_NE(needy, all.end());
  const auto place = static_cast<size_t>(needy - all.begin());
  Tally without = CampaignOf(1000, AllAroseBut(place));
  without.Conclude({.capabilities = Capabilities()}, profile_);
  EXPECT_THAT(IdsOf(without), IsEmpty());
  Tally with = CampaignOf(1000, AllAroseBut(place));
  with.Conclude(whole_, profile_);
  EXPECT_THAT(IdsOf(with), ElementsAre("NEVER-1 " + std::string(needy->id)));
}

TEST_F(WholeCampaign, InWhichADeclaredDeviationDidNotShowFails) {
  Profile profile = profile_;
  profile.deviations = {{.id = "ROWS-1", .reason = "bind is broken"},
                        {.id = "LEAK-1", .reason = "and it leaks"}};
  Tally tally = CampaignOf(999, std::vector<uint32_t>(Properties().size(), 1));
  SequenceResult shows = Failed(999, "LEAK-1", "end");
  shows.verdict = Verdict::kKnownDeviation;
  tally.Add(shows);
  tally.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(tally), ElementsAre("LEAK-1 end", "MENDED-1 ROWS-1"));
  EXPECT_THAT(tally.findings().back().finding.permitted, testing::HasSubstr("bind is broken"));
  EXPECT_TRUE(tally.failed());
}

TEST_F(WholeCampaign, IsNotBlamedForADeclaredDeviationThatCouldNotShow) {
  const auto always = std::ranges::find(Properties(), PropertyKind::kAlways, &Property::kind);
  const auto place = static_cast<size_t>(always - Properties().begin());
  Profile profile = profile_;
  profile.deviations = {{.id = std::string(always->id), .reason = "it does otherwise"}};
  Tally tally = CampaignOf(1000, AllAroseBut(place));
  tally.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(tally), IsEmpty());
  EXPECT_FALSE(tally.failed());
}

// What an inconclusive sequence violates is not found.
TEST_F(WholeCampaign, IsNotBlamedForADeclaredDeviationThatCouldShowInInconclusiveSequencesOnly) {
  const auto always = std::ranges::find(Properties(), PropertyKind::kAlways, &Property::kind);
  Profile profile = profile_;
  profile.deviations = {{.id = std::string(always->id), .reason = "it does otherwise"}};
  const auto place = static_cast<size_t>(always - Properties().begin());
  Tally tally = CampaignOf(999, AllAroseBut(place));
  SequenceResult result = Result(999, Verdict::kInconclusive);
  result.arose = std::vector<uint32_t>(Properties().size(), 1);
  tally.Add(result);
  Tally shows = tally;
  tally.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(tally), IsEmpty());
  EXPECT_FALSE(tally.failed());
  result.verdict = Verdict::kPassed;
  shows.Add(result);
  shows.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(shows), ElementsAre("MENDED-1 " + std::string(always->id)));
}

TEST_F(WholeCampaign, IsNotBlamedForWhatDidNotShowWhereNothingIsConclusive) {
  Profile profile = profile_;
  profile.deviations = {{.id = "ROWS-1", .reason = "bind is broken"}};
  Tally tally;
  for (uint64_t i = 0; i < kWholeCampaign; ++i)
    tally.Add(Result(i, i % 2 == 0 ? Verdict::kInconclusive : Verdict::kUnsupported));
  tally.Conclude({.capabilities = Everything(), .every_call = false}, profile);
  EXPECT_THAT(IdsOf(tally), IsEmpty());
}

TEST_F(WholeCampaign, IsNotBlamedForADeviationOfFramesWhereNoneWasJudged) {
  Profile profile = profile_;
  profile.deviations = {{.id = std::string(kWireId), .reason = "it sends what it should not"}};
  Tally without = CampaignOf(1000, std::vector<uint32_t>(Properties().size(), 1));
  Tally with = without;
  without.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(without), IsEmpty());
  SequenceResult result = Result(1000);
  result.frames = 1;
  with.Add(result);
  with.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(with), ElementsAre("MENDED-1 WIRE-1"));
}

TEST_F(WholeCampaign, IsNotBlamedForADeviationOfCallsThatAreLeftOut) {
  Profile profile = profile_;
  profile.deviations = {{.id = std::string(property_.id), .reason = "it cannot"}};
  Tally tally = CampaignOf(1000, AllAroseBut(never_));
  tally.Conclude({.capabilities = Everything(), .every_call = false}, profile);
  EXPECT_THAT(IdsOf(tally), IsEmpty());
  EXPECT_FALSE(tally.failed());
}

TEST_F(WholeCampaign, InWhichWhatIsDeclaredToBeMissedHappenedFails) {
  Profile profile = profile_;
  profile.deviations = {{.id = std::string(property_.id), .reason = "it cannot"}};
  Tally tally = CampaignOf(1000, std::vector<uint32_t>(Properties().size(), 1));
  tally.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(tally), ElementsAre("MENDED-1 " + std::string(property_.id)));
  EXPECT_TRUE(tally.failed());
}

TEST_F(WholeCampaign, MayMissWhatTheProfileDeclaresToBeMissed) {
  Profile profile = profile_;
  profile.deviations = {{.id = std::string(property_.id), .reason = "it cannot"}};
  Tally tally = CampaignOf(1000, AllAroseBut(never_));
  tally.Conclude(whole_, profile);
  EXPECT_THAT(IdsOf(tally), SizeIs(1));  // reported, and not counted
  EXPECT_FALSE(tally.failed());
}

}  // namespace
}  // namespace cm
