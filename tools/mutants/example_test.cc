// The mutated copy of example.cc, compiled: what each kind of mutant does.
#include "tools/mutants/example.h"

#include <gtest/gtest.h>

#include <string_view>

#include "tools/mutants/switch.h"

namespace cm::mutant {
namespace {

using example::After;
using example::Colour;
using example::CountBelow;
using example::Larger;
using example::TwoMore;

// Switches on the first mutant like that; false when there is none.
bool Switched(Kind kind, std::string_view function, std::string_view before) {
  for (const Mutant& mutant : Mutants())
    if (mutant.row->kind == kind && mutant.row->function == function &&
        mutant.row->before == before)
      return SwitchOn(mutant.number);
  return false;
}

TEST(AMutatedCopy, DoesWhatItsSourceDoesAsLongAsNoMutantIsOn) {
  ASSERT_TRUE(SwitchOn(0));
  EXPECT_EQ(Larger(3, 5), 5);
  EXPECT_EQ(TwoMore(3), 5);
  EXPECT_EQ(After(Colour::kRed), Colour::kGreen);
  EXPECT_EQ(After(Colour::kGreen), Colour::kBlue);
  EXPECT_EQ(CountBelow(4), 4);
}

TEST(AMutant, NegatesACondition) {
  ASSERT_TRUE(Switched(Kind::kCondition, "Larger", "a > b"));
  EXPECT_EQ(Larger(3, 5), 3);
}

TEST(AMutant, LeavesOutAStatement) {
  ASSERT_TRUE(Switched(Kind::kStatement, "TwoMore", "++a;"));
  EXPECT_EQ(TwoMore(3), 4);
  ASSERT_TRUE(Switched(Kind::kStatement, "After", "return Colour::kGreen;"));
  EXPECT_EQ(After(Colour::kRed), Colour::kBlue);
}

TEST(AMutant, TakesAnotherEnumerator) {
  ASSERT_TRUE(Switched(Kind::kConstant, "After", "Colour::kBlue"));
  EXPECT_EQ(After(Colour::kGreen), Colour::kRed);
}

TEST(AMutant, IsOffByOne) {
  ASSERT_TRUE(Switched(Kind::kOffByOne, "CountBelow", "i < bound"));
  EXPECT_EQ(CountBelow(4), 5);
  ASSERT_TRUE(Switched(Kind::kOffByOne, "CountBelow", "0"));
  EXPECT_EQ(CountBelow(4), 5);
}

TEST(AMutant, ReturnsEarly) {
  ASSERT_TRUE(Switched(Kind::kReturn, "CountBelow", ""));
  EXPECT_EQ(CountBelow(4), 0);
  EXPECT_TRUE(Reached());
}

TEST(AMutant, IsOfItsLine) {
  int lines = 0;
  for (const Mutant& mutant : Mutants()) {
    EXPECT_EQ(mutant.file, "tools/mutants/example.cc");
    if (mutant.row->before == "a > b") lines += mutant.row->line;
  }
  EXPECT_EQ(lines, 5 + 5);  // negated, and off by one
}

}  // namespace
}  // namespace cm::mutant
