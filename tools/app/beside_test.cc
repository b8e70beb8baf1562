#include "tools/app/beside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tools/app/stock_programs.h"

namespace cm::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Beside, FiguresAndDrawnNumbersAreNotCompared) {
  const std::vector<std::string> lines = {
      " 65536      5                6578.96            6262.53\t\t   0.100201",
      " local address: LID 0000 QPN 0x0014 PSN 0xd39f6e",
      "",
      "connected with 10.0.0.1 port 58745, 10.0.0.1:41077",
      "10.0.1.1 is 1.5 of 3",
  };
  EXPECT_THAT(Settled(lines, {}), ElementsAre("10.0.1.1 is # of 3", "65536 5 # # #",
                                              "connected with 10.0.0.1 #, 10.0.0.1#",
                                              "local address: LID 0000 QPN # PSN #"));
}

TEST(Beside, WhatARowNamesIsNotCompared) {
  EXPECT_THAT(
      Settled({"pid 17 came", "all of this", "exit 0"}, {.lines = "^all", .words = "[0-9]+"}),
      ElementsAre("exit #", "pid # came"));
}

TEST(Beside, APartOfTheLinesIsComparedWithTheEnd) {
  EXPECT_THAT(Settled({"a", "one", "b", "two", "c", "one", "exit 0"}, {.from = "on", .to = "tw"}),
              ElementsAre("b", "exit 0", "one", "one", "two"));
}

TEST(Beside, NothingIsComparedWhereARowSaysSo) {
  EXPECT_THAT(Settled({"a", "exit 0"}, {.compared = false}), ElementsAre());
  EXPECT_THAT(
      ComparisonCell({.name = "ibv_xsrq_pingpong", .package = "p", .passive = "", .active = ""}),
      testing::StartsWith("not compared: Soft-RoCE has no XRC"));
}

TEST(Beside, HowOftenALineIsPrintedIsComparedUnlessARowSaysNo) {
  EXPECT_THAT(Settled({"a", "b", "a"}, {}), ElementsAre("a", "a", "b"));
  EXPECT_THAT(Settled({"a", "b", "a"}, {.counted = false}), ElementsAre("a", "b"));
}

TEST(Beside, EachRowIsOfAProgramAndSaysWhyOrWithWhichFiles) {
  for (const Comparison& row : Comparisons()) {
    const auto is_it = [&](const StockProgram& program) { return program.name == row.program; };
    EXPECT_EQ(std::ranges::count_if(StockPrograms(), is_it), 1) << row.program;
    EXPECT_FALSE(row.why.empty() && row.files.empty()) << row.program;
    EXPECT_THAT(std::string(row.why), Not(HasSubstr("|"))) << "it is a cell of a table";
  }
}

TEST(Beside, ACellSaysWhatIsTheSame) {
  EXPECT_EQ(ComparisonCell({.name = "none", .package = "p", .passive = "", .active = "none"}),
            "same");
}

}  // namespace
}  // namespace cm::app
