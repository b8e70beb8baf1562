// Sets of possibilities: equal ones are stored once, in small sets and in large ones.
#include "model/oracle/belief/possibility_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cm::model {
namespace {

Possibility WithBacklog(int16_t backlog) {
  Possibility p;
  p.ids.push_back({.name = IdRef{0}, .backlog = backlog});
  return p;
}

PossibilitySet SetOf(int16_t size) {
  PossibilitySet set;
  for (int16_t i = 0; i < size; ++i) set.Add(WithBacklog(i));
  return set;
}

TEST(PossibilitySet, HasEachOnce) {
  for (const int16_t size : {1, 15, 16, 17, 32, 33, 1000}) {
    PossibilitySet set = SetOf(size);
    ASSERT_EQ(set.size(), static_cast<size_t>(size));
    for (int16_t i = 0; i < size; ++i) {
      const auto [added, at] = set.Add(WithBacklog(i));
      EXPECT_EQ(added, PossibilitySet::Added::kKnown) << i << " of " << size;
      EXPECT_EQ(at, static_cast<size_t>(i)) << i << " of " << size;
    }
    EXPECT_EQ(set.Add(WithBacklog(size)).first, PossibilitySet::Added::kNew);
  }
}

TEST(PossibilitySet, WidensTheTimesOfOneAmongMany) {
  PossibilitySet set = SetOf(1000);
  Possibility later = WithBacklog(700);
  later.ids.front().due = Span{0, 100};
  const auto [added, at] = set.Add(later);
  EXPECT_EQ(added, PossibilitySet::Added::kWidened);
  EXPECT_EQ(set.items()[at].ids.front().due.latest, 100);
  EXPECT_EQ(set.size(), 1000U);
}

TEST(PossibilitySet, WidensEachTimeOfAnId) {
  for (Since IdTimes::*const time : kIdTimes) {
    PossibilitySet set = SetOf(1);
    Possibility later = WithBacklog(0);
    later.ids.front().*time = {-5, 100};
    EXPECT_EQ(set.Add(later).first, PossibilitySet::Added::kWidened);
    const Since& widened = set.items()[0].ids.front().*time;
    EXPECT_EQ(widened.earliest, -5);
    EXPECT_EQ(widened.latest, 100);
  }
}

Possibility RepeatedAt(Span last, Span first = {1, 1}) {
  Possibility p = WithBacklog(0);
  p.ids.front().first = first;
  p.ids.front().last = last;
  return p;
}

// Its times say nothing any more: they do not make those of what it became wider.
TEST(PossibilitySet, PutsWhatIsLaterInThePlaceOfWhatIsOverdue) {
  PossibilitySet set;
  set.Add(RepeatedAt({1, 2}));
  std::vector<bool> overdue = {true};
  EXPECT_EQ(set.Add(RepeatedAt({5, 6}), &overdue).first, PossibilitySet::Added::kWidened);
  EXPECT_EQ(set.items()[0].ids.front().last.earliest, 5);
  EXPECT_EQ(set.items()[0].ids.front().last.latest, 6);
  EXPECT_FALSE(overdue[0]);
  // That one is not.
  EXPECT_EQ(set.Add(RepeatedAt({9, 9}), &overdue).first, PossibilitySet::Added::kWidened);
  EXPECT_EQ(set.items()[0].ids.front().last.earliest, 5);
  EXPECT_EQ(set.items()[0].ids.front().last.latest, 9);
}

TEST(PossibilitySet, WidensWhatIsOverdueByWhatIsNotLater) {
  for (const auto& [last, first] : {std::pair{Span{0, 6}, Span{1, 1}}, {{5, 6}, {0, 1}}}) {
    PossibilitySet set;
    set.Add(RepeatedAt({1, 2}));
    std::vector<bool> overdue = {true};
    EXPECT_EQ(set.Add(RepeatedAt(last, first), &overdue).first, PossibilitySet::Added::kWidened);
    EXPECT_EQ(set.items()[0].ids.front().last.earliest, std::min<int64_t>(1, last.earliest));
    EXPECT_EQ(set.items()[0].ids.front().first.latest, 1);
    EXPECT_FALSE(overdue[0]);  // its steps are to be followed again
  }
}

TEST(PossibilitySet, TellsIdsApartByWhatIsNoTime) {
  PossibilitySet set = SetOf(1);
  Possibility other = WithBacklog(0);
  other.ids.front().reply_payload = 3;
  EXPECT_EQ(set.Add(other).first, PossibilitySet::Added::kNew);
  other.ids.front().queue.push_back({.type = EventType::kUser});
  EXPECT_EQ(set.Add(other).first, PossibilitySet::Added::kNew);
  other.flights.push_back({.kind = Sends::kReq, .since = {1, 2}});
  EXPECT_EQ(set.Add(other).first, PossibilitySet::Added::kNew);
  other.flights.front().since = {1, 3};
  EXPECT_EQ(set.Add(other).first, PossibilitySet::Added::kWidened);
}

TEST(PossibilitySet, IsEmptyAgainWhenItIsCleared) {
  PossibilitySet set = SetOf(100);
  set.mutable_items();
  set.clear();
  EXPECT_FALSE(set.may_have_doubles());
  EXPECT_EQ(set.Add(WithBacklog(7)).first, PossibilitySet::Added::kNew);
  EXPECT_EQ(set.size(), 1U);
}

TEST(PossibilitySet, ReportsARowOnceWhenAllHaveUsedIt) {
  PossibilitySet set = SetOf(2);
  set.mutable_items()[0].used.set(3);
  set.mutable_items()[1].used.set(3);
  set.mutable_items()[1].used.set(4);
  RuleBits reached;
  EXPECT_EQ(set.TakeCertain(&reached), RuleBits().set(3));
  EXPECT_EQ(reached, RuleBits().set(3).set(4));
  EXPECT_TRUE(set.TakeCertain(&reached).none());
}

TEST(Possibility, HasNoMoreIdsThanItCanTellApart) {
  Possibility p;
  p.ids.resize(kNoId - 2);
  p.Insert(0, IdState());
  EXPECT_EQ(p.ids.size(), kNoId - 1U);
  EXPECT_DEATH(p.Insert(0, IdState()), "too many ids");
}

}  // namespace
}  // namespace cm::model
