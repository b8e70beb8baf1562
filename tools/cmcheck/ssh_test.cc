// Two agents behind a real sshd: each connection has one of its own, which ssh starts instead of
// connecting to a port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>

#include "conformance/process/process.h"
#include "conformance/process/real_time.h"
#include "model/base/choice.h"
#include "model/base/files.h"
#include "model/base/own_folder.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

constexpr Duration kLongEnough = Duration::Seconds(60);

// More of them by hand: CMCHECK_MOMENTS=100.
int Moments() {
  const char* const wanted = std::getenv("CMCHECK_MOMENTS");
  return wanted == nullptr ? 4 : std::atoi(wanted);
}

class Ssh : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"ssh", "sshd", "ssh-keygen"})
      if (!std::holds_alternative<std::string>(FindProgram(tool, kPath)))
        GTEST_SKIP() << "unsupported here: there is no " << tool;
    world_ = MakeOwnFolder("/tmp/ssh");  // short: a socket's path
    // An sshd of root wants this folder, which the system makes with its service.
    if (geteuid() == 0) fs::create_directories("/run/sshd");
    for (const char* key : {"host", "user"})
      RunProgram({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", world_ / key});
    fs::copy_file(world_ / "user.pub", world_ / "known");
    Write("sshd", "HostKey " + world_.string() + "/host\nAuthorizedKeysFile " + world_.string() +
                      "/known\nStrictModes no\nPidFile none\nUsePAM no\n"
                      "PasswordAuthentication no\nLogLevel ERROR\n");
    Write("ssh", "Host *\nProxyCommand " + std::get<std::string>(FindProgram("sshd", kPath)) +
                     " -i -f " + world_.string() + "/sshd\nIdentityFile " + world_.string() +
                     "/user\nIdentitiesOnly yes\nBatchMode yes\nLogLevel ERROR\n"
                     "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n");
    std::string agent;
    for (const std::string& word : folder_.CommandOf({"agent", "--impl", "sim"}))
      agent += word + " ";
    // The file `kill` says once, at which request of which side its agent or its connection is
    // killed.
    Write("agent", R"(#!/bin/sh
cd )" + world_.string() +
                       R"(
side=$1
shift
echo $$ >>pids
number=0
if [ -e "kill.$side" ]; then
  read -r number what <"kill.$side"
  rm "kill.$side"
fi
while IFS= read -r line; do
  number=$((number - 1))
  if [ $number = 0 ]; then
    victim=$PPID
    [ "$what" = connection ] || read -r victim <"agent.$side"
    echo "$what" >>killed
    kill -9 "$victim"
    [ "$what" = connection ] || exit
  fi
  printf '%s\n' "$line"
done | { sh -c 'echo $$ >"agent.$1"; exec python3 "$2" . "$3"' sh "$side" )" +
                       DataFile("conformance/adapters/exec/shared_world.py").string() + " \"" +
                       agent + "$*\"; kill 0; }\n");
    fs::permissions(world_ / "agent", fs::perms::owner_all);
    folder_.Write("site.json", R"({"name": "there", "launcher": "ssh -F )" + world_.string() +
                                   R"(/ssh {host} )" + world_.string() +
                                   R"(/agent {side} {command}", "agent": " ",
      "active": {"host": "node1", "v4": "192.168.7.1", "v6": "fd07::1"},
      "passive": {"host": "node2", "v4": "192.168.8.2", "v6": "fd08::2"}})");
    const auto tried = RunProgram({"ssh", "-F", world_ / "ssh", "node1", "echo", "well"});
    if (!tried || tried->output != "well\n")
      GTEST_SKIP() << "unsupported here: sshd: " << (tried ? tried->output : "");
  }
  void TearDown() override {
    if (!world_.empty()) fs::remove_all(world_);
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(world_ / name) << text;
  }
  Ended Run(const std::string& sequences) const {
    return folder_.Cmcheck({"run", "--impl", "nodes", "--site", "site.json", "--sequences",
                            sequences, "--max-inconclusive", "100", "--report", "report"});
  }
  // One that has ended, and that its parent has not asked for, has no command line.
  static bool Lives(const std::string& pid) {
    return !ReadFile("/proc/" + pid + "/cmdline").value_or("").empty();
  }
  // The agents that were started are gone.
  int AgentsThatWereStarted() const {
    int count = 0;
    const auto pids = RunProgram({"cat", world_ / "pids"});
    for (const std::string& line : LinesOf(pids ? pids->output : "")) {
      ++count;
      const Instant until = RealNow() + kLongEnough;
      while (Lives(line) && RealNow() < until) ReallySleep(Duration::Milliseconds(5));
      EXPECT_FALSE(Lives(line)) << "an agent is left";
    }
    return count;
  }

  static constexpr const char* kPath =
      "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
  CmcheckFolder folder_;
  fs::path world_;
};

TEST_F(Ssh, TheSuiteRunsThere) {
  const Ended run = Run("6");
  EXPECT_EQ(run.exit_code, 0) << run.output << run.error;
  EXPECT_THAT(run.output, HasSubstr("6 passed, 0 failed, 0 inconclusive"));
  EXPECT_EQ(AgentsThatWereStarted(), 2);
}

// Of "sequences  5 passed, 0 failed, 1 inconclusive" the sum.
int SequencesIn(const std::string& output) {
  int passed = 0;
  int failed = 0;
  int inconclusive = 0;
  for (const std::string& line : LinesOf(output))
    if (line.starts_with("sequences"))
      std::sscanf(line.c_str(), "sequences %d passed, %d failed, %d inconclusive", &passed, &failed,
                  &inconclusive);
  return passed + failed + inconclusive;
}

class SshMoment : public Ssh, public testing::WithParamInterface<int> {};

// Both sides share a simulator, which is gone with the agent that has made it.
TEST_P(SshMoment, AnAgentOrItsConnectionIsKilledAndTheRunGoesOn) {
  StreamState state = NamedStream(1, "moment " + std::to_string(GetParam()));
  RandomChoice choice(&state);
  const uint64_t at = 1 + choice.Below(250, "moment");
  const std::string side = choice.Below(2, "side") == 0 ? "active" : "passive";
  const std::string what = choice.Below(2, "what") == 0 ? "agent" : "connection";
  Write("kill." + side, std::to_string(at) + " " + what + "\n");
  const Ended run = Run("6");
  std::string moment = what;
  moment.append(" of ").append(side).append(", request ").append(std::to_string(at));
  EXPECT_EQ(run.exit_code, 0) << moment << run.output << run.error;
  EXPECT_THAT(run.output, HasSubstr(", 0 failed, ")) << moment << run.output;
  EXPECT_EQ(SequencesIn(run.output), 6) << moment << run.output;
  EXPECT_THAT(run.error, HasSubstr("the agent is started again")) << moment;
  EXPECT_GE(AgentsThatWereStarted(), 3) << moment;
  const auto killed = RunProgram({"cat", world_ / "killed"});
  EXPECT_EQ(killed ? killed->output : "", what + "\n") << moment;
}
INSTANTIATE_TEST_SUITE_P(At, SshMoment, testing::Range(0, Moments()));

}  // namespace
}  // namespace cm
