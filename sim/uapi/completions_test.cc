// Completion queues: order, notification and overflow.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "sim/uapi/peers.h"

namespace cm::sim::uapi {
namespace {

using Completions = VerbsEndTest;

TEST_F(Completions, CompletionsOfOneQueueComeInTheOrderInWhichTheyFinished) {
  ConnectBoth();
  for (uint64_t i = 0; i < 20; ++i) ASSERT_EQ(Receive(a_, 100 + i, 0, 8), 0);
  for (uint64_t i = 0; i < 20; ++i) ASSERT_EQ(Receive(b_, 100 + i, 0, 8), 0);
  ASSERT_EQ(Post(a_, {.wr_id = 1, .opcode = kSend, .flags = kSignal}, 0, 1), 0);
  Settle();
  ASSERT_EQ(Post(b_, {.wr_id = 2, .opcode = kSend, .flags = kSignal}, 0, 1), 0);
  Settle();
  ASSERT_EQ(Post(a_, {.wr_id = 3, .opcode = kSend, .flags = kSignal}, 0, 1), 0);
  Settle();
  const auto first = Poll(a_, 2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].wr_id, 1u);
  EXPECT_EQ(first[1].wr_id, 100u);
  const auto rest = Poll(a_);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].wr_id, 3u);
}

TEST_F(Completions, ArmedQueueReportsOneCompletion) {
  ConnectBoth();
  ASSERT_EQ(Receive(b_, 1, 0, 8), 0);
  ASSERT_EQ(Receive(b_, 2, 0, 8), 0);
  ASSERT_EQ(Receive(b_, 3, 0, 8), 0);
  const Request take{.op = Op::kTakeEvent, .more = 1, .bytes = Bytes(b_.cq)};
  const Request poll{.op = Op::kPollEvents, .bytes = Bytes(b_.cq)};
  ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 1), 0);
  Settle();
  ASSERT_EQ(Ask(b_, {.op = Op::kArm, .on = b_.cq}).value, 0);
  EXPECT_EQ(Ask(b_, take).value, -EAGAIN);  // what was there before is not reported
  ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 1), 0);
  ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 1), 0);
  Settle();
  EXPECT_EQ(Poll(b_).size(), 3u);  // the event stays
  EXPECT_EQ(Ask(b_, poll).value, 1);
  EXPECT_EQ(Ask(b_, poll).value, 1);
  EXPECT_EQ(Ask(b_, take).value, b_.cq);
  EXPECT_EQ(Ask(b_, poll).value, 0);
  EXPECT_EQ(Ask(b_, take).value, -EAGAIN);
}

TEST_F(Completions, QueueThatIsArmedForSolicitedCompletionsReportsNoOther) {
  constexpr uint32_t kSolicitedFlag = 4;
  ConnectBoth();
  ASSERT_EQ(Receive(b_, 1, 0, 8), 0);
  ASSERT_EQ(Receive(b_, 2, 0, 8), 0);
  const Request take{.op = Op::kTakeEvent, .more = 1, .bytes = Bytes(b_.cq)};
  ASSERT_EQ(Ask(b_, {.op = Op::kArm, .on = b_.cq, .more = 1}).value, 0);
  ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 1), 0);
  Settle();
  EXPECT_EQ(Ask(b_, take).value, -EAGAIN);
  ASSERT_EQ(Post(a_, {.opcode = kSend, .flags = kSolicitedFlag}, 0, 1), 0);
  Settle();
  EXPECT_EQ(Ask(b_, take).value, b_.cq);
}

TEST_F(Completions, TakingAnEventWaitsForOne) {
  ConnectBoth();
  ASSERT_EQ(Receive(b_, 1, 0, 8), 0);
  ASSERT_EQ(Ask(b_, {.op = Op::kArm, .on = b_.cq}).value, 0);
  EXPECT_TRUE(Ask(b_, {.op = Op::kTakeEvent, .bytes = Bytes(b_.cq)}).waits);
  const Asker waits{.process = b_.process};
  EXPECT_EQ(machine_.WaitsFor(waits),
            "completion queue " + std::to_string(b_.cq) + ": a completion");
  ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 1), 0);
  EXPECT_TRUE(machine_.Continue(waits).waits);
  Settle();
  EXPECT_EQ(machine_.Continue(waits).value, b_.cq);
}

// A completion for a full queue is lost, until the queue is resized.
TEST_F(Completions, CompletionQueueLosesWhatItCannotHold) {
  const Peer peer = Make(kActiveSide, kUd);
  const auto cq = static_cast<uint32_t>(Ask(peer, {.op = Op::kCreateCq, .more = 1}).value);
  const RoomRecord room{.work = 15, .pieces = 1};
  const QpRecord record{
      .type = kUd, .send_queue = cq, .receive_queue = cq, .sends = room, .receives = room};
  Peer small = peer;
  small.cq = cq;
  for (const uint32_t holds : {1u, 3u}) {
    EXPECT_EQ(Ask(peer, {.op = Op::kResizeCq, .on = cq, .more = holds}).value, 0);
    small.qp =
        static_cast<uint32_t>(Ask(peer, {.op = Op::kCreateQp, .bytes = Bytes(record)}).value);
    ASSERT_EQ(Modify(small, {.mask = 0x71, .state = kInit}), 0);
    for (int i = 0; i < 5; ++i) ASSERT_EQ(Receive(small, 1, 0, 64), 0);
    ASSERT_EQ(Modify(small, {.mask = 0x1, .state = kErr}), 0);
    EXPECT_EQ(Poll(small).size(), holds);
    EXPECT_EQ(Ask(small, {.op = Op::kDestroyQp, .on = small.qp}).value, 0);
  }
}

// source: linux 6.1 rxe_cq.c rxe_cq_post
TEST_F(Completions, QueuePairsShareTheRoomOfTheirCompletionQueue) {
  const Peer peer = Make(kActiveSide, kUd);
  Peer first = OnQueueOf(peer, 3, kUd);
  Peer second = Furnish(first, kUd, 7, first.cq);
  for (const Peer& own : {first, second}) {
    ASSERT_EQ(Modify(own, {.mask = 0x71, .state = kInit}), 0);
    for (uint64_t i = 0; i < 2; ++i) ASSERT_EQ(Receive(own, own.number * 10 + i, 0, 64), 0);
  }
  for (const Peer& own : {first, second}) ASSERT_EQ(Modify(own, {.mask = 1, .state = kErr}), 0);
  EXPECT_EQ(Ask(first, {.op = Op::kResizeCq, .on = first.cq, .more = 2}).value, -EINVAL);
  const auto done = Poll(first);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[1].wr_id, first.number * 10 + 1);
  EXPECT_EQ(done[1].qp_number, first.number);
  EXPECT_EQ(done[2].wr_id, second.number * 10);
  EXPECT_EQ(done[2].qp_number, second.number);
}

TEST_F(Completions, CompletionsStayWhenTheirQueuePairGoes) {
  ConnectBoth();
  ASSERT_EQ(Receive(b_, 5, 0, 8), 0);
  ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 1), 0);
  Settle();
  ASSERT_EQ(Ask(b_, {.op = Op::kDestroyQp, .on = b_.qp}).value, 0);
  const auto received = Poll(b_);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].wr_id, 5u);
  EXPECT_EQ(received[0].qp_number, b_.number);
}

// The receiver fails and acknowledges nothing. source: linux 6.1 rxe_resp.c do_complete
TEST_F(Completions, ReceiverWhoseCompletionIsLostFails) {
  const Peer narrow = OnQueueOf(b_, 1, kRc);
  BringUp(a_, narrow);
  BringUp(narrow, a_);
  for (uint64_t i = 0; i < 2; ++i) ASSERT_EQ(Receive(narrow, i, 0, 8), 0);
  ASSERT_EQ(Post(a_, {.wr_id = 1, .opcode = kSend, .flags = kSignal}, 0, 1), 0);
  ASSERT_EQ(Post(a_, {.wr_id = 2, .opcode = kSend, .flags = kSignal}, 0, 1), 0);
  Settle();
  EXPECT_EQ(Ask(narrow, {.op = Op::kQueryQp, .on = narrow.qp}).value, kErr);
  EXPECT_EQ(Poll(narrow).size(), 1u);
  const auto sent = Poll(a_);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].status, 0u);
  EXPECT_EQ(sent[1].status, 12u);  // IBV_WC_RETRY_EXC_ERR
}

// source: linux 6.1 rxe_comp.c do_complete
TEST_F(Completions, SenderWhoseCompletionIsLostGoesOn) {
  const Peer narrow = OnQueueOf(a_, 1, kRc);
  BringUp(narrow, b_);
  BringUp(b_, narrow);
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(Receive(b_, i, 0, 8), 0);
    ASSERT_EQ(Post(narrow, {.opcode = kSend, .flags = kSignal}, 0, 1), 0);
  }
  Settle();
  EXPECT_EQ(Ask(narrow, {.op = Op::kQueryQp, .on = narrow.qp}).value, kRts);
  EXPECT_EQ(Poll(narrow).size(), 1u);
  EXPECT_EQ(Poll(b_).size(), 3u);
}

}  // namespace
}  // namespace cm::sim::uapi
