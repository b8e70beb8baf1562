// Programs of two hosts talk over TCP and UDP, by the links of the simulated network: 10 us a
// message, ten gigabits a second. A call itself takes half a microsecond, which `talks` does not
// show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/base/duration.h"
#include "model/vocabulary/topology.h"
#include "tools/app/network.h"
#include "tools/app/run_programs.h"

namespace cm::app {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Talks = Programs;

Ran Between(const std::string& passive, const std::string& active, const std::string& script = "",
            uint64_t bandwidth = 0) {
  return RunAll({Beside(kPassiveSide, "talks " + passive + " PASSIVE"),
                 Beside(kActiveSide, "talks " + active + " PASSIVE")},
                script, 0, {}, Duration::Seconds(600), bandwidth);
}

TEST_F(Talks, TakeTheTimeOfTheirLink) {
  const Ran ran = Between("echo", "ask");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_FALSE(ran.report.in_real_time);
  EXPECT_THAT(ran.output,
              ElementsAre("active| connected after 20 us", "active| 5 bytes after 20 us",
                          "active| 5 bytes after 20 us"));
}

TEST_F(Talks, TakeLongerWhereMessagesAreDelayed) {
  const Ran ran = Between("echo", "ask", "fault delay any from=active by=500us");
  EXPECT_THAT(ran.output,
              ElementsAre("active| connected after 520 us", "active| 5 bytes after 520 us",
                          "active| 5 bytes after 520 us"));
  EXPECT_THAT(ran.report.idle, IsEmpty());
}

// The link is down from 5 to 305 ms. What is sent after 10 ms is lost, sent again after 200 ms,
// lost again, and sent again 400 ms later.
TEST_F(Talks, SendAgainWhatALinkThatIsDownHasLost) {
  const Ran ran =
      Between("echo", "ask", "pass 5ms\nfault link-down side=active\npass 300ms\nheal\n");
  ASSERT_EQ(ran.output.size(), 3u);
  EXPECT_THAT(ran.output[0], HasSubstr("connected after 20 us"));
  EXPECT_THAT(ran.output[1], HasSubstr("5 bytes after 600020 us"));
  EXPECT_THAT(ran.output[2], HasSubstr("5 bytes after 20 us"));
}

// 1 + 2 + 4 + 8 + 16 + 32 + 64 seconds.
TEST_F(Talks, GiveUpToConnectWhereNothingGetsThrough) {
  const Ran ran = RunAll({Beside(kActiveSide, "talks ask PASSIVE")}, "fault drop any from=active");
  EXPECT_THAT(ran.output, ElementsAre(HasSubstr("Connection timed out after 127000")));
  EXPECT_THAT(ran.report.idle, IsEmpty()) << "the fault has hit what the socket sent";
}

TEST_F(Talks, AreInterruptedAsTheirHandlerSays) {
  EXPECT_THAT(
      RunAll({Beside(kActiveSide, "talks interrupted PASSIVE")}, "fault drop any from=active")
          .output,
      ElementsAre("active| Interrupted system call after 5000000 us"));
  EXPECT_THAT(
      RunAll({Beside(kActiveSide, "talks restarted PASSIVE")}, "fault drop any from=active").output,
      ElementsAre(HasSubstr("Connection timed out after 1")));
}

// The receiver sleeps for ten seconds. The first call returns what it has sent within its limit.
TEST_F(Talks, SendWithinTheirLimit) {
  EXPECT_THAT(Between("asleep", "limited").output,
              UnorderedElementsAre(HasSubstr("connected"),
                                   "active| Resource temporarily unavailable after 2 s",
                                   HasSubstr(" bytes, ")));
}

TEST_F(Talks, HaveAllBytesInTheirOrderAndThenTheEnd) {
  const Ran ran = Between("count", "pour");
  EXPECT_TRUE(ran.report.clean());
  ASSERT_EQ(ran.output.size(), 2u);
  EXPECT_THAT(ran.output[1], HasSubstr("8388608 bytes, 0 wrong"));
  EXPECT_FALSE(ran.report.socket_was_full);
  EXPECT_EQ(Between("count", "pour").report.digest, ran.report.digest);
}

TEST_F(Talks, HaveThemInTheirOrderWhereMostAreLostForASecond) {
  const Ran ran = Between("count", "pour", "fault drop any from=active after=100us during=1s");
  ASSERT_EQ(ran.output.size(), 2u);
  EXPECT_THAT(ran.output[1], HasSubstr("8388608 bytes, 0 wrong"));
}

TEST_F(Talks, WaitForRoom) {
  const Ran ran = Between("late", "flood");
  EXPECT_TRUE(ran.report.socket_was_full);
  EXPECT_THAT(ran.output,
              UnorderedElementsAre(HasSubstr("8388608 bytes, 0 wrong"), "active| always room"));
}

// 8 MiB at 67108864 bits a second: a second, and 4.6 ms for 66 bytes of headers with each of 582
// messages and the end, or some more: what has no room is cut.
TEST_F(Talks, TakeTheTimeOfTheirBandwidth) {
  const Ran ran = Between("count", "pour", "", 67'108'864);
  ASSERT_EQ(ran.output.size(), 2u);
  EXPECT_THAT(ran.output[1], testing::ContainsRegex("0 wrong, after 100[45] ms"));
}

// As on Linux: there is room again when a third of the 4 MiB is free. That is after 166 ms at 8 MiB
// a second, or later by the rest of a message of 64 KiB, which takes 8 ms.
TEST_F(Talks, HearThatThereIsNoRoomWhileTheirBufferIsFull) {
  const Ran ran = Between("count", "fill", "", 67'108'864);
  ASSERT_EQ(ran.output.size(), 8u);
  EXPECT_EQ(ran.output[1], "active| room by poll 1, select 1, epoll 1");
  EXPECT_EQ(ran.output[2], "active| 4 MiB");
  EXPECT_EQ(ran.output[3], "active| room by poll 0, select 0, epoll 0");
  EXPECT_THAT(ran.output[4],
              testing::ContainsRegex("active\\| 1, of the socket: 1, after 1(6[6-9]|7[0-9]) ms"));
  EXPECT_EQ(ran.output[5], "active| room by poll 1, select 1, epoll 1");
  EXPECT_EQ(ran.output[6], "active| 65536 bytes");
}

TEST_F(Talks, HearThatThereIsRoomByEdges) {
  EXPECT_THAT(Between("late", "edges").output,
              UnorderedElementsAre(HasSubstr("connected"), HasSubstr("8388608 bytes, 0 wrong"),
                                   "active| several edges"));
}

TEST_F(Talks, SendFilesBehindWhatTheyHaveWritten) {
  for (const char* receiver : {"count", "late"})
    EXPECT_THAT(Between(receiver, "file").output,
                UnorderedElementsAre(HasSubstr("connected"), HasSubstr("8388608 bytes, 0 wrong")))
        << receiver;
}

TEST_F(Talks, TakeTheTimeOfTheirLinkWhereASocketHasTheNumberOfAFile) {
  EXPECT_THAT(Between("echo", "after-file").output,
              testing::Contains(HasSubstr("after 20 us")).Times(3));
}

TEST_F(Talks, AreRefusedAsByTheSystem) {
  EXPECT_THAT(Between("late", "exceed").output,
              UnorderedElementsAre(HasSubstr("connected"), "active| SIGPIPE",
                                   "active| shut refused too long", HasSubstr("5 bytes, ")));
}

TEST_F(Talks, GoOnAfterADuplicateThatFails) {
  EXPECT_THAT(Between("count", "duplicate").output,
              UnorderedElementsAre(HasSubstr("connected"), "active| fails, lingers 1",
                                   HasSubstr("0 bytes, ")));
}

TEST_F(Talks, OverUdpComeFromTheirOwnHost) {
  const Ran ran = Between("hear", "say");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output, UnorderedElementsAre("passive| one from 10.0.0.1",
                                               "active| answer from 10.0.1.1 after 20 us",
                                               "passive| two from 10.0.0.1",
                                               "active| answer from 10.0.1.1 after 20 us"));
}

TEST_F(Talks, OverUdpTakeTheTimeOfTheirLinkWhereASocketHasTheNumberOfAFile) {
  EXPECT_THAT(Between("hear", "say-after-file").output,
              Contains("active| answer from 10.0.1.1 after 20 us").Times(2));
}

TEST_F(Talks, OverUdpAnswerFromTheirOwnHostToAMappedAddress) {
  const Ran ran = Between("hear6", "say");
  EXPECT_THAT(ran.output, UnorderedElementsAre("passive| one from ::ffff:10.0.0.1",
                                               "active| answer from 10.0.1.1 after 20 us",
                                               "passive| two from ::ffff:10.0.0.1",
                                               "active| answer from 10.0.1.1 after 20 us"));
}

// What is lost before the heal is not sent again by the network.
TEST_F(Talks, OverUdpLoseWhatIsLost) {
  const Ran ran = Between("hear", "say", "fault drop any from=active\npass 500ms\nheal\n");
  ASSERT_EQ(ran.output.size(), 4u);
  EXPECT_THAT(ran.output[1], HasSubstr("answer from 10.0.1.1 after 1000020 us"));
}

TEST_F(Talks, HearThatTheirPeerHasGone) {
  const Ran ran = Between("go", "break");
  ASSERT_EQ(ran.output.size(), 2u);
  EXPECT_THAT(ran.output[1], AnyOf(HasSubstr("Broken pipe"), HasSubstr("reset")));
}

// Those that the system would draw are the same in each run, and begin where Linux has them begin.
TEST_F(Talks, HaveAllPortsAndALoopbackOfTheirHost) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = Between("ports", "ports");
  EXPECT_TRUE(ran.report.clean());
  EXPECT_THAT(ran.output,
              UnorderedElementsAre("passive| listens, connects, ports 32768 32769 32770 32771",
                                   "active| listens, connects, ports 32768 32769 32770 32771"));
}

// No host but that with the address listens there.
TEST_F(Talks, ReachTheHostWithTheAddressOnly) {
  const Ran ran = RunAll(
      {Beside(kPassiveSide, "talks ask 10.0.1.1"), Beside(kActiveSide, "talks echo 0.0.0.0")}, "",
      0, {kActiveSide});
  EXPECT_THAT(ran.output, ElementsAre("passive| Connection refused after 0 us"));
}

// The last bytes are sent again until the host is there, and refuses them.
TEST_F(Talks, HearNothingOfAHostThatCrashes) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  EXPECT_THAT(
      Between("stay", "nothing", "pass 1s\nfault crash side=passive\n").output,
      ElementsAre("active| connected after 20 us", "active| -1 Resource temporarily unavailable",
                  "active| -1 Resource temporarily unavailable"));
  EXPECT_THAT(
      Between("stay", "nothing",
              "pass 1s\nfault crash side=passive\npass 4100ms\nfault restart side=passive\n")
          .output,
      ElementsAre("active| connected after 20 us", "active| -1 Resource temporarily unavailable",
                  "active| -1 Connection reset by peer"));
}

TEST_F(Talks, AreRefusedByAHostThatHasStartedAgain) {
  if (!Network(*FindTopology("two-kernels")).is_apart())
    GTEST_SKIP() << "the system does not permit a network of one's own";
  const Ran ran = RunAll({Beside(kActiveSide, "talks ask PASSIVE")},
                         "fault crash side=passive\npass 100ms\nfault restart side=passive\n");
  EXPECT_THAT(ran.output, ElementsAre("active| Connection refused after 1000020 us"));
}

// 64 KiB take 5 us and 64 times 200 ns, so that the 562nd write is not over after 10 ms.
TEST_F(Talks, TakeTimeOnTheirHostToo) {
  const Ran ran = RunPrograms(
      {Beside(kPassiveSide, "talks count PASSIVE"), Beside(kActiveSide, "talks stream PASSIVE")},
      {.topology = "one-kernel-two-devices"});
  EXPECT_THAT(ran.output,
              UnorderedElementsAre("active| connected after 0 us", "active| 562 writes in 10 ms",
                                   HasSubstr(" bytes, ")));
  EXPECT_FALSE(ran.report.in_real_time);
}

TEST_F(Talks, TakeTimeOnTheirHostInVainToo) {
  const Ran ran = RunPrograms({Beside(kPassiveSide, "talks stay PASSIVE"),
                               Beside(kActiveSide, "talks stream-in-vain PASSIVE")},
                              {.staying = {kPassiveSide}, .topology = "one-kernel-two-devices"});
  EXPECT_THAT(ran.output, Contains(HasSubstr(" writes in 10 ms")));
  EXPECT_FALSE(ran.report.in_real_time);
}

// What goes through a pipe takes no time, so the alarm comes when time has stood for long.
TEST_F(Talks, EndWhereTimeWouldStand) {
  const Ran ran = RunAll({Beside(kActiveSide, "talks stream-to-child PASSIVE")});
  EXPECT_THAT(ran.output, ElementsAre(HasSubstr(" writes in 10 ms")));
  EXPECT_TRUE(ran.report.in_real_time);
}

TEST_F(Talks, ReadVirtualTimeInAHandler) {
  EXPECT_THAT(RunAll({Beside(kActiveSide, "talks handle PASSIVE")}).output,
              ElementsAre("active| no event after 2000000 us"));
}

TEST_F(Talks, CountTicksOfVirtualTime) {
  EXPECT_THAT(RunAll({Beside(kActiveSide, "talks ticks PASSIVE")}).output,
              ElementsAre("active| 200 ticks"));
}

}  // namespace
}  // namespace cm::app
