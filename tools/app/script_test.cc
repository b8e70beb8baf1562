#include "tools/app/script.h"

#include <gtest/gtest.h>

namespace cm::app {
namespace {

std::string ProblemOf(std::string_view text) {
  const auto read = ReadScript(text, FindTopology("two-kernels"));
  const auto* problem = std::get_if<std::string>(&read);
  return problem == nullptr ? "" : *problem;
}

TEST(Script, EachPassLetsTheNextComeLater) {
  const auto read = ReadScript(
      "# a comment\n"
      "fault drop REQ from=active\n"
      "pass 5ms\n"
      "\n"
      "pass 1ms\n"
      "heal\n",
      FindTopology("two-kernels"));
  const auto* happenings = std::get_if<std::vector<Happening>>(&read);
  ASSERT_NE(happenings, nullptr);
  ASSERT_EQ(happenings->size(), 2U);
  EXPECT_EQ((*happenings)[0].at, Instant());
  ASSERT_TRUE((*happenings)[0].fault);
  EXPECT_EQ((*happenings)[0].fault->kind, FaultKind::kDrop);
  EXPECT_EQ((*happenings)[1].at, Instant() + Duration::Milliseconds(6));
  EXPECT_FALSE((*happenings)[1].fault);
}

TEST(Script, NamesTheLineThatNobodyCanDo) {
  EXPECT_EQ(ProblemOf("heal\nsettle\n"), "line 2: 'settle': accepted are fault, heal and pass");
  EXPECT_EQ(ProblemOf("fault exit side=active"),
            "line 1: 'fault exit side=active': programs exit by themselves");
  EXPECT_NE(ProblemOf("fault explode side=active").find("not a kind of fault"), std::string::npos);
}

}  // namespace
}  // namespace cm::app
