// Verdicts about peers: addresses, stale queue pairs, and messages that the sender cannot have
// received.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/capture/altered.h"
#include "model/capture/stored_captures.h"
#include "model/mad/text.h"
#include "model/vocabulary/profile.h"

namespace cm::wire {
namespace {

using testing::HasSubstr;

const Capture& Usual() { return StoredCapture("connect_disconnect"); }  // REQ REP RTU DREQ DREP

// The first violation of a capture; one without a rule if there is none.
Violation FirstViolation(const JudgeOptions& manner, const Capture& capture) {
  for (const Verdict& verdict : JudgedIn(manner, capture))
    if (verdict.violation) return *verdict.violation;
  return {};
}

struct QueuePairs {
  uint64_t active = 17;
  uint64_t passive = 17;
};

// The first messages of the usual connection with other ids and queue pairs.
Capture Connection(uint32_t ids, QueuePairs queue_pairs, int64_t at, size_t messages) {
  Capture capture = Usual();
  capture.frames.resize(messages);
  for (Captured& one : capture.frames) {
    one.nanoseconds += at;
    mad::Frame& frame = one.frame;
    std::visit(
        [ids](auto& message) {
          if constexpr (requires { message.local_cid; }) message.local_cid += ids;
          if constexpr (requires { message.remote_cid; }) message.remote_cid += ids;
        },
        frame.mad.message);
    frame.mad.header.tid = uint64_t{2} << 32 | (0x55edc1bd + ids);
    if (auto* req = std::get_if<mad::Req>(&frame.mad.message))
      req->local_qpn = static_cast<uint32_t>(queue_pairs.active);
    if (auto* rep = std::get_if<mad::Rep>(&frame.mad.message))
      rep->local_qpn = static_cast<uint32_t>(queue_pairs.passive);
    if (auto* dreq = std::get_if<mad::Dreq>(&frame.mad.message))
      dreq->remote_qpn_eecn = static_cast<uint32_t>(queue_pairs.passive);
    mad::Seal(frame);
  }
  return capture;
}

Capture Both(Capture first, const Capture& second) {
  first.frames.insert(first.frames.end(), second.frames.begin(), second.frames.end());
  return first;
}

constexpr int64_t kSecond = 1'000'000'000;

TEST(JudgePeers, RefusesAReplyToAQueuePairThatIsConnected) {
  const Capture stands = Connection(0, {17, 17}, 0, 3);
  EXPECT_EQ(WhatIsWrong({}, Both(stands, Connection(16, {18, 18}, kSecond, 3))), "");
  const Violation wrong = FirstViolation({}, Both(stands, Connection(16, {17, 18}, kSecond, 3)));
  EXPECT_EQ(wrong.rule, "wire-stale");
  EXPECT_EQ(wrong.number, 5u);  // the REP
  EXPECT_THAT(wrong.source, HasSubstr("N3"));
}

// A message that breaks a rule may have ended the connection.
TEST(JudgePeers, KnowsNothingOfAQueuePairWhoseConnectionIsViolated) {
  Capture broken = Connection(0, {17, 17}, 0, 3);
  broken.frames[2].frame = With(broken.frames[2].frame, "mad.tid", 99);
  for (const Verdict& verdict : JudgedIn({}, Both(broken, Connection(16, {17, 18}, kSecond, 3))))
    if (verdict.violation) {
      EXPECT_EQ(verdict.violation->rule, "rtu-tid");
    }
  EXPECT_EQ(FirstViolation({}, broken).rule, "rtu-tid");
}

TEST(JudgePeers, RefusesAReadyToUseForAQueuePairThatIsConnected) {
  const Capture stands = Connection(0, {17, 17}, 0, 3);
  const Violation wrong = FirstViolation({}, Both(stands, Connection(16, {18, 17}, kSecond, 3)));
  EXPECT_EQ(wrong.rule, "wire-stale");
  EXPECT_EQ(wrong.number, 6u);  // the RTU
}

TEST(JudgePeers, PermitsAQueuePairWhoseConnectionMayBeOver) {
  const Capture over = Connection(0, {17, 17}, 0, 5);
  EXPECT_EQ(WhatIsWrong({}, Both(over, Connection(16, {17, 17}, 60 * kSecond, 3))), "");
  // A missing message may have ended it as well.
  const Capture stands = Connection(0, {17, 17}, 0, 3);
  EXPECT_EQ(WhatIsWrong({.missing = true}, Both(stands, Connection(16, {17, 17}, kSecond, 3))), "");
}

// Unanswered requests, each retransmitted after `gap`.
Capture Unanswered(uint32_t requests, int64_t gap) {
  Capture all = Connection(0, {17, 17}, 0, 1);
  for (uint32_t i = 1; i < requests; ++i)
    all = Both(all, Connection(i, {17 + i, 17}, i * 1'000'000, 1));
  for (uint32_t i = 0; i < requests; ++i) {
    Captured again = all.frames[i];
    again.nanoseconds += gap;
    again.frame = With(again.frame, "bth.psn", 1000 + i);
    all.frames.push_back(again);
  }
  return all;
}

// Linux 7.2 has at most 128 of them outstanding.
TEST(JudgePeers, PermitsRequestsToWaitInLineWhereThereAreTooMany) {
  constexpr int64_t kLate = 8 * kSecond;
  EXPECT_EQ(WhatIsWrong({}, Unanswered(200, kLate)), "");
  EXPECT_EQ(FirstViolation({}, Unanswered(100, kLate)).rule, "wire-too-late");
  const JudgeOptions older{.profiles = {FindProfile("6.1-rxe")}};
  EXPECT_EQ(FirstViolation(older, Unanswered(200, kLate)).rule, "wire-too-late");
}

// Delayed in the network, or in a buffer of the capturing host.
TEST(JudgePeers, PermitsALateCopyOfARequestToBeAnswered) {
  Capture capture = Connection(0, {17, 17}, 0, 5);
  const int64_t later = capture.frames.back().nanoseconds + 8 * kSecond;
  capture.frames.push_back({later, capture.frames[0].frame});
  mad::Frame rep = With(capture.frames[1].frame, "bth.psn", 99);
  rep = With(rep, "REP.local_cid", 0x5aedc1bd);
  capture.frames.push_back({later + 1'000'000, rep});
  EXPECT_EQ(WhatIsWrong({.whole = true}, capture), "");
  capture.frames[5].frame = With(capture.frames[5].frame, "bth.psn", 98);  // not a copy
  EXPECT_NE(WhatIsWrong({.whole = true}, capture), "");
}

mad::Frame FromElsewhere(mad::Frame frame) {
  if (auto* v4 = std::get_if<mad::Ipv4>(&frame.ip)) v4->source ^= 0x40;
  if (auto* v6 = std::get_if<mad::Ipv6>(&frame.ip)) v6->source[15] ^= 0x40;
  mad::Seal(frame);
  return frame;
}

TEST(JudgePeers, RefusesAnAnswerOfAnAddressThatWasNotAsked) {
  const std::vector<std::pair<std::string, size_t>> answers = {
      {"connect_disconnect", 1}, {"ipv6_connect_disconnect", 1},
      {"reject_by_consumer", 1}, {"reject_no_listener", 1},
      {"datagram_sidr", 1},      {"slow_accept_message_receipt", 2}};
  for (const auto& [name, index] : answers) {
    Capture capture = StoredCapture(name);
    capture.frames[index].frame = FromElsewhere(capture.frames[index].frame);
    EXPECT_EQ(FirstViolation({}, capture).rule, "wire-peers") << name;
  }
}

}  // namespace
}  // namespace cm::wire
