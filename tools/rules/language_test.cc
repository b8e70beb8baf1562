// docs/language.md: its examples come to what the page says, and it has every call, fault,
// capability and outcome.
#include "tools/rules/language.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/scenarios/golden.h"
#include "conformance/scenarios/on_sim.h"
#include "model/conversation/print.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/not_made.h"
#include "model/vocabulary/reply.h"
#include "model/vocabulary/tester.h"
#include "model/vocabulary/topology.h"

namespace cm {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string& Page() {
  static const std::string page = TextOf("docs/language.md");
  return page;
}

// The text of the ```conv blocks.
std::vector<std::string> Examples() {
  std::vector<std::string> all;
  std::istringstream in(Page());
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```conv") all.emplace_back();
    if (inside && line != "```") all.back() += line + "\n";
    inside = line == "```conv" || (inside && line != "```");
  }
  return all;
}

TEST(TheLanguage, ExamplesComeToWhatThePageSays) {
  EXPECT_FALSE(Examples().empty());
  for (const std::string& example : Examples()) {
    const auto read = ReadGolden(example);
    const auto* const problem = std::get_if<TextProblem>(&read);
    ASSERT_EQ(problem, nullptr) << example << "line " << problem->line << ": " << problem->what;
    const auto& golden = std::get<Golden>(read);
    const History history = OnSim(golden.conversation);
    EXPECT_EQ(Difference(golden, history, GoldenView::kExact), "")
        << "if the page is wrong, it should say\n"
        << Rewritten(golden, history);
    EXPECT_THAT(Objections(history), IsEmpty()) << example;
  }
}

TEST(TheLanguage, HasGeneratedRegions) {
  const std::string page = "a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb\n";
  EXPECT_EQ(ruledoc::WithRegion(page, "x", "new\n"),
            "a\n<!-- generated: x -->\nnew\n<!-- end: x -->\nb\n");
  EXPECT_EQ(ruledoc::WithRegion(page, "y", "new\n"), page);
}

TEST(TheLanguage, HasEveryCall) {
  for (int kind = 0; kind < kCallKindCount; ++kind)
    EXPECT_THAT(Page(),
                HasSubstr(fmt::format("| `{} ", FunctionName(static_cast<CallKind>(kind)))));
}

TEST(TheLanguage, HasEveryFaultAndCapability) {
  for (int kind = 0; kind < kFaultKindCount; ++kind)
    EXPECT_THAT(Page(), HasSubstr(fmt::format("| `{}` |", ToString(static_cast<FaultKind>(kind)))));
  const std::string capabilities = Page().substr(Page().find("### Capabilities"));
  for (int i = 0; i < kCapabilityCount; ++i)
    EXPECT_THAT(capabilities, HasSubstr(fmt::format("`{}`", ToString(static_cast<Capability>(i)))));
}

TEST(TheLanguage, HasEveryOutcome) {
  const std::string outcomes = Page().substr(Page().find("### Outcomes"));
  for (const Reply& reply : {Reply::Blocked(), Reply::Crashed(), Reply::Unseen(),
                             Reply::NotApplicable(), Reply::Refused(Errno::kInval)})
    EXPECT_THAT(outcomes, HasSubstr(fmt::format("| `{}` |", ToString(reply))));
  const std::string reasons = outcomes.substr(outcomes.find("| reason |"));
  for (const NotMade why :
       {NotMade::kNeverMade, NotMade::kGone, NotMade::kOfAnotherSide, NotMade::kLaneWaits,
        NotMade::kChannelInUse, NotMade::kIdInUse, NotMade::kQueueInUse, NotMade::kWouldCrash,
        NotMade::kExited, NotMade::kCrashed, NotMade::kContends, NotMade::kCannotBeMade})
    EXPECT_THAT(reasons, HasSubstr(fmt::format("| `{}` |", ToString(why))));
  for (const char* of_others : {"readable", "quiet", "done", "failed \"TEXT\""})
    EXPECT_THAT(outcomes, HasSubstr(fmt::format("| `{}` |", of_others)));
}

TEST(TheLanguage, HasEveryFieldOfATestersMessage) {
  const std::string tester = Page().substr(Page().find("### The tester"));
  const TesterMad mad;
  EachField(mad, [&](std::string_view key, auto) {
    EXPECT_THAT(tester, HasSubstr(fmt::format("`{}`", key)));
  });
}

TEST(TheLanguage, HasEveryTopology) {
  for (const Topology& topology : AllTopologies())
    EXPECT_THAT(Page(), HasSubstr(fmt::format("| `{}` | {} |", topology.name, topology.sentence)));
}

}  // namespace
}  // namespace cm
