// The source of every row has a known form, and its observation exists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/catalogue/catalogue.h"
#include "tools/rules/lab_runs.h"
#include "tools/rules/testimony.h"

namespace cm::ruledoc {
namespace {

using model::AllRules;
using model::RuleInfo;
using model::RuleNumber;
using testing::Matches;
using testing::MatchesRegex;

constexpr std::string_view kToMend = "To mend it: bazel run //tools/rules:observe -- --fill";

constexpr std::string_view kObserved = "observed ";

const std::vector<Testimony>& Recordings() {
  static const std::vector<Testimony> all = [] {
    std::vector<Testimony> both = HearFolder("conformance/recordings/6.1-rxe");
    for (Testimony& over_iwarp : HearFolder("conformance/recordings/6.1-siw"))
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
  const std::string one = "(man " + name + "\\([0-9]\\)(, [A-Z][A-Z ]+)?|rdma-core (44|65) " +
                          in_file + "|linux (6\\.1|7\\.2) " + in_file +
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
    EXPECT_NE(std::ranges::find(Recordings(), name, &Testimony::name), Recordings().end())
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
  for (const Testimony& testimony : Recordings())
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

}  // namespace
}  // namespace cm::ruledoc
