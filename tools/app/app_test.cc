// Runs programs that were built without the simulator on its hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "tools/app/broker.h"
#include "tools/app/network.h"
#include "tools/app/run_programs.h"
#include "tools/app/threads.h"

namespace cm::app {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

ProgramToRun Own(const std::string& what) { return Beside(kActiveSide, "faulty_program " + what); }

std::vector<ProgramToRun> Rping() {
  return {Stock(kPassiveSide, "rping -s -a PASSIVE -C 3 -v"),
          Stock(kActiveSide, "rping -c -a PASSIVE -C 3 -v")};
}

std::vector<ProgramToRun> Ucmatose() {
  return {Stock(kPassiveSide, "ucmatose"), Stock(kActiveSide, "ucmatose -s PASSIVE")};
}

TEST_F(Programs, RpingMovesItsDataAndEnds) {
  const Ran ran = RunAll(Rping());
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, Contains("active| ping data: rdma-ping-2: "
                                   "CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst"));
  EXPECT_THAT(ran.output, Contains("passive| server DISCONNECT EVENT..."));
}

struct Pair {
  const char* passive;
  const char* active;
};

class StockPrograms : public Programs, public testing::WithParamInterface<Pair> {};

TEST_P(StockPrograms, EndAsTheyShould) {
  const Ran ran =
      RunAll({Stock(kPassiveSide, GetParam().passive), Stock(kActiveSide, GetParam().active)});
  EXPECT_THAT(ran.report.misbehaviour, IsEmpty());
  EXPECT_THAT(ran.report.waiting, IsEmpty());
  EXPECT_TRUE(ran.report.clean());
}

INSTANTIATE_TEST_SUITE_P(
    All, StockPrograms,
    testing::Values(Pair{"ucmatose", "ucmatose -s PASSIVE"}, Pair{"udaddy", "udaddy -s PASSIVE"},
                    Pair{"mckey -b PASSIVE -m 239.1.1.1", "mckey -b ACTIVE -m 239.1.1.1 -s"},
                    Pair{"rdma_server", "rdma_client -s PASSIVE"},
                    Pair{"rdma_xserver", "rdma_xclient -s PASSIVE"}));

TEST_F(Programs, OneThatServesForEverIsEndedWhenAllOthersAre) {
  const std::vector<ProgramToRun> cmtime = {Stock(kPassiveSide, "cmtime -b PASSIVE -c 5"),
                                            Stock(kActiveSide, "cmtime -b ACTIVE -s PASSIVE -c 5")};
  EXPECT_TRUE(RunAll(cmtime, "", 0, {kPassiveSide}).report.clean());
  const Ran ran = RunAll(cmtime);
  EXPECT_FALSE(ran.report.clean());
  EXPECT_THAT(ran.report.waiting, Contains("passive thread 1: waits for rdma_cm file 0: an event"));
}

TEST_F(Programs, SayTheSameForTheSameSeed) {
  const std::string loss = "fault delay any from=any by=1us..900us";
  const Ran one = RunAll(Ucmatose(), loss, 5);
  EXPECT_TRUE(one.report.clean());
  EXPECT_EQ(one.trace, RunAll(Ucmatose(), loss, 5).trace);
  EXPECT_EQ(one.report.digest, RunAll(Ucmatose(), loss, 5).report.digest);
  EXPECT_NE(one.report.digest, RunAll(Ucmatose(), loss, 6).report.digest);
}

TEST_F(Programs, GetOverALostRequest) {
  const Ran ran = RunAll(Rping(), "fault drop REQ from=active nth=1");
  EXPECT_TRUE(ran.report.clean());
  // source: linux 6.1 cma.c CMA_CM_RESPONSE_TIMEOUT: 4.096us * 2^20
  EXPECT_GT(ran.report.ended - Instant(), Duration::Milliseconds(4294));
}

// Each of the three pings and each answer of the active side is one.
TEST_F(Programs, HaveDataThatIsAsLateAsAnyMessage) {
  const Duration without = RunAll(Rping()).report.ended - Instant();
  const Ran ran = RunAll(Rping(), "pass 100us\nfault delay any from=active by=1ms");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_GE(ran.report.ended - Instant(), without + Duration::Milliseconds(5));
}

TEST_F(Programs, SendDataAgainThatIsLostForAWhile) {
  const Ran ran = RunAll(Rping(), "pass 100us\nfault corrupt any from=active during=5s");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_GT(ran.report.ended - Instant(), Duration::Seconds(5));
}

TEST_F(Programs, FailWhenDataIsLostForEver) {
  const Ran ran = RunAll(Rping(), "pass 100us\nfault drop any from=active");
  EXPECT_FALSE(ran.report.clean());
  // source: <infiniband/verbs.h> IBV_WC_RETRY_EXC_ERR
  EXPECT_THAT(ran.output, Contains("active| cq completion failed status 12"));
}

TEST_F(Programs, MeetFaultsAndTheReportSaysWhichTheyDoNotMeet) {
  const Ran ran = RunAll(Rping(),
                         "fault drop REQ from=active nth=1\n"
                         "fault drop REQ from=passive\n"
                         "fault drop DREQ from=any nth=7\n"
                         "pass 3600s\nfault delay any from=any by=1ms\nheal");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(
      ran.report.idle,
      ElementsAre("fault drop REQ from=passive: matched nothing",
                  "fault drop DREQ from=any nth=7: only 1 matched", "pass 3600s: not reached",
                  "fault delay any from=any by=1ms: not reached", "heal: not reached"));
}

TEST_F(Programs, HearThatNobodyListens) {
  const Ran ran = RunAll({Stock(kActiveSide, "ucmatose -s PASSIVE")});
  EXPECT_FALSE(ran.report.clean());
  EXPECT_THAT(ran.output, Contains("active| cmatose: event: RDMA_CM_EVENT_REJECTED, error: 8"));
  EXPECT_THAT(ran.report.misbehaviour, IsEmpty());
}

TEST_F(Programs, HearThatTheirDeviceGoes) {
  const Ran ran = RunAll(Rping(), "pass 60us\nfault remove-device side=active");
  EXPECT_FALSE(ran.report.clean());
  EXPECT_THAT(ran.trace, Contains(HasSubstr("RDMA_CM_EVENT_DEVICE_REMOVAL")));
  EXPECT_THAT(ran.report.waiting, IsEmpty());
}

TEST_F(Programs, WhoseDeviceIsGoneAreNotTroubledByASecondRemoval) {
  const Ran ran = RunAll(Rping(),
                         "pass 60us\nfault remove-device side=active\npass 1us\n"
                         "fault remove-device side=active");
  EXPECT_THAT(ran.trace, Contains(HasSubstr("RDMA_CM_EVENT_DEVICE_REMOVAL")).Times(1));
  EXPECT_THAT(ran.report.idle, ElementsAre("fault remove-device side=active: fault remove-device: "
                                           "rxe0 is gone already"));
}

TEST_F(Programs, EndWithTheirHostAndThatIsNotTheirFault) {
  const Ran ran =
      RunAll({Beside(kPassiveSide, "faulty_program waits")}, "pass 60us\nfault crash side=passive");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.report.misbehaviour, IsEmpty());
  EXPECT_TRUE(ran.report.programs.at(0).crashed);
}

TEST_F(Programs, ThatWaitForEverAreNamedWithWhatTheyWaitFor) {
  const Ran ran = RunAll({Own("waits")});
  EXPECT_FALSE(ran.report.clean());
  EXPECT_THAT(ran.report.waiting,
              ElementsAre("active thread 1: waits for rdma_cm file 0: an event"));
  EXPECT_FALSE(ran.report.programs.at(0).ended);
  EXPECT_THAT(ran.output, ElementsAre("active| waiting")) << "what it says before it is ended";
}

TEST_F(Programs, ThatAreStoppedAreNotWaitedFor) {
  EXPECT_THAT(
      RunAll({Own("stops")}).report.waiting,
      ElementsAre(HasSubstr("active thread 1: is stopped, and no process sends it SIGCONT")));
}

TEST_F(Programs, ThatPrintMuchAreHeardToTheLastLine) {
  const Ran ran = RunAll({Words(kActiveSide, "seq 200000")});
  EXPECT_TRUE(ran.report.clean());
  ASSERT_EQ(ran.output.size(), 200'000U);
  EXPECT_EQ(ran.output.back(), "active| 200000");
}

TEST_F(Programs, ThatPrintNoEndOfALineAreHeardInParts) {
  const Ran ran = RunAll({Words(kActiveSide, "head -c 3000000 /dev/zero")});
  size_t heard = 0;
  for (const std::string& line : ran.output) heard += line.size() - std::string("active| ").size();
  EXPECT_EQ(heard, 3'000'000U);
  EXPECT_GT(ran.output.size(), 1U);
}

TEST_F(Programs, ThatPrintWithoutEndReachTheLimit) {
  const Ran ran = RunAll({Words(kActiveSide, "yes")}, "", 0, {}, Duration::Milliseconds(100));
  EXPECT_TRUE(ran.report.at_limit);
  EXPECT_THAT(ran.report.waiting, ElementsAre(HasSubstr("sends no request")));
}

TEST_F(Programs, ThatStartOneProcessAfterTheOtherReachTheLimit) {
  ProgramToRun starts = Words(kActiveSide, "sh -c");
  starts.words.emplace_back("while :; do /bin/true; done");
  EXPECT_TRUE(RunAll({starts}, "", 0, {}, Duration::Milliseconds(20)).report.at_limit);
}

TEST_F(Programs, ThatKeepAnEventAreToldWhichDestroyWaits) {
  const Ran ran = RunAll({Own("keeps-an-event PASSIVE")});
  EXPECT_THAT(ran.report.waiting,
              ElementsAre(HasSubstr("after rdma_destroy_id id=0 -> 0 events=1")));
  EXPECT_THAT(ran.report.waiting,
              ElementsAre(HasSubstr("; it waits until RDMA_CM_EVENT_ADDR_RESOLVED of id 0 is "
                                    "acknowledged, which rdma_get_cm_event returned at ")));
}

TEST_F(Programs, ThatLeaveAProcessBehindAreReportedAndItEnds) {
  const Ran ran = RunAll({Own("leaves-a-process")});
  EXPECT_THAT(ran.report.misbehaviour,
              ElementsAre("active has left a process behind: faulty_program"));
  EXPECT_FALSE(ran.report.clean());
  EXPECT_THAT(ChildrenOf(getpid()), IsEmpty());
}

TEST_F(Programs, ThatAreGoneBeforeTheirChildrenAreWaitedFor) {
  ProgramToRun starts = Words(kActiveSide, "sh -c");
  starts.words.emplace_back("setsid sh -c 'i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done' &");
  EXPECT_TRUE(RunAll({starts}).report.clean());
}

TEST_F(Programs, ThatLeaveSomethingInUseAreReported) {
  const Ran ran = RunAll({Own("leaks")});
  EXPECT_THAT(ran.report.misbehaviour, ElementsAre("active leaves 1 rdma_cm id"));
  EXPECT_FALSE(ran.report.clean());
  EXPECT_THAT(ran.report.last, Contains(HasSubstr("rdma_create_id file=0 -> id=0")));
}

TEST_F(Programs, ThatForgetAnEventAreReportedWhenTheyEnd) {
  EXPECT_THAT(RunAll({Own("forgets-an-event PASSIVE")}).report.misbehaviour,
              ElementsAre("active leaves 1 rdma_cm id",
                          HasSubstr("active has not acknowledged RDMA_CM_EVENT_ADDR_RESOLVED of "
                                    "id 0, which it fetched at ")));
}

TEST_F(Programs, ThatUseAnIdThatIsGoneAreReported) {
  EXPECT_THAT(RunAll({Own("uses-a-gone-id")}).report.misbehaviour,
              ElementsAre("active uses an id that does not exist: "
                          "rdma_disconnect id=77 -> -1 ENOENT"));
}

TEST_F(Programs, ThatCrashAreReported) {
  EXPECT_THAT(RunAll({Own("crashes")}).report.misbehaviour,
              ElementsAre(HasSubstr("active is killed by signal 11")));
}

TEST_F(Programs, ThatCrashShowTheirStack) {
  const Ran ran = RunAll({Own("crashes")});
  EXPECT_THAT(ran.output, Contains("active| signal 11; the stack of the thread:"));
  EXPECT_THAT(ran.output, Contains(MatchesRegex("active\\|   #[0-9] .*faulty_program\\+0x.*")));
  EXPECT_THAT(ran.output, Contains(HasSubstr(" __libc_start_main")));
}

TEST_F(Programs, ThatCrashAreToldWhatTheyHaveGivenUpJustBefore) {
  EXPECT_THAT(RunAll({Own("destroys-and-crashes")}).report.misbehaviour,
              ElementsAre(HasSubstr("(Aborted), right after it has destroyed id 0: the library")));
  EXPECT_THAT(RunAll({Own("destroys-and-goes-on")}).report.misbehaviour,
              ElementsAre(HasSubstr("(Aborted); the last id that it has destroyed is 0")));
  EXPECT_THAT(RunAll({Own("crashes")}).report.misbehaviour,
              ElementsAre("active is killed by signal 11 (Segmentation fault)"));
}

TEST_F(Programs, ThatAcknowledgeTwiceAreReportedBeforeTheLibraryCrashes) {
  EXPECT_THAT(
      RunAll({Own("acknowledges-twice PASSIVE")}).report.misbehaviour,
      ElementsAre("active acknowledges RDMA_CM_EVENT_ADDR_RESOLVED twice",
                  HasSubstr("right after it has acknowledged RDMA_CM_EVENT_ADDR_RESOLVED")));
}

TEST_F(Programs, ThatCloseAChannelBeforeItsIdAreToldWhichIsLost) {
  const Ran ran = RunAll({Own("closes-its-channel-first")});
  EXPECT_THAT(ran.report.left_open,
              ElementsAre("active closes the event channel of id 0, which is lost with it: "
                          "close rdma_cm file=0"));
  EXPECT_TRUE(ran.report.clean()) << "collectors of garbage do that";
}

TEST_F(Programs, ThatLeaveToTheirExitWhatNobodyMissesAreTold) {
  const Ran ran = RunAll({Own("leaves-queues")});
  EXPECT_THAT(ran.report.left_open,
              ElementsAre("active leaves 1 event channel, 1 completion queue open, which its exit "
                          "closes"));
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(RunAll(Rping()).report.left_open, IsEmpty());
}

TEST_F(Programs, ThatWaitForDescriptorsWithALimitWaitInVirtualTime) {
  const Ran ran = RunAll({Beside(kActiveSide, "waits limited")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| poll 0 after 50ms", "active| select 0 after 1500ms",
                                      "active| epoll 0 after 20ms"));
}

TEST_F(Programs, ThatListenToADeviceHearOfItUntilItIsGone) {
  const Ran ran =
      RunAll({Beside(kActiveSide, "waits device")},
             "pass 1s\nfault link-down side=active\npass 1s\nfault link-up side=active\n"
             "pass 1s\nfault remove-device side=active");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output,
              ElementsAre("active| port error", "active| port active",
                          "active| local catastrophic error", "active| Input/output error"));
}
TEST_F(Programs, ThatLookAtDescriptorsWithoutWaitingLetTheOthersGoOn) {
  const Ran ran = RunAll({Beside(kActiveSide, "waits looks PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| found RDMA_CM_EVENT_ADDR_RESOLVED"));
}

TEST_F(Programs, ThatWaitHearOfASignalThatIsTooLateForAnother) {
  const Ran ran = RunAll({Beside(kActiveSide, "waits too-late")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| one is late 1 after 2000ms"));
}

TEST_F(Programs, HaveTimersInVirtualTime) {
  const Ran ran = RunAll({Beside(kActiveSide, "waits timer")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output,
              ElementsAre("active| expired 1 after 2000ms", "active| expired 3 after 0ms",
                          "active| expired 1 after 1000ms"));
}

TEST_F(Programs, AreInterruptedByTheirAlarmInVirtualTime) {
  const Ran ran = RunAll({Beside(kActiveSide, "waits alarm")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| interrupted 1 after 500ms",
                                      "active| interrupted 1 after 1000ms", "active| left 1"));
}

// Two descriptors are ready, and two bytes are there.
TEST_F(Programs, ThatWaitFindAllThatHasComeUntilTheirTurn) {
  const Ran ran = RunAll({Beside(kActiveSide, "waits all")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| poll 22, select 22, epoll 22, read 2"));
}

TEST_F(Programs, ThatWaitForEverAreSaidToSleepInTheirOwnCall) {
  EXPECT_THAT(RunAll({Beside(kPassiveSide, "waits accept")}).report.waiting,
              ElementsAre(testing::HasSubstr("passive thread 1: sleeps in accept")));
  EXPECT_THAT(RunAll({Beside(kPassiveSide, "waits read")}).report.waiting,
              ElementsAre(testing::HasSubstr("passive thread 1: sleeps in read")));
}

// As by the system. source: man accept(2), read(2), recv(2)
TEST_F(Programs, DoNotWaitInCallsThatAreRefused) {
  EXPECT_THAT(
      RunAll({Beside(kActiveSide, "waits refused")}).output,
      ElementsAre("active| Socket operation on non-socket", "active| Operation not supported",
                  "active| Transport endpoint is not connected", "active| Bad file descriptor",
                  "active| Resource temporarily unavailable"));
}

TEST_F(Programs, ThatWaitForMemoryToChangeDoNotKeepTheWorldWaitingForEver) {
  const Ran ran = RunAll({Beside(kActiveSide, "waits memory")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_TRUE(ran.report.in_real_time);
  EXPECT_THAT(ran.output, ElementsAre("active| rung"));
}

TEST_F(Programs, ReachEachOtherOverSocketsOfTheirOwn) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran =
      RunAll({Beside(kPassiveSide, "waits accept"), Beside(kActiveSide, "waits call PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("passive| heard hello from 10.0.0.1"));
}

TEST_F(Programs, ReachNobodyElseOverSocketsOfTheirOwn) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = RunAll({Beside(kActiveSide, "waits call 10.0.7.7")});
  EXPECT_THAT(ran.output, ElementsAre("active| connect: Network is unreachable"));
}

TEST_F(Programs, ThatStreamWithoutWaitingEnd) {
  const Ran ran = RunAll({Stock(kPassiveSide, "rstream -S 64 -C 10"),
                          Stock(kActiveSide, "rstream -s PASSIVE -S 64 -C 10")});
  EXPECT_THAT(ran.report.waiting, IsEmpty());
  EXPECT_EQ(ran.report.programs.at(1).status, 0);
  // source: rdma-core 44 rstream.c run: the listening socket is never closed
  EXPECT_THAT(ran.report.misbehaviour, ElementsAre("passive leaves 1 rdma_cm id"));
}

TEST_F(Programs, ThatWaitWithALimitByTheirClockWaitUntilThen) {
  const Ran ran = RunAll({Own("waits-with-limits")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| semaphores 1 conditions 1"));
}

TEST_F(Programs, HaveChildrenOnTheSameHost) {
  const Ran ran = RunAll({Own("forks PASSIVE")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| child hears RDMA_CM_EVENT_ADDR_RESOLVED",
                                      "active| child ends with 0"));
  EXPECT_THAT(ran.trace, Contains(HasSubstr("active.1 rdma_resolve_addr id=")));
  EXPECT_EQ(ran.report.programs.size(), 1U);
}

TEST_F(Programs, RunOthersOnAnotherHostByItsName) {
  const Ran ran = RunAll({Words(kActiveSide, "ssh -x root@passive hostname")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| passive"));
}

TEST_F(Programs, RunServersOnAnotherHostThatHasNoProgram) {
  const Ran ran = RunAll({Words(kActiveSide, "rsh PASSIVE rping -s -a PASSIVE -C 3"),
                          Stock(kActiveSide, "rping -c -a PASSIVE -C 3")});
  EXPECT_TRUE(ran.report.clean());
  // The shell that starts it is the first.
  EXPECT_THAT(ran.trace, Contains(HasSubstr("passive.2 rdma_accept")));
}

TEST_F(Programs, RunOthersOnAHostWhoseProgramComesLater) {
  const Ran ran =
      RunAll({Words(kActiveSide, "ssh passive hostname"), Words(kPassiveSide, "hostname")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, testing::UnorderedElementsAre("active| passive", "passive| passive"));
}

TEST_F(Programs, FindTheirDevicesAndInterfaces) {
  const Ran ran = RunAll({Words(kActiveSide, "ls /sys/class/infiniband/rxe0/device/net"),
                          Words(kPassiveSide, "ip -j addr show veth1")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, ElementsAre("active| veth0", HasSubstr("10.0.1.1")));
}

TEST_F(Programs, ThatSpinUntilALaterTimeReachIt) {
  const Ran ran = RunAll({Own("spins")});
  EXPECT_TRUE(ran.report.clean());
  EXPECT_GE(ran.report.ended - Instant(), Duration::Seconds(2));
}

struct NotStarted {
  const char* words;
  const char* says;
};

class NoPrograms : public Programs, public testing::WithParamInterface<NotStarted> {};

TEST_P(NoPrograms, AreNamedBeforeAnythingRuns) {
  Setting setting{.topology = FindTopology("two-kernels"),
                  .profile = *FindProfile("6.1-rxe"),
                  .programs = {Words(kPassiveSide, "true"), Words(kActiveSide, GetParam().words)},
                  .staying_sides = {},
                  .script = {}};
  setting.traces = [](std::string_view line) { ADD_FAILURE() << line; };
  const auto report = app::Run(setting);
  const auto* problem = std::get_if<std::string>(&report);
  ASSERT_NE(problem, nullptr);
  EXPECT_EQ(*problem, GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(
    All, NoPrograms,
    testing::Values(NotStarted{"no-such-program here",
                               "cannot start no-such-program: No such file or directory"},
                    NotStarted{"/no-such/program",
                               "cannot start /no-such/program: No such file or directory"},
                    NotStarted{"/etc", "cannot start /etc: Permission denied"},
                    NotStarted{"/etc/passwd", "cannot start /etc/passwd: Permission denied"}));

TEST_F(Programs, OfWhichOneCannotBeginAreNamedToo) {
  const std::string script = testing::TempDir() + "/of-no-shell";
  std::ofstream(script) << "#!/no-such/shell\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Setting setting{.topology = FindTopology("two-kernels"),
                        .profile = *FindProfile("6.1-rxe"),
                        .programs = {Words(kActiveSide, script)},
                        .staying_sides = {},
                        .script = {}};
  const auto report = app::Run(setting);
  const auto* problem = std::get_if<std::string>(&report);
  ASSERT_NE(problem, nullptr);
  EXPECT_EQ(*problem, "cannot start " + script + ": No such file or directory");
}

}  // namespace
}  // namespace cm::app
