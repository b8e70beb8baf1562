#include "sim/core/slab.h"

#include <gtest/gtest.h>

#include <string>

namespace cm::sim {
namespace {

struct Thing {
  bool live = false;
  std::string name;
  friend bool operator==(const Thing&, const Thing&) = default;
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

TEST(Slab, IsAValue) {
  Slab<Thing> slab;
  slab.Add({.name = "a"});
  Slab<Thing> copy = slab;
  EXPECT_TRUE(copy == slab);
  copy[0].name = "b";
  EXPECT_FALSE(copy == slab);
}

TEST(SlabDeathTest, HasNothingInAFreePlace) {
  Slab<Thing> slab;
  slab.Free(slab.Add({}));
  EXPECT_DEATH(static_cast<void>(slab[0]), "object 0");
  EXPECT_DEATH(slab.Free(0), "Live\\(index\\)");
}

}  // namespace
}  // namespace cm::sim
