// Requests and answers on their way: how many at a time, how long, and what is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/verbs/two_ports.h"

namespace cm::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using TransportTest = TwoPorts;

// Seven messages of four bytes, each 1 ms behind the one before.
TEST_F(TransportTest, RequestsAreUnderWayTogether) {
  fabric_.bandwidth.data = 32'000;
  Connect();
  const uint32_t region = Register(kHere, {1, 2, 3, 4});
  const uint32_t there = Register(kThere, {9, 9, 9, 9});
  for (uint16_t i = 0; i < 7; ++i) {
    EXPECT_EQ(Receive(b_, i, {{there, 0, 4}}), Errno::kNone);
    EXPECT_EQ(verbs_.PostSend(c_, a_, Work(WcOpcode::kSend, i, {{region, 0, 4}})), Errno::kNone);
  }
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency * 2 + Duration::Milliseconds(7));
}

// A message is complete when its answer is here, and the receive when the message is.
TEST_F(TransportTest, AnAnswerTakesAsLongAsItsMessage) {
  Connect();
  EXPECT_EQ(Receive(b_, 10), Errno::kNone);
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  RunUntil(kLatency);
  EXPECT_THAT(Received(b_), ElementsAre(10));
  EXPECT_THAT(Sent(a_), IsEmpty());
  RunUntil(kLatency * 2);
  EXPECT_THAT(Sent(a_), ElementsAre(1));
}

// The depth of the initiator, or a fence: each waits for the answer of the one before.
TEST_F(TransportTest, ReadsWaitForOthersBeyondTheirDepth) {
  const uint32_t to = Register(kHere, {9});
  const uint32_t from = Register(kThere, {1}, {.remote_read = true});
  Connect({.initiator_depth = 2});
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(Remote(WcOpcode::kRead, {to, 0, 1}, {from, 0, 1}), Errno::kNone);
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency * 2 * 3) << "two, two and one";
  EXPECT_EQ(Sent(a_).size(), 5u);
}

TEST_F(TransportTest, AFenceWaitsForReads) {
  Connect();
  const uint32_t to = Register(kHere, {9});
  const uint32_t from = Register(kThere, {1}, {.remote_read = true});
  for (const uint16_t context : {10, 11}) EXPECT_EQ(Receive(b_, context), Errno::kNone);
  EXPECT_EQ(Remote(WcOpcode::kRead, {to, 0, 1}, {from, 0, 1}), Errno::kNone);
  WorkRequest fenced = Work(WcOpcode::kSend, 2, {});
  fenced.fenced = true;
  EXPECT_EQ(verbs_.PostSend(c_, a_, fenced), Errno::kNone);
  EXPECT_EQ(verbs_.PostSend(c_, a_, fenced), Errno::kNone);
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency * 4) << "the two after the read are together";
  EXPECT_THAT(Sent(a_), ElementsAre(0, 2, 2));
}

// What was posted is forgotten, with what is under way.
TEST_F(TransportTest, ResetEmptiesTheQueues) {
  Connect();
  EXPECT_EQ(Receive(a_, 10), Errno::kNone);
  EXPECT_EQ(Receive(b_, 11), Errno::kNone);
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kReset), Errno::kNone);
  ToRts(a_, verbs_.at(a_).connection);
  EXPECT_EQ(Send(a_, 2), Errno::kNone);
  EXPECT_EQ(verbs_.PostSend(c_, b_, Work(WcOpcode::kSend, 3, {})), Errno::kNone);
  EXPECT_EQ(Receive(a_, 12), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(2));
  EXPECT_THAT(Received(b_), ElementsAre(11));
  EXPECT_THAT(Received(a_), ElementsAre(12));
}

// A read that has to wait for another one has not begun when the queue is drained.
TEST_F(TransportTest, DrainingIsOfWhatIsUnderWay) {
  Connect();
  const uint32_t to = Register(kHere, {9});
  const uint32_t from = Register(kThere, {1}, {.remote_read = true});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(Remote(WcOpcode::kRead, {to, 0, 1}, {from, 0, 1}), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kSqd), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(0));
  EXPECT_THAT(verbs_.TakeNews(), ElementsAre(News{ObjectEvent::kSqDrained, a_}));
}

TEST_F(TransportTest, AQueuePairMayBeItsOwnPeer) {
  ToRts(a_, {.peer = {kHere, verbs_.at(a_).number}});
  EXPECT_EQ(Receive(a_, 10), Errno::kNone);
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(1));
  EXPECT_THAT(Received(a_), ElementsAre(10));
  const uint32_t region = Register(kHere, {1, 2});
  EXPECT_EQ(Receive(a_, 11), Errno::kNone);
  EXPECT_EQ(Send(a_, 2, {{region, 0, 2}}), Errno::kNone);
  Run();
  EXPECT_THAT(Received(a_, WcStatus::kLocQpOp), ElementsAre(11));
  EXPECT_THAT(Sent(a_, WcStatus::kWrFlush), ElementsAre(2)) << "too long: both ends fail, here one";
}

// One that has the place of a destroyed one sends its own only.
TEST_F(TransportTest, WhatIsUnderWayGoesWithItsQueuePair) {
  Connect();
  for (const uint16_t context : {10, 11}) EXPECT_EQ(Receive(b_, context), Errno::kNone);
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  verbs_.Destroy(a_);
  const uint32_t next = verbs_.Create(kHere, false);
  ASSERT_EQ(next, a_);
  ToRts(next, {.peer = {kThere, verbs_.at(b_).number}});
  Run();
  EXPECT_THAT(Received(b_), IsEmpty());
}

// Lost in one direction for a time.
class Lost : public TwoPorts {
 protected:
  void Lose(uint8_t side, Duration from, Duration window) {
    fabric_.rules_hit_data = true;
    Fault fault;
    fault.kind = FaultKind::kDrop;
    fault.side = side;
    fault.to = kAnySide;
    fault.messages = MadKinds::All();
    fault.first = 1;
    fault.last = 0;
    fault.after = from;
    fault.window = window;
    ASSERT_TRUE(Fabric::IsOnData(fault));
    fabric_.Install(fault, agenda_.Now());
  }
  static constexpr Duration kMicrosecond = Duration::Microseconds(1);
  const Duration timeout_ = profile_->timing.Timewait();
};

// The peer carries it out once, and says so again.
TEST_F(Lost, AnAnswerIsAskedForAgain) {
  Connect({.retry_count = 1});
  for (const uint16_t context : {10, 11}) EXPECT_EQ(Receive(b_, context), Errno::kNone);
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  Lose(kThere, kLatency, kMicrosecond);
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency + timeout_ + kLatency * 2);
  EXPECT_THAT(Sent(a_), ElementsAre(1));
  EXPECT_THAT(Received(b_), ElementsAre(10)) << "the second receive is left";
}

// From here on a byte takes 1 ms.
class LostOfTwo : public Lost {
 protected:
  void SetUp() override {
    fabric_.bandwidth.data = 8'000;
    Connect();
    const uint32_t region = Register(kThere, {9});
    for (const uint16_t context : {10, 11})
      ASSERT_EQ(Receive(b_, context, {{region, 0, 1}}), Errno::kNone);
  }
  void SendTwo() {
    const uint32_t region = Register(kHere, {1});
    for (const uint16_t context : {1, 2})
      ASSERT_EQ(Send(a_, context, {{region, 0, 1}}), Errno::kNone);
  }
  static constexpr Duration kByte = Duration::Milliseconds(1);
};

TEST_F(LostOfTwo, AnAnswerStandsForThoseBefore) {
  SendTwo();
  Lose(kThere, kByte + kLatency, kMicrosecond);
  RunUntil(kByte * 2 + kLatency * 2);
  EXPECT_THAT(Sent(a_), ElementsAre(1, 2));
  Run();
  EXPECT_THAT(Received(b_), ElementsAre(10, 11));
}

// The second finds out that the first is missing, and both are sent again.
TEST_F(LostOfTwo, AMessageIsSentAgainWhenTheNextOneArrives) {
  SendTwo();
  Lose(kHere, kByte + kLatency, kMicrosecond);
  RunUntil(kByte * 4 + kLatency * 4 - kMicrosecond);
  EXPECT_THAT(Sent(a_), ElementsAre(1));
  RunUntil(kByte * 4 + kLatency * 4);
  EXPECT_THAT(Sent(a_), ElementsAre(2));
  EXPECT_THAT(Received(b_), ElementsAre(10, 11));
}

TEST_F(LostOfTwo, ALastMessageIsSentAgainByItsTimer) {
  SendTwo();
  Lose(kHere, kByte * 2 + kLatency, kMicrosecond);
  RunUntil(kByte * 3 + kLatency * 3 + timeout_ - kMicrosecond);
  EXPECT_THAT(Sent(a_), ElementsAre(1));
  RunUntil(kByte * 3 + kLatency * 3 + timeout_);
  EXPECT_THAT(Sent(a_), ElementsAre(2));
}

// A later answer shows that the bytes are missing; nothing is received twice.
TEST_F(LostOfTwo, AReadIsAskedForAgainWhenALaterAnswerComes) {
  const uint32_t to = Register(kHere, {9});
  const uint32_t from = Register(kThere, {1}, {.remote_read = true});
  EXPECT_EQ(Remote(WcOpcode::kRead, {to, 0, 1}, {from, 0, 1}), Errno::kNone);
  EXPECT_EQ(Send(a_, 1, {{to, 0, 1}}), Errno::kNone);
  Lose(kThere, kLatency, kMicrosecond);
  RunUntil(kByte * 2 + kLatency * 4);
  EXPECT_THAT(Sent(a_), ElementsAre(0, 1));
  EXPECT_THAT(BytesOf(to), ElementsAre(1));
  EXPECT_THAT(Received(b_), ElementsAre(10));
}

// The peer has both: a repetition that is lost is not missing there.
TEST_F(LostOfTwo, ARepetitionThatIsLostHoldsUpNone) {
  Connection once = verbs_.at(a_).connection;
  once.retry_count = 1;
  verbs_.Connect(a_, once);
  SendTwo();
  Lose(kThere, kByte + kLatency, kByte + kMicrosecond);
  const Duration again = kByte + kLatency + timeout_;
  Lose(kHere, again + kByte + kLatency, kMicrosecond);
  RunUntil(again + kByte * 2 + kLatency * 2);
  EXPECT_THAT(Sent(a_), ElementsAre(1, 2));
  EXPECT_THAT(Received(b_), ElementsAre(10, 11));
}

// A bind has no message. The answer of what follows stands for what is in front of it, too.
TEST_F(LostOfTwo, AnAnswerStandsForThoseBeforeALocalOperation) {
  const uint32_t region = Register(kHere, {1});
  EXPECT_EQ(Send(a_, 1, {{region, 0, 1}}), Errno::kNone);
  const uint32_t window = verbs_.windows().Allocate({.device = kHere});
  WorkRequest local = Work(kBindWindow, 2, {});
  local.window = WindowUse{.binding = {.window = verbs_.windows().all()[window].key}};
  EXPECT_EQ(verbs_.PostSend(c_, a_, local), Errno::kNone);
  EXPECT_EQ(Send(a_, 3, {{region, 0, 1}}), Errno::kNone);
  Lose(kThere, kByte + kLatency, kMicrosecond);
  RunUntil(kByte * 2 + kLatency * 2);
  EXPECT_THAT(Sent(a_), ElementsAre(1, 2, 3));
}

// An answer that says "not ready" stands for those before, and may be lost as well: a receive that
// is posted meanwhile is used.
TEST_F(LostOfTwo, AReceiverThatIsNotReadyAnswersForThoseBefore) {
  const uint32_t region = Register(kHere, {1});
  const uint32_t buffer = Register(kThere, {9});
  for (const uint16_t context : {1, 2, 3})
    ASSERT_EQ(Send(a_, context, {{region, 0, 1}}), Errno::kNone);
  Lose(kThere, kByte * 2 + kLatency, kMicrosecond);  // the answer to the second
  RunUntil(kByte * 3 + kLatency * 2);
  EXPECT_THAT(Sent(a_), ElementsAre(1, 2));
  EXPECT_EQ(Receive(b_, 12, {{buffer, 0, 1}}), Errno::kNone);
  RunUntil(kByte * 4 + kLatency * 4 + kRnrTimer);
  EXPECT_THAT(Sent(a_), ElementsAre(3));
}

TEST_F(Lost, AnAnswerThatTheReceiverIsNotReadyIsLost) {
  Connect({.retry_count = 1, .rnr_retry_count = 0});
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  Lose(kThere, kLatency, kMicrosecond);
  RunUntil(kLatency * 2);
  EXPECT_EQ(Receive(b_, 10), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(1));
}

// What is behind a lost one is sent twice, and each attempt is noted once; the peer says once that
// one is missing.
TEST_F(LostOfTwo, ThePeerSaysOnceThatOneIsMissing) {
  fabric_.watches_data = true;
  const uint32_t region = Register(kHere, {1});
  const uint32_t buffer = Register(kThere, {9});
  EXPECT_EQ(Receive(b_, 12, {{buffer, 0, 1}}), Errno::kNone);
  for (const uint16_t context : {1, 2, 3})
    ASSERT_EQ(Send(a_, context, {{region, 0, 1}}), Errno::kNone);
  Lose(kHere, kByte + kLatency, kMicrosecond);
  Lose(kThere, kByte * 2 + kLatency, kMicrosecond);  // what it says
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(1, 2, 3));
  std::vector<std::pair<uint32_t, DataNote::Answer>> seen;
  for (const WireNote& note : fabric_.wire_notes)
    seen.emplace_back(note.data->message, note.data->answer);
  using enum DataNote::Answer;
  using Seen = std::pair<uint32_t, DataNote::Answer>;
  EXPECT_THAT(seen, ElementsAre(Seen{0, kNone}, Seen{1, kOutOfSequence}, Seen{2, kNone},
                                Seen{0, kAck}, Seen{1, kAck}, Seen{2, kAck}));
}

// Added once, and the answer is that of the first time.
TEST_F(Lost, AnAtomicOperationIsCarriedOutOnce) {
  Connect();
  const uint32_t to = Register(kHere, std::vector<uint8_t>(8));
  const uint32_t on = Register(kThere, {5, 0, 0, 0, 0, 0, 0, 0}, {.remote_atomic = true});
  WorkRequest work = Work(kFetchAndAdd, 1, {{to, 0, 8}});
  work.data = {3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  work.remote = {on, 0, 8};
  EXPECT_EQ(verbs_.PostSend(c_, a_, work), Errno::kNone);
  Lose(kThere, kLatency, kMicrosecond);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(1));
  EXPECT_EQ(BytesOf(on)[0], 8);
  EXPECT_EQ(BytesOf(to)[0], 5);
}

// Three attempts, each with its answer, and two waits between them.
TEST_F(TransportTest, AReceiverThatIsNotReadyIsTriedAgain) {
  Connect({.rnr_retry_count = 2});
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency * 6 + kRnrTimer * 2);
  EXPECT_THAT(Sent(a_, WcStatus::kRnrRetryExc), ElementsAre(1));
  EXPECT_EQ(StateOf(a_), QpState::kErr);
  EXPECT_EQ(StateOf(b_), QpState::kRts);
}

TEST_F(TransportTest, SevenRetriesOfAReceiverThatIsNotReadyNeverEnd) {
  Connect();
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  for (int i = 0; i < 100; ++i) verbs_.OnWorkDue(c_, agenda_.Take().on());
  EXPECT_EQ(Receive(b_, 10), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(1));
}

// Four attempts, and the time in which each could be answered.
TEST_F(TransportTest, APeerThatIsGoneIsTriedAsOftenAsTheConnectionSays) {
  Connect({.retry_count = 3});
  verbs_.Destroy(b_);
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency * 4 + profile_->timing.Timewait() * 4);
  EXPECT_THAT(Sent(a_, WcStatus::kRetryExc), ElementsAre(1));
}

}  // namespace
}  // namespace cm::sim
