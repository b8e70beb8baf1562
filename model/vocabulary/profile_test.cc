// Timers, as linux 6.1 cm.c and cma.c and linux 6.12 compute them from the exponents on the wire,
// and as they were observed over Soft-RoCE.
#include "model/vocabulary/profile.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cm {
namespace {

constexpr Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

const Timing& TimingOf(std::string_view profile) { return FindProfile(profile)->timing; }

// source: linux 6.1 cm.c cm_convert_to_ms: 2^max(t-8, 0)
TEST(Exponent, IsAPowerOfTwoInMilliseconds) {
  EXPECT_EQ(Timing::Exponent(0), Ms(1));
  EXPECT_EQ(Timing::Exponent(8), Ms(1));
  EXPECT_EQ(Timing::Exponent(9), Ms(2));
  EXPECT_EQ(Timing::Exponent(20), Ms(4096));
  EXPECT_EQ(Timing::Exponent(31), Ms(8388608));
}

// The option ACK_TIMEOUT takes any byte, and the packet life time comes from it.
TEST(Exponent, HasFiveBits) {
  for (const int beyond : {32, 64, 73, 255}) EXPECT_EQ(Timing::Exponent(beyond), Ms(8388608));
}

TEST(Timing, IsThatOfLinux61) {
  const Timing& timing = TimingOf("6.1-rxe");
  EXPECT_EQ(timing.RequestInterval(), Ms(6144));
  EXPECT_EQ(timing.ReplyInterval(), Ms(4096));
  EXPECT_EQ(timing.AfterMra(), Ms(67584));
  EXPECT_EQ(timing.Timewait(), Ms(2048));
  EXPECT_EQ(timing.GiveUp(timing.RequestInterval()), Ms(98304));
  EXPECT_EQ(timing.GiveUp(timing.ReplyInterval()), Ms(65536));
}

// The path's packet life time is 16 rather than 18 from 6.12 on.
TEST(Timing, IsShorterFromLinux612On) {
  for (const std::string_view profile : {"6.12-rxe", "7.2-rxe"}) {
    const Timing& timing = TimingOf(profile);
    EXPECT_EQ(timing.RequestInterval(), Ms(4608)) << profile;
    EXPECT_EQ(timing.ReplyInterval(), Ms(4096)) << profile;
    EXPECT_EQ(timing.AfterMra(), Ms(66048)) << profile;
    EXPECT_EQ(timing.Timewait(), Ms(512)) << profile;
    EXPECT_EQ(timing.GiveUp(timing.RequestInterval()), Ms(73728)) << profile;
  }
}

// Each observed time is between the nominal one and the latest.
TEST(Timing, AllowsForTheLatenessThatWasObserved) {
  const Timing& linux61 = TimingOf("6.1-rxe");
  const Timing& linux612 = TimingOf("6.12-rxe");
  const auto allowed = [](const Timing& timing, Duration nominal, int64_t observed_ms) {
    return nominal <= Ms(observed_ms) && Ms(observed_ms) <= timing.Latest(nominal);
  };
  EXPECT_TRUE(allowed(linux61, linux61.GiveUp(linux61.RequestInterval()), 102360));
  EXPECT_TRUE(allowed(linux61, linux61.GiveUp(linux61.RequestInterval()), 98700));
  EXPECT_TRUE(allowed(linux61, linux61.GiveUp(linux61.ReplyInterval()), 66000));
  EXPECT_TRUE(allowed(linux612, linux612.GiveUp(linux612.ReplyInterval()), 69000));
  EXPECT_TRUE(allowed(linux612, linux612.GiveUp(linux612.RequestInterval()), 77630));
  EXPECT_TRUE(allowed(linux61, linux61.RequestInterval(), 6400));
  EXPECT_TRUE(allowed(linux61, linux61.Timewait(), 2060));
  EXPECT_TRUE(allowed(linux61, linux61.Timewait(), 2310));
  EXPECT_TRUE(allowed(linux61, linux61.AfterMra(), 69448));
  EXPECT_TRUE(allowed(linux612, linux612.Timewait(), 550));
  EXPECT_FALSE(allowed(linux61, linux61.GiveUp(linux61.RequestInterval()), 98303)) << "never early";
}

// source: linux 6.1 kernel/time/timer.c LVL_START, LVL_GRAN, of which a level begins at 63 jiffies
TEST(Timing, HasTheGranularityOfTheTimerWheel) {
  EXPECT_EQ(Timing::Granularity(Ms(248)), Ms(4));
  EXPECT_EQ(Timing::Granularity(Ms(252)), Ms(32));
  EXPECT_EQ(Timing::Granularity(Ms(2'012)), Ms(32));
  EXPECT_EQ(Timing::Granularity(Ms(2'048)), Ms(256));
  EXPECT_EQ(Timing::Granularity(Ms(16'124)), Ms(256));
  EXPECT_EQ(Timing::Granularity(Ms(16'384)), Ms(2'048));
  EXPECT_EQ(Timing::Granularity(Ms(131'072)), Ms(16'384));
  EXPECT_EQ(Timing::Granularity(Ms(1'032'188)), Ms(16'384));
}

// With RDMA_OPTION_ID_ACK_TIMEOUT 22 and 25 requests are 20.480 s and 135.168 s apart, and on an
// idle kernel later by a step of the wheel.
TEST(Timing, AllowsForAStepOfTheTimerWheel) {
  const Timing& timing = TimingOf("6.1-rxe");
  EXPECT_GE(timing.Latest(Ms(20'480)), Ms(22'528));
  EXPECT_GE(timing.Latest(Ms(135'168)), Ms(147'456));
  // So may each of sixteen be.
  EXPECT_GE(timing.LatestGiveUp(Ms(20'480)), Ms(22'528) * 16);
  EXPECT_GE(timing.LatestGiveUp(Ms(135'168)), Ms(147'456) * 16);
  // Where the step is less than the margin, nothing is added.
  EXPECT_EQ(timing.Latest(Ms(6'144)), Ms(6'144) + Ms(6'144) * 8 / 100 + Ms(300));
  EXPECT_EQ(timing.LatestGiveUp(Ms(6'144)), Ms(98'304) + Ms(98'304) * 8 / 100 + Ms(300));
}

TEST(Timing, HasTheAckTimeoutOfTheKernel) {
  EXPECT_EQ(Timing::AckTimeout(15, 18), 19);
  EXPECT_EQ(Timing::AckTimeout(15, 16), 17);
  EXPECT_EQ(Timing::AckTimeout(15, 13), 16);
  EXPECT_EQ(Timing::AckTimeout(15, 31), 31);
}

// 0 s, never within 300 s, and 77.8 s. source: 73-link_down_when_resolving of each
TEST(Dialect, OfALinkThatIsDownDiffersFromKernelToKernel) {
  EXPECT_TRUE(FindProfile("6.1-rxe")->dialect.link_down_fails_sends);
  EXPECT_FALSE(FindProfile("6.12-rxe")->dialect.link_down_fails_sends);
  EXPECT_TRUE(FindProfile("6.12-rxe")->dialect.link_down_keeps_sends);
  EXPECT_FALSE(FindProfile("7.2-rxe")->dialect.link_down_fails_sends);
  EXPECT_FALSE(FindProfile("7.2-rxe")->dialect.link_down_keeps_sends);
  EXPECT_FALSE(FindProfile("6.1-rxe")->dialect.link_down_mutes);
  EXPECT_TRUE(FindProfile("6.12-rxe")->dialect.link_down_mutes);
  EXPECT_TRUE(FindProfile("7.2-rxe")->dialect.link_down_mutes);
}

// With rdma-core 44 the listener cannot be destroyed before its requests; from 52 on it can.
// source: rdma-core commit 9a0fc3afd
TEST(Dialect, OfAnAcceptedDatagramRequestIsOfTheLibrary) {
  EXPECT_FALSE(FindProfile("6.1-rxe")->dialect.accept_releases_datagram_request);
  EXPECT_TRUE(FindProfile("6.12-rxe")->dialect.accept_releases_datagram_request);
  EXPECT_TRUE(FindProfile("7.2-rxe")->dialect.accept_releases_datagram_request);
}

// 6.144 s + 15 x 67.584 s: a request that is answered by MRA and never accepted.
TEST(Timing, LastsNoLongerThanTheLongestWaitForAnAnswer) {
  EXPECT_GE(TimingOf("6.1-rxe").Longest(), Ms(1019904));
  EXPECT_GE(TimingOf("6.12-rxe").Longest(), Ms(995328));
}

// source: linux 6.1 cma.c cma_user_data_offset (36 bytes), cm_msgs.h: 92, 196, 148
TEST(Limits, AreThoseOfTheMessages) {
  for (const Profile& profile : Profiles()) {
    if (profile.transport == Transport::kIwarp) continue;
    EXPECT_EQ(profile.limits.request_data, 92 - 36);
    EXPECT_EQ(profile.limits.reply_data, 196);
    EXPECT_EQ(profile.limits.reject_data, 148);
  }
}

// A byte counts the private data and the 4 bytes of the depths. source: linux 6.1 siw_cm.c
// siw_send_mpareqrep
TEST(Limits, OverIwarpAreThoseOfTheCount) {
  const Limits& limits = FindProfile("6.1-siw")->limits;
  EXPECT_EQ(limits.request_data, 255 - 4);
  EXPECT_EQ(limits.reply_data, 255 - 4);
  EXPECT_EQ(limits.reject_data, 255 - 4);
}

// source: observed 6.1-siw 65-slow_consumer_answer
// source: linux 6.1 sa_query.c send_mad
TEST(Timing, OfASubnetIsElevenTenthsOfWhatIsGiven) {
  EXPECT_EQ(Timing::AskPatience(Ms(2000)), Ms(2200));
  EXPECT_EQ(Timing::AskPatience(Ms(3000)), Ms(3300));
  EXPECT_EQ(Timing::AskPatience(Ms(19)), Ms(11));
  EXPECT_EQ(Timing::AskPatience(Ms(5)), Ms(6));
  EXPECT_EQ(Timing::AskPatience(Ms(1)), Ms(2));
}

TEST(Transport, OverIwarpWaitsTenSecondsForAReply) {
  EXPECT_EQ(FindProfile("6.1-siw")->transport, Transport::kIwarp);
  EXPECT_EQ(TimingOf("6.1-siw").mpa_reply, Ms(10000));
}

TEST(Profiles, HaveNamesThatFindThem) {
  std::set<std::string> names;
  for (const Profile& profile : Profiles()) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
    EXPECT_EQ(FindProfile(profile.name), &profile);
    EXPECT_FALSE(profile.sentence.empty());
  }
  EXPECT_EQ(FindProfile("no-such"), nullptr);
  EXPECT_TRUE(FindProfile("strict")->deviations.empty());
}

}  // namespace
}  // namespace cm
