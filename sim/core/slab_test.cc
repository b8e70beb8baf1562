#include "sim/core/slab.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cm::sim {
namespace {

struct Thing {
  bool live = false;
  std::string name;
  friend bool operator==(const Thing&, const Thing&) = default;
};

struct Number {
  bool live = false;
  int number = 0;
  friend bool operator==(const Number&, const Number&) = default;
};

TEST(Slab, UsesTheLowestFreePlaceAgain) {
  Slab<Thing> slab;
  for (const char* name : {"a", "b", "c", "d"}) slab.Add({.name = name});
  slab.Free(2);
  slab.Free(0);
  slab.Free(1);
  EXPECT_EQ(slab.Add({.name = "e"}), 0u);
  EXPECT_EQ(slab.Add({.name = "f"}), 1u);
  EXPECT_EQ(slab.Add({.name = "g"}), 2u);
  EXPECT_EQ(slab.Add({.name = "h"}), 4u);
  EXPECT_EQ(slab.live_count(), 5u);
}

TEST(Slab, VisitsLiveObjectsThoughItChangesMeanwhile) {
  using ThingIndex = Index<Thing>;
  Slab<Thing, ThingIndex> slab;
  for (const char* name : {"a", "b", "c", "d"}) slab.Add({.name = name});
  slab.Free(ThingIndex(0));
  std::string visited;
  for (const ThingIndex index : slab.All()) {
    visited += slab[index].name;
    if (slab[index].name == "b") slab.Free(ThingIndex(2));
    if (slab[index].name == "d") slab.Free(slab.Add({.name = "behind"}));
  }
  EXPECT_EQ(visited, "bd");
  EXPECT_FALSE(slab.Live(ThingIndex()));
}

TEST(NumberSet, GivesAwayItsLowestHoweverLargeItIs) {
  NumberSet set;
  std::set<uint32_t> reference;
  uint64_t state = 1;
  for (int step = 0; step < 20000; ++step) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto number = static_cast<uint32_t>((state >> 33) % (step % 100 == 0 ? 1 << 20 : 5000));
    if (reference.empty() || (state >> 60) < 7) {
      if (reference.insert(number).second) set.Add(number);
    } else {
      ASSERT_EQ(set.TakeLowest(), *reference.begin());
      reference.erase(reference.begin());
    }
    ASSERT_EQ(set.size(), reference.size());
    ASSERT_EQ(set.empty(), reference.empty());
  }
}

TEST(Slab, ForgetsWhatIsFreed) {
  Slab<Thing> slab;
  const uint32_t index = slab.Add({.name = "a"});
  EXPECT_TRUE(slab.Live(index));
  slab.Free(index);
  EXPECT_FALSE(slab.Live(index));
  EXPECT_FALSE(slab.Live(17));
  EXPECT_FALSE(slab.Live(kNobody));
  EXPECT_EQ(slab[slab.Add({})].name, "");
}

// In a place that had another one, or none.
TEST(Slab, MakesAnEmptyObject) {
  Slab<Thing> things;
  Slab<Number> numbers;
  things.Free(things.Add({.name = "a"}));
  numbers.Free(numbers.Add({.number = 1}));
  for (int i = 0; i < 2; ++i) {
    const uint32_t thing = things.Make();
    EXPECT_TRUE(things.Live(thing));
    EXPECT_EQ(things[thing].name, "");
    EXPECT_EQ(numbers[numbers.Make()].number, 0);
  }
}

TEST(Slab, IsAValue) {
  Slab<Thing> slab;
  slab.Add({.name = "a"});
  Slab<Thing> copy = slab;
  EXPECT_TRUE(copy == slab);
  copy[0].name = "b";
  EXPECT_FALSE(copy == slab);
}

TEST(Slab, DoesNotCompareWhatIsFreed) {
  Slab<Number> one;
  Slab<Number> other;
  one.Free(one.Add({.number = 1}));
  EXPECT_FALSE(one == other) << "the next object comes to another place than without it";
  other.Free(other.Add({.number = 2}));
  EXPECT_TRUE(one == other);
}

TEST(Slab, HasEveryObjectOfVeryMany) {
  constexpr uint32_t kMany = 3'000'000;
  Slab<Number> slab;
  for (uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(slab.Add({.number = static_cast<int>(i)}), i);
  const Slab<Number> copy = slab;
  for (uint32_t i = 0; i < kMany; ++i) slab.Free(i);
  for (uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(copy[i].number, static_cast<int>(i));
}

TEST(Slab, TakesTheLowestFreePlace) {
  Slab<Thing> slab;
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(slab.Add({}), i);
  slab.Free(1);
  slab.Free(0);
  EXPECT_EQ(slab.MakeAnyhow(), 0u);
  EXPECT_EQ(slab.Add({}), 1u);
  EXPECT_EQ(slab.Add({}), 3u);
}

TEST(SlabDeathTest, HasNothingInAFreePlace) {
  Slab<Thing> slab;
  slab.Free(slab.Add({}));
  EXPECT_DEATH(static_cast<void>(slab[0]), "object 0");
  EXPECT_DEATH(slab.Free(0), "Live\\(index\\)");
}

}  // namespace
}  // namespace cm::sim
