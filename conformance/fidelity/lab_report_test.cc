// Reports of the lab, whole and damaged: for a damaged one the error is one line that names the
// file.
#include "conformance/fidelity/lab_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/fidelity/test_histories.h"

namespace cm {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kResults = R"({"implementation": "librdmacm 44.0-2", "profile": "6.1-rxe",
  "topology": "bond", "library": "44.0-2", "kernel": "6.1.0", "digest": "0x1", "seed": 1,
  "first": 0, "sequences": 1, "failed": 0, "inconclusive": 0})";

// A report with one conversation, in a folder of its own.
class LabReportTest : public testing::Test {
 protected:
  LabReportTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "conversations");
    Write("results.json", kResults);
    Write("conversations/000007.conv", FileOf(Listening()));
  }
  ~LabReportTest() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc) << text;
  }
  // The error about the folder, which must be one line.
  std::string Problem() const {
    const auto read = ReadLabReport(folder_);
    const auto* problem = std::get_if<std::string>(&read);
    EXPECT_NE(problem, nullptr);
    if (problem == nullptr) return {};
    EXPECT_THAT(*problem, Not(HasSubstr("\n")));
    return *problem;
  }
  std::string ProblemOfConversation(const std::string& text) {
    Write("conversations/000007.conv", text);
    const auto read = ReadLabConversation(folder_ / "conversations/000007.conv");
    const auto* problem = std::get_if<std::string>(&read);
    EXPECT_NE(problem, nullptr);
    if (problem == nullptr) return {};
    EXPECT_THAT(*problem, AllOf(HasSubstr("000007.conv"), Not(HasSubstr("\n"))));
    return *problem;
  }

  fs::path folder_;
};

TEST_F(LabReportTest, AWholeOneIsRead) {
  Write("conversations/000003.conv", FileOf(Listening()));
  Write("conversations/notes.txt", "not mine");
  const auto read = ReadLabReport(folder_);
  ASSERT_TRUE(std::holds_alternative<LabReport>(read)) << std::get<std::string>(read);
  const LabReport& report = std::get<LabReport>(read);
  EXPECT_EQ(report.library, "44.0-2");
  ASSERT_EQ(report.conversations.size(), 2u);
  EXPECT_EQ(report.conversations[0].filename(), "000003.conv");
  const auto history = ReadLabConversation(report.conversations[1]);
  ASSERT_TRUE(std::holds_alternative<History>(history));
  EXPECT_EQ(std::get<History>(history).records.size(), 4u);
}

TEST_F(LabReportTest, WithoutResultsItIsNoReport) {
  fs::remove(folder_ / "results.json");
  EXPECT_THAT(Problem(), AllOf(HasSubstr("results.json"), HasSubstr("cmcheck lab run")));
}

TEST_F(LabReportTest, ResultsThatAreCutOffAreNotRead) {
  Write("results.json", std::string(kResults).substr(0, 60));
  EXPECT_THAT(Problem(), HasSubstr("not a whole JSON object"));
}

TEST_F(LabReportTest, AFieldThatIsMissingOrOfAnotherTypeIsNamed) {
  Write("results.json", "{}");
  EXPECT_THAT(Problem(), HasSubstr("\"implementation\" is missing"));
  std::string results = kResults;
  results.replace(results.find("\"seed\": 1"), 9, "\"seed\": -1");
  Write("results.json", results);
  EXPECT_THAT(Problem(), HasSubstr("\"seed\" is not a number"));
}

TEST_F(LabReportTest, WithoutConversationsThereIsNothingToCompare) {
  fs::remove(folder_ / "conversations/000007.conv");
  EXPECT_THAT(Problem(), HasSubstr("has no conversations"));
  fs::remove_all(folder_ / "conversations");
  EXPECT_THAT(Problem(), HasSubstr("conversations"));
}

TEST_F(LabReportTest, AConversationThatIsCutOffIsNotRead) {
  const std::string whole = FileOf(Listening());
  EXPECT_NE(ProblemOfConversation(whole.substr(0, whole.size() / 2)), "");
  EXPECT_NE(ProblemOfConversation(whole.substr(0, whole.rfind("passive rdma_listen"))), "");
  EXPECT_NE(ProblemOfConversation(""), "");
}

TEST_F(LabReportTest, AConversationThatWasNotDrawnIsNotCompared) {
  std::string text = FileOf(Listening());
  const size_t begin = text.find("seed ");
  text.erase(begin, text.find('\n', begin) + 1 - begin);
  EXPECT_THAT(ProblemOfConversation(text), HasSubstr("drawn"));
}

}  // namespace
}  // namespace cm
