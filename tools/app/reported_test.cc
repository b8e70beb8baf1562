// What programs of users were refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/process/process.h"
#include "tools/app/network.h"
#include "tools/app/one_processor.h"
#include "tools/app/process_ids.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;
using testing::UnorderedElementsAre;

ProgramToRun Reported(uint8_t side, const std::string& what) {
  return Beside(side, "reported " + what);
}

int AllowedProcessors() {
  cpu_set_t processors;
  return sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : -1;
}

TEST_F(Programs, MoveNoBytesWithoutAKeyAndSeeTheirTimeout) {
  const Ran ran = RunAll(
      {Reported(kPassiveSide, "serve PASSIVE"), Reported(kActiveSide, "move-nothing PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  // source: linux 6.1 cma.c CMA_IBOE_PACKET_LIFETIME, cm.c cm_ack_timeout
  EXPECT_THAT(ran.output, UnorderedElementsAre("passive| timeout 19", "active| timeout 19",
                                               "active| write of no bytes: success",
                                               "active| read of no bytes: success"));
}

TEST_F(Programs, HaveAtOnceWhatAChildHadWhenTheyHaveWaitedForIt) {
  const Ran ran = RunAll({Reported(kActiveSide, "bind")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| the child: Success, its parent: Success"));
}

TEST_F(Programs, ThatCloseAllDescriptorsKeepTheirMachine) {
  const Ran ran = RunAll({Reported(kActiveSide, "close-all PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| after all descriptors are closed: Success"));
}

TEST_F(Programs, HaveChildrenOnTheSameHostWhateverTheirEnvironment) {
  const Ran ran = RunAll({Reported(kActiveSide, "without-environment PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| the child: Success", "active| the child: Success"));
}

TEST_F(Programs, StartOthersInEachWay) {
  const Ran ran = RunAll({Reported(kActiveSide, "start-others")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| system 0", "active| popen", "active| execv 0",
                                      "active| fexecve 0", "active| posix_spawnp 0"));
}

TEST_F(Programs, PollInHandlersOfAtexit) {
  const Ran ran = RunAll({Reported(kActiveSide, "poll-at-exit")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| polled at exit"));
}

TEST_F(Programs, GoOnWhenTheProcessesThatTheyStartSleepOrHaveEnded) {
  const Ran ran = RunAll({Reported(kActiveSide, "start-in-turns")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| the child", "active| its parent",
                                      "active| the child", "active| its parent"));
}

// The object has a poll of its own, and no ppoll: curl asks it whether it is connected. source:
// observed 6.1-rxe: 7, "Couldn't connect to server"
TEST_F(Programs, PollWithThePollOfAnObjectThatTheyPreload) {
  constexpr const char* kObject = "/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so";
  if (!IsInstalled("curl") || access(kObject, F_OK) != 0)
    GTEST_SKIP() << "unsupported: curl or librspreload is not installed";
  const Ran ran = RunAll(
      {Words(kActiveSide, std::string("env LD_PRELOAD=") + kObject + " curl -s PASSIVE:8080")});
  ASSERT_EQ(ran.report.programs.size(), 1U);
  EXPECT_EQ(ExitCodeOf(ran.report.programs[0].status), 7);
}

// The loader itself is such a program.
TEST_F(Programs, CannotStartOthersThatWouldNotLoadTheObject) {
  ProgramToRun starts = Words(kActiveSide, "sh -c");
  starts.words.emplace_back("/lib64/ld-linux-x86-64.so.2 --version; echo $?");
  const Ran ran = RunAll({starts});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output,
              ElementsAre("active| cmcheck: cannot start /lib64/ld-linux-x86-64.so.2: it is linked "
                          "statically, and would use the RDMA devices of this system",
                          HasSubstr("Permission denied"), "active| 126"));
}

// source: the world begins in 2001, see sim/fake_libibverbs/clock.h
TEST_F(Programs, OfAnOlderCLibraryAreUnderTheSimulatedOne) {
  const Ran ran = RunAll({Beside(kActiveSide, "older")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| 8 devices", "active| begun 1",
                                      "active| -1 after 2s, 1000000000"));
}

TEST_F(Programs, KnowTheirOwnHostOnly) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = RunAll({Reported(kPassiveSide, "host"), Reported(kActiveSide, "host")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("passive| passive passive", "passive| lo 127.0.0.1",
                                      "passive| veth1 10.0.1.1", "active| active active",
                                      "active| lo 127.0.0.1", "active| veth0 10.0.0.1"));
}

TEST_F(Programs, FindHostsByTheirNames) {
  if (!ProcessIds(*FindTopology("two-kernels")).are_of_hosts())
    GTEST_SKIP() << "the system does not permit files of a host's own";
  const Ran ran = RunAll({Reported(kPassiveSide, "names"), Reported(kActiveSide, "names")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(
      ran.output,
      ElementsAre("passive| passive 10.0.1.1", "passive| active 10.0.0.1",
                  "passive| passive passive", "passive| 00000002-0000-4000-8000-000000000000 a0101",
                  "active| passive 10.0.1.1", "active| active 10.0.0.1", "active| active active",
                  "active| 00000001-0000-4000-8000-000000000000 a0100"));
}

// hwloc reads it, and Open MPI sends between hosts what hwloc says.
TEST_F(Programs, SeeTheSameMemoryWhateverTheSystemHas) {
  const std::string file = "/sys/devices/system/node/node0/meminfo";
  if (!ProcessIds(*FindTopology("two-kernels")).are_of_hosts() || !std::filesystem::exists(file))
    GTEST_SKIP() << "the system does not permit files of a host's own, or has no such file";
  const Ran ran = RunAll({Words(kActiveSide, "head -n1 " + file)});
  EXPECT_THAT(ran.output, ElementsAre("active| Node 0 MemTotal: 16777216 kB"));
}

TEST_F(Programs, AreOnTheirHostWhereTheyAreFortified) {
  const std::vector<ProgramToRun> programs = {Beside(kActiveSide, "fortified")};
  const Ran ran = RunAll(programs);
  EXPECT_TRUE(ran.report.clean());
  ASSERT_EQ(ran.output.size(), 2U);
  EXPECT_EQ(ran.output[1], "active| active 3 1");
  EXPECT_EQ(RunAll(programs).output, ran.output);
}

TEST_F(Programs, SeeVirtualTimeInWhateverTheyReadItFrom) {
  const Ran ran = RunAll({Reported(kActiveSide, "times")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| 2 2 2 2 1002.00"));
}

TEST_F(Programs, HaveProcessIdsOfTheirHost) {
  if (!ProcessIds(*FindTopology("two-kernels")).are_of_hosts())
    GTEST_SKIP() << "the system does not permit process ids of a host's own";
  const Ran ran = RunAll({Reported(kPassiveSide, "processes"), Reported(kActiveSide, "processes")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("passive| 2000 of 0, child 2001: 0, self 2000 R",
                                      "active| 1000 of 0, child 1001: 0, self 1000 R"));
}

TEST_F(Programs, HearOfTheirOwnAddressesOnlyOverNetlink) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = RunAll({Reported(kPassiveSide, "network"), Reported(kActiveSide, "network")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(
      ran.output,
      UnorderedElementsAre("passive| 127.0.0.1", "passive| 10.0.1.1", "passive| ::1",
                           "passive| fd00:1::1", "passive| veth1", "active| 127.0.0.1",
                           "active| 10.0.0.1", "active| ::1", "active| fd00::1", "active| veth0"));
}

TEST_F(Programs, SeeOneMtuOfTheirInterfaceWhereverTheyAsk) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = RunAll({Beside(kPassiveSide, "mtu veth1"), Beside(kActiveSide, "mtu lo")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output,
              UnorderedElementsAre("passive| 1500 1500 1500", "active| 65536 65536 65536"));
}

TEST_F(Programs, HaveAnInterfaceForEachDeviceOfTheirHost) {
  const std::string_view topology = "one-kernel-two-devices";
  if (!Network(*FindTopology(topology)).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = RunPrograms({Beside(kPassiveSide, "mtu veth0"), Beside(kActiveSide, "mtu veth1")},
                              {.topology = topology});
  EXPECT_EQ(ran.problem, "");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output,
              UnorderedElementsAre("passive| 1500 1500 1500", "active| 1500 1500 1500"));
}

TEST_F(Programs, HaveTheMemoryFileSystemOfTheirHostAndTemporaryFilesThere) {
  if (!ProcessIds(*FindTopology("two-kernels")).are_of_hosts())
    GTEST_SKIP() << "the system does not permit process ids of a host's own";
  ProgramToRun writes = Words(kPassiveSide, "sh -c");
  writes.words.emplace_back("touch /dev/shm/ours $TMPDIR/ours; sleep 2; ls -d /dev/shm/ours");
  ProgramToRun looks = Words(kActiveSide, "sh -c");
  looks.words.emplace_back("sleep 1; ls /dev/shm | grep -c ours; ls $TMPDIR; echo $TMPDIR");
  const Ran ran = RunAll({writes, looks});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output,
              ElementsAre("active| 0", "active| /dev/shm/tmp", "passive| /dev/shm/ours"));
}

// They have waited for a lock, and end without another request: what they have done is seen. It was
// called a deadlock.
TEST_F(Programs, SeeWhatThreadsHaveDoneThatEnd) {
  ProgramToRun starts = Words(kActiveSide, "/usr/bin/python3 -c");
  starts.words.emplace_back(
      "import threading\n"
      "all = [threading.Thread(target=len, args=((),)) for i in range(20)]\n"
      "[one.start() for one in all]; [one.join() for one in all]; print('joined')");
  const Ran ran = RunAll({starts});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| joined"));
}

// Or sleep in the system, where the seed has given others the turn.
TEST_F(Programs, SeeWhatThreadsHaveDoneThatSleep) {
  for (uint64_t seed = 0; seed < 12; ++seed)
    EXPECT_THAT(RunAll({Reported(kActiveSide, "wait-for-a-lock")}, "", seed).output,
                ElementsAre("active| joined"))
        << seed;
}

TEST_F(Programs, KeepNothingOfThreadsThatHaveEnded) {
  for (uint64_t seed = 0; seed < 3; ++seed)
    EXPECT_THAT(RunAll({Reported(kActiveSide, "count-descriptors")}, "", seed).output,
                ElementsAre("active| a few"))
        << seed;
}

// They load the object wherever the folder of the run is.
TEST_F(Programs, AreOnTheirHostWhereTheRunHasAHiddenFolder) {
  if (!ProcessIds(*FindTopology("two-kernels")).are_of_hosts())
    GTEST_SKIP() << "the system does not permit process ids of a host's own";
  const char* const before = getenv("TMPDIR");
  const std::string usual = before == nullptr ? "" : before;
  std::string hidden = "/tmp/.cmsim_test.XXXXXX";
  ASSERT_NE(mkdtemp(hidden.data()), nullptr);
  setenv("TMPDIR", hidden.c_str(), 1);
  ProgramToRun looks = Words(kActiveSide, "sh -c");
  looks.words.emplace_back("ls $LD_PRELOAD >/dev/null && stat -c %a /tmp");
  const Ran ran = RunPrograms({looks}, {.own_tmp = true});
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", usual.c_str(), 1);
  rmdir(hidden.c_str());
  EXPECT_EQ(ran.problem, "");
  EXPECT_THAT(ran.output, ElementsAre("active| 1777"));
}

TEST_F(Programs, HaveTemporaryFilesOfTheirHostWhereThatIsAskedFor) {
  if (!ProcessIds(*FindTopology("two-kernels")).are_of_hosts())
    GTEST_SKIP() << "the system does not permit process ids of a host's own";
  ProgramToRun writes = Words(kPassiveSide, "sh -c");
  writes.words.emplace_back("echo ours > /tmp/of_this_test; sleep 2; cat /tmp/of_this_test");
  ProgramToRun looks = Words(kActiveSide, "sh -c");
  looks.words.emplace_back("sleep 1; ls -A /tmp | grep -v cmsim; echo theirs > /tmp/of_this_test");
  const Ran ran = RunPrograms({writes, looks}, {.own_tmp = true});
  EXPECT_EQ(ran.problem, "");
  EXPECT_THAT(ran.output, ElementsAre("passive| ours"));
  EXPECT_NE(access("/tmp/of_this_test", F_OK), 0);
}

// They have one together with their machine.
TEST_F(Programs, SeeAllProcessorsAndWhatTheyAskFor) {
  if (!OneProcessor().is_bound())
    GTEST_SKIP() << "the system does not let a thread stay on a processor";
  ProgramToRun status = Words(kPassiveSide, "sh -c");
  status.words.emplace_back(
      "grep Cpus_allowed_list /proc/self/status; env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc");
  const Ran ran = RunAll({status, Reported(kActiveSide, "processors")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output,
              UnorderedElementsAre(MatchesRegex("passive. Cpus_allowed_list:.[0-9]+"),
                                   fmt::format("passive| {}", AllowedProcessors()),
                                   fmt::format("active| {}: 1, none: -1 Invalid argument, one: 0 1",
                                               AllowedProcessors())));
}

// Also where all ask between two lines.
TEST_F(Programs, PrintInTheSameOrderEachTime) {
  const auto prints = [](uint8_t side, const std::string& first) {
    ProgramToRun program{.side = side, .words = {"python3", "-c"}};
    program.words.push_back("import time\ntime.sleep(" + first +
                            ")\nfor i in range(150):\n  print(i, flush=True)\n"
                            "  time.sleep(0.002)");
    return program;
  };
  const auto run = [&] {
    return RunAll({prints(kPassiveSide, "0.001"), prints(kActiveSide, "0.002")}).output;
  };
  const std::vector<std::string> once = run();
  EXPECT_THAT(once, SizeIs(300));
  EXPECT_EQ(run(), once);
  EXPECT_EQ(run(), once);
}

TEST_F(Programs, HaveRandomNumbersOfTheSeed) {
  const auto numbers = [](uint64_t seed) {
    return RunAll({Reported(kPassiveSide, "random"), Reported(kActiveSide, "random")}, "", seed)
        .output;
  };
  const std::vector<std::string> first = numbers(1);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_NE(first[0].substr(first[0].find('|')), first[1].substr(first[1].find('|')));
  EXPECT_THAT(first,
              Each(MatchesRegex(
                  "(passive|active)[|] [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9a-f-]+")));
  EXPECT_EQ(numbers(1), first);
  EXPECT_NE(numbers(2), first);
}

struct Way {
  const char* how;
  int connections;
  std::vector<std::string> prints;
};

class Ways : public Programs, public testing::WithParamInterface<Way> {};

TEST_P(Ways, ToConnectEndWell) {
  const Way& way = GetParam();
  const Ran ran = RunAll({Beside(kPassiveSide, "odd serve " + std::to_string(way.connections)),
                          Beside(kActiveSide, std::string("odd ") + way.how + " PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  std::vector<std::string> expected;
  for (const std::string& line : way.prints) expected.push_back("active| " + line);
  EXPECT_EQ(ran.output, expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, Ways,
    testing::Values(
        Way{"connect", 1, {}}, Way{"hold", 10, {"held 10"}}, Way{"threads", 4, {"4 threads"}},
        Way{"timewait", 2, {"event 15 of the last"}}, Way{"fork", 2, {"the child ends with 0"}},
        Way{"daemon", 1, {"the daemon has connected"}},
        Way{"inherited", 1, {"the child: -1, Permission denied"}},
        Way{"passed", 1, {"the child: readable 1"}}, Way{"exec", 1, {}},
        Way{"alarms", 1, {"event 1, interrupted 1, signals 1"}}, Way{"kill", 1, {"interrupted 1"}},
        Way{"many",
            1,
            {"epoll 1 1", "epoll 1 1", "select 1", "poll 1 1", "an edge 1, and again 0"}},
        Way{"non-blocking", 1, {"empty 1", "event 0"}}, Way{"duplicates", 3, {"descriptor 50"}},
        Way{"close-each", 2, {"connected again"}}, Way{"migrate", 2, {"disconnected 0"}},
        Way{"regions", 1, {"16 GiB: ok", "64 GiB: ok"}}, Way{"channels", 0, {"300 channels"}}),
    [](const auto& info) {
      std::string name = info.param.how;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace cm::app
