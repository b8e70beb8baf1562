// One defect does not hide another: two that are switched on together are both in the report. And
// no refusal is worded so that what was seen is what is permitted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/defects/defective_sim.h"
#include "conformance/defects/defects.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/tally.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

using testing::IsEmpty;
using testing::Not;

using Causes = std::set<std::string>;
using Names = std::vector<std::string>;

constexpr uint64_t kSequences = 2500;

const Profile& ProfileFor(const Names& defects) {
  const Profile* profile = FindProfile("6.1-rxe");
  for (const std::string& defect : defects)
    if (const std::string_view other = WhoShows(defect, *profile); !other.empty())
      profile = FindProfile(other);
  return *profile;
}

void CarryOut(const Names& defects, const Profile& profile, uint64_t sequences,
              const OnSequence& on_sequence) {
  const std::unique_ptr<Implementation> sim =
      MakeDefectiveSim({.profile = profile, .capabilities = profile.capabilities}, defects);
  ASSERT_NE(sim, nullptr) << WhyNotTogether(defects);
  CampaignOptions options{.sequences = sequences, .property = {}, .jobs = 2, .done = {}};
  options.draw.topologies = {{.topology = FindTopology("two-kernels"), .weight = 4},
                             {.topology = FindTopology("one-kernel-two-devices"), .weight = 3}};
  options.draw.profile = profile;
  options.draw.capabilities = profile.capabilities;
  options.draw.seed = 1;
  const std::atomic<bool> never{false};
  RunCampaign(*sim, options, on_sequence, never);
}

Causes Found(const Names& defects, const Profile& profile) {
  Tally tally;
  CarryOut(defects, profile, kSequences,
           [&](const SequenceRun& judged) { tally.Add(judged.result); });
  Causes causes;
  for (const CountedFinding& counted : tally.findings()) causes.insert(counted.finding.Cause());
  return causes;
}

// Those of `one` that `other` does not have.
Causes Without(const Causes& one, const Causes& other) {
  Causes rest;
  std::ranges::set_difference(one, other, std::inserter(rest, rest.end()));
  return rest;
}

Causes Common(const Causes& one, const Causes& other) {
  Causes both;
  std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
  return both;
}

class Pair : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(Pair, IsFoundAsEachOfThemAlone) {
  const auto& [a, b] = GetParam();
  const Profile& profile = ProfileFor({a, b});
  const Causes of_a = Found({a}, profile);
  const Causes of_b = Found({b}, profile);
  const Causes of_both = Found({a, b}, profile);
  EXPECT_THAT(Common(Without(of_a, of_b), of_both), Not(IsEmpty())) << a;
  EXPECT_THAT(Common(Without(of_b, of_a), of_both), Not(IsEmpty())) << b;
}

INSTANTIATE_TEST_SUITE_P(Of, Pair,
                         testing::Values(std::pair("connect-wrong-errno", "forgets-timewait"),
                                         std::pair("disconnect-silent", "port-never-freed"),
                                         std::pair("reject-drops-data", "join-reported-twice"),
                                         std::pair("established-twice", "addrinfo-drops-service"),
                                         std::pair("route-error-positive", "completions-reversed"),
                                         std::pair("backlog-ignored", "option-length-unchecked"),
                                         std::pair("depths-not-swapped", "destroy-ignores-acks"),
                                         std::pair("refusal-times-out", "send-corrupts"),
                                         std::pair("removal-twice", "migration-leaves-events"),
                                         std::pair("wildcard-shares-port",
                                                   "no-listener-is-consumer")),
                         [](const auto& pair) {
                           std::string name = pair.param.first + "_and_" + pair.param.second;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

class EachDefect : public testing::TestWithParam<std::string> {};

TEST_P(EachDefect, IsRefusedWithAFieldThatDiffers) {
  const Profile& profile = ProfileFor({GetParam()});
  constexpr uint64_t kFew = 300;
  CarryOut({GetParam()}, profile, kFew, [&](const SequenceRun& judged) {
    for (const Finding& finding : judged.result.findings) {
      EXPECT_NE(finding.saw, finding.permitted) << finding.Cause();
      if (finding.id != kRowsId) continue;
      EXPECT_FALSE(finding.field.empty())
          << finding.where << ": saw " << finding.saw << ", permitted " << finding.permitted;
    }
  });
}

Names AllDefects() {
  Names names;
  for (const Defect& defect : Defects()) names.emplace_back(defect.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Defect, EachDefect, testing::ValuesIn(AllDefects()),
                         [](const auto& defect) {
                           std::string name = defect.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cm
