// Verdicts about peers: addresses, stale queue pairs, and messages that the sender cannot have
// received.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/capture/altered.h"
#include "model/capture/judge.h"
#include "model/capture/stored_captures.h"
#include "model/mad/frame.h"
#include "model/mad/text.h"
#include "model/vocabulary/profile.h"

namespace cm::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

// The broken rules when the messages from `rest` on come 25 minutes later, behind other frames.
std::vector<std::string> BrokenAfterSilence(const Capture& capture, size_t rest) {
  constexpr int64_t kSilence = 1500 * kSecond;
  std::vector<std::string> rules;
  Judge judge({}, [&](const Verdict& verdict) {
    if (verdict.violation) rules.push_back(verdict.violation->rule);
  });
  uint64_t number = 0;
  for (size_t i = 0; i < capture.frames.size(); ++i) {
    const Captured& one = capture.frames[i];
    const int64_t at = one.nanoseconds + (i < rest ? 0 : kSilence);
    for (int others = i == rest ? 1024 : 0; others > 0; --others)
      judge.Take(++number, at, {}, 0, mad::LinkType::kEthernet);
    const mad::FrameBytes bytes = mad::Encode(one.frame);
    judge.Take(++number, at, bytes.view(), bytes.size(), mad::LinkTypeOf(one.frame));
  }
  judge.Finish();
  return rules;
}

// An id waits in DREQ_RCVD for its application without limit (L11, D9).
TEST(JudgePeers, PermitsALateAnswerOfAnApplication) {
  const Capture& unanswered = StoredCapture("connect_disconnect_no_answer");
  ASSERT_EQ(unanswered.frames.back().frame.mad.header.kind(), MadKind::kDrep);
  EXPECT_THAT(BrokenAfterSilence(unanswered, unanswered.frames.size() - 1), IsEmpty());
  Capture request = StoredCapture("reject_by_consumer");
  request.frames.resize(2);
  EXPECT_THAT(BrokenAfterSilence(request, 1), IsEmpty());
}

// The request, and the REJ of a sender that gives up.
Capture GivenUp(const Captured& request) {
  mad::Frame rej = Reversed(StoredCapture("reject_by_consumer").frames[1].frame);
  rej = With(rej, "REJ.message_rejected", 2);
  rej = With(rej, "REJ.reason", 4);
  rej = With(rej, "REJ.reject_info_length", 8);
  rej = With(rej, "REJ.local_cid", *mad::ValueOf(request.frame, "REQ.local_cid"));
  rej = With(rej, "REJ.remote_cid", 0);
  const uint64_t guid = *mad::ValueOf(request.frame, "REQ.local_ca_guid");
  for (size_t i = 0; i < 8; ++i)
    std::get<mad::Rej>(rej.mad.message).ari[i] = static_cast<uint8_t>(guid >> (56 - 8 * i));
  mad::Seal(rej);
  return {.name = "given up", .frames = {request, {request.nanoseconds + kSecond, rej}}};
}

// A sender that is none of Linux may send an MRA at once. The REJ may be lost behind it, and the
// application may accept the request later.
TEST(JudgePeers, PermitsALateAnswerAfterAnMra) {
  const Capture& slow = StoredCapture("slow_accept_message_receipt");
  Capture capture = GivenUp(slow.frames[0]);
  capture.frames.insert(capture.frames.begin() + 1,
                        {capture.frames[0].nanoseconds + 1'000, slow.frames[2].frame});
  capture.frames.push_back({capture.frames.back().nanoseconds, slow.frames[3].frame});
  ASSERT_EQ(capture.frames.back().frame.mad.header.kind(), MadKind::kRep);
  for (Captured& one : capture.frames) {  // the values of an adapter
    one.frame = With(one.frame, "udp.source_port", 0xc123);
    one.frame = With(one.frame, "bth.ack_request", 0);
    one.frame = With(one.frame, "bth.migration_state", 1);
  }
  EXPECT_THAT(BrokenAfterSilence(capture, 3), IsEmpty());
}

// The id that waits keeps the queue pair of the other side.
TEST(JudgePeers, PermitsAStaleQueuePairWhereAnApplicationHasNotAnswered) {
  Capture capture = StoredCapture("connect_disconnect_no_answer");
  const Capture& stale = StoredCapture("reject_stale_connection");
  const uint64_t qpn = *mad::ValueOf(capture.frames[0].frame, "REQ.local_qpn");
  capture.frames.pop_back();  // the DREP
  const size_t rest = capture.frames.size();
  for (const size_t index : {3u, 4u})
    capture.frames.push_back({capture.frames.back().nanoseconds, stale.frames[index].frame});
  capture = Altered(capture, rest, "REQ.local_qpn", qpn).capture;
  EXPECT_THAT(BrokenAfterSilence(capture, rest), IsEmpty());
}

// The other direction of a DREQ or DREP, of the same connection.
mad::Frame FromOtherSide(const mad::Frame& frame, const std::string& kind) {
  mad::Frame other = Reversed(frame);
  other = With(other, kind + ".local_cid", *mad::ValueOf(frame, kind + ".remote_cid"));
  other = With(other, kind + ".remote_cid", *mad::ValueOf(frame, kind + ".local_cid"));
  return With(other, "mad.tid",
              uint64_t{2} << 32 | *mad::ValueOf(Usual().frames[1].frame, "REP.local_cid"));
}

// Each side answers the DREQ of the other.
TEST(JudgePeers, PermitsALateAnswerWhereBothSidesHaveDisconnected) {
  Capture crossing = Connection(0, {17, 17}, 0, 5);
  crossing = Inserted(crossing, 3, "and the other way",
                      FromOtherSide(crossing.frames[3].frame, "DREQ"), 1'000)
                 .capture;
  crossing.frames.push_back({crossing.frames.back().nanoseconds + kSecond,
                             FromOtherSide(crossing.frames.back().frame, "DREP")});
  EXPECT_THAT(BrokenAfterSilence(crossing, crossing.frames.size()), IsEmpty());
  EXPECT_THAT(BrokenAfterSilence(crossing, crossing.frames.size() - 1), IsEmpty());
}

TEST(JudgePeers, KnowsAfterALongSilenceThatEverythingWasAnswered) {
  Capture over = Usual();
  over.frames.push_back(
      {over.frames.back().nanoseconds, With(over.frames.back().frame, "bth.psn", 99)});
  EXPECT_THAT(BrokenAfterSilence(over, 5), ElementsAre("wire-known"));
}

TEST(JudgePeers, SaysOneThingOfAConnectionThatStandsHoweverLong) {
  Capture broken = Connection(0, {17, 17}, 0, 5);
  broken.frames[2].frame = With(broken.frames[2].frame, "mad.tid", 99);
  EXPECT_THAT(BrokenAfterSilence(broken, 3), ElementsAre("rtu-tid"));
}

// With RDMA_OPTION_ID_ACK_TIMEOUT 22 requests are 20.480 s apart, and 22.528 s where nothing else
// keeps the kernel's timers running. source: linux 6.1 kernel/time/timer.c
TEST(JudgePeers, PermitsARepetitionThatIsLateByAStepOfTheTimerWheel) {
  Capture capture = StoredCapture("request_lost_once");
  for (const size_t request : {0u, 1u})
    capture = Altered(capture, request, "REQ.primary_local_ack_timeout", 22).capture;
  const int64_t gap = capture.frames[1].nanoseconds - capture.frames[0].nanoseconds;
  for (size_t i = 1; i < capture.frames.size(); ++i)
    capture.frames[i].nanoseconds += 22'528'000'000 - gap;
  EXPECT_EQ(WhatIsWrong({}, capture), "");
  for (size_t i = 1; i < capture.frames.size(); ++i) capture.frames[i].nanoseconds += kSecond;
  EXPECT_EQ(FirstViolation({}, capture).rule, "wire-too-late");
}

// A sender that makes an id for each message fills no memory.
TEST(JudgePeers, StoresNoMoreIdsThanAnyConnectionHas) {
  Capture capture = StoredCapture("slow_accept_message_receipt");
  const Captured receipt = capture.frames[2];
  ASSERT_EQ(receipt.frame.mad.header.kind(), MadKind::kMra);
  for (uint64_t i = 1; i < 200; ++i) {
    Captured another = receipt;
    another.frame = With(another.frame, "MRA.local_cid", i);
    capture.frames.push_back(another);
  }
  size_t most = 0;
  for (const Verdict& verdict : JudgedIn({.missing = true}, capture))
    most = std::max(most, verdict.passive_cids.size());
  EXPECT_EQ(most, 64u);
}

mad::Frame FromElsewhere(mad::Frame frame) {
  if (auto* v4 = std::get_if<mad::Ipv4>(&frame.ip)) v4->source ^= 0x40;
  if (auto* v6 = std::get_if<mad::Ipv6>(&frame.ip)) v6->source[15] ^= 0x40;
  mad::Seal(frame);
  return frame;
}

// A kernel knows the queue pairs of all its devices' peers: the damaged REQ may have named it.
TEST(JudgePeers, PermitsAStaleQueuePairWhereAMessageElsewhereIsDamaged) {
  Capture capture = StoredCapture("reject_stale_connection");
  capture.frames.resize(5);
  capture.frames.erase(capture.frames.begin() + 1, capture.frames.begin() + 3);  // REQ, REQ, REJ
  EXPECT_EQ(FirstViolation({.whole = true}, Dropped(capture, 0).capture).rule, "wire-rej-stale-of");
  capture.frames[0].frame = FromElsewhere(capture.frames[0].frame);
  capture.frames[0].frame.icrc.value ^= 1;
  EXPECT_EQ(WhatIsWrong({.whole = true}, capture), "");
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
