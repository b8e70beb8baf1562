// One fault of each kind in turn, before any message: complete, and nothing that is not permitted.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <variant>
#include <vector>

#include "conformance/adapters/sim/sim_adapter.h"
#include "conformance/explore/explore.h"
#include "model/conversation/print.h"
#include "model/vocabulary/fault_kinds.h"

namespace cm::explore {
namespace {

std::vector<FaultKind> KindsThatDoSomething() {
  std::vector<FaultKind> kinds;
  for (const FaultRow& row : kFaultKinds)
    if (!FaultLines(row.kind).empty()) kinds.push_back(row.kind);
  return kinds;
}

class EveryFault : public ::testing::TestWithParam<FaultKind> {};

TEST_P(EveryFault, IsSearchedToTheEndWithoutAFinding) {
  const std::atomic<bool> never{false};
  const Profile& profile = *FindProfile("6.1-rxe");
  const auto sim = MakeSimImplementation(
      {.profile = profile, .watch_wire = true, .capabilities = profile.capabilities});
  auto made = MakeRepertoire({.faults = FaultLines(GetParam())});
  // What the profile's link cannot have is said, and not searched.
  if (const auto* problem = std::get_if<std::string>(&made)) {
    EXPECT_NE(problem->find("over the link of profile 6.1-rxe"), std::string::npos) << *problem;
    return;
  }
  const Result result =
      Explore(*sim, std::get<Repertoire>(made), {.calls_within = Duration::Seconds(5)}, {}, never);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.unexplained + result.inconclusive + result.left_out, 0U);
  for (const ShortestFinding& found : result.findings)
    ADD_FAILURE() << ToText(found.conversation) << "saw " << found.finding.saw;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryFault, ::testing::ValuesIn(KindsThatDoSomething()),
                         [](const auto& info) {
                           std::string name(RowOf(info.param).name);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace cm::explore
