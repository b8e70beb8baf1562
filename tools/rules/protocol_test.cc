// The protocol's tables and scenarios against the model and the golden conversations.
#include "tools/rules/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "conformance/fidelity/lab_scenarios.h"
#include "model/catalogue/catalogue.h"
#include "model/vocabulary/profile.h"

namespace cm::ruledoc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const std::vector<Told>& Conversations() {
  static const std::vector<Told> all = ToldIn("conformance/scenarios");
  return all;
}

TEST(RowsNamedIn, TakesParenthesesWithNothingButRows) {
  EXPECT_THAT(RowsNamedIn("linux 6.1 cm.c cm_rej_handler (R5, R7, R10)"),
              ElementsAre("R5", "R7", "R10"));
  EXPECT_THAT(RowsNamedIn("a (R2), b (L5): (N2b)"), ElementsAre("R2", "L5", "N2b"));
  EXPECT_THAT(RowsNamedIn("man rdma_connect(3) (see R2) (R2 and R3) (X1) ("), IsEmpty());
}

TEST(ProtocolRows, HaveOneNameEach) {
  std::set<std::string_view> names;
  for (const ProtocolRow& row : ProtocolRows())
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(ProtocolRows, AreAllImplementedAndReachedOrSaidToBeUnreachable) {
  for (const RowReach& reach : RowsReached(Conversations())) {
    if (!reach.row->unreachable.empty()) continue;
    EXPECT_THAT(reach.rules, Not(IsEmpty())) << reach.row->name << ": no rule names it";
    EXPECT_FALSE(reach.conversations.empty() && reach.others.empty())
        << reach.row->name << ": no conversation comes by it";
  }
}

TEST(ProtocolRows, ThatAreSaidToBeUnreachableAreNotClaimed) {
  for (const RowReach& reach : RowsReached(Conversations())) {
    if (reach.row->unreachable.empty()) continue;
    EXPECT_THAT(reach.conversations, IsEmpty()) << reach.row->name;
  }
}

TEST(ProtocolRows, AreAllThatRulesName) {
  std::set<std::string> names;
  for (const ProtocolRow& row : ProtocolRows()) names.emplace(row.name);
  for (const model::RuleInfo& rule : model::AllRules())
    for (const std::string& row : RowsNamedIn(rule.evidence.source))
      EXPECT_TRUE(names.contains(row)) << rule.id << ": " << row;
}

TEST(Scenarios, ComeByTheRowsThatTheyClaim) {
  EXPECT_THAT(UnfoundedClaims(Conversations()), IsEmpty());
}

TEST(Scenarios, ThatClaimWhatTheyDoNotComeByAreNoticed) {
  std::vector<Told> told = {Conversations().front()};
  told[0].rows = {"R26", "R99"};
  told[0].permitted.reset();
  EXPECT_THAT(UnfoundedClaims(told), ElementsAre(told[0].path + ": R26", told[0].path + ": R99"));
}

// //conformance/scenarios:protocol_test has S73: two hundred requests are too many to be read.
TEST(Scenarios, AreAllTold) {
  for (const std::string& number : ScenarioNumbers()) {
    if (number == "S73") continue;
    const bool told = std::ranges::any_of(
        Conversations(), [&](const Told& t) { return ScenarioNumberOf(t.path) == number; });
    EXPECT_TRUE(told) << number;
  }
}

TEST(Scenarios, InTheLabAreTheSameAsOnTheSimulator) {
  std::vector<std::string> profiles;
  for (const LabScenarios& kernel : KernelScenarios(".")) {
    profiles.push_back(kernel.profile);
    for (const ScenarioComparison& one : ComparedWith(Conversations(), kernel))
      EXPECT_TRUE(one.same()) << kernel.profile << ": " << ToText(one);
    const Transport transport = FindProfile(kernel.profile)->transport;
    EXPECT_GE(kernel.scenarios.size(), transport == Transport::kIwarp ? 4u : 40u);
    for (const Told& told : Conversations()) {
      if (!told.path.starts_with("protocol/") || !told.not_in_lab.empty()) continue;
      if (FindProfile(told.history.conversation.profile)->transport != transport) continue;
      EXPECT_NE(kernel.Find(told.path.substr(std::string("protocol/").size())), nullptr)
          << told.path << " neither was run with " << kernel.profile << " nor says why not";
    }
  }
  EXPECT_THAT(profiles, ElementsAre("6.1-rxe", "6.12-rxe", "7.2-rxe", "6.1-siw"));
}

}  // namespace
}  // namespace cm::ruledoc
