// Errors are reported in one line, with the line of the file; everything else is read completely.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/recordings/judge.h"
#include "conformance/recordings/recording.h"
#include "conformance/recordings/testing.h"
#include "model/conversation/print.h"

namespace cm {
namespace {

using testing::HasSubstr;

constexpr std::string_view kShort =
    R"({"t_us":1,"k":"call","fn":"rdma_create_event_channel","args":"C","ret":0,"errno":"0","dur_us":1}
{"t_us":3,"k":"call","fn":"rdma_create_id","args":"A chan=C","ret":0,"errno":"0","dur_us":1}
{"t_us":5,"k":"call","fn":"rdma_resolve_addr","args":"A 10.0.1.1:7471 src=10.0.0.1","ret":0,"errno":"0","dur_us":1}
{"t_us":900,"k":"event","chan":"C","type":"ADDR_RESOLVED","num":0,"status":0,"id":"A","listen_id":null,"pdlen":0,"pd":"","conn":{"rr":0,"depth":0,"fc":0,"retry":0,"rnr":0,"srq":0,"qpn":0}}
{"t_us":5000,"k":"quiet","chan":"C","ms":4}
{"t_us":5100,"k":"show","id":"A","verbs":"rxe0","port":1,"ps":262,"src":"10.0.0.1:51589","dst":"10.0.1.1:7471","src_port":51589,"dst_port":7471,"num_paths":0,"qp":null}
{"t_us":5200,"k":"wait","name":"D","done":true}
)";

std::string With(std::string_view before, std::string_view after, std::string_view text = kShort) {
  std::string changed(text);
  const size_t at = changed.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  if (at != std::string::npos) changed.replace(at, before.size(), after);
  return changed;
}

// "4: the error"; empty when the text can be read.
std::string ProblemIn(std::string_view text) {
  const auto read = ReadRecording(text);
  const auto* problem = std::get_if<TextProblem>(&read);
  if (problem == nullptr) return "";
  EXPECT_EQ(std::ranges::count(problem->what, '\n'), 0) << problem->what;
  return std::to_string(problem->line) + ": " + problem->what;
}

RecordingResult Judged(std::string_view text) {
  const auto read = ReadRecording(text);
  EXPECT_FALSE(std::holds_alternative<TextProblem>(read)) << std::get<TextProblem>(read).what;
  return JudgeRecording(*std::get<std::unique_ptr<Recording>>(read), ReferenceProfile());
}

TEST(Reader, ReadsTheShortRecordingThatTheOthersDamage) {
  EXPECT_EQ(ProblemIn(kShort), "");
  EXPECT_FALSE(Judged(kShort).refusal);
}

TEST(Reader, NamesTheLineThatIsNotJson) {
  EXPECT_EQ(ProblemIn("hello\n"), "1: this line is not JSON");
  EXPECT_EQ(ProblemIn(With(R"("ms":4})", R"("ms":4)")), "5: this line is not JSON");
  EXPECT_EQ(ProblemIn(With("\n{\"t_us\":900", "\n\n{\"t_us\":900")), "4: this line is not JSON");
}

TEST(Reader, TakesNoOtherFileForARecording) {
  EXPECT_EQ(ProblemIn(""), "0: the file is empty");
  EXPECT_EQ(ProblemIn("conversation 1\ntopology two-kernels\n"), "1: this line is not JSON");
  EXPECT_EQ(ProblemIn("[1, 2]\n"), "1: not a line of a recording");
  EXPECT_EQ(ProblemIn("{\"schema\": 1}\n"), "1: not a line of a recording: there is no \"k\"");
  EXPECT_EQ(ProblemIn("{\"k\": 7}\n"), "1: \"k\" is 7, not a text");
  EXPECT_THAT(ProblemIn("{\"k\": \"walk\"}\n"), HasSubstr("1: \"walk\" is not a kind of line"));
}

// A file may be cut anywhere: inside a line that is not JSON; between lines it is a shorter file.
TEST(Reader, NamesTheLineThatAFileWasCutIn) {
  for (size_t size = 1; size < kShort.size(); ++size) {
    const std::string_view cut = kShort.substr(0, size);
    const auto line = std::ranges::count(cut, '\n') + 1;
    const bool whole = cut.ends_with('\n') || cut.ends_with('}') == (kShort[size] == '\n');
    if (!whole || (kShort[size] != '\n' && !cut.ends_with('\n')))
      EXPECT_EQ(ProblemIn(cut), std::to_string(line) + ": this line is not JSON");
    else
      EXPECT_EQ(ProblemIn(cut), "");
  }
}

TEST(Reader, MissesNoFieldThatIsJudged) {
  struct Loss {
    std::string_view before, after, what;
  };
  for (const Loss& loss : std::initializer_list<Loss>{
           {R"("fn":"rdma_create_id",)", "", R"(2: "fn" is missing from a line of kind "call")"},
           {R"(,"ret":0)", "", R"(1: "ret" is missing from a line of kind "call")"},
           {R"(,"errno":"0")", "", R"(1: "errno" is missing from a line of kind "call")"},
           {R"("status":0,)", "", R"(4: "status" is missing from a line of kind "event")"},
           {R"("pdlen":0,)", "", R"(4: "pdlen" is missing from a line of kind "event")"},
           {R"("rnr":0,)", "", R"(4: "rnr" is missing from a line of kind "event")"},
           {R"("listen_id":null,)", "", R"(4: "listen_id" is missing from a line of kind "event")"},
           {R"(,"ms":4)", "", R"(5: "ms" is missing from a line of kind "quiet")"},
           {R"("num_paths":0,)", "", R"(6: "num_paths" is missing from a line of kind "show")"},
           {R"(,"done":true)", "", R"(7: "done" is missing from a line of kind "wait")"}})
    EXPECT_EQ(ProblemIn(With(loss.before, loss.after)), loss.what);
}

TEST(Reader, TakesNoFieldForAnotherType) {
  EXPECT_EQ(ProblemIn(With(R"("ret":0)", R"("ret":"0")")),
            R"(1: "ret" is "0", not a number from -2147483648 to 2147483647)");
  EXPECT_EQ(ProblemIn(With(R"("id":"A","listen_id")", R"("id":7,"listen_id")")),
            R"(4: "id" is 7, neither a text nor null)");
  EXPECT_EQ(ProblemIn(With(R"("done":true)", R"("done":1)")),
            R"(7: "done" is 1, neither true nor false)");
  EXPECT_EQ(ProblemIn(With(R"("conn":{)", R"("conn":[],"x":{)")),
            R"(4: "conn" is [], not an object)");
}

// Truncated to the width of the C field each of these would be the right value.
TEST(Reader, TakesNoNumberThatDoesNotFit) {
  EXPECT_THAT(ProblemIn(With(R"("ret":0)", R"("ret":4294967296)")), HasSubstr("1: \"ret\" is"));
  EXPECT_THAT(ProblemIn(With(R"("status":0)", R"("status":4294967296)")),
              HasSubstr("4: \"status\" is"));
  EXPECT_THAT(ProblemIn(With(R"("rr":0)", R"("rr":256)")), HasSubstr("4: \"rr\" is 256"));
  EXPECT_THAT(ProblemIn(With(R"("port":1)", R"("port":257)")), HasSubstr("6: \"port\" is 257"));
  EXPECT_THAT(ProblemIn(With(R"("t_us":900)", R"("t_us":18446744073709551615)")),
              HasSubstr("4: \"t_us\" is"));
  EXPECT_THAT(ProblemIn(With(R"("t_us":900)", R"("t_us":9e2)")), HasSubstr("4: \"t_us\" is 900.0"));
}

TEST(Reader, WantsPrivateDataInHexadecimal) {
  for (const std::string_view bad : {"0", "0x", "zz", "0 "})
    EXPECT_EQ(ProblemIn(With(R"("pd":"")", "\"pd\":\"" + std::string(bad) + "\"")),
              R"(4: "pd" is not hexadecimal)");
}

TEST(Reader, WantsTheEventOfASuccessfulFetch) {
  const std::string fetch =
      R"({"t_us":6000,"k":"call","fn":"rdma_get_cm_event","args":"C","ret":0,"errno":"0","dur_us":1})"
      "\n";
  const std::string text = std::string(kShort) + fetch;
  EXPECT_EQ(ProblemIn(text), "8: the file ends where the event of rdma_get_cm_event should stand");
  const RecordingResult verdict = Judged(text + "{\"t_us\":7000,\"k\":\"end\"}\n");
  ASSERT_TRUE(verdict.refusal);
  EXPECT_THAT(verdict.refusal->text, HasSubstr("rdma_get_cm_event returned 0, and no event"));
}

TEST(Reader, CountsACallOutsideTheTablesAndNamesIt) {
  const std::string text = With("rdma_resolve_addr", "rdma_frobnicate");
  const auto read = ReadRecording(text);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Recording>>(read));
  const Recording& recording = *std::get<std::unique_ptr<Recording>>(read);
  ASSERT_FALSE(recording.foreign.empty());
  EXPECT_EQ(recording.foreign.front().line, 3);
  EXPECT_EQ(recording.foreign.front().what, "rdma_frobnicate A 10.0.1.1:7471 src=10.0.0.1");
  EXPECT_GT(JudgeRecording(recording, ReferenceProfile()).out_of_scope, 0u);
}

// An unknown call that was not refused may have changed the id: it is not judged any more.
TEST(Reader, DisownsAnIdThatSomethingUnknownWasDoneTo) {
  const std::string unknown =
      R"({"t_us":4,"k":"call","fn":"rdma_frobnicate","args":"A","ret":0,"errno":"0","dur_us":1})"
      "\n";
  const std::string wrong =
      With(R"("type":"ADDR_RESOLVED","num":0)", R"("type":"ESTABLISHED","num":9)");
  EXPECT_TRUE(Judged(wrong).refusal);
  EXPECT_FALSE(Judged(With("{\"t_us\":5,", unknown + "{\"t_us\":5,", wrong)).refusal);
  const std::string refused = With("\"ret\":0", "\"ret\":-1", unknown);
  EXPECT_TRUE(Judged(With("{\"t_us\":5,", refused + "{\"t_us\":5,", wrong)).refusal);
}

std::string CallLine(int at, std::string_view function, std::string_view arguments,
                     std::string_view answer = R"("ret":0,"errno":"0")") {
  return fmt::format(R"({{"t_us":{},"k":"call","fn":"{}","args":"{}",{},"dur_us":1}})"
                     "\n",
                     at, function, arguments, answer);
}

// The short recording with a line before the resolution.
RecordingResult JudgedWith(const std::string& line, std::string_view text = kShort) {
  const std::string behind = R"({"t_us":5,)";
  return Judged(With(behind, line + behind, text));
}

constexpr std::string_view kInvalid = R"("ret":-1,"errno":"EINVAL")";
constexpr std::string_view kNoSuch = R"("ret":-1,"errno":"ENOSYS")";

TEST(Reader, JudgesOptions) {
  EXPECT_FALSE(JudgedWith(CallLine(4, "rdma_set_option", "A 0 0 val=16")).refusal);
  EXPECT_TRUE(JudgedWith(CallLine(4, "rdma_set_option", "A 0 0 val=16", kInvalid)).refusal);
  EXPECT_FALSE(JudgedWith(CallLine(4, "rdma_set_option", "A 0 0 5 len=4", kInvalid)).refusal);
  EXPECT_FALSE(JudgedWith(CallLine(4, "rdma_set_option", "A 7 0 0x10", kNoSuch)).refusal);
  EXPECT_TRUE(JudgedWith(CallLine(4, "rdma_set_option", "A 7 0 0x10")).refusal);
  const RecordingResult untold = JudgedWith(CallLine(4, "rdma_set_option", "A 0 1"));
  EXPECT_FALSE(untold.refusal);
  EXPECT_GT(untold.out_of_scope, Judged(kShort).out_of_scope);
}

TEST(Reader, JudgesMigration) {
  const std::string another = CallLine(2, "rdma_create_event_channel", "D");
  const std::string there = another + CallLine(4, "rdma_migrate_id", "A D");
  EXPECT_TRUE(JudgedWith(there).refusal) << "the event came on the channel that the id has left";
  EXPECT_FALSE(JudgedWith(there, With(R"("chan":"C","type")", R"("chan":"D","type")")).refusal);
  EXPECT_TRUE(JudgedWith(another + CallLine(4, "rdma_migrate_id", "A D", kInvalid)).refusal);
}

TEST(Reader, JudgesNotificationsByNumberAndByName) {
  for (const std::string_view what : {"4", "COMM_EST", "IBV_EVENT_COMM_EST"}) {
    const std::string arguments = fmt::format("A {}", what);
    EXPECT_FALSE(JudgedWith(CallLine(4, "rdma_notify", arguments, kInvalid)).refusal) << what;
    EXPECT_TRUE(JudgedWith(CallLine(4, "rdma_notify", arguments)).refusal) << what;
  }
}

// The peer of an endpoint with unknown addresses is unknown as well.
TEST(Reader, StopsJudgingWhereAnEndpointIsMadeOfWhoKnowsWhat) {
  const std::string wrong =
      With(R"("type":"ADDR_RESOLVED","num":0)", R"("type":"ESTABLISHED","num":9)");
  EXPECT_FALSE(JudgedWith(CallLine(4, "rdma_create_ep", "L"), wrong).refusal);
  EXPECT_TRUE(JudgedWith(CallLine(4, "rdma_create_ep", "L", kInvalid), wrong).refusal);
}

TEST(Reader, RefusesAnEventWhoseNameAndNumberDiffer) {
  const RecordingResult verdict = Judged(With(R"("num":0,"status")", R"("num":2,"status")"));
  ASSERT_TRUE(verdict.refusal);
  EXPECT_EQ(verdict.refusal->line, 4);
  EXPECT_THAT(verdict.refusal->text, HasSubstr("type ADDR_RESOLVED num 2"));
}

TEST(Reader, ReadsABondAsTheSideThatItIsOn) {
  const auto read = ReadRecording(CarriedRecordingNumber("77").text);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Recording>>(read));
  const History& history = std::get<std::unique_ptr<Recording>>(read)->history;
  EXPECT_EQ(history.conversation.topology->name, "bond");
  std::vector<std::string> faults;
  for (const Line& line : history.conversation.lines)
    if (std::holds_alternative<line::Injects>(line))
      faults.push_back(ToString(line, history.conversation));
  EXPECT_THAT(faults,
              testing::ElementsAre("fault drop any from=active", "fault fail-over side=active",
                                   "fault fail-over side=active"));
}

}  // namespace
}  // namespace cm
