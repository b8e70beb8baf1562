#include "sim/core/agenda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "model/base/choice.h"

namespace cm::sim {

// Brings the insertion number close to its end.
class AgendaPeer {
 public:
  static void SetLastOrder(Agenda* agenda, uint32_t order) { agenda->last_order_ = order; }
};

namespace {

using testing::ElementsAre;

Instant At(int64_t ns) { return Instant::FromNanoseconds(ns); }

std::vector<uint32_t> TakeAll(Agenda* agenda) {
  std::vector<uint32_t> objects;
  while (agenda->NextAt()) objects.push_back(agenda->Take().on());
  return objects;
}

TEST(Agenda, HappensInOrderOfTimeAndThenOfAsking) {
  Agenda agenda;
  agenda.At(At(20), EventKind::kMadTimer, 1);
  agenda.At(At(10), EventKind::kMadTimer, 2);
  agenda.At(At(20), EventKind::kAddressWork, 3);
  agenda.At(At(10), EventKind::kRouteWork, 4);
  EXPECT_THAT(TakeAll(&agenda), ElementsAre(2, 4, 1, 3));
}

TEST(Agenda, KeepsWhatAnEventIs) {
  Agenda agenda;
  agenda.At(At(7), EventKind::kAgentGone, (1u << 26) - 1);
  const Event event = agenda.Take();
  EXPECT_EQ(event.at, At(7));
  EXPECT_EQ(event.kind(), EventKind::kAgentGone);
  EXPECT_EQ(event.on(), (1u << 26) - 1);
  EXPECT_EQ(agenda.Now(), At(7));
  EXPECT_FALSE(agenda.NextAt());
}

// Against the plainest implementation there is: look for the first one each time.
TEST(Agenda, OrdersThousandsAsASortedListWould) {
  StreamState state = NamedStream(1, "agenda");
  RandomChoice choice(&state);
  Agenda agenda;
  std::vector<std::pair<int64_t, uint32_t>> pending;
  int64_t now = 0;
  for (uint32_t i = 0; i < 3000; ++i) {
    const int64_t when = now + static_cast<int64_t>(choice.Below(50, "when"));
    agenda.At(At(when), EventKind::kMadTimer, i);
    pending.emplace_back(when, i);
    if (!choice.OneIn(2, "take")) continue;
    const auto first = std::ranges::min_element(pending);
    const Event event = agenda.Take();
    ASSERT_EQ(event.on(), first->second);
    now = first->first;
    pending.erase(first);
  }
  EXPECT_EQ(agenda.size(), pending.size());
}

TEST(Agenda, KeepsItsOrderWhenTheInsertionNumberWraps) {
  Agenda agenda;
  AgendaPeer::SetLastOrder(&agenda, std::numeric_limits<uint32_t>::max() - 3);
  for (uint32_t i = 0; i < 10; ++i) agenda.At(At(5), EventKind::kMadTimer, i);
  agenda.At(At(4), EventKind::kMadTimer, 10);
  EXPECT_THAT(TakeAll(&agenda), ElementsAre(10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(Agenda, IsEqualWhereTheSameIsToComeInTheSameOrder) {
  Agenda one;
  one.At(At(5), EventKind::kMadTimer, 1);
  one.At(At(5), EventKind::kMadTimer, 2);
  Agenda same = one;
  EXPECT_EQ(one, same);
  // The insertion numbers differ, what is to come does not.
  Agenda later;
  AgendaPeer::SetLastOrder(&later, 1000);
  later.At(At(5), EventKind::kMadTimer, 1);
  later.At(At(5), EventKind::kMadTimer, 2);
  EXPECT_EQ(one, later);
  Agenda swapped;
  swapped.At(At(5), EventKind::kMadTimer, 2);
  swapped.At(At(5), EventKind::kMadTimer, 1);
  EXPECT_FALSE(one == swapped);
  same.AdvanceTo(At(3));
  EXPECT_FALSE(one == same);
}

TEST(AgendaDeathTest, TakesNothingInThePastAndPassesNothingOver) {
  Agenda agenda;
  agenda.AdvanceTo(At(10));
  EXPECT_DEATH(agenda.At(At(9), EventKind::kMadTimer, 0), "an event in the past");
  agenda.At(At(20), EventKind::kMadTimer, 0);
  EXPECT_DEATH(agenda.AdvanceTo(At(21)), "an event would be passed over");
}

}  // namespace
}  // namespace cm::sim
