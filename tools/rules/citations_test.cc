// The source of every row has a known form, and its observation exists. What rows, conversations
// and documents cite is in the repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "tools/rules/lab_runs.h"
#include "tools/rules/protocol.h"
#include "tools/rules/recording_evidence.h"
#include "tools/rules/sources.h"

namespace cm::ruledoc {
namespace {

using model::AllRules;
using model::RuleInfo;
using model::RuleNumber;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Matches;
using testing::MatchesRegex;

constexpr std::string_view kToMend = "To mend it: bazel run //tools/rules:observe -- --fill";

constexpr std::string_view kObserved = "observed ";

const std::vector<RecordingEvidence>& Recordings() {
  static const std::vector<RecordingEvidence> all = [] {
    std::vector<RecordingEvidence> both = HearFolder("conformance/recordings/6.1-rxe");
    for (RecordingEvidence& over_iwarp : HearFolder("conformance/recordings/6.1-siw"))
      both.push_back(std::move(over_iwarp));
    return both;
  }();
  return all;
}

const std::vector<LabRun>& LabRuns() {
  static const std::vector<LabRun> all = ReadLabRuns("conformance/recordings/lab");
  return all;
}

// One or more sources, each with optional rows of the protocol's tables in parentheses, then an
// optional remark.
bool IsSource(std::string_view text) {
  const std::string name = "[a-z_][a-z_0-9]*";
  const std::string in_file = name + "\\.[ch] " + name;
  const std::string one = "(man " + name + "\\([0-9]\\)(, [A-Z][A-Z ]+)?|rdma-core (33|44|65) " +
                          in_file + "|linux (5\\.10|6\\.1|7\\.2) " + in_file +
                          "|observed [0-9a-z.-]+ [0-9]+-[0-9a-z_]+|ibta 1\\.[0-9]+ [0-9.]+)";
  const std::string rows = "( \\([A-Z][0-9]+[a-z]?(, [A-Z][0-9]+[a-z]?)*\\))?";
  const std::string more = "(, (" + one + "|" + in_file + "|" + name + ")" + rows + ")*";
  return Matches(MatchesRegex(one + rows + more + "(: .+)?"))(std::string(text));
}

TEST(Source, IsOneOfTheFormsThatCanBeFollowed) {
  for (const RuleInfo& rule : AllRules())
    EXPECT_TRUE(IsSource(rule.evidence.source)) << rule.id << ": " << rule.evidence.source;
}

TEST(Source, OfAnotherFormIsObjectedTo) {
  for (const char* good :
       {"man rdma_connect(3)", "man rdma_get_cm_event(3), EVENT TYPES",
        "rdma-core 44 cma.c ucma_modify_qp_rtr, ucma_modify_qp_rts",
        "linux 6.1 cma.c rdma_listen, ucma.c ucma_listen", "linux 6.1 cm.c cm_rej_handler (R6, R7)",
        "linux 6.1 cm.c cm_dup_req_handler (N2b): a remark", "observed 6.1-rxe 33-connect_misuse",
        "rdma-core 44 cma.c rdma_disconnect, linux 6.1 ucma.c ucma_get_ctx", "ibta 1.7 12.9.8"})
    EXPECT_TRUE(IsSource(good)) << good;
  for (const char* bad : {"", "man rdma_connect", "rdma_connect(3)", "linux 6.1 rdma_listen",
                          "linux cma.c rdma_listen", "rdma-core 44",
                          "linux 6.1 cm.c cm_rej_handler (see there)", "ibta 12.9.8", "hearsay"})
    EXPECT_FALSE(IsSource(bad)) << bad;
}

// "observed 6.1-rxe 33-connect_misuse" as a row's source: the recording exists.
TEST(Source, ThatIsARecordingExists) {
  for (const RuleInfo& rule : AllRules()) {
    if (!rule.evidence.source.starts_with(kObserved)) continue;
    std::string name(rule.evidence.source.substr(kObserved.size()));
    name = name.substr(0, name.find(':'));
    std::ranges::replace(name, ' ', '/');
    EXPECT_NE(std::ranges::find(Recordings(), name, &RecordingEvidence::name), Recordings().end())
        << rule.id << ": there is no recording " << name;
  }
}

// The first duplicate id; or empty.
std::string_view FirstTwice(const std::vector<std::string_view>& ids) {
  std::set<std::string_view> known;
  for (const std::string_view id : ids)
    if (!known.insert(id).second) return id;
  return "";
}

TEST(Id, IsUniqueAndEndsWithANumber) {
  std::vector<std::string_view> ids;
  for (const RuleInfo& rule : AllRules()) {
    ids.push_back(rule.id);
    EXPECT_THAT(std::string(rule.id), MatchesRegex("[a-z]+(-[a-z]+)*-[1-9][0-9]*"));
  }
  EXPECT_EQ(FirstTwice(ids), "") << "is the id of two rows";
  ids.push_back("connect-7");
  EXPECT_EQ(FirstTwice(ids), "connect-7");
}

TEST(Recordings, AreAllPermitted) {
  EXPECT_FALSE(Recordings().empty());
  for (const RecordingEvidence& testimony : Recordings())
    EXPECT_TRUE(testimony.problem.empty()) << testimony.name << ": " << testimony.problem;
}

TEST(Observed, NamesALineThatShowsTheRowOrARunThatConfirmedIt) {
  for (RuleNumber row = 0; row < AllRules().size(); ++row) {
    const RuleInfo& rule = AllRules()[row];
    const std::string_view observed = rule.evidence.observed;
    const std::string why = observed.starts_with("lab ")
                                ? WhyNotConfirmed(rule.id, observed, LabRuns())
                                : WhyNotShown(row, observed, Recordings());
    EXPECT_TRUE(why.empty()) << rule.id << " cites " << rule.evidence.observed << ", but " << why
                             << "\n"
                             << kToMend;
  }
}

TEST(Observed, IsNotEmptyWhereTheRowWasSeen) {
  for (RuleNumber row = 0; row < AllRules().size(); ++row) {
    const RuleInfo& rule = AllRules()[row];
    if (!rule.evidence.observed.empty()) continue;
    std::string where = FirstShown(row, Recordings());
    if (where.empty()) where = FirstConfirmed(rule.id, LabRuns());
    EXPECT_TRUE(where.empty()) << rule.id << " is shown by " << where << "\n" << kToMend;
  }
}

namespace fs = std::filesystem;

std::string TextOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const Sources& Pages() {
  static const Sources pages = ReadSources("docs/sources");
  return pages;
}

// Conversations and documents, in no order.
std::vector<fs::path> CitingFiles() {
  std::vector<fs::path> files;
  for (const char* folder : {"conformance/scenarios", "docs"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".conv" || entry.path().extension() == ".md")
        files.push_back(entry.path());
  return files;
}

TEST(Page, OffersItsHeadingsRowsAndItems) {
  EXPECT_THAT(AnchorsIn("# T\n\n## 1. A\n### 1.2 B\n| row |\n| R24* | x |\n| 0.9 | y |\n1. z\n"),
              ElementsAre("0.9", "1", "1.2", "R24"));
  EXPECT_THAT(AnchorsIn("# T\n\n1. a\n2. b\n"), ElementsAre("1", "2"));
}

TEST(Citation, IsReadWithItsAnchors) {
  const std::vector<Citation> read = CitationsIn(
      "# source: docs/sources/a.md S42 and S43,\n# 3.2, docs/sources/b.md 10, user trouble P005\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].page, "docs/sources/a.md");
  EXPECT_THAT(read[0].anchors, ElementsAre("S42", "S43", "3.2"));
  EXPECT_THAT(read[1].anchors, ElementsAre("10"));
}

TEST(Citation, OfWhatIsNotThereIsObjectedTo) {
  const Sources sources = {{"docs/sources/a.md", {"1", "R2"}}};
  EXPECT_EQ(WhyUnresolved({.page = "docs/sources/a.md", .anchors = {"R2", "1"}}, sources), "");
  EXPECT_THAT(WhyUnresolved({.page = "docs/sources/a.md", .anchors = {"R3"}}, sources),
              HasSubstr("R3"));
  EXPECT_THAT(WhyUnresolved({.page = "docs/sources/b.md", .anchors = {}}, sources),
              HasSubstr("b.md"));
  EXPECT_THAT(BareNamesIn("cm_protocol S40, docs/sources/api_quirks.md 3"),
              ElementsAre("cm_protocol"));
}

TEST(Citation, LeadsToASectionOrRowOfAPage) {
  size_t followed = 0;
  for (const fs::path& file : CitingFiles()) {
    const std::string text = TextOf(file);
    for (const Citation& citation : CitationsIn(text)) {
      followed += citation.anchors.size();
      EXPECT_EQ(WhyUnresolved(citation, Pages()), "") << file;
      if (file.extension() == ".conv") {
        EXPECT_FALSE(citation.anchors.empty()) << file << " cites no section of " << citation.page;
      }
    }
    if (file.parent_path() != "docs/sources") {
      EXPECT_THAT(BareNamesIn(text), IsEmpty()) << file;
    }
  }
  EXPECT_GT(followed, AllRules().size() / 10);
}

TEST(Citation, OfARecordingNamesOneThatExists) {
  const std::regex name(R"( ([0-9u-z][0-9][0-9]?-[a-z][a-z0-9_]+))");
  for (const fs::path& file : CitingFiles()) {
    const std::string text = TextOf(file);
    const size_t source = text.find("# source: ");
    if (file.extension() != ".conv" || source == std::string::npos) continue;
    const std::string line = text.substr(source, text.find("\n", source) - source);
    for (std::sregex_iterator it(line.begin(), line.end(), name), end; it != end; ++it) {
      const std::string recording = (*it)[1].str() + ".jsonl";
      const auto of = [&](std::string_view folder) {
        return fs::exists(fs::path("conformance/recordings") / folder / recording);
      };
      EXPECT_TRUE(of("6.1-rxe") || of("6.1-siw") || of("extra/5.10-rxe") || of("extra/6.1-rxe"))
          << file << " cites " << recording;
    }
  }
}

// "(R24)" behind a function of Linux is a row of the protocol's page.
TEST(Source, NamesRowsThatTheProtocolHas) {
  const auto page = Pages().find("docs/sources/cm_protocol.md");
  ASSERT_NE(page, Pages().end());
  for (const RuleInfo& rule : AllRules())
    for (const std::string& row : RowsNamedIn(rule.evidence.source))
      EXPECT_TRUE(page->second.contains(row)) << rule.id << " cites " << row;
  for (const ProtocolRow& row : ProtocolRows())
    EXPECT_TRUE(page->second.contains(std::string(row.name))) << row.name;
  for (const std::string& scenario : ScenarioNumbers())
    EXPECT_TRUE(page->second.contains(scenario)) << scenario;
}

}  // namespace
}  // namespace cm::ruledoc
