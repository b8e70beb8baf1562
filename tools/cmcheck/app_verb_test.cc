// The verb `app` as its users meet it. What it does with programs is tested in //tools/app.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "conformance/process/process.h"
#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// As many hosts as there may be, with a device each.
std::string TopologyOfManyHosts(int count) {
  std::string text = "topology many\n";
  for (int i = 0; i < count; ++i)
    text +=
        fmt::format("host h{0}\ndevice rxe{0} on=eth0 address=10.1.0.{1},fd01::{1:x}\n", i, i + 1);
  for (int i = 0; i < count; ++i) text += fmt::format("side s{0} device=rxe{0}\n", i);
  return text;
}

// Programs load an object of this build.
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

TEST_F(AppPrograms, RunWithoutStandardDescriptors) {
  const CmcheckFolder folder;
  std::vector<std::string> command = {"/bin/sh", "-c", "exec \"$0\" \"$@\" <&- 2>&-"};
  for (const std::string& word : folder.CommandOf({"app", "--", "echo", "hello"}))
    command.push_back(word);
  const Ended ended = Running(command, {}, folder.path()).Wait();
  EXPECT_THAT(LinesOf(ended.output),
              ElementsAre("passive| hello", "passive: exit code 0", HasSubstr("0us of virtual")));
}

TEST_F(AppPrograms, BracesThatNameNoSideAreTheirOwn) {
  const CmcheckFolder folder;
  const Ended ended =
      folder.Cmcheck({"app", "--", "echo", "{print $1}", "{}", "a{2,3}", "{elsewhere}",
                      R"({"to": "{active}"})", "rdma://{passive}:1", "x{pasive}"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(LinesOf(ended.output).at(0),
              R"(passive| {print $1} {} a{2,3} {elsewhere} {"to": "10.0.0.1"} rdma://10.0.1.1:1 )"
              "x{pasive}");
}

TEST_F(AppPrograms, SeedsAreExploredAndTheCommandThatShowsAFailureAgainIsPrinted) {
  const CmcheckFolder folder;
  const Ended later = folder.Cmcheck({"app", "--explore", "3", "--seed", "7", "--", "true"});
  EXPECT_EQ(later.output, "seeds 7 to 9: no run has failed\n");
  const Ended fails = folder.Cmcheck(
      {"app", "--explore", "3", "--seed", "7", "-j", "1", "--", "@active", "sh", "-c", "exit 7"});
  EXPECT_THAT(fails.output, HasSubstr("seed 7 fails"));
  EXPECT_THAT(fails.output, HasSubstr("--seed 7 "));
  const Ended clean = folder.Cmcheck({"app", "--explore", "3", "--", "true"});
  EXPECT_EQ(clean.exit_code, 0) << clean.error;
  EXPECT_THAT(LinesOf(clean.output), ElementsAre("seeds 1 to 3: no run has failed"));
  const Ended failed =
      folder.Cmcheck({"app", "--explore", "3", "-j", "1", "--", "@active", "sh", "-c", "exit 7"});
  EXPECT_EQ(failed.exit_code, 1) << failed.error;
  EXPECT_THAT(
      LinesOf(failed.output),
      testing::Contains("again: cmcheck app --seed 1 --order usual -- @active sh -c 'exit 7'"));
}

TEST_F(AppPrograms, ASeedThatHasFailedMakesTheExitCodeThoughOneMoreRunIsClean) {
  const CmcheckFolder folder;
  const Ended ended = folder.Cmcheck({"app", "--explore", "1", "-j", "1", "--", "@active", "sh",
                                      "-c", "if [ -e once ]; then exit 0; fi; : >once; exit 7"});
  EXPECT_THAT(ended.output, AllOf(HasSubstr("seed 1 fails"), HasSubstr("active: exit code 0")));
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
}

// Nothing repeats a DREQ whose id is destroyed: the server waits for ever.
TEST_F(AppPrograms, EachFaultIsTriedAndTheFirstThatIsFatalIsPrinted) {
  const CmcheckFolder folder;
  const Ended ended =
      folder.Cmcheck({"app", "--faults", "each", "--", "@passive", "rping", "-s", "-a", "{passive}",
                      "-C", "1", ":", "@active", "rping", "-c", "-a", "{passive}", "-C", "1"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output,
              ContainsRegex("fault [0-9]+ fails; of its 0 unusual decisions 0, and of "
                            "its 1 faults 1 are needed:"));
  EXPECT_THAT(ended.output, HasSubstr("--fault 'fault drop DREQ from=active nth=1'"));
  EXPECT_EQ(folder.Cmcheck({"app", "--faults", "each", "--explore", "3", "--", "true"}).exit_code,
            2);
}

TEST_F(AppPrograms, AnOrderThatCannotBeReadIsNamed) {
  const CmcheckFolder folder;
  const Ended ended = folder.Cmcheck({"app", "--order", "1;2", "--", "true"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.error, HasSubstr("--order 1;2: accepted are"));
}

TEST_F(AppPrograms, FaultsOfWhichNothingHasComeAreNamed) {
  const CmcheckFolder folder;
  folder.Write("faults.txt", "pass 1s # later\r\nheal\r\n");
  const Ended ended = folder.Cmcheck({"app", "--faults", "faults.txt", "--", "true"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(LinesOf(ended.output), ElementsAre("pass 1s: not reached", "heal: not reached",
                                                 "passive: exit code 0", HasSubstr("digest")));
}

// source: rdma-core 44 rstream.c run: the listening socket is never closed
TEST_F(AppPrograms, ThatLeaveSomethingAreToldThatThisMakesTheExitCode) {
  const CmcheckFolder folder;
  const Ended ended = folder.Cmcheck({"app", "--", "rstream", "-S", "64", "-C", "10", ":",
                                      "rstream", "-s", "{passive}", "-S", "64", "-C", "10"});
  EXPECT_EQ(ended.exit_code, 1) << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("misbehaviour: passive leaves 1 rdma_cm id"));
  EXPECT_THAT(ended.output,
              HasSubstr("all programs have ended with 0; the misbehaviour makes the exit code 1"));
}

TEST_F(AppPrograms, LimitOfTimeIsNamedWithWhatWouldComeNext) {
  const CmcheckFolder folder;
  EXPECT_THAT(folder.Cmcheck({"app", "--limit", "1s", "--", "sleep", "90"}).output,
              ContainsRegex("the limit of virtual time, --limit 1s, is reached; it would go on at "
                            "90[^ ]*:\n  passive thread 1: sleeps until 90"));
  EXPECT_THAT(folder
                  .Cmcheck({"app", "--limit", "1s", "--fault", "fault drop REQ from=active", "--",
                            "rping", "-s", "-a", "{passive}", "-C", "1", ":", "rping", "-c", "-a",
                            "{passive}", "-C", "1"})
                  .output,
              ContainsRegex("--limit 1s, is reached; it would go on at [^ ]* with a message or a "
                            "timer of a kernel:"));
}

// Each pair has a server, all on the same port.
TEST_F(AppPrograms, RunOnSixtyFourHosts) {
  const CmcheckFolder folder;
  folder.Write("many.topology", TopologyOfManyHosts(64));
  const auto run = [&](int hosts) {
    std::vector<std::string> words = {"app", "--topology", "many.topology", "--"};
    for (int i = 0; i < hosts; i += 2) {
      if (i > 0) words.emplace_back(":");
      const std::string server = fmt::format("{{s{}}}", i);
      for (const std::string& word :
           {fmt::format("@s{}", i), std::string("rping"), std::string("-s"), std::string("-C"),
            std::string("1"), std::string(":"), fmt::format("@s{}", i + 1), std::string("rping"),
            std::string("-c"), std::string("-C"), std::string("1"), std::string("-a"), server})
        words.push_back(word);
    }
    return folder.Cmcheck(words);
  };
  const Ended ended = run(64);
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_THAT(ended.output, HasSubstr("s63: exit code 0"));
  EXPECT_EQ(run(8).output, run(8).output);
  folder.Write("many.topology", TopologyOfManyHosts(65));
  EXPECT_THAT(run(2).error, HasSubstr("there are 64 already"));
}

TEST_F(AppPrograms, ConversationGoesToItsFile) {
  const CmcheckFolder folder;
  EXPECT_EQ(folder.Cmcheck({"app", "--trace", "run.txt", "--", "false"}).exit_code, 1);
  EXPECT_THAT(LinesOf(folder.Read("run.txt")), ElementsAre(HasSubstr("passive exit code 1")));
}

TEST_F(AppPrograms, MessagesGoToACapture) {
  const CmcheckFolder folder;
  const std::string planted = std::filesystem::current_path() / "tools/app/planted";
  const Ended ended =
      folder.Cmcheck({"app", "--pcap", "run.pcap", "--fault", "fault drop REP from=passive nth=1",
                      "--", planted, "serve", ":", planted, "ask", "{passive}"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  const Ended checked = folder.Cmcheck({"check-pcap", "run.pcap"});
  EXPECT_EQ(checked.exit_code, 0) << checked.output << checked.error;
  EXPECT_THAT(checked.output, HasSubstr("DREP"));
  EXPECT_THAT(ended.output, HasSubstr(" frames, 1 of those that were sent are lost\n"));
}

class Captures : public AppPrograms {
 protected:
  // What tshark prints of these fields of the packets that the filter lets through; empty where
  // there is no tshark.
  std::optional<std::vector<std::string>> Read(const std::string& filter,
                                               const std::vector<std::string>& fields) const {
    constexpr int kNotFound = 127;
    std::string command = "tshark -r " + (folder_.path() / "run.pcap").string() + " -Y '" + filter +
                          "' -T fields -E separator=,";
    for (const std::string& field : fields) command += " -e " + field;
    const auto ran = RunProgram({"sh", "-c", command + " 2>/dev/null"});
    if (!ran || ran->exit_code == kNotFound) return std::nullopt;
    return LinesOf(ran->output);
  }

  const CmcheckFolder folder_;
};

// As rping has it: both advertise memory, the passive side reads, and writes in turn.
TEST_F(Captures, HaveDataThatWiresharkReads) {
  const Ended ended =
      folder_.Cmcheck({"app",       "--pcap",    "run.pcap", "--", "rping", "-s",  "-d",    "-a",
                       "{passive}", "-C",        "1",        "-S", "3000",  ":",   "rping", "-c",
                       "-a",        "{passive}", "-C",       "1",  "-S",    "3000"});
  ASSERT_EQ(ended.exit_code, 0) << ended.error;
  const auto packets = Read(
      "infiniband.bth.destqp != 1",
      {"ip.src", "infiniband.bth.opcode", "infiniband.reth.dmalen", "infiniband.aeth.syndrome"});
  if (!packets) GTEST_SKIP() << "unsupported here: no tshark";
  EXPECT_THAT(*packets, ElementsAre("10.0.0.1,4,,", "10.0.1.1,17,,31",  // where the source is
                                    "10.0.1.1,12,3000,", "10.0.0.1,13,,31", "10.0.0.1,14,,",
                                    "10.0.0.1,15,,31",                  // it is read
                                    "10.0.1.1,4,,", "10.0.0.1,17,,31",  // go on
                                    "10.0.0.1,4,,", "10.0.1.1,17,,31",  // where the sink is
                                    "10.0.1.1,6,3000,", "10.0.1.1,7,,", "10.0.1.1,8,,",
                                    "10.0.0.1,17,,31",                    // it is written
                                    "10.0.1.1,4,,", "10.0.0.1,17,,31"));  // go on
  // The keys that the program says it has been sent.
  std::vector<std::string> keys;
  for (const std::string& line : LinesOf(ended.output))
    if (const size_t at = line.find("Received rkey "); at != std::string::npos)
      keys.push_back("0x0000000" + line.substr(at + 14, line.find(" addr") - at - 14));
  EXPECT_THAT(keys, SizeIs(2));
  EXPECT_EQ(*Read("infiniband.reth.r_key", {"infiniband.reth.r_key"}), keys);
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
  folder.Write("binary", std::string("\177ELF\0\n", 6));
  const std::vector<Bad> all = {
      {{"@middle", "true"}, "no side 'middle' for programs; sides are active, passive"},
      {{"true", ":"}, "program 2 is empty"},
      {{"true", ":", "true", ":", "true"}, "program 3: topology two-kernels has 2 sides"},
      {{"ping", "{pasive}"}, "'{pasive}' names no address"},
      {{"ping", "{passive.v7}"}, "'{passive.v7}' names no address"},
      {{"--profile", "faults.txt", "true"}, "faults.txt: it is no JSON: parse error at line 1"},
      {{"true", ":", "no-such-program"}, "cannot start no-such-program: No such file"},
      {{"true", ":", "./faults.txt"}, "cannot start ./faults.txt: Permission denied"},
      {{"--topology", "moon", "true"}, "there is no topology 'moon'"},
      {{"--limit", "soon", "true"}, "--limit soon: accepted are durations like 90s"},
      {{"--bandwidth", "fast", "true"}, "--bandwidth fast: accepted are bits a second like 800k"},
      {{"--instructions", "fast", "true"},
       "--instructions fast: accepted are instructions a second like 500M, 3G"},
      {{"--stays", "middle", "true"}, "--stays middle: topology two-kernels has the sides"},
      {{"--explore", "3", "--order", "usual", "true"},
       "--order usual: is that of one run, without --explore"},
      {{"--explore", "3", "--conversation", "no/run.conv", "false"},
       "--conversation no/run.conv cannot be written: No such file or directory"},
      {{"--faults", "each", "--trace", "no/trace", "false"}, "--trace no/trace cannot be written"},
      {{"--explore", "3", "--pcap", "no/run.pcap", "false"}, "--pcap no/run.pcap: no/run.pcap"},
      {{"--trace", "/dev/full", "true"}, "--trace /dev/full cannot be written whole"},
      {{"--faults", "none.txt", "true"}, "--faults none.txt: cannot be read: no such file"},
      {{"--faults", "binary", "true"}, "--faults binary: the file is no text"},
      {{"--faults", "each", "--fault", "fault link-down side=active", "true"},
       "--faults each: chooses the faults, without --fault"},
      {{"--profile", "6.1-siw", "--fault", "fault drop REQ from=active", "true"},
       "--fault: line 1: 'fault drop REQ from=active': it needs drop, which profile 6.1-siw does"},
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

std::string Computing() { return std::filesystem::current_path() / "tools/app/computing"; }

// The nanoseconds of virtual time in which a program retires at least 30 million instructions.
int64_t TimeOfALoop(const Ended& ended) {
  const std::string before = "passive| took ";
  const size_t at = ended.output.find(before);
  return at == std::string::npos ? -1 : std::stoll(ended.output.substr(at + before.size()));
}

TEST_F(AppPrograms, ComputeInNoTime) {
  const CmcheckFolder folder;
  const Ended ended = folder.Cmcheck({"app", "--", Computing(), "loop"});
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_EQ(TimeOfALoop(ended), 100);
}

TEST_F(AppPrograms, TakeTheTimeOfTheirInstructionsOrAreNotStarted) {
  const CmcheckFolder folder;
  const Ended ended = folder.Cmcheck(
      {"app", "--instructions", "3G", "--", "sh", "-c", ":>ran; " + Computing() + " loop"});
  if (ended.exit_code == 2) {
    EXPECT_THAT(LinesOf(ended.error),
                ElementsAre(AllOf(
                    HasSubstr("--instructions 3G: instructions cannot be counted: perf_event_open"),
                    HasSubstr("a machine whose processor's counters are visible to it"),
                    HasSubstr("kernel.perf_event_paranoid of at most 2"))));
    EXPECT_THAT(folder.Files(), IsEmpty()) << "the program was started";
    GTEST_SKIP() << "unsupported here: " << ended.error;
  }
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_GE(TimeOfALoop(ended), 10'000'000);
  EXPECT_LE(TimeOfALoop(ended), 1'000'000'000);
}

TEST_F(AppPrograms, EndWhenNobodyReadsWhatTheyPrint) {
  const CmcheckFolder folder;
  std::vector<std::string> command = {"/bin/sh", "-c", "{ \"$@\"; echo $? >code; } | head -2",
                                      "sh"};
  for (const std::string& word : folder.CommandOf({"app", "--", "yes"})) command.push_back(word);
  const Ended ended = Running(command, {}, folder.path()).Wait();
  EXPECT_THAT(LinesOf(ended.output), ElementsAre("passive| y", "passive| y"));
  EXPECT_EQ(folder.Read("code"), "2\n");
  EXPECT_THAT(LinesOf(ended.error), ElementsAre(HasSubstr("standard output cannot be written")));
}

// Runs for ever with a child of its own, and has printed the child; and the folder of its sockets.
bool AwaitStart(const CmcheckFolder& folder, const Running& running) {
  return running.AwaitFile(folder.path() / "host") && running.AwaitFile(folder.path() / "child");
}
constexpr const char* kScript =
    "echo $CMSIM_HOST >.host; mv .host host; setsid sh -c ':>child; "
    "while :; do :; done' & while :; do :; done";
const std::vector<std::string> kGoesOn = {"app", "--", "sh", "-c", kScript};

std::string FolderOfSockets(const CmcheckFolder& folder) {
  return std::filesystem::path(folder.Read("host")).parent_path();
}

// A process of any system, by its environment; a zombie has none.
bool AnyRunsOn(const std::string& host) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    std::ifstream in(at->path() / "environ", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (text.find("CMSIM_HOST=" + host + '\0') != std::string::npos) return true;
  }
  return false;
}

TEST_F(AppPrograms, LeaveNothingBehindWhenTheVerbHearsTwoSignals) {
  for (const std::vector<int>& signals :
       {std::vector<int>{SIGHUP}, {SIGINT, SIGINT}, {SIGTERM, SIGHUP}}) {
    const CmcheckFolder folder;
    Running running(folder.CommandOf(kGoesOn), {}, folder.path());
    ASSERT_TRUE(AwaitStart(folder, running)) << running.Wait().error;
    EXPECT_TRUE(std::filesystem::exists(FolderOfSockets(folder)));
    for (const int signal : signals) running.Signal(signal);
    EXPECT_EQ(running.Wait().exit_code, 130);
    EXPECT_FALSE(std::filesystem::exists(FolderOfSockets(folder)));
    EXPECT_FALSE(AnyRunsOn(folder.Read("host")));
  }
}

TEST_F(AppPrograms, LeaveNothingBehindWhenTheVerbIsKilled) {
  const CmcheckFolder folder;
  Running running(folder.CommandOf(kGoesOn), {}, folder.path());
  ASSERT_TRUE(AwaitStart(folder, running)) << running.Wait().error;
  running.Signal(SIGKILL);
  EXPECT_EQ(running.Wait().exit_code, 128 + SIGKILL);
  // The verb does not wait for the guard: it ends in its own time.
  while (std::filesystem::exists(FolderOfSockets(folder))) sched_yield();
  EXPECT_FALSE(AnyRunsOn(folder.Read("host")));
}

TEST_F(AppPrograms, EndWhenTheVerbIsInterrupted) {
  const CmcheckFolder folder;
  Running running(folder.CommandOf({"app", "--", "sh", "-c", ": >started; while :; do :; done"}),
                  {}, folder.path());
  ASSERT_TRUE(running.AwaitFile(folder.path() / "started")) << running.Wait().error;
  running.Signal(SIGINT);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.output, HasSubstr("passive thread 1: runs, and sends no request"));
}

TEST_F(AppPrograms, ThatAreExploredEndWhenTheVerbIsInterrupted) {
  const CmcheckFolder folder;
  Running running(folder.CommandOf({"app", "--explore", "9", "-j", "2", "--", "sh", "-c",
                                    ": >started; while :; do :; done"}),
                  {}, folder.path());
  ASSERT_TRUE(running.AwaitFile(folder.path() / "started")) << running.Wait().error;
  running.Signal(SIGINT);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.error;
  EXPECT_THAT(ended.output, IsEmpty());
}

// The first run fails; the second one, which is to be shorter, does not end.
TEST_F(AppPrograms, AFailureThatIsBeingShrunkIsPrintedWhenTheVerbIsInterrupted) {
  const CmcheckFolder folder;
  Running running(
      folder.CommandOf({"app", "--explore", "1", "-j", "1", "--limit", "100s", "--fault", "heal",
                        "--", "sh", "-c",
                        "if [ -e once ]; then : >again; while :; do :; done; fi; : >once; "
                        "exec sleep 900"}),
      {}, folder.path());
  ASSERT_TRUE(running.AwaitFile(folder.path() / "again")) << running.Wait().error;
  running.Signal(SIGINT);
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.error;
  EXPECT_THAT(LinesOf(ended.output), ElementsAre("seed 1 fails; interrupted while it was shrunk",
                                                 HasSubstr("again: cmcheck app --seed 1 --order")));
}

}  // namespace
}  // namespace cm
