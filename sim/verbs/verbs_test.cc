// Queue pairs by hand: their states, their queues, and what requests do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/verbs/two_ports.h"

namespace cm::sim {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

using VerbsTest = TwoPorts;

TEST_F(VerbsTest, NumbersOfADeviceBeginAnewWithIt) {
  EXPECT_EQ(verbs_.at(a_).number, 17u);
  EXPECT_EQ(verbs_.at(b_).number, 17u);
  EXPECT_EQ(verbs_.at(verbs_.Create(kHere, false)).number, 18u);
  verbs_.Restart(kHere);
  EXPECT_EQ(verbs_.at(verbs_.Create(kHere, false)).number, 17u);
}

TEST_F(VerbsTest, AStateIsReachedFromTheOneBefore) {
  EXPECT_EQ(verbs_.Modify(a_, QpState::kRtr, true), Errno::kInval);
  EXPECT_EQ(verbs_.Initialize(a_, true), Errno::kInval) << "attributes of a datagram queue pair";
  EXPECT_EQ(verbs_.Initialize(a_, false), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kRts, true), Errno::kInval);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kRtr), Errno::kInval) << "without a peer";
  EXPECT_EQ(verbs_.Modify(a_, QpState::kRtr, true, Errno::kNetUnreach), Errno::kNetUnreach);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kRtr, true), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kSqd), Errno::kInval);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kRts, true), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kSqd), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kErr), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kReset), Errno::kNone);
}

TEST_F(VerbsTest, ReceivesArePostedFromInitAndSendsFromRts) {
  EXPECT_EQ(Receive(a_, 1), Errno::kInval);
  EXPECT_EQ(Send(a_, 1), Errno::kInval);
  ASSERT_EQ(verbs_.Initialize(a_, false), Errno::kNone);
  EXPECT_EQ(Receive(a_, 1), Errno::kNone);
  EXPECT_EQ(Send(a_, 1), Errno::kInval);
  Connect();
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
}

TEST_F(VerbsTest, AQueueHoldsSevenRequestsOfTwoElements) {
  Connect();
  const uint32_t region = Register(kHere, std::vector<uint8_t>(64));
  const Piece one{region, 0, 1};
  EXPECT_EQ(Send(a_, 0, {one, one, one}), Errno::kInval);
  EXPECT_EQ(Receive(a_, 0, {one, one, one}), Errno::kInval);
  WorkRequest work = Work(WcOpcode::kSend, 0, {{region, 0, 33}});
  work.is_inline = true;
  EXPECT_EQ(verbs_.PostSend(c_, a_, work), Errno::kInval) << "32 bytes are inline";
  for (uint16_t i = 0; i < 7; ++i) {
    EXPECT_EQ(Send(a_, i, {one, one}), Errno::kNone);
    EXPECT_EQ(Receive(a_, i, {one, one}), Errno::kNone);
  }
  EXPECT_EQ(Send(a_, 7), Errno::kNoMem);
  EXPECT_EQ(Receive(a_, 7), Errno::kNoMem);
}

// Both arrive after 10 us, and so do their answers.
TEST_F(VerbsTest, MessagesTakeReceivesInTheOrderOfPosting) {
  Connect();
  const uint32_t from = Register(kHere, {1, 2, 3, 4});
  const uint32_t to = Register(kThere, {9, 9, 9, 9});
  EXPECT_EQ(Receive(b_, 10, {{to, 0, 2}}), Errno::kNone);
  EXPECT_EQ(Receive(b_, 11, {{to, 2, 2}}), Errno::kNone);
  EXPECT_EQ(Send(a_, 1, {{from, 2, 2}}), Errno::kNone);
  EXPECT_EQ(Send(a_, 2, {{from, 0, 1}}), Errno::kNone);
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency * 2);
  EXPECT_THAT(Sent(a_), ElementsAre(1, 2));
  EXPECT_THAT(Received(b_), ElementsAre(10, 11));
  EXPECT_THAT(BytesOf(to), ElementsAre(3, 4, 1, 9));
}

// 8000 bits a second: four bytes take 4 ms to be sent, and to be read.
TEST_F(VerbsTest, MessagesTakeAsLongAsTheirLinkSends) {
  fabric_.bandwidth.data = 8'000;
  Connect();
  const uint32_t here = Register(kHere, {1, 2, 3, 4});
  const uint32_t there = Register(kThere, {9, 9, 9, 9}, {.remote_read = true});
  EXPECT_EQ(Receive(b_, 10, {{there, 0, 4}}), Errno::kNone);
  EXPECT_EQ(Send(a_, 1, {{here, 0, 4}}), Errno::kNone);
  EXPECT_EQ(Remote(WcOpcode::kRead, {here, 0, 4}, {there, 0, 4}), Errno::kNone);
  Run();
  EXPECT_EQ(agenda_.Now() - Instant{}, kLatency * 2 + Duration::Milliseconds(8));
}

TEST_F(VerbsTest, ARequestThatIsNotSignaledCompletesSilently) {
  Connect();
  WorkRequest work = Work(WcOpcode::kSend, 1, {});
  work.signaled = false;
  EXPECT_EQ(Receive(b_, 10), Errno::kNone);
  EXPECT_EQ(verbs_.PostSend(c_, a_, work), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), IsEmpty());
  EXPECT_THAT(Received(b_), ElementsAre(10));
}

TEST_F(VerbsTest, AMessageThatIsTooLongEndsBothSides) {
  Connect();
  const uint32_t from = Register(kHere, {1, 2});
  const uint32_t to = Register(kThere, {9, 9});
  EXPECT_EQ(Receive(b_, 10, {{to, 0, 1}}), Errno::kNone);
  EXPECT_EQ(Send(a_, 1, {{from, 0, 2}}), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_, WcStatus::kRemOp), ElementsAre(1));
  EXPECT_THAT(Received(b_, WcStatus::kLocQpOp), ElementsAre(10));
  EXPECT_EQ(StateOf(a_), QpState::kErr);
  EXPECT_EQ(StateOf(b_), QpState::kErr);
  EXPECT_THAT(BytesOf(to), ElementsAre(9, 9));
}

TEST_F(VerbsTest, AnErrorFlushesEachRequestOnceInOrder) {
  Connect();
  for (const uint16_t context : {1, 2, 3}) {
    EXPECT_EQ(Send(a_, context), Errno::kNone);
    EXPECT_EQ(Receive(a_, static_cast<uint16_t>(10 + context)), Errno::kNone);
  }
  EXPECT_EQ(verbs_.Modify(a_, QpState::kErr), Errno::kNone);
  EXPECT_THAT(Sent(a_, WcStatus::kWrFlush), ElementsAre(1, 2, 3));
  EXPECT_THAT(Received(a_, WcStatus::kWrFlush), ElementsAre(11, 12, 13));
  // In ERR a send is flushed at once; a receive waits until the kernel hears of it.
  EXPECT_EQ(Send(a_, 4), Errno::kNone);
  EXPECT_EQ(Receive(a_, 14), Errno::kNone);
  EXPECT_THAT(Sent(a_, WcStatus::kWrFlush), ElementsAre(4));
  EXPECT_THAT(Received(a_), IsEmpty());
  EXPECT_EQ(verbs_.Modify(a_, QpState::kErr), Errno::kNone);
  EXPECT_THAT(Received(a_, WcStatus::kWrFlush), ElementsAre(14));
}

TEST_F(VerbsTest, AWriteAltersItsRange) {
  Connect();
  const Piece local{Register(kHere, {1, 2}), 0, 2};
  const uint32_t to = Register(kThere, {9, 9, 9, 9}, {.remote_write = true});
  EXPECT_EQ(Remote(WcOpcode::kWrite, local, {to, 1, 2}), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(0));
  EXPECT_THAT(BytesOf(to), ElementsAre(9, 1, 2, 9));
  EXPECT_THAT(Received(b_), IsEmpty());
}

TEST_F(VerbsTest, AReadFillsItsElements) {
  Connect();
  const uint32_t to = Register(kHere, {9, 9, 9});
  const uint32_t from = Register(kThere, {1, 2}, {.remote_read = true});
  EXPECT_EQ(Remote(WcOpcode::kRead, {to, 1, 2}, {from, 0, 2}), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), ElementsAre(0));
  EXPECT_THAT(BytesOf(to), ElementsAre(9, 1, 2));
}

// A depth of 0 as initiator starts no read; as responder it refuses each.
TEST_F(VerbsTest, ADepthOfNothingAllowsNoRead) {
  const uint32_t to = Register(kHere, {9});
  const uint32_t from = Register(kThere, {1}, {.remote_read = true});
  Connect({.initiator_depth = 0}, {.responder_resources = 0});
  EXPECT_EQ(Remote(WcOpcode::kRead, {to, 0, 1}, {from, 0, 1}), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_), IsEmpty());
  EXPECT_EQ(StateOf(a_), QpState::kRts);
  Connection starts = verbs_.at(a_).connection;
  starts.initiator_depth = 1;
  verbs_.Connect(a_, starts);
  EXPECT_EQ(Send(a_, 1), Errno::kNone) << "the read is the first of the queue";
  Run();
  EXPECT_EQ(verbs_.Poll(a_, false)->status, WcStatus::kRemInvReq);
  EXPECT_THAT(Sent(a_, WcStatus::kWrFlush), ElementsAre(1));
}

// Each by itself makes the key useless; the responder fails with its peer.
class AKey : public VerbsTest, public testing::WithParamInterface<int> {};

TEST_P(AKey, OpensOneRegionAsItSays) {
  Connect();
  const Piece local{Register(kHere, {1, 2}), 0, 2};
  const uint32_t to = Register(kThere, {9, 9}, {.remote_write = GetParam() != 0});
  const uint32_t foreign = Register(kThere, {9, 9}, {.remote_write = true, .domain = 5});
  const uint32_t elsewhere = Register(kHere, {9, 9}, {.remote_write = true});
  if (GetParam() == 1) verbs_.regions().Deregister(to);
  const std::vector<Piece> remote = {{to, 0, 2},      {to, 0, 2},        {to, 1, 2},
                                     {foreign, 0, 2}, {elsewhere, 0, 2}, {99, 0, 2}};
  EXPECT_EQ(Remote(WcOpcode::kWrite, local, remote[static_cast<size_t>(GetParam())]), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_, WcStatus::kRemAccess), ElementsAre(0));
  EXPECT_EQ(StateOf(b_), QpState::kErr);
  for (const uint32_t region : {to, foreign, elsewhere})
    EXPECT_THAT(BytesOf(region), ElementsAre(9, 9));
}

INSTANTIATE_TEST_SUITE_P(NoWrite_Invalid_Beyond_Domain_Device_Unknown, AKey, testing::Range(0, 6));

TEST_F(VerbsTest, OwnElementsMustBeReachable) {
  Connect();
  const uint32_t own = Register(kHere, {1, 2});
  EXPECT_EQ(Receive(b_, 10), Errno::kNone);
  EXPECT_EQ(Send(a_, 1, {{own, 1, 2}}), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(a_, WcStatus::kLocProt), ElementsAre(1));
  EXPECT_EQ(StateOf(b_), QpState::kRts) << "nothing was sent";
}

TEST_F(VerbsTest, AFullCompletionQueueLosesACompletionAndSaysSo) {
  const uint32_t cq = verbs_.cqs().Create(1);
  verbs_.ReportTo(a_, cq, cq);
  Connect();
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  EXPECT_EQ(Send(a_, 2), Errno::kNone);
  EXPECT_EQ(verbs_.Modify(a_, QpState::kErr), Errno::kNone);
  EXPECT_THAT(verbs_.TakeNews(), ElementsAre(News{ObjectEvent::kCqErr, cq}));
  EXPECT_THAT(verbs_.TakeNews(), IsEmpty());
  EXPECT_EQ(verbs_.cqs().Take(cq).finished.completion.context, 1);
  EXPECT_TRUE(verbs_.cqs()[cq].done.empty());
}

TEST_F(VerbsTest, ASharedQueueServesItsQueuePairsAndGoesWithTheLast) {
  const uint32_t srq = verbs_.srqs().Create();
  verbs_.srqs().Limit(srq, 2);
  const uint32_t first = verbs_.Create(kThere, false, srq);
  const uint32_t second = verbs_.Create(kThere, false, srq);
  EXPECT_EQ(Receive(first, 1), Errno::kInval);
  for (const uint16_t context : {10, 11, 12})
    EXPECT_EQ(verbs_.srqs().Post(srq, Work(WcOpcode::kReceive, context, {})), Errno::kNone);
  ToRts(a_, {.peer = {kThere, verbs_.at(second).number}});
  ToRts(second, {.peer = {kHere, verbs_.at(a_).number}});
  EXPECT_EQ(Send(a_, 1), Errno::kNone);
  Run();
  EXPECT_THAT(verbs_.TakeNews(), IsEmpty()) << "two are left";
  EXPECT_EQ(Send(a_, 2), Errno::kNone);
  EXPECT_EQ(Send(a_, 3), Errno::kNone);
  Run();
  EXPECT_THAT(verbs_.TakeNews(), ElementsAre(News{ObjectEvent::kSrqLimitReached, srq}));
  EXPECT_THAT(Received(second), ElementsAre(10, 11, 12));
  verbs_.srqs().Destroy(srq);
  verbs_.Destroy(first);
  EXPECT_TRUE(verbs_.srqs().all().Live(srq));
  verbs_.Destroy(second);
  EXPECT_FALSE(verbs_.srqs().all().Live(srq));
}

// 40 bytes for the header, then the message.
TEST_F(VerbsTest, ADatagramArrivesBehindItsHeader) {
  const uint32_t from = verbs_.Create(kHere, true);
  const uint32_t to = verbs_.Create(kThere, true);
  for (const uint32_t qp : {from, to})
    for (const QpState state : {QpState::kInit, QpState::kRtr, QpState::kRts})
      ASSERT_EQ(verbs_.Modify(qp, state), Errno::kNone);
  const uint32_t message = Register(kHere, {1, 2});
  const uint32_t buffer = Register(kThere, std::vector<uint8_t>(42, 9));
  EXPECT_EQ(Receive(to, 10, {{buffer, 0, 41}}), Errno::kNone);
  WorkRequest work = Work(WcOpcode::kSend, 1, {{message, 0, 2}});
  work.to = {kThere, verbs_.at(to).number};
  EXPECT_EQ(verbs_.PostSend(c_, from, work), Errno::kNone);
  Run();
  EXPECT_THAT(Sent(from), ElementsAre(1)) << "whatever becomes of it";
  EXPECT_THAT(Received(to), IsEmpty()) << "41 bytes are too few";
  EXPECT_EQ(verbs_.Modify(to, QpState::kErr), Errno::kNone);
  EXPECT_THAT(Received(to, WcStatus::kWrFlush), ElementsAre(10));
  for (const QpState state : {QpState::kReset, QpState::kInit, QpState::kRtr})
    ASSERT_EQ(verbs_.Modify(to, state), Errno::kNone);
  EXPECT_EQ(Receive(to, 11, {{buffer, 0, 42}}), Errno::kNone);
  EXPECT_EQ(verbs_.PostSend(c_, from, work), Errno::kNone);
  verbs_.SendRest(c_, from);
  const std::optional<Completion> done = verbs_.Poll(to, true);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->length, 42u);
  EXPECT_EQ(BytesOf(buffer)[40], 1);
  EXPECT_EQ(BytesOf(buffer)[41], 2);
}

}  // namespace
}  // namespace cm::sim
