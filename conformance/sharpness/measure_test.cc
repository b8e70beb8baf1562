// How files are measured, with judges that permit too much.
#include "conformance/sharpness/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/recordings/testing.h"
#include "conformance/sharpness/sharpness.h"
#include "model/base/files.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A folder of the test's own, with a recording in 6.1-rxe/.
class MeasureTest : public testing::Test {
 protected:
  MeasureTest() {
    fs::create_directories(folder_ / "6.1-rxe");
    Write("6.1-rxe/01.jsonl", recording_);
  }
  ~MeasureTest() override { fs::remove_all(folder_); }

  void Write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file) << text;
  }
  Sharpness MeasureAll(const MeasureOptions& options = {}) const {
    return Measure(MeasurableFiles(folder_), options);
  }
  // What is wrong with the only file.
  std::string Problem(FileProblem expected) const {
    const Sharpness sharpness = MeasureAll();
    EXPECT_EQ(sharpness.files().size(), 1u);
    EXPECT_EQ(sharpness.files().front().problem, expected);
    return sharpness.files().front().why;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "measure_test";
  std::string recording_ = CarriedRecordingNumber("21").text;
};

// Judges that take no notice of some errnos.
SharpnessJudges WithoutSomeErrnos() {
  SharpnessJudges judges = OurJudges();
  judges.recording = [](std::string_view altered, const Profile& profile) {
    for (const std::string_view error : {"\"EBUSY\"", "\"ENOMEM\"", "\"EAGAIN\""})
      if (altered.find(error) != std::string_view::npos) return true;
    return OurJudges().recording(altered, profile);
  };
  return judges;
}

TEST_F(MeasureTest, CountsEachKind) {
  const Sharpness sharpness = MeasureAll();
  ASSERT_EQ(sharpness.measured(MeasuredFormat::kRecording), 1u);
  for (const std::string_view kind : {"errno", "event", "status", "late", "never", "slow call"})
    EXPECT_GT(sharpness.of(MeasuredFormat::kRecording, kind).all, 0u) << kind;
  EXPECT_EQ(sharpness.of(MeasuredFormat::kRecording, "message order").all, 0u);
  EXPECT_THAT(sharpness.Below(9500), IsEmpty());
  EXPECT_GT(sharpness.files().front().judged, 0u);
}

TEST_F(MeasureTest, NamesTheKindOfWhichAJudgePermitsTooMuch) {
  MeasureOptions options;
  options.judges = WithoutSomeErrnos();
  const Sharpness sharpness = MeasureAll(options);
  EXPECT_THAT(sharpness.Below(9500), ElementsAre("errno of recordings"));
  EXPECT_THAT(
      sharpness.files().front().permitted,
      AllOf(testing::Not(IsEmpty()), Each(Field(&PermittedAlteration::name, HasSubstr("01:")))));
}

TEST_F(MeasureTest, NamesEveryKindOfAJudgeThatPermitsEverything) {
  MeasureOptions options;
  options.judges.recording = [](std::string_view, const Profile&) { return true; };
  const Sharpness sharpness = MeasureAll(options);
  EXPECT_EQ(sharpness.all(MeasuredFormat::kRecording).refused, 0u);
  EXPECT_THAT(sharpness.Below(1), Contains("late of recordings"));
}

TEST_F(MeasureTest, GivesTheReasonOfWhatIsListedAbove) {
  Write("admissible.txt", "# This judge takes no notice of errnos.\n6.1-rxe/01:* reply *\n");
  MeasureOptions options;
  options.judges = WithoutSomeErrnos();
  const Sharpness sharpness = Measure({folder_ / "6.1-rxe" / "01.jsonl"}, options);
  const FileSharpness& file = sharpness.files().front();
  EXPECT_THAT(file.permitted,
              Each(Field(&PermittedAlteration::reason, "This judge takes no notice of errnos.")));
  EXPECT_THAT(file.listed_and_refused, Contains(HasSubstr("-> -1 EINVAL")));
}

TEST_F(MeasureTest, IsTheSameWithAnyNumberOfThreads) {
  for (const char* name : {"02", "03", "04"})
    Write(std::string("6.1-rxe/") + name + ".jsonl", CarriedRecordingNumber("05").text);
  MeasureOptions options;
  options.judges = WithoutSomeErrnos();
  const std::string one = SharpnessMarkdown(MeasureAll(options));
  options.jobs = 3;
  size_t calls = 0;
  options.on_file = [&](size_t done, size_t total) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(total, 4u);
  };
  EXPECT_EQ(SharpnessMarkdown(MeasureAll(options)), one);
  EXPECT_EQ(calls, 4u);
}

TEST_F(MeasureTest, EndsWhenItIsStopped) {
  MeasureOptions options;
  options.stopped = [] { return true; };
  EXPECT_THAT(MeasureAll(options).files(), IsEmpty());
}

TEST_F(MeasureTest, SaysWhyAFileIsNotRead) {
  Write("notes.txt", "none");
  fs::create_directory(folder_ / "folder.conv");
  const Sharpness sharpness = Measure({folder_ / "notes.txt", folder_ / "folder.conv"}, {});
  ASSERT_EQ(sharpness.files().size(), 2u);
  EXPECT_EQ(sharpness.files()[0].problem, FileProblem::kUnreadable);
  EXPECT_EQ(sharpness.files()[0].why, "its name ends in none of .jsonl, .conv, .pcap");
  EXPECT_EQ(sharpness.files()[1].why, "it cannot be read: it is a folder");
}

TEST_F(MeasureTest, NamesTheLineOfADamagedRecording) {
  Write("6.1-rxe/01.jsonl", "{\"k\":\"call\"\n");
  EXPECT_THAT(Problem(FileProblem::kUnreadable), StartsWith("line 1: "));
}

TEST_F(MeasureTest, NamesTheLineThatIsRefusedAsItStands) {
  std::string refused = recording_;
  const std::string good = "\"ret\":0,\"errno\":\"0\"";
  refused.replace(refused.find(good), good.size(), R"("ret":-1,"errno":"EBUSY")");
  Write("6.1-rxe/01.jsonl", refused);
  EXPECT_THAT(Problem(FileProblem::kRefused), HasSubstr(" is refused"));
}

TEST_F(MeasureTest, AsksForAProfileThatNothingNames) {
  fs::rename(folder_ / "6.1-rxe", folder_ / "mine");
  EXPECT_THAT(Problem(FileProblem::kUnreadable), HasSubstr("--profile"));
  MeasureOptions options;
  options.profile = &ReferenceProfile();
  EXPECT_EQ(MeasureAll(options).measured(MeasuredFormat::kRecording), 1u);
}

TEST_F(MeasureTest, RefusesConversationsWithoutAHistoryAndFilesThatAreNoCaptures) {
  fs::remove_all(folder_ / "6.1-rxe");
  Write("x.conv", "topology two-kernels\nprofile 6.1-rxe\nactive rdma_create_event_channel C\n");
  Problem(FileProblem::kUnreadable);
  fs::remove(folder_ / "x.conv");
  Write("x.pcap", "no capture");
  EXPECT_EQ(Problem(FileProblem::kUnreadable), "it is no capture");
}

TEST_F(MeasureTest, LeavesOtherFilesAlone) {
  Write("README.md", "# Notes\n");
  EXPECT_THAT(MeasurableFiles(folder_), ElementsAre(folder_ / "6.1-rxe" / "01.jsonl"));
}

}  // namespace
}  // namespace cm
