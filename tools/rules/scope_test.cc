// The hand-written lists behind docs/functions.md and docs/ambiguities.md.
#include "tools/rules/scope.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "model/vocabulary/call.h"
#include "tools/rules/ambiguities.h"
#include "tools/rules/disagreements.h"
#include "tools/rules/exported.h"
#include "tools/rules/table.h"
#include "tools/rules/told.h"

namespace cm::ruledoc {
namespace {

using testing::HasSubstr;
using testing::Not;

bool IsRule(std::string_view id) {
  return std::ranges::find(model::AllRules(), id, &model::RuleInfo::id) != model::AllRules().end();
}

// Ids are unique; an entry has existing rows, or a reason.
template <typename Entries>
void ExpectSound(const Entries& entries) {
  std::set<std::string_view> ids;
  for (const auto& entry : entries) {
    EXPECT_TRUE(ids.insert(entry.id).second) << entry.id;
    EXPECT_NE(entry.rows.empty(), entry.outside.empty()) << entry.id;
    std::istringstream rows{std::string(entry.rows)};
    for (std::string row; rows >> row;)
      EXPECT_TRUE(IsRule(row)) << entry.id << ": there is no row " << row;
  }
}

// "rdma_notify" as the reason why there are no rows holds as long as the function has none.
template <typename Entries>
void ExpectStillOutside(const Entries& entries) {
  for (const auto& entry : entries) {
    for (const Table& table : AllTables())
      EXPECT_EQ(std::ranges::count(table.rows, entry.outside, &Row::on), 0)
          << entry.id << ": " << entry.outside << " has rows by now";
  }
}

TEST(Disagreements, AreOutsideAsLongAsTheirFunctionIs) {
  ExpectStillOutside(Disagreements());
  ExpectStillOutside(Races());
}

TEST(Disagreements, NameRowsThatExist) { ExpectSound(Disagreements()); }

TEST(Races, NameRowsThatExist) { ExpectSound(Races()); }

TEST(ExportedFunctions, AreThoseOfTheMapInTheirOrder) {
  EXPECT_EQ(ExportedFunctions().size(), 44u);
  EXPECT_TRUE(std::ranges::is_sorted(ExportedFunctions(), {}, &Exported::name));
  EXPECT_TRUE(std::ranges::is_sorted(RsocketFunctions()));
}

TEST(ExportedFunctions, AreOutsideUnlessConversationsSpeakOfThem) {
  for (const Exported& function : ExportedFunctions())
    EXPECT_EQ(function.outside.empty(), ParseFunctionName(function.name).has_value())
        << function.name;
}

TEST(ExportedFunctions, AreAllThatConversationsSpeakOf) {
  for (int kind = 0; kind < kCallKindCount; ++kind) {
    const std::string_view name = FunctionName(static_cast<CallKind>(kind));
    if (!IsFunction(static_cast<CallKind>(kind))) continue;
    const bool exported =
        std::ranges::find(ExportedFunctions(), name, &Exported::name) != ExportedFunctions().end();
    EXPECT_NE(exported, std::ranges::count(InlineFunctions(), name) == 1) << name;
  }
}

TEST(HasWord, DoesNotFindPartsOfWords) {
  EXPECT_TRUE(HasWord("man rdma_create_qp(3)", "rdma_create_qp"));
  EXPECT_TRUE(HasWord("rdma_create_qp_ex rdma_create_qp", "rdma_create_qp"));
  EXPECT_FALSE(HasWord("rdma_create_qp_ex", "rdma_create_qp"));
  EXPECT_FALSE(HasWord("DISCONNECTED", "CONNECTED"));
}

TEST(FunctionsMarkdown, HasALineForEachFunction) {
  const std::string text = FunctionsMarkdown({});
  for (const Exported& function : ExportedFunctions())
    EXPECT_THAT(text, HasSubstr(fmt::format("| `{}` |", function.name)));
  for (const std::string_view name : InlineFunctions())
    EXPECT_THAT(text, HasSubstr(fmt::format("| `{}` |", name)));
}

TEST(FunctionsMarkdown, NamesTheShortestConversation) {
  const std::vector<Told> scenarios = {{"a/long.conv", "active rdma_notify A  and more", {}},
                                       {"b/short.conv", "active rdma_notify A", {}},
                                       {"c/none.conv", "active rdma_notify_not A", {}}};
  const std::string text = FunctionsMarkdown(scenarios);
  EXPECT_THAT(text, HasSubstr("| 2, e.g. [b/short.conv](../conformance/scenarios/b/short.conv) |"));
  EXPECT_THAT(text, Not(HasSubstr("c/none.conv")));
}

model::RuleBits Rows(std::string_view ids) {
  model::RuleBits rows;
  for (model::RuleNumber row = 0; row < model::RuleCount(); ++row)
    if (HasWord(ids, model::InfoOf(row).id)) rows.set(row);
  return rows;
}

// doc-2 is about resolve-addr-13 and -14.
TEST(AmbiguitiesMarkdown, NamesTheConversationThatNeedsMostOfAnEntrysRows) {
  const std::vector<Told> scenarios = {
      {"a/one.conv", "1", Rows("resolve-addr-13")},
      {"b/both.conv", "a longer one", Rows("resolve-addr-13 resolve-addr-14")},
      {"c/both.conv", "shorter", Rows("resolve-addr-13 resolve-addr-14")},
      {"d/none.conv", "", Rows("listen-2")}};
  const std::string text = AmbiguitiesMarkdown(scenarios);
  EXPECT_THAT(text, HasSubstr("`resolve-addr-13`, `resolve-addr-14` | 3, e.g. "
                              "[c/both.conv](../conformance/scenarios/c/both.conv) |"));
  EXPECT_THAT(text, HasSubstr("| 1, e.g. [d/none.conv]"));
  EXPECT_THAT(AmbiguitiesMarkdown({}), Not(HasSubstr("e.g.")));
}

}  // namespace
}  // namespace cm::ruledoc
