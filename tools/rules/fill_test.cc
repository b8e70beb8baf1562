#include "tools/rules/fill.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace cm::ruledoc {
namespace {

std::string Seen(std::string_view id) { return id == "bind-9" ? "6.1-rxe/01-test:4" : ""; }

TEST(Filled, PutsWhatWasSeenIntoTheLastStringOfARow) {
  EXPECT_EQ(Filled(R"row(  {"bind-9", kIdle, {"man rdma_bind_addr(3)", ""}},)row", Seen),
            R"row(  {"bind-9", kIdle, {"man rdma_bind_addr(3)", "6.1-rxe/01-test:4"}},)row");
}

TEST(Filled, KnowsARowWithTransportsBehind) {
  EXPECT_EQ(Filled(R"row(  {"bind-9", {"man x(3)", ""}, over::kIbCm},)row", Seen),
            R"row(  {"bind-9", {"man x(3)", "6.1-rxe/01-test:4"}, over::kIbCm},)row");
}

TEST(Filled, TakesAwayWhatIsSeenNoMore) {
  EXPECT_EQ(Filled(R"row(  {"bind-1", {"man x(3)", "6.1-rxe/01-test:4"}},)row", Seen),
            R"row(  {"bind-1", {"man x(3)", ""}},)row");
}

TEST(Filled, LeavesEverythingThatIsNoRow) {
  constexpr std::string_view kText =
      "// {\"bind-9\" is a row\n"
      "constexpr int kRows[] = {\n"
      "  // bind-9, {\"man x(3)\", \"\"}},\n"
      "};\n"
      "\n";
  EXPECT_EQ(Filled(kText, Seen), kText);
}

}  // namespace
}  // namespace cm::ruledoc
