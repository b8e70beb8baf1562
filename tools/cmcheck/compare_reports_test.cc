// `cmcheck compare` of two folders.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

constexpr const char* kFinding = "now/findings/rows-1-rdma_listen.conv";

// An answer, an event, and a time that a test changes.
std::string Conversation(const std::string& answer, const std::string& time = "20us") {
  return "topology two-kernels\nprofile 6.1-rxe\nactive rdma_create_event_channel C\n"
         "active rdma_create_id A on=C\nactive rdma_listen A backlog=4\n"
         "----\n0us  active rdma_create_event_channel C -> 0\n"
         "0us  active rdma_create_id A on=C -> 0\n" +
         time + "  active rdma_listen A backlog=4 -> " + answer + "\n";
}

class CompareReports : public testing::Test {
 protected:
  CompareReports() {
    fs::create_directories(folder_.path() / "before");
    fs::create_directories(folder_.path() / "now");
  }
  Ended Run(const std::string& report, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"run", "--report", report, "--sequences"};
    all.insert(all.end(), more.begin(), more.end());
    return folder_.Cmcheck(all);
  }
  Ended Compare(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"compare", "before", "now"};
    all.insert(all.end(), more.begin(), more.end());
    return folder_.Cmcheck(all);
  }

  CmcheckFolder folder_;
};

TEST_F(CompareReports, ADefectChangesExactlyTheConversationsThatFail) {
  const std::vector<std::string> run = {"run", "--sequences", "60", "--keep", "--report"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = run;
    all.insert(all.end(), more.begin(), more.end());
    return folder_.Cmcheck(all).exit_code;
  };
  ASSERT_EQ(with({"before"}), 0);
  ASSERT_EQ(with({"now", "--defect", "connect-wrong-errno"}), 1);
  const Ended ended = Compare();
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  const std::string results = folder_.Read("now/results.json");
  const size_t at = results.find("\"failed\": ") + 10;
  const std::string failed = results.substr(at, results.find(',', at) - at);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr(failed + "  with other answers or events"),
                    HasSubstr("failed: 0 before, " + failed + " now"), HasSubstr(" -> -1 ENOTCONN"),
                    HasSubstr("        0  the same but for times")));
}

TEST_F(CompareReports, ARunThatDoesNotGoOnLeavesNoConversationsOfAnEarlierOne) {
  const fs::path kept = folder_.path() / "now/conversations";
  EXPECT_EQ(Run("now", {"3", "--keep", "--journal", "j"}).exit_code, 0);
  EXPECT_EQ(Run("now", {"4", "--keep", "--journal", "j"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(kept / "000000.conv")) << "the run goes on";
  EXPECT_EQ(Run("now", {"4", "--conversations", "now/conversations"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(kept / "000000.conv")) << "they are given";
  EXPECT_EQ(Run("now", {"2"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(kept));
  fs::create_directory(folder_.path() / "before/conversations");
  folder_.Write("before/conversations/000007.conv", Conversation("0"));
  EXPECT_EQ(Run("before", {"2"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "before/conversations/000007.conv"))
      << "there was no report";
}

TEST_F(CompareReports, ARunWithANewJournalDoesNotGoOn) {
  EXPECT_EQ(Run("now", {"20", "--keep"}).exit_code, 0);
  EXPECT_EQ(Run("now", {"10", "--keep", "--journal", "j"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_.path() / "now/conversations/000009.conv"));
  EXPECT_FALSE(fs::exists(folder_.path() / "now/conversations/000010.conv"));
}

TEST_F(CompareReports, ARunThatIsRefusedLeavesTheReportOfTheOneBefore) {
  EXPECT_EQ(Run("now", {"2", "--keep", "--journal", "j"}).exit_code, 0);
  fs::create_directory(folder_.path() / "now/findings");
  folder_.Write(kFinding, Conversation("0"));
  for (const char* journal : {"no/where", "j"}) {
    EXPECT_EQ(Run("now", {"2", "--seed", "2", "--journal", journal}).exit_code, 2);
    EXPECT_TRUE(fs::exists(folder_.path() / "now/results.json")) << journal;
    EXPECT_TRUE(fs::exists(folder_.path() / "now/conversations/000001.conv")) << journal;
    EXPECT_TRUE(fs::exists(folder_.path() / kFinding)) << journal;
  }
}

// As in the sources of a kernel.
TEST_F(CompareReports, ARunRemovesNothingOfTheUsersFromWhereItsReportStands) {
  EXPECT_EQ(Run("now", {"1"}).exit_code, 0);
  const fs::path now = folder_.path() / "now";
  const char* const folders[] = {"kernel", "conversations", "not-alone", "findings"};
  const char* const of_runs[] = {"000001.conv", "000002.conv.part", "000003-alone.conv"};
  for (const std::string folder : folders) {
    fs::create_directories(now / folder / "sched");
    for (const std::string name : of_runs) folder_.Write("now/" + folder + "/" + name, "x");
    folder_.Write("now/" + folder + "/fork.c", "x");
  }
  folder_.Write("now/kernel/boot.log", "x");
  folder_.Write("now/kernel/20240315-boot.log", "x");
  folder_.Write("now/kernel/000003-alone.log", "x");
  folder_.Write("now/conversations/mine.conv", "x");
  EXPECT_EQ(Run("now", {"1"}).exit_code, 0);
  for (const char* folder : folders) {
    EXPECT_TRUE(fs::exists(now / folder / "sched")) << folder;
    EXPECT_TRUE(fs::exists(now / folder / "fork.c")) << folder;
    for (const char* name : of_runs) EXPECT_FALSE(fs::exists(now / folder / name)) << name;
  }
  EXPECT_TRUE(fs::exists(now / "kernel/boot.log"));
  EXPECT_TRUE(fs::exists(now / "kernel/20240315-boot.log"));
  EXPECT_FALSE(fs::exists(now / "kernel/000003-alone.log"));
  EXPECT_TRUE(fs::exists(now / "conversations/mine.conv"));
}

// As that of a guest of one's own.
TEST_F(CompareReports, ARunRemovesNoFileThatIsCalledLikeAFolderOfItsReport) {
  EXPECT_EQ(Run("now", {"1"}).exit_code, 0);
  folder_.Write("now/kernel", "x");
  EXPECT_EQ(Run("now", {"1"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("now/kernel"), "x");
}

TEST_F(CompareReports, OfTwoImplementationsLeavesTheFindingsOfARun) {
  fs::create_directory(folder_.path() / "now/findings");
  fs::create_directory(folder_.path() / "sim");  // has the name of one, and is none
  folder_.Write(kFinding, Conversation("0"));
  const Ended ended =
      folder_.Cmcheck({"compare", "sim", "sim", "--sequences", "1", "--report", "now"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_TRUE(fs::exists(folder_.path() / kFinding));
}

TEST_F(CompareReports, TimesAloneAreNoDifference) {
  folder_.Write("before/one.conv", Conversation("0"));
  folder_.Write("now/one.conv", Conversation("0", "25us"));
  const Ended ended = Compare();
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("        1  the same but for times"));
}

TEST_F(CompareReports, AnAnswerOfAConversationByHandIsOne) {
  folder_.Write("before/one.conv", Conversation("0"));
  folder_.Write("now/one.conv", Conversation("-1 EINVAL"));
  folder_.Write("now/two.conv", Conversation("0"));
  const Ended ended = Compare();
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("one.conv: line 3, active rdma_listen A backlog=4"),
                    HasSubstr("before  active rdma_listen A backlog=4 -> 0\n"),
                    HasSubstr("now     active rdma_listen A backlog=4 -> -1 EINVAL\n"),
                    HasSubstr("only two.conv in now")));
}

// Only where another run of the same parts as early.
TEST_F(CompareReports, WhatDiffersFromRunToRunIsNoChange) {
  fs::create_directories(folder_.path() / "again");
  for (const char* name : {"steady", "unsteady"}) {
    folder_.Write(fmt::format("before/{}.conv", name), Conversation("0"));
    folder_.Write(fmt::format("now/{}.conv", name), Conversation("-1 EINVAL"));
  }
  folder_.Write("again/steady.conv", Conversation("0", "30us"));
  folder_.Write("again/unsteady.conv", Conversation("-1 EAGAIN"));
  EXPECT_THAT(Compare().output, HasSubstr("        2  with other answers or events"));
  const Ended ended = Compare({"--again", "again"});
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  EXPECT_THAT(ended.output,
              AllOf(StartsWith("steady.conv: line 3"), Not(HasSubstr("unsteady.conv: line")),
                    HasSubstr("        1  with other answers or events"),
                    HasSubstr("        1  that differ between two runs of before as well")));
  fs::remove(folder_.path() / "before" / "steady.conv");
  EXPECT_EQ(Compare({"--again", "again"}).exit_code, 3) << "nothing is left that could be compared";
}

TEST_F(CompareReports, WhatCannotBeComparedIsUnusable) {
  EXPECT_THAT(Compare().error, HasSubstr("before: no conversations; `cmcheck run --keep`"));
  folder_.Write("before/one.conv", Conversation("0"));
  folder_.Write("now/one.conv", Conversation("zero"));
  const Ended damaged = Compare();
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_THAT(damaged.error, AllOf(HasSubstr("one.conv:9: "), HasSubstr("\"zero\"")));
  EXPECT_THAT(damaged.output, IsEmpty());
  const Ended half = folder_.Cmcheck({"compare", "before", "sim"});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_THAT(half.error, HasSubstr("before is a folder, and sim is none"));
}

}  // namespace
}  // namespace cm
