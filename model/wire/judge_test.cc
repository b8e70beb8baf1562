// What the judge says, message by message.
#include "model/wire/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/wire/altered.h"

namespace cm::wire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Capture& Usual() { return StoredCapture("connect_disconnect"); }  // REQ REP RTU DREQ DREP

Violation OnlyViolation(const Manner& manner, const Capture& capture) {
  std::vector<Violation> all;
  for (const Verdict& verdict : JudgedIn(manner, capture))
    if (verdict.violation) all.push_back(*verdict.violation);
  EXPECT_THAT(all, SizeIs(1));
  return all.empty() ? Violation{} : all.front();
}

Totals TotalsOf(const Manner& manner, const std::vector<std::vector<uint8_t>>& frames) {
  Judge judge(manner, [](const Verdict&) {});
  uint64_t number = 0;
  for (const auto& bytes : frames)
    judge.Take(++number, 0, bytes, bytes.size(), mad::LinkType::kEthernet);
  judge.Finish();
  return judge.totals();
}

TEST(Judge, TellsAConnectionFromItsFirstMessageToItsLast) {
  const auto verdicts = JudgedIn({}, Usual());
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_EQ(verdicts[0].sequence, "REQ REP RTU DREQ DREP");
  EXPECT_EQ(AddressText(verdicts[0].active), "10.0.0.1");
  EXPECT_EQ(AddressText(verdicts[0].passive), "10.0.1.1");
  EXPECT_EQ(verdicts[0].active_cid, 0x55edc1bd);
  EXPECT_THAT(verdicts[0].passive_cids, testing::ElementsAre(0x56edc1bd));
  EXPECT_FALSE(verdicts[0].begins_before);
}

TEST(Judge, NamesTheRowsThatAMessageBreaksAndWhatTheyPermit) {
  const Violation wrong = OnlyViolation({}, Swapped(Usual(), 1).capture);  // RTU before REP
  EXPECT_EQ(wrong.number, 2u);
  EXPECT_THAT(wrong.rule, HasSubstr("ib-rtu-1"));
  EXPECT_THAT(wrong.source, HasSubstr("L3"));
  EXPECT_EQ(wrong.saw, "RTU");
  EXPECT_THAT(wrong.permitted, AllOf(HasSubstr("ib-retry-1"), HasSubstr("ib-destroy-1")));
}

TEST(Judge, SaysOnlyTheFirstThingThatIsWrongWithAConnection) {
  Capture capture = Altered(Usual(), 3, "DREQ.remote_qpn_eecn", 99).capture;
  capture = Altered(capture, 4, "mad.tid", 7).capture;
  EXPECT_EQ(OnlyViolation({}, capture).rule, "dreq-qpn");
}

TEST(Judge, TakesAConnectionThatItMeetsInTheMiddleFromThereOn) {
  const Capture rest = Dropped(Dropped(Usual(), 0).capture, 0).capture;
  const auto verdicts = JudgedIn({}, rest);
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_TRUE(verdicts[0].begins_before);
  EXPECT_FALSE(verdicts[0].violation);
  EXPECT_EQ(OnlyViolation({}, Swapped(rest, 0).capture).number, 2u);  // DREQ, then RTU
}

TEST(Judge, KnowsNobodyInTheMiddleOfACaptureThatIsWhole) {
  const auto verdicts = JudgedIn({.whole = true}, Dropped(Usual(), 0).capture);
  ASSERT_FALSE(verdicts.empty());
  EXPECT_EQ(verdicts[0].violation->rule, "wire-known");
}

TEST(Judge, PermitsWhatOnlyMissingMessagesExplain) {
  const Capture without_rtu = Dropped(Usual(), 2).capture;
  EXPECT_THAT(WhatIsWrong({}, without_rtu), HasSubstr("ib-dreq-1"));
  EXPECT_EQ(WhatIsWrong({.missing = true}, without_rtu), "");
}

// An RTU that was damaged was sent; a REP that was damaged did not arrive.
TEST(Judge, TakesAMessageWithAWrongCrcForSentAndNotForReceived) {
  for (const size_t index : {0u, 1u, 2u, 3u, 4u}) {
    Capture capture = Usual();
    capture.frames[index].frame.icrc.value ^= 1;
    const bool answered = index == 0 || index == 1 || index == 3;
    EXPECT_EQ(WhatIsWrong({.whole = true}, capture).empty(), !answered) << index;
    EXPECT_THAT(WhatIsWrong({.strict = true}, capture), HasSubstr("wire-icrc")) << index;
  }
}

TEST(Judge, RefusesARepetitionThatIsNotTheSame) {
  const Capture& capture = StoredCapture("request_lost_once");
  EXPECT_EQ(OnlyViolation({}, Altered(capture, 1, "REQ.starting_psn", 5).capture).rule,
            "mad-again");
}

TEST(Judge, RefusesARepetitionBeforeItsTime) {
  Capture capture = StoredCapture("request_lost_every_time");
  EXPECT_EQ(WhatIsWrong({}, capture), "");
  capture.frames[1].nanoseconds -= 3'000'000'000;
  EXPECT_EQ(OnlyViolation({}, capture).rule, "wire-too-early");
}

TEST(Judge, RefusesOneRepetitionMoreThanTheRequestSays) {
  Capture capture = StoredCapture("request_lost_every_time");
  capture.frames.push_back(capture.frames.back());
  capture.frames.back().nanoseconds += 6'400'000'000;
  EXPECT_EQ(OnlyViolation({}, capture).rule, "wire-repetitions");
}

TEST(Judge, JudgesTimersAndFixedFieldsByProfile) {
  const Manner later{.profile = FindProfile("6.12-rxe")};
  EXPECT_EQ(WhatIsWrong(later, Usual()), "");
  const Capture patient = Altered(Usual(), 0, "REQ.remote_cm_response_timeout", 21).capture;
  EXPECT_EQ(WhatIsWrong({}, patient), "");
  EXPECT_EQ(OnlyViolation(later, patient).rule, "linux-req-remote-timeout");
}

TEST(Judge, SkipsOtherProtocolsAndCountsThem) {
  std::vector<uint8_t> arp(60, 0);
  arp[12] = 0x08, arp[13] = 0x06;
  std::vector<uint8_t> tcp = Sealed(Usual().frames[0].frame);
  tcp[23] = 6;
  std::vector<uint8_t> data = Sealed(Usual().frames[0].frame);
  data[42] = 0x04;  // RC SEND ONLY
  const Totals totals = TotalsOf({.whole = true}, {arp, tcp, data});
  EXPECT_EQ(totals.foreign, 3u);
  EXPECT_EQ(totals.messages, 0u);
  EXPECT_EQ(totals.violations, 0u);
}

TEST(Judge, CountsWhatTheCaptureCutShort) {
  const auto bytes = Sealed(Usual().frames[0].frame);
  Judge judge({}, [](const Verdict&) {});
  judge.Take(1, 0, std::span(bytes).first(96), bytes.size(), mad::LinkType::kEthernet);
  EXPECT_EQ(judge.totals().cut, 1u);
  EXPECT_EQ(judge.totals().violations, 0u);
}

// Ids as a node draws them, each connection at another time; what is over is not kept.
TEST(Judge, ForgetsConnectionsThatAreOver) {
  constexpr uint32_t kConnections = 4000;
  constexpr int64_t kApart = 1'000'000'000;
  size_t most = 0, given = 0;
  Judge judge({.whole = true}, [&](const Verdict& verdict) {
    ++given;
    EXPECT_FALSE(verdict.violation);
  });
  uint64_t number = 0;
  for (uint32_t i = 0; i < kConnections; ++i) {
    for (const Captured& captured : Usual().frames) {
      mad::Frame frame = captured.frame;
      frame.mad.header.tid += uint64_t{i} << 32;
      std::visit(
          [i](auto& message) {
            if constexpr (requires { message.local_cid; }) message.local_cid += i * 2;
            if constexpr (requires { message.remote_cid; }) message.remote_cid += i * 2;
          },
          frame.mad.message);
      judge.Take(++number, i * kApart + captured.nanoseconds, Sealed(frame), 322,
                 mad::LinkType::kEthernet);
    }
    most = std::max(most, judge.live());
  }
  judge.Finish();
  EXPECT_EQ(given, kConnections);
  EXPECT_LT(most, 2000u);
}

}  // namespace
}  // namespace cm::wire
