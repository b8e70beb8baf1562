#include "tools/app/script.h"

#include <gtest/gtest.h>

namespace cm::app {
namespace {

std::string ProblemOf(std::string_view text, const Profile* profile = nullptr) {
  const auto read = ReadScript(text, FindTopology("two-kernels"), profile);
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
  EXPECT_EQ(ProblemOf("active rdma_connect A"),
            "line 1: 'active rdma_connect A': accepted are fault, heal and pass");
  EXPECT_EQ(
      ProblemOf("fault drop REQ from=nowhere"),
      "line 1: 'fault drop REQ from=nowhere': from=nowhere is no side; topology two-kernels has "
      "active, passive");
  EXPECT_EQ(ProblemOf("fault drop any from=any to=any"), "");
  EXPECT_NE(ProblemOf("fault link-down side=any").find("side=any is no side"), std::string::npos);
}

TEST(Script, NamesFaultsThatCanDoNothing) {
  const auto says = [](const std::string& problem, const char* part) {
    EXPECT_NE(problem.find(part), std::string::npos) << problem;
  };
  says(ProblemOf("fault fail-over side=active"), "is not on a bond");
  says(ProblemOf("heal\nfault add-device side=active"), "line 2: ");
  says(ProblemOf("fault restart side=active"), "is running");
  says(ProblemOf("fault silence-sm side=active", FindProfile("6.1-rxe")), "no administrator");
  EXPECT_EQ(ProblemOf("fault silence-sm side=active", FindProfile("6.1-ib")), "");
}

TEST(Script, NamesWhatTheProfileLacksForAFault) {
  const Profile* const siw = FindProfile("6.1-siw");
  EXPECT_EQ(ProblemOf("heal\nfault drop REQ from=active nth=1", siw),
            "line 2: 'fault drop REQ from=active nth=1': it needs drop drop-nth, which profile "
            "6.1-siw does not have");
  EXPECT_EQ(ProblemOf("fault remove-device side=active", siw), "");
  EXPECT_EQ(ProblemOf("fault drop REQ from=active nth=1", FindProfile("6.1-rxe")), "");
}

TEST(Script, HasFaultsThatDoNothingAfterThoseBefore) {
  for (const std::string fault : {"fault remove-device side=active", "fault crash side=active"}) {
    const auto read = ReadScript(fault + "\npass 1ms\n" + fault, FindTopology("two-kernels"));
    const auto* happenings = std::get_if<std::vector<Happening>>(&read);
    ASSERT_NE(happenings, nullptr) << std::get<std::string>(read);
    ASSERT_EQ(happenings->size(), 2U);
    EXPECT_EQ((*happenings)[0].in_vain, "");
    EXPECT_NE((*happenings)[1].in_vain, "");
  }
}

TEST(Script, LinesMayHaveCommentsAndEndAsElsewhere) {
  const auto read = ReadScript(
      "# whole\r\n"
      "\r\n"
      "pass 5ms\t# until it is connected\r\n"
      "\theal #all\r\n",
      FindTopology("two-kernels"));
  const auto* happenings = std::get_if<std::vector<Happening>>(&read);
  ASSERT_NE(happenings, nullptr) << std::get<std::string>(read);
  ASSERT_EQ(happenings->size(), 1U);
  EXPECT_EQ((*happenings)[0].text, "heal");
  EXPECT_EQ((*happenings)[0].waits, "pass 5ms");
  EXPECT_NE(ProblemOf("pass 5ms#not a comment"), "");
}

}  // namespace
}  // namespace cm::app
