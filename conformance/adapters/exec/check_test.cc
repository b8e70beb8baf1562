#include "conformance/adapters/exec/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cm {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Result {
  int ok = 0;
  std::vector<std::string> problems;  // "name: problem"
  std::vector<std::string> left_out;
};

Result Tries(const std::string& driver, Duration answers_within = DriverPlace().answers_within) {
  Result result;
  const DriverPlace place{.command = "conformance/adapters/exec/" + driver,
                          .answers_within = answers_within};
  CheckDriver(place, [&](const Tried& tried) {
    const std::string text = std::string(tried.name) + ": " + tried.problem;
    if (tried.problem.empty())
      ++result.ok;
    else
      (tried.left_out ? result.left_out : result.problems).push_back(text);
    return true;
  });
  return result;
}

TEST(CheckDriver, TheSimulatorKeepsTheProtocol) {
  const Result result = Tries("sim_driver");
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(result.left_out, IsEmpty());
  EXPECT_EQ(result.ok, 16);
}

// It was written with docs/driver_protocol.md alone in hand.
TEST(CheckDriver, TheToyInPythonKeepsTheProtocol) {
  CheckDriver(
      {.command = "python3 conformance/adapters/exec/toy_driver.py"}, [&](const Tried& tried) {
        EXPECT_TRUE(tried.problem.empty() || tried.left_out) << tried.name << ": " << tried.problem;
        return true;
      });
}

TEST(CheckDriver, SaysWhatIsWrongWithEachTryAndGoesOn) {
  const Result result = Tries("awkward_driver refuses-all");
  EXPECT_THAT(result.problems,
              Contains("objects are made and destroyed: to \"active rdma_create_event_channel C\" "
                       "it answered \"-1 EINVAL\", and \"0\" is wanted"));
  EXPECT_THAT(result.problems, Contains(HasSubstr("nonsense is refused")));
  EXPECT_THAT(result.left_out, ElementsAre("calls made at once: it has no lanes"));
  EXPECT_GE(result.ok, 2);
}

TEST(CheckDriver, NamesADriverThatLetsNoTimePass) {
  const Result result = Tries("awkward_driver early");
  EXPECT_THAT(result.problems,
              Contains(AllOf(HasSubstr("a wait for nothing ends quiet: to \"active wait C "
                                       "within=500ms\" it answered \"quiet\": it came after "),
                             HasSubstr("and 500ms were to pass"))));
  EXPECT_THAT(result.problems,
              Contains(AllOf(HasSubstr("time passes: to \"pass 500ms\" it answered \"done\": "),
                             HasSubstr("and 500ms were to pass"))));
  EXPECT_THAT(Tries("awkward_driver").problems, Each(Not(HasSubstr("were to pass"))));
}

TEST(CheckDriver, EndsWithTheFirstSilence) {
  int tries = 0;
  CheckDriver({.command = "conformance/adapters/exec/awkward_driver silent-at-begin",
               .answers_within = Duration::Seconds(1)},
              [&](const Tried& tried) {
                ++tries;
                EXPECT_THAT(tried.problem, HasSubstr("no line within"));
                return true;
              });
  EXPECT_EQ(tries, 1);
}

TEST(CheckDriver, EndsWhenItIsNotToGoOn) {
  int tries = 0;
  CheckDriver({.command = "conformance/adapters/exec/sim_driver"}, [&](const Tried& tried) {
    ++tries;
    EXPECT_THAT(tried.problem, IsEmpty());
    return tries < 2;
  });
  EXPECT_EQ(tries, 2);
}

TEST(CheckDriver, SaysThatADriverOutlivesItsInput) {
  EXPECT_THAT(Tries("awkward_driver does-not-end", Duration::Seconds(2)).problems,
              Contains("a conversation without lines: it does not end within 2s of its input's "
                       "end"));
}

TEST(CheckDriver, EndsWithTheGreetingWhenThereIsNone) {
  EXPECT_THAT(Tries("awkward_driver unknown-group").problems,
              ElementsAre(HasSubstr("the greeting: conformance/adapters/exec/awkward_driver "
                                    "unknown-group: without: \"wings\" is none of")));
  EXPECT_THAT(Tries("no_such_driver").problems, ElementsAre(HasSubstr("exit code 127")));
}

}  // namespace
}  // namespace cm
