// One defect does not hide another: two that are switched on together are both in the report. And
// no refusal is worded so that what was seen is what is permitted.
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
#include "conformance/runner/verdict.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

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

std::unique_ptr<Implementation> Sim(const Names& defects, const Profile& profile) {
  return MakeDefectiveSim({.profile = profile, .capabilities = profile.capabilities}, defects);
}

void CarryOut(const Names& defects, const Profile& profile, uint64_t sequences,
              const OnSequence& on_sequence, const std::atomic<bool>& enough) {
  const std::unique_ptr<Implementation> sim = Sim(defects, profile);
  ASSERT_NE(sim, nullptr) << WhyNotTogether(defects);
  CampaignOptions options{.sequences = sequences, .property = {}, .jobs = 2, .done = {}};
  options.draw.topologies = {{.topology = FindTopology("two-kernels"), .weight = 4},
                             {.topology = FindTopology("one-kernel-two-devices"), .weight = 3}};
  options.draw.profile = profile;
  options.draw.capabilities = profile.capabilities;
  options.draw.seed = 1;
  RunCampaign(*sim, options, on_sequence, enough);
}

Causes CausesOf(const SequenceResult& result) {
  Causes causes;
  for (const Finding& finding : result.findings) causes.insert(finding.Cause());
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

// In the same conversations, each with a cause that the other alone does not have.
TEST_P(Pair, IsFoundAsEachOfThemAlone) {
  const auto& [a, b] = GetParam();
  const Profile& profile = ProfileFor({a, b});
  const std::unique_ptr<Implementation> sim_a = Sim({a}, profile);
  const std::unique_ptr<Implementation> sim_b = Sim({b}, profile);
  bool found_a = false;
  bool found_b = false;
  std::atomic<bool> enough{false};
  const auto compare = [&](const SequenceRun& judged) {
    if (enough || judged.result.findings.empty()) return;
    const Conversation& conversation = judged.history.conversation;
    const Causes both = CausesOf(judged.result);
    const Causes of_a = CausesOf(RunOne(*sim_a, conversation, {}).result);
    const Causes of_b = CausesOf(RunOne(*sim_b, conversation, {}).result);
    found_a |= !Common(Without(of_a, of_b), both).empty();
    found_b |= !Common(Without(of_b, of_a), both).empty();
    enough = found_a && found_b;
  };
  CarryOut({a, b}, profile, kSequences, compare, enough);
  EXPECT_TRUE(found_a) << a;
  EXPECT_TRUE(found_b) << b;
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
  const std::atomic<bool> never{false};
  const auto judge = [](const SequenceRun& judged) {
    for (const Finding& finding : judged.result.findings) {
      EXPECT_NE(finding.saw, finding.permitted) << finding.Cause();
      if (finding.id != kRowsId) continue;
      EXPECT_FALSE(finding.field.empty())
          << finding.where << ": saw " << finding.saw << ", permitted " << finding.permitted;
    }
  };
  CarryOut({GetParam()}, profile, kFew, judge, never);
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
