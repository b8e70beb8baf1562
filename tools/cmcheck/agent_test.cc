// cmcheck on both sides of the driver protocol.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/process/descriptor.h"
#include "model/base/own_folder.h"
#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Around what a driver does at certain lines: it passes the others on.
constexpr const char* kCountsEnds =
    "ended=0\n"
    "while IFS= read -r line; do\n"
    "[ \"$line\" = end ] && ended=$((ended + 1))\n";
constexpr const char* kPassesOn =
    "printf '%s\\n' \"$line\"\n"
    "done | ";

TEST(Running, IsNotAwaitedWhenItHasEndedWithoutTheFile) {
  const CmcheckFolder folder;
  const auto shell = [&](const char* script) {
    return Running({"/bin/sh", "-c", script}, {}, folder.path());
  };
  Running without = shell("echo why >&2; exit 3");
  EXPECT_FALSE(without.AwaitFile(folder.path() / "file"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(without.Wait().exit_code, 3);
    EXPECT_EQ(without.Wait().error, "why\n");
    EXPECT_FALSE(without.AwaitFile(folder.path() / "file")) << "it was waited for";
  }
  EXPECT_TRUE(shell(": >file").AwaitFile(folder.path() / "file"));
}

class Agent : public testing::Test {
 protected:
  std::string AgentOf(const std::string& options) const {
    std::string command;
    for (const std::string& word : folder_.CommandOf({"agent"})) command += word + " ";
    return command + options;
  }
  Ended Run(const std::string& impl, const std::vector<std::string>& environment = {}) {
    return folder_.Cmcheck({"run", "--impl", impl, "--sequences", "50", "--report", "report"},
                           environment);
  }
  // Writes driver.sh: an agent that says nothing more when its nth conversation is to end.
  void WriteSilentAtEnd(int nth) const {
    const std::string silent =
        "[ $ended = " + std::to_string(nth) + " ] && : >started && sleep 1000\n";
    folder_.Write("driver.sh", kCountsEnds + silent + kPassesOn + AgentOf("--impl sim"));
  }
  // The value of a line of the table.
  static std::string Line(const std::string& output, const std::string& name) {
    for (const std::string& line : LinesOf(output))
      if (line.starts_with(name)) return line;
    return "none";
  }

  CmcheckFolder folder_;
};

TEST_F(Agent, HasTheHistoriesOfItsImplementation) {
  const Ended sim = Run("sim");
  const Ended agent = Run("exec:" + AgentOf("--impl sim"));
  EXPECT_EQ(agent.exit_code, 0) << agent.error;
  EXPECT_EQ(Line(agent.output, "digest"), Line(sim.output, "digest"));
  EXPECT_THAT(Line(sim.output, "digest"), HasSubstr("wire 0x"));
}

TEST_F(Agent, ADefectIsFoundThroughItAndItsConversationReplays) {
  const std::string impl = "exec:" + AgentOf("--impl sim --defect connect-wrong-errno");
  const Ended run = folder_.Cmcheck(
      {"run", "--impl", impl, "--sequences", "60", "--property", "ROWS-1", "--report", "report"});
  EXPECT_EQ(run.exit_code, 1) << run.error;
  const Ended replay =
      folder_.Cmcheck({"replay", "report/findings/rows-1-rdma_connect.conv", "--impl", impl});
  EXPECT_EQ(replay.exit_code, 1) << replay.error;
}

TEST_F(Agent, ServesThoseWhoKnowTheToken) {
  Running agent(folder_.CommandOf({"agent", "--impl", "sim", "--listen", "0"}),
                {"CMCHECK_TOKEN=open sesame"}, folder_.path());
  agent.AwaitErrorLines(1);
  const std::string line = agent.error();
  const std::string where = line.substr(line.find("127.0.0.1:"));
  const std::string impl = "tcp:" + where.substr(0, where.find('\n'));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(Run(impl, {"CMCHECK_TOKEN=open sesame"}).exit_code, 0) << "one after the other";
  const Ended stranger = Run(impl, {"CMCHECK_TOKEN=open barley"});
  EXPECT_EQ(stranger.exit_code, 2);
  EXPECT_THAT(stranger.error, AllOf(HasSubstr(impl), HasSubstr("before the end of its greeting")));
  agent.Signal(SIGTERM);
  EXPECT_EQ(agent.Wait().exit_code, 130);
}

TEST_F(Agent, DoesNotListenWithoutAToken) {
  const Ended ended = folder_.Cmcheck({"agent", "--impl", "sim", "--listen", "0"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.error, HasSubstr("CMCHECK_TOKEN"));
}

TEST_F(Agent, KeepsTheProtocol) {
  for (const char* impl : {"sim", "lib"}) {
    // The library cannot be loaded beside a sanitizer.
    if (std::string(impl) == "lib" && (kAddressSanitized || kThreadSanitized)) continue;
    const Ended ended = folder_.Cmcheck({"driver-check", AgentOf(std::string("--impl ") + impl)});
    EXPECT_EQ(ended.exit_code, 0) << ended.output;
    EXPECT_THAT(ended.output, HasSubstr("16 ok, 0 failed"));
  }
  EXPECT_EQ(folder_.Cmcheck({"driver-check", "echo hello"}).exit_code, 1);
}

// What is drawn follows from what the driver says that its environment can do.
TEST_F(Agent, WithAnotherEnvironmentDoesNotContinueTheJournal) {
  const auto run = [&](const std::string& filter) {
    folder_.Write("driver.sh", AgentOf("--impl sim") + filter);
    return folder_.Cmcheck(
        {"run", "--impl", "exec:sh driver.sh", "--sequences", "5", "--journal", "j"});
  };
  EXPECT_EQ(run("").exit_code, 0);
  EXPECT_EQ(run("").exit_code, 0) << "the same goes on";
  const Ended other = run(" | sed -u '/^capabilities /d'");
  EXPECT_EQ(other.exit_code, 2) << other.output;
  EXPECT_THAT(other.error, HasSubstr("j is the journal of another campaign"));
}

// What a driver or a launcher does first, in tests that interrupt its suite meanwhile.
constexpr const char* kWaits = ": >started; while [ ! -e go ]; do :; done; ";

Ended InterruptIt(const CmcheckFolder& folder, const std::vector<std::string>& arguments) {
  Running running(folder.CommandOf(arguments), {}, folder.path());
  EXPECT_TRUE(running.AwaitFile(folder.path() / "started")) << running.Wait().error;
  running.Signal(SIGINT);
  folder.Write("go", "");
  return running.Wait();
}

TEST_F(Agent, ThatIsSilentIsNotTriedOnWhenTheCheckIsInterrupted) {
  folder_.Write("driver.sh", ": >started; exec sleep 1000");
  const Ended ended =
      InterruptIt(folder_, {"driver-check", "sh driver.sh", "--answers-within", "3600"});
  EXPECT_EQ(ended.exit_code, 130) << ended.error;
  EXPECT_EQ(ended.output, "0 ok, 0 failed\n");
}

// Every process of the driver has the end of a pipe that is for writing.
TEST_F(Agent, ThatIsSilentIsEndedWhenTheRunIsInterrupted) {
  const std::string pipe = folder_.path() / "alive";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor alive(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  WriteSilentAtEnd(3);
  const std::string impl = "exec:exec 9>alive; sh driver.sh";
  const Ended ended = InterruptIt(folder_, {"run", "--impl", impl, "-j", "1", "--journal", "j"});
  EXPECT_EQ(ended.exit_code, 130) << ended.error;
  EXPECT_THAT(ended.error, AllOf(HasSubstr("stopped after 2 sequences: the driver: to \"end\" "),
                                 HasSubstr("it answered no line until the interrupt")));
  EXPECT_THAT(LinesOf(folder_.Read("j")), SizeIs(1 + 2));
  EXPECT_THAT(folder_.Read("cmcheck-report/results.json"), HasSubstr("\"interrupted\": true"));
  pollfd watched{.fd = alive.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&watched, 1, 60'000), 1) << "it lives on";
}

TEST_F(Agent, WithoutAGreetingIsNotWaitedForWhenTheRunIsInterrupted) {
  folder_.Write("driver.sh", ": >started; exec sleep 1000");
  const Ended ended = InterruptIt(folder_, {"run", "--impl", "exec:sh driver.sh"});
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.error, HasSubstr("no line until the interrupt, before the end of its"));
}

TEST_F(Agent, WhatTheInterruptHasCutShortIsNotWrittenIntoAFile) {
  WriteSilentAtEnd(1);
  const std::string text =
      "topology two-kernels\nprofile 6.1-rxe\nactive rdma_create_event_channel C\n";
  folder_.Write("short.conv", text);
  const Ended ended =
      InterruptIt(folder_, {"rewrite", "short.conv", "--impl", "exec:sh driver.sh"});
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_THAT(ended.error, HasSubstr("until the interrupt"));
  EXPECT_EQ(folder_.Read("short.conv"), text);
}

// A site whose launcher starts both agents here.
class Site : public Agent {
 protected:
  void WriteSite(const std::string& launcher) const {
    folder_.Write("site.json",
                  R"({"name": "here", "launcher": ")" + launcher + R"(", "agent": ")" +
                      AgentOf("--impl sim") +
                      R"(", "active": {"host": "a", "v4": "192.168.7.1", "v6": "fd07::1"},
                          "passive": {"host": "b", "v4": "192.168.8.2", "v6": "fd08::2"}})");
  }
};

TEST_F(Site, IsCheckedAndWhereTheSuiteRuns) {
  const std::string world = MakeOwnFolder("/tmp/site");  // short: a socket's path
  WriteSite("python3 " + DataFile("conformance/adapters/exec/shared_world.py").string() + " " +
            world + " '{command}'");
  const Ended check = folder_.Cmcheck({"site", "check", "site.json"});
  EXPECT_EQ(check.exit_code, 0) << check.output << check.error;
  EXPECT_THAT(check.output, AllOf(HasSubstr("active to passive over IPv4: well; an answer takes "),
                                  HasSubstr("passive to active over IPv6: well")));
  const Ended run = folder_.Cmcheck({"run", "--impl", "nodes", "--site", "site.json", "--sequences",
                                     "30", "--keep", "--report", "report"});
  EXPECT_EQ(run.exit_code, 0) << run.output << run.error;
  EXPECT_THAT(Line(run.output, "sequences "), HasSubstr("30 passed"));
  EXPECT_THAT(folder_.Read("report/conversations/000000.conv"),
              HasSubstr("address=192.168.8.2,fd08::2"));
  std::filesystem::remove_all(world);
}

TEST_F(Site, IsMeasuredThroughItsAgents) {
  const std::string world = MakeOwnFolder("/tmp/site");  // short: a socket's path
  WriteSite("python3 " + DataFile("conformance/adapters/exec/shared_world.py").string() + " " +
            world + " '{command}'");
  const std::vector<std::string> measure = {"profile",   "measure", "mine.json", "--site",
                                            "site.json", "--base",  "7.2-rxe"};
  const Ended ended = folder_.Cmcheck(measure);
  EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.error;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("measured  request_data               56"),
                                  HasSubstr("measured  max_depth                 128"),
                                  HasSubstr("measured  max_retries                15")));
  // The agents are of another profile than the base.
  EXPECT_THAT(ended.output, HasSubstr("measured  packet_lifetime            18"));
  EXPECT_EQ(folder_.Cmcheck({"run", "--profile", "mine.json", "--sequences", "5"}).exit_code, 0);
  EXPECT_THAT(folder_.Cmcheck(measure).error, HasSubstr("mine.json exists"));
  std::filesystem::remove_all(world);
}

// The hosts have not the file: they know the built-in profile that is its base.
TEST_F(Site, IsJudgedByAProfileThatOnlyTheSuiteHas) {
  const std::string world = MakeOwnFolder("/tmp/site");  // short: a socket's path
  WriteSite("python3 " + DataFile("conformance/adapters/exec/shared_world.py").string() + " " +
            world + " '{command}'");
  folder_.Write("mine.json", R"({"name": "mine", "base": "6.1-rxe", "timing": {"late_ms": 5000}})");
  const Ended run = folder_.Cmcheck({"run", "--impl", "nodes", "--site", "site.json", "--profile",
                                     "mine.json", "--sequences", "10", "--report", "report"});
  EXPECT_EQ(run.exit_code, 0) << run.output << run.error;
  EXPECT_THAT(run.output, AllOf(HasSubstr("under profile mine"), HasSubstr("10 passed")));
  std::filesystem::remove_all(world);
}

// Each has a world of its own, in which nothing of the other is.
TEST_F(Site, WhoseHostsDoNotReachEachOtherIsRefused) {
  WriteSite("{command}");
  const Ended check = folder_.Cmcheck({"site", "check", "site.json"});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.output, HasSubstr("active to passive over IPv4: "));
  EXPECT_THAT(check.output, HasSubstr("passive wait S within=5s -> quiet: nothing has come"));
}

TEST_F(Site, IsNotCheckedOnWhenTheCheckIsInterrupted) {
  folder_.Write("launch.sh", kWaits + std::string("exec sh -c \"$1\""));
  WriteSite("sh launch.sh '{command}'");
  const Ended check = InterruptIt(folder_, {"site", "check", "site.json"});
  EXPECT_EQ(check.exit_code, 130) << check.error;
  EXPECT_THAT(check.output, Not(HasSubstr("over IPv6: ")));
}

TEST_F(Site, ThatTakesNoLargeMessageIsRefused) {
  const std::string world = MakeOwnFolder("/tmp/site");  // short: a socket's path
  WriteSite("python3 " + DataFile("conformance/adapters/exec/shared_world.py").string() + " " +
            world + " '{command}' | sed -u 's/IBV_WC_SUCCESS/IBV_WC_RETRY_EXC_ERR/'");
  const Ended check = folder_.Cmcheck({"site", "check", "site.json"});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.output, HasSubstr("active to passive over IPv4: it connects, but a message of "
                                      "4096 bytes does not arrive: the MTU"));
  std::filesystem::remove_all(world);
}

TEST_F(Site, WithoutADriverNamesTheSide) {
  WriteSite("echo hello");
  const Ended check = folder_.Cmcheck({"site", "check", "site.json"});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_THAT(check.error, HasSubstr("site.json: active: echo hello"));
}

}  // namespace
}  // namespace cm
