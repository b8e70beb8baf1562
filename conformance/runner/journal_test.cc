// Written lines are read back, also after a kill; a file that is no journal is refused.
#include "conformance/runner/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace cm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::StartsWith;

namespace fs = std::filesystem;

SequenceResult Rich(uint64_t index) {
  SequenceResult result{.index = index,
                        .walk = "removal",
                        .topology = "bond",
                        .verdict = Verdict::kKnownDeviation,
                        .reason = "a \"quoted\" reason"};
  result.findings = {{.id = "ROWS-1",
                      .about = "rdma_bind_addr",
                      .saw = "-1 EINVAL\nand a second line",
                      .permitted = "0; -1 EADDRINUSE",
                      .source = "bind-1 (man rdma_bind_addr(3))",
                      .index = index,
                      .record = 7,
                      .where = "active rdma_bind_addr A addr=active:0"},
                     {.id = "LEAK-1", .about = "end", .index = index}};
  result.digest = 0xfedcba9876543210;
  result.wire_digest = 0x8000000000000001;
  result.calls = 20;
  result.events = 3;
  result.observations = 19;
  result.sharp = 18;
  result.largest_set = 64;
  result.followed_in_part = true;
  result.reached.set(0);
  result.reached.set(model::RuleCount() - 1);
  result.confirmed.set(5);
  result.heard[2] = 4;
  result.arose = {0, 3, 1};
  return result;
}

class JournalFile : public testing::Test {
 protected:
  JournalFile() { fs::remove(path_); }

  // The error, or empty.
  std::string Write(std::initializer_list<uint64_t> numbers) {
    auto opened = Journal::Open(path_, "sim seed=1");
    if (auto* problem = std::get_if<std::string>(&opened)) return *problem;
    std::string problems;
    for (const uint64_t number : numbers)
      problems += std::get<std::unique_ptr<Journal>>(opened)->Add(Rich(number));
    return problems;
  }
  JournalContent Content() {
    auto read = ReadJournal(path_, "sim seed=1");
    if (auto* problem = std::get_if<std::string>(&read)) {
      ADD_FAILURE() << *problem;
      return {};
    }
    return std::get<JournalContent>(std::move(read));
  }
  std::string Problem(const std::string& campaign = "sim seed=1") {
    auto read = ReadJournal(path_, campaign);
    auto* problem = std::get_if<std::string>(&read);
    return problem == nullptr ? "" : *problem;
  }
  std::string Text() {
    std::ifstream in(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  void Replace(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

  const std::string path_ = testing::TempDir() + "/campaign.journal";
};

TEST(JournalLine, ReadsBackAsItWasWritten) {
  const SequenceResult written = Rich(41);
  const std::string line = ToJsonLine(written);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = ParseJsonLine(line);
  ASSERT_TRUE(std::holds_alternative<SequenceResult>(parsed)) << std::get<std::string>(parsed);
  const auto& read = std::get<SequenceResult>(parsed);
  EXPECT_EQ(read.index, 41u);
  EXPECT_EQ(read.walk, written.walk);
  EXPECT_EQ(read.topology, written.topology);
  EXPECT_EQ(read.verdict, written.verdict);
  EXPECT_EQ(read.reason, written.reason);
  EXPECT_EQ(read.digest, written.digest);
  EXPECT_EQ(read.wire_digest, written.wire_digest);
  EXPECT_EQ(read.calls, written.calls);
  EXPECT_EQ(read.events, written.events);
  EXPECT_EQ(read.observations, written.observations);
  EXPECT_EQ(read.sharp, written.sharp);
  EXPECT_EQ(read.largest_set, written.largest_set);
  EXPECT_EQ(read.followed_in_part, written.followed_in_part);
  EXPECT_EQ(read.reached, written.reached);
  EXPECT_EQ(read.confirmed, written.confirmed);
  EXPECT_EQ(read.heard, written.heard);
  EXPECT_EQ(read.arose, written.arose);
  ASSERT_EQ(read.findings.size(), 2u);
  const Finding& finding = read.findings.front();
  EXPECT_EQ(finding.id, "ROWS-1");
  EXPECT_EQ(finding.about, "rdma_bind_addr");
  EXPECT_EQ(finding.saw, written.findings.front().saw);
  EXPECT_EQ(finding.permitted, written.findings.front().permitted);
  EXPECT_EQ(finding.source, written.findings.front().source);
  EXPECT_EQ(finding.index, 41u);
  EXPECT_EQ(finding.record, 7u);
  EXPECT_EQ(finding.where, written.findings.front().where);
  EXPECT_EQ(ToJsonLine(read), line);
}

TEST(JournalLine, KeepsEveryVerdict) {
  for (const Verdict verdict : {Verdict::kPassed, Verdict::kFailed, Verdict::kInconclusive,
                                Verdict::kUnsupported, Verdict::kKnownDeviation}) {
    SequenceResult result = Rich(0);
    result.verdict = verdict;
    const auto parsed = ParseJsonLine(ToJsonLine(result));
    ASSERT_TRUE(std::holds_alternative<SequenceResult>(parsed));
    EXPECT_EQ(std::get<SequenceResult>(parsed).verdict, verdict);
  }
}

TEST(JournalLine, WithAnUnknownVerdictOrWithoutAFieldIsNotRead) {
  std::string line = ToJsonLine(Rich(0));
  const std::string verdict = "known deviation";
  line.replace(line.find(verdict), verdict.size(), "splendid");
  EXPECT_EQ(std::get<std::string>(ParseJsonLine(line)), "'splendid' is no verdict");
  EXPECT_THAT(std::get<std::string>(ParseJsonLine("{\"i\": 3}")), HasSubstr("walk"));
  EXPECT_TRUE(std::holds_alternative<std::string>(ParseJsonLine("{\"i\": \"three\"}")));
  EXPECT_TRUE(std::holds_alternative<std::string>(ParseJsonLine("")));
}

TEST_F(JournalFile, ThatIsNotThereIsEmpty) { EXPECT_THAT(Content(), IsEmpty()); }

TEST_F(JournalFile, IsReadByNumberAndContinued) {
  EXPECT_EQ(Write({3, 1}), "");
  EXPECT_EQ(Write({7}), "");
  EXPECT_THAT(Content(), ElementsAre(Key(1), Key(3), Key(7)));
  EXPECT_EQ(ToJsonLine(Content().at(3)), ToJsonLine(Rich(3)));
}

TEST_F(JournalFile, OfAnotherCampaignIsRefused) {
  EXPECT_EQ(Write({1}), "");
  EXPECT_EQ(Problem("sim seed=2"),
            path_ + " is the journal of another campaign or of another build");
}

TEST_F(JournalFile, OfABuildWithOtherRulesIsRefused) {
  EXPECT_EQ(Write({1}), "");
  std::string text = Text();
  const size_t at = text.find("\"vocabulary\":\"") + 14;
  text[at] = text[at] == '0' ? '1' : '0';
  Replace(text);
  EXPECT_THAT(Problem(), HasSubstr("another build"));
}

TEST_F(JournalFile, WithADamagedLineIsRefusedNamingTheLine) {
  EXPECT_EQ(Write({1, 2, 3}), "");
  std::string text = Text();
  const size_t second = text.find("{\"i\":2");
  text[second] = '#';
  Replace(text);
  EXPECT_THAT(Problem(), StartsWith(path_ + ":3: "));
  EXPECT_EQ(Problem().find('\n'), std::string::npos);
}

TEST_F(JournalFile, CutOffByAKillLosesItsLastLineAndIsContinued) {
  EXPECT_EQ(Write({1, 2}), "");
  const std::string whole = Text();
  // Wherever it was cut within the last line.
  for (size_t end = whole.find("{\"i\":2"); end < whole.size(); ++end) {
    Replace(whole.substr(0, end));
    EXPECT_THAT(Content(), ElementsAre(Key(1))) << end;
    EXPECT_EQ(Write({2}), "");
    EXPECT_EQ(Text(), whole) << end;
    EXPECT_THAT(Content(), ElementsAre(Key(1), Key(2)));
  }
}

TEST_F(JournalFile, CutOffWithinItsFirstLineIsBegunAgain) {
  EXPECT_EQ(Write({}), "");
  const std::string first_line = Text();
  Replace(first_line.substr(0, first_line.size() / 2));
  EXPECT_THAT(Content(), IsEmpty());
  EXPECT_EQ(Write({1}), "");
  EXPECT_THAT(Content(), ElementsAre(Key(1)));
}

TEST_F(JournalFile, ThatCannotBeWrittenIsAProblemOfOneLine) {
  const auto nowhere = Journal::Open("/nonexistent/campaign.journal", "sim seed=1");
  EXPECT_EQ(std::get<std::string>(nowhere),
            "/nonexistent/campaign.journal: No such file or directory");
  const auto folder = ReadJournal(testing::TempDir(), "sim seed=1");
  EXPECT_EQ(std::get<std::string>(folder),
            testing::TempDir() + " is no regular file, so no journal");
  const auto endless = ReadJournal("/dev/zero", "sim seed=1");
  EXPECT_EQ(std::get<std::string>(endless), "/dev/zero is no regular file, so no journal");
}

}  // namespace
}  // namespace cm
