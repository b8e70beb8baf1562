// The command as its users meet it: output, files, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kGolden = "conformance/scenarios/establishment/depths_are_swapped.conv";
constexpr const char* kRecording =
    "conformance/recordings/6.1-rxe/01-connect_disconnect_by_active.jsonl";

std::vector<std::string> With(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// The words of a command that cmcheck prints, without the name of the program.
std::vector<std::string> ArgumentsIn(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

class Cmcheck : public testing::Test {
 protected:
  Json Results(const std::string& file = "cmcheck-report/results.json") const {
    return Json::parse(folder_.Read(file));
  }
  void CopyIn(const std::string& data_file, const std::string& name) const {
    fs::copy_file(DataFile(data_file), folder_.path() / name);
    fs::permissions(folder_.path() / name, fs::perms::owner_write, fs::perm_options::add);
  }

  CmcheckFolder folder_;
};

TEST_F(Cmcheck, HasExamplesInTheHelpOfEachVerb) {
  const Ended all = folder_.Cmcheck({"--help"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.output, HasSubstr("Examples:"));
  EXPECT_THAT(all.output, HasSubstr("Exit codes:"));
  for (const std::string verb :
       {"run", "list", "replay", "shrink", "explain", "rewrite", "lab run"}) {
    const Ended help = folder_.Cmcheck(With(ArgumentsIn("cmcheck " + verb), {"--help"}));
    EXPECT_EQ(help.exit_code, 0) << verb;
    EXPECT_THAT(help.output, MatchesRegex("(.|\n)*Examples?:\n  cmcheck " + verb + "(.|\n)*"));
    EXPECT_THAT(help.error, IsEmpty());
  }
  EXPECT_THAT(folder_.Files(), IsEmpty());
}

TEST_F(Cmcheck, ListsOneALineFirstTheIdThenASentence) {
  for (const std::string what :
       {"walks", "properties", "rules", "defects", "faults", "profiles", "topologies"}) {
    const Ended list = folder_.Cmcheck({"list", what});
    EXPECT_EQ(list.exit_code, 0);
    const std::vector<std::string> lines = LinesOf(list.output);
    EXPECT_THAT(lines, SizeIs(testing::Ge(3u))) << what;
    EXPECT_THAT(lines, testing::Each(MatchesRegex("[A-Za-z0-9.-]+  [^ ].+"))) << what;
  }
  EXPECT_THAT(folder_.Cmcheck({"list", "properties"}).output, HasSubstr("\nEST-1  "));
  EXPECT_THAT(folder_.Cmcheck({"list", "defects"}).output, HasSubstr("forgets-timewait  "));
  EXPECT_THAT(folder_.Cmcheck({"list", "faults"}).output,
              HasSubstr("link-down  The side's network interface goes down. Takes side=SIDE; needs "
                        "link; ends with heal; and with link-up\n"));
}

TEST_F(Cmcheck, SaysInItsHelpWhatHoldsByDefault) {
  const std::string help = folder_.Cmcheck({"run", "--help"}).output;
  for (const char* line : {"--seed UINT:UINT=1 ", "=10000\n", "--report TEXT=cmcheck-report",
                           "--profile TEXT=6.1-rxe", "--impl TEXT=sim", "--walk TEXT "})
    EXPECT_THAT(help, HasSubstr(line));
  EXPECT_THAT(help, Not(HasSubstr("--no-shrink{")));  // which is not taken
  EXPECT_THAT(folder_.Cmcheck({"replay", "--help"}).output, HasSubstr("--profile TEXT "));
}

TEST_F(Cmcheck, SaysUnderWhichProfileADefectShows) {
  EXPECT_THAT(folder_.Cmcheck({"list", "defects"}).output,
              AllOf(testing::ContainsRegex("info-handed-twice  [^\n]*[(]profile 7.2-rxe[)]\n"),
                    testing::ContainsRegex("route-error-positive  [^\n]*[(]profile 6.1-ib[)]\n")));
  const std::vector<std::string> run = {"run", "--sequences", "3", "--defect", "user-argument-cut"};
  EXPECT_THAT(folder_.Cmcheck(run).error, HasSubstr("profile 6.1-rxe does not show the defect"));
  EXPECT_THAT(folder_.Cmcheck(With(run, {"--profile", "7.2-rxe"})).error,
              Not(HasSubstr("does not show")));
}

TEST_F(Cmcheck, FindsNothingWrongWithTheSimulatorAndLeavesAReport) {
  const Ended run = folder_.Cmcheck({"run", "--sequences", "60", "--json", "r.json"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("60 passed, 0 failed"));
  EXPECT_THAT(run.output, HasSubstr((folder_.path() / "cmcheck-report").string()));
  EXPECT_THAT(folder_.Files(), UnorderedElementsAre("cmcheck-report", "r.json"));
  EXPECT_EQ(folder_.Read("r.json"), folder_.Read("cmcheck-report/results.json"));
  EXPECT_EQ(Results()["sequences"], 60);
  EXPECT_THAT(Results()["findings"], SizeIs(0));
  EXPECT_THAT(run.output, HasSubstr(folder_.Read("cmcheck-report/table.txt")));
}

TEST_F(Cmcheck, ComesToTheSameTwiceAndWithAnyNumberOfJobs) {
  std::vector<std::string> results;
  for (const char* jobs : {"1", "1", "3"}) {
    EXPECT_EQ(folder_.Cmcheck({"run", "--seed", "5", "--sequences", "80", "-j", jobs}).exit_code,
              0);
    results.push_back(folder_.Read("cmcheck-report/results.json"));
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
  const std::string digest = Results()["digest"];
  folder_.Cmcheck({"run", "--seed", "6", "--sequences", "80"});
  EXPECT_NE(Results()["digest"], digest);
}

// A run that finds a defect, and the commands for its finding.
class CmcheckWithADefect : public Cmcheck {
 protected:
  Ended RunIt(const std::vector<std::string>& more = {}) const {
    return folder_.Cmcheck(
        With({"run", "--defect", "connect-wrong-errno", "--sequences", "60"}, more));
  }
};

TEST_F(CmcheckWithADefect, EndsWithOneAndNamesTheRowsAndTheSources) {
  const Ended run = RunIt();
  EXPECT_EQ(run.exit_code, 1);
  const Json results = Results();
  EXPECT_EQ(results["implementation"], "sim+connect-wrong-errno");
  ASSERT_THAT(results["findings"], SizeIs(testing::Ge(1u)));
  const Json finding = results["findings"][0];
  EXPECT_EQ(finding["id"], "ROWS-1");
  EXPECT_EQ(finding["about"], "rdma_connect");
  EXPECT_THAT(finding["source"].get<std::string>(), HasSubstr("connect-"));
  EXPECT_THAT(run.output, HasSubstr(finding["permitted"].get<std::string>()));
  EXPECT_TRUE(fs::exists(folder_.path() / "cmcheck-report/findings/rows-1-rdma_connect.conv"));
}

TEST_F(CmcheckWithADefect, ShowsTheFindingAgainByTheCommandThatItNames) {
  RunIt();
  const std::string command = Results()["findings"][0]["replay"];
  const Ended replay = folder_.Cmcheck(ArgumentsIn(command));
  EXPECT_EQ(replay.exit_code, 1) << command;
  EXPECT_THAT(replay.output, HasSubstr("The outcome is the same as in the file"));
  EXPECT_THAT(replay.output, HasSubstr("ROWS-1 at: "));
  const std::string file = "cmcheck-report/findings/rows-1-rdma_connect.conv";
  const Ended on_sim = folder_.Cmcheck({"replay", file});
  EXPECT_EQ(on_sim.exit_code, 1);
  EXPECT_THAT(on_sim.output, HasSubstr("The outcome differs: "));
  EXPECT_THAT(on_sim.output, Not(HasSubstr("ROWS-1")));
}

TEST_F(CmcheckWithADefect, QuotesInTheCommandWhatAShellWouldTakeApart) {
  RunIt({"--report", "my report"});
  const Json results = Results("my report/results.json");
  const std::string command = results["findings"][0]["replay"];
  EXPECT_THAT(command, HasSubstr("'my report/findings/rows-1-rdma_connect.conv' --impl sim"));
  EXPECT_THAT(command, testing::ContainsRegex("^cmcheck replay '"));
}

TEST_F(CmcheckWithADefect, ExplainsTheFindingFromTheFileAlone) {
  RunIt();
  const Ended explain =
      folder_.Cmcheck({"explain", "cmcheck-report/findings/rows-1-rdma_connect.conv"});
  EXPECT_EQ(explain.exit_code, 1);
  EXPECT_THAT(explain.output, HasSubstr("REFUSED"));
  EXPECT_THAT(explain.output, HasSubstr("connect-"));
  EXPECT_THAT(explain.output, EndsWith("\nrows refuse; property EST-9 objects\n"));
}

TEST_F(CmcheckWithADefect, ShrinksAFindingThatWasLeftAsItWasDrawn) {
  RunIt({"--no-shrink"});
  const std::string drawn = "cmcheck-report/findings/rows-1-rdma_connect.conv";
  const Ended shrink = folder_.Cmcheck(
      {"shrink", drawn, "--defect", "connect-wrong-errno", "--output", "short.conv"});
  EXPECT_EQ(shrink.exit_code, 1) << shrink.error;
  EXPECT_THAT(shrink.error, HasSubstr("calls of"));
  EXPECT_LT(folder_.Read("short.conv").size(), folder_.Read(drawn).size() / 2);
  const Ended replay = folder_.Cmcheck({"replay", "short.conv", "--defect", "connect-wrong-errno"});
  EXPECT_EQ(replay.exit_code, 1);
  EXPECT_THAT(replay.output, HasSubstr("The outcome is the same as in the file"));
}

TEST_F(Cmcheck, InterruptedEndsWith130AndSaysSoInTheReport) {
  Running run(folder_.CommandOf({"run", "--sequences", "20000", "--journal", "j", "--jobs", "2"}),
              {}, folder_.path());
  run.AwaitErrorLines(1);
  run.Signal(SIGINT);
  const Ended ended = run.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("interrupted: "));
  const Json results = Results();
  EXPECT_EQ(results["interrupted"], true);
  const std::string journal = folder_.Read("j");
  EXPECT_THAT(journal, EndsWith("}\n"));
  EXPECT_EQ(LinesOf(journal).size(), results["sequences"].get<size_t>() + 1);
}

// A run that is killed and started again has the same result as an uninterrupted one.
void KillAndResume(const CmcheckFolder& folder, const std::vector<std::string>& arguments,
                   int exit_code) {
  EXPECT_EQ(folder.Cmcheck(With(arguments, {"--json", "whole.json"})).exit_code, exit_code);
  const std::vector<std::string> with_journal =
      With(arguments, {"--json", "resumed.json", "--journal", "j"});
  {
    Running run(folder.CommandOf(with_journal), {}, folder.path());
    run.AwaitErrorLines(1);
    run.Signal(SIGKILL);
    EXPECT_EQ(run.Wait().exit_code, 128 + SIGKILL);
  }
  const size_t done = LinesOf(folder.Read("j")).size();
  EXPECT_GT(done, 400u);
  EXPECT_LT(done, 4000u);
  folder.Write("j", folder.Read("j") + "{\"i\":399");  // as after a kill in the middle of a write
  EXPECT_EQ(folder.Cmcheck(with_journal).exit_code, exit_code);
  EXPECT_EQ(folder.Read("resumed.json"), folder.Read("whole.json"));
  EXPECT_EQ(LinesOf(folder.Read("j")).size(), 4001u);
}

TEST_F(Cmcheck, KilledGoesOnWhereItsJournalEnds) {
  KillAndResume(folder_, {"run", "--sequences", "4000", "--jobs", "1"}, 0);
}

TEST_F(Cmcheck, KilledWithFindingsShowsThemAgainWhenItGoesOn) {
  KillAndResume(
      folder_, {"run", "--sequences", "4000", "--jobs", "1", "--defect", "connect-wrong-errno"}, 1);
}

TEST_F(Cmcheck, DoesNotContinueTheJournalOfAnotherRun) {
  EXPECT_EQ(folder_.Cmcheck({"run", "--sequences", "5", "--journal", "j"}).exit_code, 0);
  const Ended other = folder_.Cmcheck({"run", "--sequences", "5", "--seed", "2", "--journal", "j"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.error, HasSubstr("j is the journal of another campaign"));
}

TEST_F(Cmcheck, TakesOfAJournalOnlyWhatIsAskedFor) {
  EXPECT_EQ(folder_.Cmcheck({"run", "--sequences", "9", "--journal", "j"}).exit_code, 0);
  EXPECT_EQ(folder_.Cmcheck({"run", "--only", "3,5,12", "--journal", "j"}).exit_code, 0);
  EXPECT_EQ(Results()["sequences"], 3);
  EXPECT_EQ(LinesOf(folder_.Read("j")).size(), 11u) << "3 and 5 were judged before";
  const Json with_journal = Results();
  const Ended without = folder_.Cmcheck({"run", "--only", "3,5,12"});
  EXPECT_EQ(Results(), with_journal);
  EXPECT_THAT(without.output, HasSubstr("sequences 3,5,12\n"));
}

TEST_F(Cmcheck, DoesNotContinueAJournalOverChangedFiles) {
  const std::string conversation = "topology two-kernels\nprofile 6.1-rxe\nsettle\n";
  const auto run = [&](const std::string& option, const std::string& file) {
    return folder_.Cmcheck({"run", "--sequences", "2", "--journal", "j" + option, option, file});
  };
  folder_.Write("given.conv", conversation);
  folder_.Write("mine.json", R"({"name": "mine"})");
  folder_.Write("own.topology",
                "topology own\nhost a\n"
                "device d on=v address=10.0.0.1,fd00::1\n"
                "device e on=w address=10.0.1.1,fd00:1::1\n"
                "side active device=d\nside passive device=e\n");
  for (const auto& [option, file] : {std::pair<std::string, std::string>{"--conversations", "."},
                                     {"--profile", "mine.json"},
                                     {"--topology", "own.topology"}}) {
    EXPECT_EQ(run(option, file).exit_code, 0) << run(option, file).error;
    EXPECT_EQ(run(option, file).exit_code, 0) << "the same goes on";
    const std::string changed = file == "." ? "given.conv" : file;
    const std::string whole = folder_.Read(changed);
    folder_.Write(changed, whole + (changed == "mine.json" ? " \n" : "# changed\n"));
    const Ended other = run(option, file);
    EXPECT_EQ(other.exit_code, 2) << option;
    EXPECT_THAT(other.error, HasSubstr("is the journal of another campaign"));
  }
}

TEST_F(Cmcheck, KnowsNothingWhereNothingCouldBeJudged) {
  folder_.Write("loses.conv",
                "topology two-kernels\nprofile 6.1-rxe\nfault drop REQ from=active\n");
  const Ended run =
      folder_.Cmcheck({"run", "--conversations", "loses.conv", "--profile", "6.1-siw"});
  EXPECT_EQ(run.exit_code, 3) << run.output;
  EXPECT_THAT(run.output, HasSubstr("it needs drop, which profile 6.1-siw does not have"));
}

class CmcheckWithASample : public Cmcheck {
 protected:
  void SetUp() override {
    if (kAddressSanitized || kThreadSanitized) GTEST_SKIP() << "sanitizers refuse RTLD_DEEPBIND";
  }
  const std::string sample_ =
      "dl:" + DataFile("conformance/adapters/dl/sample/libsample_rdmacm.so").string();
};

TEST_F(CmcheckWithASample, ComparesOfAnothersConversationWhatBothCanSee) {
  ASSERT_EQ(folder_.Cmcheck({"run", "--impl", sample_, "--walk", "life", "--only", "4"}).exit_code,
            0);
  const std::string kept = "cmcheck-report/conversations/000004.conv";
  const Ended replay = folder_.Cmcheck({"replay", kept, "--impl", "sim"});
  EXPECT_EQ(replay.exit_code, 0) << replay.output;
  EXPECT_THAT(replay.output, HasSubstr("The outcome is the same as in the file."));
}

TEST_F(Cmcheck, CarriesOutTheConversationsThatItIsGiven) {
  const std::string all = DataFile("conformance/scenarios").string();
  const Ended whole = folder_.Cmcheck({"run", "--conversations", all});
  EXPECT_EQ(whole.exit_code, 0) << whole.error;
  const Json results = Results();
  // Misuse must be enabled, and so must calls that crash; not every environment has a subnet.
  int not_asked_for = 0;
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(all)) {
    if (entry.path().extension() != ".conv") continue;
    ++files;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line) && line != "----";) {
      const bool wants = line.starts_with("capabilities ") &&
                         (line.find("misuse") != line.npos || line.find("crashes") != line.npos ||
                          line.find("silence-sm") != line.npos);
      not_asked_for += wants ? 1 : 0;
    }
  }
  EXPECT_GT(not_asked_for, 0);
  EXPECT_EQ(results["sequences"], files);
  EXPECT_EQ(results["unsupported"], not_asked_for);
  EXPECT_EQ(results["passed"], files - not_asked_for);

  const Ended defect = folder_.Cmcheck(
      {"run", "--conversations", all, "--defect", "forgets-timewait", "--no-shrink"});
  EXPECT_EQ(defect.exit_code, 1) << defect.output;
}

// A conversation that cannot be carried out there does not stop the others of its folder.
TEST_F(Cmcheck, CarriesOutElsewhereWhatCanBeCarriedOutThere) {
  const fs::path folder = DataFile("conformance/scenarios/address_change");
  const Ended run =
      folder_.Cmcheck({"run", "--conversations", folder.string(), "--topology", "two-kernels"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_GT(Results()["unsupported"], 0);
  EXPECT_GT(Results()["passed"], 0);
  const Ended alone =
      folder_.Cmcheck({"run", "--conversations", (folder / "bond_fails_over.conv").string(),
                       "--topology", "two-kernels"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.error, HasSubstr("not on a bond"));
}

TEST_F(Cmcheck, SaysThatAFolderCannotBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "to root every folder is open";
  fs::create_directories(folder_.path() / "open/closed");
  fs::permissions(folder_.path() / "open/closed", fs::perms::none);
  for (const std::string given : {"open", "open/closed"}) {
    const Ended ended = folder_.Cmcheck({"run", "--conversations", given});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.error, HasSubstr(given + " cannot be read: Permission denied"));
  }
  fs::permissions(folder_.path() / "open/closed", fs::perms::owner_all);
}

TEST_F(Cmcheck, ExplainsEachLineOfAScenario) {
  const Ended explain = folder_.Cmcheck({"explain", DataFile(kGolden).string()});
  EXPECT_EQ(explain.exit_code, 0) << explain.error;
  EXPECT_THAT(explain.output, EndsWith("\npermitted\n"));
  EXPECT_THAT(explain.output, HasSubstr("rdma_connect A"));
  EXPECT_THAT(explain.output, HasSubstr("    by connect-"));
}

TEST_F(Cmcheck, SaysWhereAPermittedHistoryWasFollowedInPart) {
  const char* kInPart = "model/oracle/histories/permitted/more_than_is_followed.conv";
  const Ended explain = folder_.Cmcheck({"explain", DataFile(kInPart).string()});
  EXPECT_EQ(explain.exit_code, 0) << explain.error;
  EXPECT_THAT(explain.output, HasSubstr("\nfollowed in part: "));
}

TEST_F(Cmcheck, ExplainsARecordingAndRefusesAnAlteredOne) {
  const std::string genuine = DataFile(kRecording).string();
  const Ended permitted = folder_.Cmcheck({"explain", genuine, "--profile", "6.1-rxe"});
  EXPECT_EQ(permitted.exit_code, 0) << permitted.output;
  CopyIn(kRecording, "altered.jsonl");
  std::string text = folder_.Read("altered.jsonl");
  const std::string event = "\"ROUTE_RESOLVED\",\"num\":2,\"status\":0";
  ASSERT_NE(text.find(event), std::string::npos);
  text.replace(text.find(event), event.size(), "\"ROUTE_ERROR\",\"num\":3,\"status\":-110");
  folder_.Write("altered.jsonl", text);
  const Ended refused = folder_.Cmcheck({"explain", "altered.jsonl"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, testing::ContainsRegex("refused altered.jsonl:[0-9]+: "));
  const std::string verdict = refused.output.substr(refused.output.find("refused altered"));
  EXPECT_THAT(verdict, HasSubstr("saw        RDMA_CM_EVENT_ROUTE_ERROR id=A status=-110"));
  EXPECT_THAT(verdict, testing::ContainsRegex("permitted  RDMA_CM_EVENT_ROUTE_RESOLVED id=A"));
  EXPECT_THAT(verdict, testing::ContainsRegex("rule [a-z-]+-[0-9]+ +[(]man rdma_get_cm_event"));
}

TEST_F(Cmcheck, RewritesAGoldenFileToWhatItIs) {
  CopyIn(kGolden, "golden.conv");
  const std::string before = folder_.Read("golden.conv");
  const Ended rewrite = folder_.Cmcheck({"rewrite", "golden.conv"});
  EXPECT_EQ(rewrite.exit_code, 0) << rewrite.output;
  EXPECT_EQ(rewrite.output, "0 written, 1 unchanged\n");
  EXPECT_EQ(folder_.Read("golden.conv"), before);
  const size_t at = before.rfind("-> 0");
  folder_.Write("golden.conv", before.substr(0, at) + "-> 1" + before.substr(at + 4));
  EXPECT_EQ(folder_.Cmcheck({"rewrite", "golden.conv"}).output,
            "wrote golden.conv\n1 written, 0 unchanged\n");
  EXPECT_EQ(folder_.Read("golden.conv"), before);
}

TEST_F(Cmcheck, RewritesTheOthersWhenOneCannotBeCarriedOut) {
  CopyIn(kGolden, "golden.conv");
  const std::string before = folder_.Read("golden.conv");
  folder_.Write("golden.conv", before.substr(0, before.find("\n----") + 1));
  const std::string damaged = "topology ring\n";
  folder_.Write("damaged.conv", damaged);
  const Ended rewrite =
      folder_.Cmcheck({"rewrite", "damaged.conv", "nope.conv", "golden.conv", "damaged.conv"});
  EXPECT_EQ(rewrite.exit_code, 2);
  EXPECT_EQ(rewrite.output, "wrote golden.conv\n1 written, 0 unchanged\n");
  EXPECT_THAT(LinesOf(rewrite.error),
              ElementsAre(HasSubstr("damaged.conv:1:"), HasSubstr("nope.conv cannot be read"),
                          HasSubstr("damaged.conv:1:")));
  EXPECT_EQ(folder_.Read("golden.conv"), before);
  EXPECT_EQ(folder_.Read("damaged.conv"), damaged);
}

TEST_F(CmcheckWithASample, JudgesASharedObjectWithAndWithoutADefect) {
  const Ended clean = folder_.Cmcheck({"run", "--impl", sample_, "--sequences", "40"});
  EXPECT_EQ(clean.exit_code, 0) << clean.output << clean.error;
  EXPECT_EQ(Results()["implementation"], sample_);
  // One finding, which is shrunk.
  const Ended found =
      folder_.Cmcheck({"run", "--impl", sample_, "--sequences", "5", "--property", "ROWS-1"},
                      {"CMCHECK_SAMPLE_DEFECT=connect-wrong-errno"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_EQ(Results()["findings"][0]["about"], "rdma_connect");
}

TEST_F(CmcheckWithASample, ComparesTwoImplementationsLineByLine) {
  const std::vector<std::string> compare = {"compare", "sim",         sample_, "--walk",
                                            "random",  "--sequences", "40"};
  const Ended same = folder_.Cmcheck(compare);
  EXPECT_EQ(same.exit_code, 0) << same.output << same.error;
  EXPECT_THAT(same.output, HasSubstr("40  the same"));
  const Ended differ = folder_.Cmcheck(compare, {"CMCHECK_SAMPLE_DEFECT=connect-wrong-errno"});
  EXPECT_EQ(differ.exit_code, 1);
  EXPECT_THAT(differ.output, AllOf(HasSubstr("-1 EINVAL"), HasSubstr("-1 ENOTCONN")));
}

TEST_F(CmcheckWithASample, ComparesNothingThatOneOfTheTwoCannotCarryOut) {
  for (const std::string& first : {std::string("sim"), sample_}) {
    const Ended ended = folder_.Cmcheck({"compare", first, sample_, "--sequences", "10"},
                                        {"CMCHECK_SAMPLE_DEFECT=no-such-defect"});
    EXPECT_EQ(ended.exit_code, 3) << "nothing is known of the two";
    EXPECT_THAT(LinesOf(ended.output),
                ElementsAre("       10  sequences", "        0  the same", "        0  different",
                            AllOf(HasSubstr("       10  not compared: " + sample_),
                                  HasSubstr("cmcheck_start says no"))));
  }
}

TEST_F(Cmcheck, EndsWithThreeWhenMoreIsInconclusiveThanIsPermitted) {
  const std::vector<std::string> run = {"run", "--sequences", "20", "--journal", "j"};
  EXPECT_EQ(folder_.Cmcheck(run).exit_code, 0);
  // Two in twenty, as if a real clock had run out.
  std::string journal = folder_.Read("j");
  for (int i = 0; i < 2; ++i) {
    const std::string passed = "\"passed\"";
    journal.replace(journal.find(passed), passed.size(),
                    "\"inconclusive\",\"reason\":\"a clock ran out\"");
  }
  folder_.Write("j", journal);
  const Ended ended = folder_.Cmcheck(run);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.output, HasSubstr("2 x a clock ran out"));
  EXPECT_EQ(folder_.Cmcheck(With(run, {"--max-inconclusive", "10"})).exit_code, 0);
  EXPECT_EQ(folder_.Cmcheck(With(run, {"--max-inconclusive", "9.99"})).exit_code, 3);
}

}  // namespace
}  // namespace cm
