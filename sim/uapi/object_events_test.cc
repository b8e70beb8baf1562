// Asynchronous events of completion queues, shared receive queues and queue pairs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "sim/uapi/peers.h"

namespace cm::sim::uapi {
namespace {

using testing::ElementsAre;
using testing::Pair;

// source: <infiniband/verbs.h> enum ibv_event_type
constexpr int64_t kCqErr = 0;
constexpr int64_t kSqDrained = 5;
constexpr int64_t kSrqLimitReached = 15;
constexpr int64_t kLastWqeReached = 16;
// source: <infiniband/verbs.h> enum ibv_srq_attr_mask
constexpr uint32_t kMaxWork = 1;
constexpr uint32_t kLimit = 2;

constexpr uint64_t kName = 0x7fff12345678;

// The value at the beginning of the answer; empty where the answer is too short.
template <typename T>
T First(const Answer& answer) {
  T value{};
  if (answer.bytes.size() >= sizeof value) std::memcpy(&value, answer.bytes.data(), sizeof value);
  return value;
}

class ObjectEvents : public VerbsEndTest {
 protected:
  explicit ObjectEvents(const char* profile = "6.1-rxe") : VerbsEndTest(profile) {}

  // A process with asynchronous events for its objects, and queues of these sizes.
  void Found(uint32_t completions, uint32_t receives, uint32_t limit = 0) {
    events_ = static_cast<uint32_t>(Ask(b_, {.op = Op::kOpenEvents}).value);
    own_ = b_;
    own_.cq = static_cast<uint32_t>(
        Ask(b_, {.op = Op::kCreateCq, .more = completions, .bytes = Bytes(Told(kName))}).value);
    const SrqRecord srq{
        .room = {.work = receives, .pieces = 1}, .limit = limit, .told = Told(kName + 1)};
    srq_ = static_cast<uint32_t>(Ask(b_, {.op = Op::kCreateSrq, .bytes = Bytes(srq)}).value);
    const QpRecord qp{.type = kRc,
                      .send_queue = own_.cq,
                      .receive_queue = own_.cq,
                      .srq = srq_,
                      .sends = {.work = 7, .pieces = 1},
                      .told = Told(kName + 2)};
    const Answer made = Ask(b_, {.op = Op::kCreateQp, .bytes = Bytes(qp)});
    own_.qp = static_cast<uint32_t>(made.value);
    std::memcpy(&own_.number, made.bytes.data(), sizeof own_.number);
    BringUp(a_, own_);
    BringUp(own_, a_);
  }
  ToldRecord Told(uint64_t name) const { return {.name = name, .events = events_}; }
  int64_t Modify(const SrqRecord& record) {
    return Ask(own_, {.op = Op::kModifySrq, .on = srq_, .bytes = Bytes(record)}).value;
  }
  using VerbsEndTest::Modify;
  SrqRecord Query() {
    const Answer answer = Ask(own_, {.op = Op::kQuerySrq, .on = srq_});
    EXPECT_EQ(answer.bytes.size(), sizeof(SrqRecord));
    return First<SrqRecord>(answer);
  }
  void PostReceives(int count) {
    const PieceRecord piece{.address = kBase, .length = 8, .key = own_.key};
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(Ask(own_, {.op = Op::kPostToSrq, .on = srq_, .bytes = Work({}, {piece})}).value, 0);
  }
  void Send(int count) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 1), 0);
    Settle();
  }
  // Types, and the names of their objects.
  std::vector<std::pair<int64_t, uint64_t>> Taken() {
    std::vector<std::pair<int64_t, uint64_t>> taken;
    for (;;) {
      const Answer answer = Ask(own_, {.op = Op::kTakeEventOfDevice, .on = events_, .more = 1});
      if (answer.value < 0) return taken;
      EXPECT_EQ(answer.bytes.size(), sizeof(uint64_t));
      taken.emplace_back(answer.value, First<uint64_t>(answer));
    }
  }
  // The number of events taken for the object.
  uint32_t Destroyed(Op op, uint32_t object) {
    const Answer answer = Ask(own_, {.op = op, .on = object});
    EXPECT_EQ(answer.value, 0);
    return First<uint32_t>(answer);
  }

  Peer own_;
  uint32_t srq_ = 0;
  uint32_t events_ = 0;
};

// One event for each lost completion. source: linux 6.1 rxe_cq.c rxe_cq_post
TEST_F(ObjectEvents, OverrunOfACompletionQueueIsTold) {
  Found(1, 7);
  PostReceives(2);
  Send(1);
  EXPECT_THAT(Taken(), ElementsAre());
  Send(1);
  EXPECT_THAT(Taken(), ElementsAre(Pair(kCqErr, kName)));
}

// source: linux 6.1 rxe_resp.c get_srq_wqe
TEST_F(ObjectEvents, LimitOfASharedQueueIsToldOnceAndArmedAgain) {
  Found(15, 7);
  PostReceives(4);
  ASSERT_EQ(Modify({.limit = 2, .mask = kLimit}), 0);
  EXPECT_EQ(Query().limit, 2u);
  Send(2);
  EXPECT_THAT(Taken(), ElementsAre()) << "there are as many as the limit";
  Send(1);
  EXPECT_THAT(Taken(), ElementsAre(Pair(kSrqLimitReached, kName + 1)));
  EXPECT_EQ(Query().limit, 0u);
  Send(1);
  EXPECT_THAT(Taken(), ElementsAre());

  ASSERT_EQ(Modify({.limit = 2, .mask = kLimit}), 0);
  EXPECT_THAT(Taken(), ElementsAre()) << "nothing was taken since";
  PostReceives(1);
  Send(1);
  EXPECT_THAT(Taken(), ElementsAre(Pair(kSrqLimitReached, kName + 1)));
}

// source: linux 6.1 rxe_srq.c rxe_srq_from_init
TEST_F(ObjectEvents, LimitMayBeThereFromTheBeginning) {
  Found(15, 7, 1);
  PostReceives(1);
  Send(1);
  EXPECT_THAT(Taken(), ElementsAre(Pair(kSrqLimitReached, kName + 1)));
}

// source: linux 6.1 rxe_srq.c rxe_srq_chk_attr
TEST_F(ObjectEvents, LimitIsNoMoreThanTheQueueHolds) {
  Found(15, 5);
  EXPECT_EQ(Query().room.work, 7u);
  EXPECT_EQ(Query().room.pieces, 1u);
  EXPECT_EQ(Modify({.limit = 8, .mask = kLimit}), -EINVAL);
  EXPECT_EQ(Modify({.limit = 7, .mask = kLimit}), 0);
  EXPECT_EQ(Modify({.room = {.work = 6}, .mask = kMaxWork}), -EINVAL) << "less than the limit";
  EXPECT_EQ(Modify({.room = {.work = 0}, .mask = kMaxWork}), -EINVAL);
  EXPECT_EQ(Modify({.room = {.work = 15}, .limit = 99, .mask = kMaxWork | kLimit}), -EINVAL);
  EXPECT_EQ(Query().room.work, 7u) << "all or nothing";
}

// source: linux 6.1 rxe_resp.c check_resource
TEST_F(ObjectEvents, NothingIsToldOfAQueuePairThatFails) {
  Found(15, 7);
  ASSERT_EQ(Modify(own_, {.mask = 1, .state = kErr}), 0);
  EXPECT_THAT(Taken(), ElementsAre());
}

// source: linux 6.1 rxe_comp.c complete_ack, rxe_req.c req_next_wqe
TEST_F(ObjectEvents, SendQueueIsDrained) {
  constexpr uint32_t kSqd = 4;
  Found(15, 7);
  EXPECT_EQ(Modify(b_, {.mask = 1, .state = kSqd}), -EINVAL) << "it does not send yet";
  for (uint64_t i = 0; i < 4; ++i) ASSERT_EQ(Receive(a_, i, 0, 8), 0);
  const WorkRecord send{.opcode = kSend, .flags = kSignal};
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Post(own_, send, 0, 1), 0);
  ASSERT_EQ(Modify(own_, {.mask = 1, .state = kSqd}), 0);
  EXPECT_THAT(Taken(), ElementsAre());
  ASSERT_EQ(Post(own_, send, 0, 1), 0);
  Settle();
  EXPECT_THAT(Taken(), ElementsAre(Pair(kSqDrained, kName + 2)));
  EXPECT_EQ(Poll(own_).size(), 2u);
  PostReceives(1);
  Send(1);
  EXPECT_EQ(Poll(own_).size(), 1u) << "it receives";
  ASSERT_EQ(Modify(own_, {.mask = 1, .state = kRts}), 0);
  ASSERT_EQ(Post(own_, send, 0, 1), 0);
  Settle();
  EXPECT_EQ(Poll(own_).size(), 2u);
  ASSERT_EQ(Modify(own_, {.mask = 1, .state = kSqd}), 0);
  EXPECT_THAT(Taken(), ElementsAre(Pair(kSqDrained, kName + 2))) << "there was nothing to drain";
  ASSERT_EQ(Post(own_, send, 0, 1), 0);
  ASSERT_EQ(Modify(own_, {.mask = 1, .state = kRts}), 0);
  ASSERT_EQ(Modify(own_, {.mask = 1, .state = kSqd}), 0);
  EXPECT_THAT(Taken(), ElementsAre(Pair(kSqDrained, kName + 2)))
      << "a request that was not sent stays";
}

TEST_F(ObjectEvents, DestroySaysHowManyWereTaken) {
  Found(15, 7, 1);
  PostReceives(1);
  Send(1);
  ASSERT_THAT(Taken(), ElementsAre(Pair(kSrqLimitReached, kName + 1)));
  EXPECT_EQ(Destroyed(Op::kDestroyQp, own_.qp), 0u);
  EXPECT_EQ(Destroyed(Op::kDestroyCq, own_.cq), 0u);
  EXPECT_EQ(Destroyed(Op::kDestroySrq, srq_), 1u);
}

TEST_F(ObjectEvents, WhatIsNotTakenGoesWithItsObject) {
  Found(15, 7, 1);
  PostReceives(1);
  Send(1);
  EXPECT_EQ(Destroyed(Op::kDestroyQp, own_.qp), 0u);
  EXPECT_EQ(Ask(own_, {.op = Op::kPollEventsOfDevice, .on = events_}).value, 1);
  EXPECT_EQ(Destroyed(Op::kDestroySrq, srq_), 0u);
  EXPECT_EQ(Ask(own_, {.op = Op::kPollEventsOfDevice, .on = events_}).value, 0);
}

// A process cannot receive events through another process's number.
TEST_F(ObjectEvents, AreToldToTheirOwnersAlone) {
  events_ = static_cast<uint32_t>(Ask(a_, {.op = Op::kOpenEvents}).value);
  const SrqRecord srq{
      .room = {.work = 1, .pieces = 1}, .limit = 1, .told = {.name = kName, .events = events_}};
  srq_ = static_cast<uint32_t>(Ask(b_, {.op = Op::kCreateSrq, .bytes = Bytes(srq)}).value);
  const QpRecord qp{.type = kRc, .send_queue = b_.cq, .receive_queue = b_.cq, .srq = srq_};
  own_ = b_;
  const Answer made = Ask(b_, {.op = Op::kCreateQp, .bytes = Bytes(qp)});
  own_.qp = static_cast<uint32_t>(made.value);
  std::memcpy(&own_.number, made.bytes.data(), sizeof own_.number);
  BringUp(a_, own_);
  BringUp(own_, a_);
  PostReceives(1);
  Send(1);
  EXPECT_EQ(Query().limit, 0u);
  EXPECT_EQ(Ask(a_, {.op = Op::kPollEventsOfDevice, .on = events_}).value, 0);
}

class OfALaterKernel : public ObjectEvents {
 protected:
  OfALaterKernel() : ObjectEvents("6.12-rxe") {}
};

// source: linux 6.12 rxe_resp.c flush_recv_queue
TEST_F(OfALaterKernel, QueuePairThatFailsTakesNoMoreOfASharedQueue) {
  Found(15, 7);
  ASSERT_EQ(Modify(own_, {.mask = 1, .state = kErr}), 0);
  const QpRecord plain{.type = kRc,
                       .send_queue = own_.cq,
                       .receive_queue = own_.cq,
                       .receives = {.work = 7, .pieces = 1},
                       .told = Told(kName + 3)};
  Peer other = own_;
  other.qp = static_cast<uint32_t>(Ask(b_, {.op = Op::kCreateQp, .bytes = Bytes(plain)}).value);
  ASSERT_EQ(Modify(other, {.mask = 1, .state = kErr}), 0) << "it has receives of its own";
  EXPECT_THAT(Taken(), ElementsAre(Pair(kLastWqeReached, kName + 2)));
  EXPECT_EQ(Destroyed(Op::kDestroyQp, own_.qp), 1u);
}

}  // namespace
}  // namespace cm::sim::uapi
