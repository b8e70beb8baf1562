// `cmcheck lab compare` as a shell runs it. The reports are the simulator's own; those of the lab
// have the same format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A folder with a report of four sequences in it.
class CompareTest : public testing::Test {
 protected:
  CompareTest() {
    const Ended ended = folder_.Cmcheck({"run", "--sequences", "4", "--keep", "--report", "lab"});
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
  }

  Ended Compare(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"lab", "compare", "lab", "--output", "fidelity.md"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return folder_.Cmcheck(arguments);
  }
  // Exit code 2, one line with `what` in it, no document.
  void ExpectUnusable(const Ended& ended, const std::string& what) {
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr(what)));
    EXPECT_THAT(ended.output, IsEmpty());
    EXPECT_THAT(folder_.Files(), Not(Contains("fidelity.md")));
  }

  CmcheckFolder folder_;
};

constexpr const char* kConversation = "lab/conversations/000002.conv";

TEST_F(CompareTest, TheSimulatorIsLikeItself) {
  const Ended ended = Compare({"--json", "fidelity.json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("100.00 %"), HasSubstr("fidelity.md")));
  EXPECT_THAT(folder_.Read("fidelity.md"),
              AllOf(HasSubstr("--sequences 4 --calls 20"), HasSubstr("Nowhere.")));
  EXPECT_THAT(folder_.Read("fidelity.json"), HasSubstr("\"differences\": []"));
}

TEST_F(CompareTest, TooFewEqualSequencesAreAFinding) {
  std::string text = folder_.Read(kConversation);
  const std::string answer = "rdma_create_event_channel c1";
  const size_t at = text.find(" -> 0", text.find(answer, text.find("\n----")));
  ASSERT_NE(at, std::string::npos);
  folder_.Write(kConversation, text.replace(at, 5, " -> -1 EPERM"));
  const Ended ended = Compare({"--min-fault-free", "100", "--min-faulted", "100"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output << ended.error;
  EXPECT_THAT(folder_.Read("fidelity.md"),
              AllOf(HasSubstr("the tables lack a row"), HasSubstr("-> -1 EPERM")));
}

TEST_F(CompareTest, WhatIsNoReportIsUnusable) {
  ExpectUnusable(folder_.Cmcheck({"lab", "compare", "nowhere", "--output", "fidelity.md"}),
                 "nowhere/results.json");
  folder_.Write("lab/results.json", "{");
  ExpectUnusable(Compare(), "lab/results.json: not a whole JSON object");
}

TEST_F(CompareTest, ADamagedConversationIsUnusable) {
  const std::string text = folder_.Read(kConversation);
  folder_.Write(kConversation, text.substr(0, text.size() * 3 / 4));
  ExpectUnusable(Compare(), "000002.conv:");
}

TEST_F(CompareTest, ADocumentThatCannotBeWrittenIsSaidBeforehand) {
  ExpectUnusable(folder_.Cmcheck({"lab", "compare", "lab", "--output", "none/fidelity.md"}),
                 "none/fidelity.md");
}

}  // namespace
}  // namespace cm
