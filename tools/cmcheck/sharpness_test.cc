// `cmcheck sharpness` as a shell runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A folder with its own copy of a recording, in 6.1-rxe/.
class SharpnessVerb : public testing::Test {
 protected:
  SharpnessVerb() {
    fs::create_directories(folder_.path() / "6.1-rxe");
    CopyRecording("21-addr_no_route");
  }

  void CopyRecording(const std::string& name) const {
    const std::string file = "6.1-rxe/" + name + ".jsonl";
    fs::copy_file(DataFile("conformance/recordings/" + file), folder_.path() / file);
  }

  Ended Measure(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"sharpness"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return folder_.Cmcheck(all);
  }
  // Exit code 2, one line with `what` in it.
  static void ExpectUnusable(const Ended& ended, const std::string& what) {
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.error, HasSubstr(what));
    EXPECT_THAT(ended.output, IsEmpty());
  }

  CmcheckFolder folder_;
};

TEST_F(SharpnessVerb, PrintsTheShareOfEachKind) {
  const Ended ended = Measure({"."});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, AllOf(StartsWith("1 recordings, "), HasSubstr("\nslow call "),
                                  HasSubstr("100.00 %"), Not(HasSubstr("message order"))));
  EXPECT_THAT(ended.error, HasSubstr("1 of 1 files"));
}

// Both its sides disconnect at once: one of ten events of it may never come.
TEST_F(SharpnessVerb, FailsBelowTheShareUnlessTheOthersHaveReasons) {
  CopyRecording("03-disconnect_from_both_sides");
  const Ended below = Measure({".", "--list-permitted"});
  EXPECT_EQ(below.exit_code, 1);
  EXPECT_THAT(LinesOf(below.output), Contains("below 95 %: never of recordings"));
  const std::string name = "6.1-rxe/03-disconnect_from_both_sides:21 time in time -> never\n";
  EXPECT_THAT(below.output, HasSubstr("permitted " + name + "          no reason is listed\n"));
  EXPECT_EQ(Measure({".", "--at-least", "80"}).exit_code, 0);

  folder_.Write("admissible.txt", "# That is open.\n" + name + "6.1-rxe/03-*:21 status *\n");
  const Ended listed = Measure({".", "--list-permitted"});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.output, AllOf(HasSubstr("permitted " + name + "          That is open.\n"),
                                   HasSubstr("listed as permitted, and refused 6.1-rxe/03-")));
}

TEST_F(SharpnessVerb, IsTheSameWithTwoThreads) {
  CopyRecording("03-disconnect_from_both_sides");
  EXPECT_EQ(Measure({".", "--list-permitted", "--jobs", "2"}).output,
            Measure({".", "--list-permitted"}).output);
}

TEST_F(SharpnessVerb, NamesAFileThatItCannotMeasure) {
  folder_.Write("6.1-rxe/99-damaged.jsonl", "{\"k\":\"call\"\n");
  const Ended ended = Measure({"."});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("6.1-rxe/99-damaged.jsonl: line 1: "), HasSubstr("1 recordings")));
}

TEST_F(SharpnessVerb, NamesAFileThatIsRefusedAsItStands) {
  std::string text = folder_.Read("6.1-rxe/21-addr_no_route.jsonl");
  const std::string good = "\"ret\":0,\"errno\":\"0\"";
  text.replace(text.find(good), good.size(), R"("ret":-1,"errno":"EBUSY")");
  folder_.Write("6.1-rxe/99-refused.jsonl", text);
  const Ended ended = Measure({"."});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, AllOf(HasSubstr("99-refused.jsonl: line "), HasSubstr("is refused")));
}

TEST_F(SharpnessVerb, WantsAProfileWhereNoFolderNamesOne) {
  fs::rename(folder_.path() / "6.1-rxe", folder_.path() / "mine");
  const Ended unknown = Measure({"mine"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("--profile gives none"));
  EXPECT_EQ(Measure({"mine", "--profile", "6.1-rxe"}).exit_code, 0);
  ExpectUnusable(Measure({"mine", "--profile", "5.4"}), "5.4");
}

TEST_F(SharpnessVerb, MeasuresConversationsAndCaptures) {
  const Ended ended = Measure({DataFile("conformance/scenarios/rejection"),
                               DataFile("model/mad/captures/reject_by_consumer.pcap")});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr(" conversations, "), HasSubstr("1 captures, ")));
}

TEST_F(SharpnessVerb, WritesAPage) {
  EXPECT_EQ(Measure({".", "--page", "page.md"}).exit_code, 0);
  EXPECT_THAT(folder_.Read("page.md"), AllOf(HasSubstr("# Sharpness\n"), HasSubstr("| never | ")));
  ExpectUnusable(Measure({".", "--page", "nowhere/page.md"}), "nowhere");
}

TEST_F(SharpnessVerb, RefusesFoldersWithNothingToMeasure) {
  ExpectUnusable(Measure({"nowhere"}), "nowhere: there is no such file");
  fs::create_directory(folder_.path() / "empty");
  ExpectUnusable(Measure({"empty"}), "there is no recording");
}

}  // namespace
}  // namespace cm
