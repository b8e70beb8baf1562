// The documents list the rows that a campaign on the simulator does not reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/verdict.h"
#include "conformance/walks/draw_options.h"
#include "model/catalogue/catalogue.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/rules/unreached.h"

namespace cm::ruledoc {
namespace {

// Twice the number that the rarest row needs.
constexpr uint64_t kSequences = 20000;

// After so many a campaign ends as soon as it has reached all wanted rows. It does not show that a
// row is reached by a later sequence only though it is listed as out of reach; no test does.
constexpr uint64_t kAtLeast = 2000;

// The rows that a campaign reaches before it ends.
model::RuleBits Reached(const Profile& profile, const model::RuleBits& wanted) {
  const auto simulator = MakeSimImplementation(
      {.profile = profile, .watch_wire = false, .capabilities = profile.capabilities});
  CampaignOptions options{.draw = {.profile = profile, .capabilities = profile.capabilities},
                          .sequences = kSequences,
                          .property = std::string(kRowsId),
                          .jobs = static_cast<int>(std::thread::hardware_concurrency())};
  for (const Topology& topology : Topologies())
    options.draw.topologies.push_back({.topology = &topology, .weight = 1});
  model::RuleBits reached;
  std::atomic<bool> enough = false;
  RunCampaign(
      *simulator, options,
      [&](const SequenceRun& judged) {
        if (enough) return;  // how many are still under way depends on the number of jobs
        reached |= judged.result.reached;
        enough = judged.result.index + 1 >= kAtLeast && (wanted & ~reached).none();
      },
      enough);
  return reached;
}

// The rows that must be reached in some profile.
model::RuleBits Unlisted() {
  model::RuleBits rows;
  for (model::RuleNumber row = 0; row < model::RuleCount(); ++row)
    rows[row] = !model::InfoOf(row).crashes && WhyNotSimulated(row).empty();
  return rows;
}

TEST(EveryRow, IsReachedOnTheSimulatorOrListedAsOneThatCannotBe) {
  model::RuleBits reached;
  model::RuleBits reachable;
  const model::RuleBits unlisted = Unlisted();
  for (const Profile& profile : Profiles()) {
    const model::RuleBits of_profile = model::Reachable(profile);
    reachable |= of_profile;
    if (profile.name == "strict") continue;  // draws the same as 6.1-rxe
    reached |= Reached(profile, of_profile & unlisted & ~reached);
  }
  for (model::RuleNumber row = 0; row < model::RuleCount(); ++row) {
    const model::RuleInfo& info = model::InfoOf(row);
    if (info.crashes) continue;
    const bool said = WhyNotSimulated(row).empty();
    EXPECT_TRUE(reachable[row] || !said) << info.id << " is of no profile";
    EXPECT_FALSE(said && !reached[row])
        << info.id << " is not reached: have a walk reach it, or say in tools/rules/unreached.cc "
        << "why none can";
    EXPECT_FALSE(!said && reached[row])
        << info.id << " is reached: take it out of tools/rules/unreached.cc";
  }
}

TEST(UnreachedRows, NameRowsThatAreThere) {
  size_t named = 0;
  for (model::RuleNumber row = 0; row < model::RuleCount(); ++row)
    if (!model::InfoOf(row).crashes && !WhyNotSimulated(row).empty()) ++named;
  size_t listed = 0;
  for (const Unreached& entry : UnreachedRows())
    listed += 1 + static_cast<size_t>(std::ranges::count(entry.rows, ' '));
  EXPECT_EQ(named, listed);
}

}  // namespace
}  // namespace cm::ruledoc
