// The end of a connection over TCP whose process does not close it takes its way over the link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/vocabulary/topology.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

using Ends = Programs;

constexpr const char* kLinkIsDown = "pass 5ms\nfault link-down side=passive\npass 300ms\nheal\n";

std::vector<std::string> Between(const std::string& passive, const std::string& script = "") {
  return RunAll({Beside(kPassiveSide, "ends " + passive + " PASSIVE"),
                 Beside(kActiveSide, "ends await-end PASSIVE")},
                script)
      .output;
}

// `end`: by returning from main(); `exit`: by _exit; `quick`: by quick_exit; `die`: by a signal of
// its own; `kill`: of another process; `execute`: as another program, which has no descriptor that
// closes at exec. The end is lost after 10 ms, sent again after 200 ms, lost again, and sent again
// 400 ms later.
TEST_F(Ends, ComeByTheLink) {
  for (const char* how : {"end", "exit", "quick", "die", "kill", "execute"}) {
    SCOPED_TRACE(how);
    EXPECT_THAT(Between(how),
                ElementsAre("active| connected after 20 us", "active| 0 bytes after 10 ms"));
    EXPECT_THAT(Between(how, kLinkIsDown),
                ElementsAre("active| connected after 20 us", "active| 0 bytes after 610 ms"));
  }
}

TEST_F(Ends, DoNotComeWithAProgramThatCannotBeExecuted) {
  EXPECT_THAT(Between("fail"),
              ElementsAre("active| connected after 20 us", StartsWith("active| 5242880 bytes ")));
}

// A child sleeps for 30 ms after its start, which takes less than one.
TEST_F(Ends, ComeWithTheLastProcessThatHasTheSocket) {
  EXPECT_THAT(Between("leave"),
              ElementsAre("active| connected after 20 us", "active| 0 bytes after 30 ms"));
  EXPECT_THAT(Between("leave", kLinkIsDown),
              ElementsAre("active| connected after 20 us", "active| 0 bytes after 630 ms"));
}

}  // namespace
}  // namespace cm::app
