// Tables that lack something name what they lack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <vector>

#include "model/cm_id/effect.h"
#include "model/cm_id/guard.h"
#include "model/oracle/machine/effect_row.h"
#include "model/oracle/machine/guard_rows.h"
#include "model/rules/transports.h"

namespace cm::model {
namespace {

using testing::Optional;

std::vector<GuardRow> GuardRows() { return {kGuardRows.begin(), kGuardRows.end()}; }

TEST(GuardRows, NameTheGuardWhosePredicateIsMissing) {
  ASSERT_EQ(FirstWithoutOnePredicate(kGuardRows), std::nullopt);
  for (size_t i = 0; i < kGuardRows.size(); ++i) {
    std::vector<GuardRow> rows = GuardRows();
    rows.erase(rows.begin() + static_cast<int>(i));
    EXPECT_THAT(FirstWithoutOnePredicate(rows), Optional(kGuardRows[i].guard));
  }
}

TEST(GuardRows, NameTheGuardThatHasTwoPredicatesOverOneTransport) {
  for (const GuardRow& row : kGuardRows) {
    std::vector<GuardRow> rows = GuardRows();
    rows.push_back(row);
    EXPECT_THAT(FirstWithoutOnePredicate(rows), Optional(row.guard));
  }
}

TEST(GuardRows, LeadToThePredicateOfTheTransport) {
  constexpr Predicates kPredicates = ByTransport(kGuardRows);
  const auto at = [&](Transport transport, Guard guard) {
    return kPredicates[static_cast<size_t>(transport)][static_cast<size_t>(guard)];
  };
  EXPECT_EQ(at(Transport::kRoce, Guard::kReplyAwaited), nullptr);
  EXPECT_NE(at(Transport::kIwarp, Guard::kReplyAwaited), nullptr);
  EXPECT_NE(at(Transport::kRoce, Guard::kRepRefused), at(Transport::kIwarp, Guard::kRepRefused));
  EXPECT_EQ(at(Transport::kRoce, Guard::kRepRefused),
            at(Transport::kInfiniband, Guard::kRepRefused));
}

using ActionRow = EffectRow<void (*)()>;

void Act() {}

// A row for each effect, over all transports.
std::vector<ActionRow> ActionRows() {
  std::vector<ActionRow> rows;
  for (int e = 0; e < kEffectCount; ++e) rows.push_back({static_cast<Effect>(e), Act});
  return rows;
}

TEST(EffectRows, ArePlacedByTransportAndEffect) {
  const std::vector<ActionRow> rows = {{Effect::kSendsReq, Act, over::kIwarp}};
  const auto placed = ByTransport<void (*)()>(rows);
  const auto at = [&](Transport transport, Effect effect) {
    return placed[static_cast<size_t>(transport)][static_cast<size_t>(effect)];
  };
  EXPECT_EQ(at(Transport::kIwarp, Effect::kSendsReq), Act);
  EXPECT_EQ(at(Transport::kRoce, Effect::kSendsReq), nullptr);
  EXPECT_EQ(at(Transport::kIwarp, Effect::kSendsRep), nullptr);
}

TEST(EffectRows, NameTheEffectWhoseActionIsMissing) {
  ASSERT_EQ(FirstWithoutOneAction<void (*)()>(ActionRows()), std::nullopt);
  for (int e = 0; e < kEffectCount; ++e) {
    const auto effect = static_cast<Effect>(e);
    if (effect == Effect::kNone) continue;
    std::vector<ActionRow> without_row = ActionRows();
    without_row.erase(without_row.begin() + e);
    EXPECT_THAT(FirstWithoutOneAction<void (*)()>(without_row), Optional(effect));
    std::vector<ActionRow> without_function = ActionRows();
    without_function[static_cast<size_t>(e)].action = nullptr;
    EXPECT_THAT(FirstWithoutOneAction<void (*)()>(without_function), Optional(effect));
  }
}

TEST(EffectRows, NameTheEffectThatHasTwoActionsOverOneTransport) {
  std::vector<ActionRow> rows = ActionRows();
  EXPECT_EQ(FirstWithTwoActions<void (*)()>(rows), std::nullopt);
  rows.push_back({Effect::kSendsReq, Act, over::kIwarp});
  EXPECT_THAT(FirstWithTwoActions<void (*)()>(rows), Optional(Effect::kSendsReq));
}

}  // namespace
}  // namespace cm::model
