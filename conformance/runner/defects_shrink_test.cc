// Each defect of the simulator is found, and the shrinker gets within two calls of a conversation
// shrunk by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/defects/defective_sim.h"
#include "conformance/defects/defects.h"
#include "conformance/runner/campaign.h"
#include "conformance/runner/shrinker.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Truly;

// A budget for the search: no walk leads to a defect that is not found in this many. Only a leave
// of a group with an unacknowledged event, and a second completion of a queue that was armed once,
// are drawn more rarely.
uint64_t SequencesFor(std::string_view defect) {
  return defect == "leave-ignores-acks" || defect == "cq-stays-armed" ? 6000 : 2000;
}
constexpr size_t kExamples = 6;      // as many as `cmcheck run` keeps
constexpr ptrdiff_t kOfOneWalk = 5;  // of them
constexpr size_t kFindings = 3;
constexpr int kAttempts = 6000;
constexpr int kCallsMore = 2;    // than the shortest
constexpr int kOthersMore = 14;  // for other causes, which may need a second connection

// Shrunk by hand, and the profile that shows it.
Conversation ByHand(const std::string& defect) {
  return ConversationOf(TextOf("conformance/defects/" + defect + ".conv"));
}

std::unique_ptr<Implementation> Sim(const std::string& defect, const Profile& profile) {
  return MakeDefectiveSim({.profile = profile, .capabilities = profile.capabilities}, defect);
}

CampaignOptions Campaign(const Profile& profile, uint64_t sequences) {
  CampaignOptions options{.sequences = sequences, .property = {}, .done = {}};
  options.draw.topologies = {{.topology = FindTopology("two-kernels"), .weight = 4},
                             {.topology = FindTopology("one-kernel-two-devices"), .weight = 3},
                             {.topology = FindTopology("bond"), .weight = 2}};
  options.draw.profile = profile;
  options.draw.capabilities = profile.capabilities;
  options.draw.seed = 1;
  return options;
}

// A finding, and examples that show it.
struct Found {
  Finding finding;
  std::vector<Conversation> examples;
};

// The first findings, each with examples, most of them of different walks.
std::vector<Found> Find(Implementation& implementation, uint64_t sequences) {
  std::vector<Found> all;
  std::atomic<bool> enough{false};
  const auto add = [&](const Finding& finding, const SequenceRun& judged) {
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Found& f) { return f.finding.Same(finding); });
    if (found == all.end()) {
      if (all.size() == kFindings) return;
      found = all.insert(all.end(), Found{.finding = finding, .examples = {}});
    }
    const auto known = std::count_if(
        found->examples.begin(), found->examples.end(), [&](const Conversation& example) {
          return example.origin->walk == judged.history.conversation.origin->walk;
        });
    if (known < kOfOneWalk) found->examples.push_back(judged.history.conversation);
    if (found->examples.size() == kExamples) enough = true;
  };
  RunCampaign(
      implementation, Campaign(implementation.profile(), sequences),
      [&](const SequenceRun& judged) {
        for (const Finding& finding : judged.result.findings) add(finding, judged);
      },
      enough);
  return all;
}

int CallsOf(const Shrunk& shrunk) { return CallCount(shrunk.judged.history.conversation); }

// The first with at most `enough` calls that shrinking comes to; else the shortest.
std::optional<Shrunk> Shortest(Implementation& implementation, const Found& found, int enough) {
  std::optional<Shrunk> shortest;
  for (const Conversation& example : found.examples) {
    std::atomic<bool> done{false};
    const auto stop = [&](int, int calls) { done = calls > 0 && calls <= enough; };
    std::optional<Shrunk> shrunk =
        Shrink(implementation, example, found.finding, kAttempts, stop, done);
    if (shrunk && (!shortest || CallsOf(*shrunk) < CallsOf(*shortest)))
      shortest = std::move(shrunk);
    if (shortest && CallsOf(*shortest) <= enough) break;
  }
  return shortest;
}

class EachDefect : public testing::TestWithParam<std::string> {};

TEST_P(EachDefect, IsFoundAndShrunkToTwoCallsMoreThanAPersonNeedsAtMost) {
  const Conversation by_hand = ByHand(GetParam());
  const Profile& profile = ProfileOf(by_hand);
  const std::unique_ptr<Implementation> sim = Sim(GetParam(), profile);
  const uint64_t sequences = SequencesFor(GetParam());
  const std::vector<Found> all = Find(*sim, sequences);
  ASSERT_FALSE(all.empty()) << "not found in " << sequences << " sequences";
  // A report shows the shortest first.
  std::optional<Shrunk> shrunk;
  const Found* found = nullptr;
  const int least = CallCount(by_hand);
  for (const Found& one : all) {
    const bool shown = shrunk && CallsOf(*shrunk) <= least + kCallsMore;
    std::optional<Shrunk> shortest =
        Shortest(*sim, one, least + (shown ? kOthersMore : kCallsMore));
    ASSERT_TRUE(shortest) << one.finding.id << " does not show again";
    EXPECT_LE(CallsOf(*shortest), least + kOthersMore)
        << ToText(shortest->judged.history.conversation);
    if (shrunk && CallsOf(*shortest) >= CallsOf(*shrunk)) continue;
    shrunk = std::move(shortest);
    found = &one;
  }
  const std::string text = ToText(shrunk->judged.history.conversation);
  EXPECT_LE(CallsOf(*shrunk), least + kCallsMore) << text;

  const Conversation read_back = ConversationOf(text);
  const SequenceRun again = RunOne(*Sim(GetParam(), profile), read_back, {});
  EXPECT_THAT(again.result.findings, Contains(Truly([&](const Finding& finding) {
                return finding.Same(found->finding) && finding.saw == shrunk->finding.saw;
              })))
      << text;
  EXPECT_FALSE(shrunk->finding.permitted.empty());
  EXPECT_FALSE(shrunk->finding.source.empty()) << shrunk->finding.permitted;
  EXPECT_THAT(RunOne(*Sim({}, profile), read_back, {}).result.findings, IsEmpty()) << text;
}

std::vector<std::string> AllDefects() {
  std::vector<std::string> names;
  for (const Defect& defect : Defects()) names.emplace_back(defect.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Defect, EachDefect, testing::ValuesIn(AllDefects()),
                         [](const auto& defect) {
                           std::string name = defect.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cm
