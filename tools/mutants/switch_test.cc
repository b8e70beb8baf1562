#include "tools/mutants/switch.h"

#include <gtest/gtest.h>

namespace cm::mutant {
namespace {

constexpr Row kRowsOfB[] = {{.line = 3, .function = "F", .kind = Kind::kReturn},
                            {.line = 5, .function = "F", .kind = Kind::kCondition}};
constexpr Row kRowsOfA[] = {{.line = 9, .function = "G", .kind = Kind::kStatement}};
File b("b.cc", kRowsOfB);
File a("a.cc", kRowsOfA);

TEST(Mutants, AreNumberedByFileAndPlaceWhateverWasRegisteredFirst) {
  const std::vector<Mutant> mutants = Mutants();
  ASSERT_EQ(mutants.size(), 3u);
  EXPECT_EQ(mutants[0].number, 1);
  EXPECT_EQ(mutants[0].file, "a.cc");
  EXPECT_EQ(mutants[1].number, 2);
  EXPECT_EQ(mutants[1].row->line, 3);
  EXPECT_EQ(mutants[2].number, 3);
  EXPECT_EQ(mutants[2].row->line, 5);
}

TEST(SwitchOn, SwitchesEveryOtherOneOff) {
  EXPECT_TRUE(SwitchOn(1));
  EXPECT_TRUE(a.Is(1));
  EXPECT_TRUE(SwitchOn(3));
  EXPECT_FALSE(a.Is(1));
  EXPECT_FALSE(b.Is(1));
  EXPECT_TRUE(b.Is(2));
  EXPECT_TRUE(SwitchOn(0));
  EXPECT_FALSE(b.Is(2));
  EXPECT_FALSE(SwitchOn(4));
}

TEST(Reached, IsWhatWasAskedSinceItWasSwitchedOn) {
  SwitchOn(2);
  EXPECT_FALSE(b.Is(2));
  EXPECT_FALSE(Reached());
  EXPECT_TRUE(b.Is(1));
  EXPECT_TRUE(Reached());
  SwitchOn(2);
  EXPECT_FALSE(Reached());
}

TEST(AComparison, IncludesItsBoundWhereItDidNotWhenItsMutantIsOn) {
  SwitchOn(1);  // the mutant 1 of a.cc; the mutant 2 is off
  EXPECT_TRUE(a.Less(1, 7, 7));
  EXPECT_FALSE(a.Less(2, 7, 7));
  EXPECT_FALSE(a.LessEqual(1, 7, 7));
  EXPECT_TRUE(a.LessEqual(2, 7, 7));
  EXPECT_TRUE(a.Greater(1, 7, 7));
  EXPECT_FALSE(a.Greater(2, 7, 7));
  EXPECT_FALSE(a.GreaterEqual(1, 7, 7));
  EXPECT_TRUE(a.GreaterEqual(2, 7, 7));
  EXPECT_EQ(a.Swap(1, 3, 4), 4);
  EXPECT_EQ(a.Swap(2, 3, 4), 3);
}

}  // namespace
}  // namespace cm::mutant
