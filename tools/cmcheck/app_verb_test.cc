// The verb `app` as its users meet it. What it does with programs is tested in //tools/app.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <csignal>
#include <string>
#include <vector>

#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What is started loads an object of this build.
class AppPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized)
      GTEST_SKIP() << "programs without a sanitizer cannot load an object that has one";
  }
};

TEST_F(AppPrograms, NamesOfAddressesBecomeNumbersAndOutputHasItsSide) {
  const CmcheckFolder folder;
  const Ended ended = folder.Cmcheck(
      {"app", "--", "echo", "at", "{passive}", ":", "@active", "echo", "{active.v6}"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(LinesOf(ended.output),
              ElementsAre("passive| at 10.0.1.1", "active| fd00::1", "passive: exit code 0",
                          "active: exit code 0", HasSubstr("0us of virtual time, digest ")));
}

TEST_F(AppPrograms, ConversationGoesToItsFile) {
  const CmcheckFolder folder;
  EXPECT_EQ(folder.Cmcheck({"app", "--trace", "run.txt", "--", "false"}).exit_code, 1);
  EXPECT_THAT(LinesOf(folder.Read("run.txt")), ElementsAre(HasSubstr("passive exit code 1")));
}

TEST_F(AppPrograms, FaultsOfTheHelpAreAccepted) {
  const CmcheckFolder folder;
  std::string faults;
  for (const std::string& line : LinesOf(folder.Cmcheck({"app", "--help"}).output))
    if (line.starts_with("  pass ") || line.starts_with("  fault ")) faults += line + "\n";
  EXPECT_THAT(faults, HasSubstr("fault"));
  folder.Write("faults.txt", faults);
  const Ended ended = folder.Cmcheck({"app", "--faults", "faults.txt", "--", "true"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
}

struct Bad {
  std::vector<std::string> arguments;
  const char* says;
};

TEST(AppVerb, RefusesWhatItCannotUse) {
  const CmcheckFolder folder;
  folder.Write("faults.txt", "pass 1ms\nfault explode\n");
  const std::vector<Bad> all = {
      {{"@middle", "true"}, "no side 'middle' for programs; sides are active, passive"},
      {{"true", ":"}, "program 2 is empty"},
      {{"true", ":", "true", ":", "true"}, "program 3: topology two-kernels has 2 sides"},
      {{"ping", "{nobody}"}, "'{nobody}' names no address"},
      {{"--topology", "moon", "true"}, "there is no topology 'moon'"},
      {{"--limit", "soon", "true"}, "--limit soon: accepted are the likes of 90s"},
      {{"--stays", "middle", "true"}, "--stays middle: topology two-kernels has the sides"},
      {{"--faults", "none.txt", "true"}, "--faults none.txt: cannot be read"},
      {{"--faults", "faults.txt", "true"}, "faults.txt: line 2: 'fault explode'"},
  };
  for (const Bad& bad : all) {
    std::vector<std::string> arguments = {"app"};
    arguments.insert(arguments.end(), bad.arguments.begin(), bad.arguments.end());
    const Ended ended = folder.Cmcheck(arguments);
    EXPECT_EQ(ended.exit_code, 2) << bad.says;
    EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr(bad.says)));
  }
}

TEST_F(AppPrograms, EndWhenNobodyReadsWhatTheyPrint) {
  const CmcheckFolder folder;
  std::vector<std::string> command = {"/bin/sh", "-c", "{ \"$@\"; echo $? >code; } | head -2", "sh"};
  for (const std::string& word : folder.CommandOf({"app", "--", "yes"})) command.push_back(word);
  const Ended ended = Running(command, {}, folder.path()).Wait();
  EXPECT_THAT(LinesOf(ended.output), ElementsAre("passive| y", "passive| y"));
  EXPECT_EQ(folder.Read("code"), "2\n");
  EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr("standard output cannot be written")));
}

TEST_F(AppPrograms, EndWhenTheVerbIsInterrupted) {
  const CmcheckFolder folder;
  Running running(folder.CommandOf({"app", "--", "sh", "-c", ": >started; while :; do :; done"}),
                  {}, folder.path());
  // The program says when it has started.
  while (folder.Files().empty()) sched_yield();
  running.Signal(SIGINT);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.output, HasSubstr("passive thread 1: runs, and asks for nothing"));
}

}  // namespace
}  // namespace cm
