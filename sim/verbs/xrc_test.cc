// Queue pairs of XRC by hand: a target on one port, and senders on the other.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/verbs/two_ports.h"

namespace cm::sim {
namespace {

constexpr uint32_t kXrcDomain = 5;
constexpr uint64_t kDomain = 7;  // protection domain of the queues
constexpr XrcPart kSender{.role = XrcRole::kInitiator};
constexpr XrcPart kTarget{.role = XrcRole::kTarget, .domain = kXrcDomain};

class XrcTest : public TwoPorts {
 protected:
  void SetUp() override {
    Connect(from_, kHere, to_, kThere);
    memory_ = verbs_.regions().Register({.remote_write = true,
                                         .device = kThere,
                                         .bytes = std::vector<uint8_t>(8),
                                         .domain = kDomain});
    own_ = verbs_.regions().Register({.device = kHere, .bytes = std::vector<uint8_t>(8, 'a')});
  }
  void Connect(uint32_t a, uint8_t on, uint32_t b, uint8_t peer_on) {
    ToRts(a, {.peer = {peer_on, verbs_.at(b).number}, .retry_count = 0, .rnr_retry_count = 0});
    ToRts(b, {.peer = {on, verbs_.at(a).number}});
  }
  void ToRts(uint32_t qp, const Connection& connection) {
    ASSERT_EQ(verbs_.Modify(qp, QpState::kReset), Errno::kNone);
    TwoPorts::ToRts(qp, connection);
  }
  uint32_t CreateQueue(uint32_t xrc_domain = kXrcDomain, uint64_t domain = kDomain) {
    return verbs_.srqs().CreateForXrc(
        {}, {.xrc_domain = xrc_domain, .domain = domain, .cq = verbs_.cqs().Create(7)});
  }
  uint32_t NumberOf(uint32_t srq) const { return verbs_.srqs()[srq].xrc.number; }
  uint32_t QueueOf(uint32_t srq) const { return verbs_.srqs()[srq].xrc.cq; }
  void Receive(uint32_t srq, uint16_t context) {
    ASSERT_EQ(
        verbs_.srqs().Post(
            srq, {.opcode = WcOpcode::kReceive, .context = context, .pieces = {{memory_, 0, 8}}}),
        Errno::kNone);
  }
  // The status of a request that names a shared queue.
  WcStatus Outcome(uint32_t number, WcOpcode opcode = WcOpcode::kSend) {
    WorkRequest work{.opcode = opcode, .pieces = {{own_, 0, 4}}, .srq_number = number};
    work.remote = {memory_, 4, 4};
    EXPECT_EQ(verbs_.PostSend(c_, from_, std::move(work)), Errno::kNone);
    Run();
    const auto done = verbs_.Poll(from_, false);
    EXPECT_TRUE(done);
    return done ? done->status : WcStatus::kWrFlush;
  }
  const uint32_t from_ = verbs_.Create(kHere, false, kNobody, {}, 0, kSender);
  const uint32_t to_ = verbs_.Create(kThere, false, kNobody, {}, 0, kTarget);
  uint32_t memory_ = 0;
  uint32_t own_ = 0;
};

TEST_F(XrcTest, ARequestNamesTheQueueThatItIsReceivedFrom) {
  const uint32_t first = CreateQueue();
  const uint32_t second = CreateQueue();
  ASSERT_NE(NumberOf(first), NumberOf(second));
  Receive(first, 1);
  Receive(second, 2);
  EXPECT_EQ(Outcome(NumberOf(second)), WcStatus::kSuccess);
  EXPECT_TRUE(verbs_.cqs()[QueueOf(first)].done.empty());
  ASSERT_EQ(verbs_.cqs()[QueueOf(second)].done.size(), 1u);
  const Cq::Entry done = verbs_.cqs().Take(QueueOf(second));
  EXPECT_EQ(done.finished.completion.context, 2);
  EXPECT_EQ(done.qp_number, verbs_.at(to_).number) << "that of the target";
  EXPECT_EQ(verbs_.regions()[memory_].bytes[0], 'a');
  EXPECT_EQ(Outcome(NumberOf(first)), WcStatus::kSuccess);
  EXPECT_EQ(verbs_.cqs()[QueueOf(first)].done.size(), 1u);
}

TEST_F(XrcTest, AQueueWithoutReceivesIsNotReady) {
  EXPECT_EQ(Outcome(NumberOf(CreateQueue())), WcStatus::kRnrRetryExc);
  EXPECT_EQ(StateOf(to_), QpState::kRts);
}

TEST_F(XrcTest, AnUnknownQueueIsAnInvalidRequest) {
  EXPECT_EQ(Outcome(99), WcStatus::kRemInvReq);
  EXPECT_EQ(StateOf(to_), QpState::kErr);
}

TEST_F(XrcTest, AQueueOfAnotherXrcDomainIsAnInvalidRequest) {
  const uint32_t srq = CreateQueue(kXrcDomain + 1);
  Receive(srq, 1);
  EXPECT_EQ(Outcome(NumberOf(srq)), WcStatus::kRemInvReq);
}

TEST_F(XrcTest, ADestroyedQueueIsAnInvalidRequest) {
  const uint32_t srq = CreateQueue();
  const uint32_t number = NumberOf(srq);
  Receive(srq, 1);
  EXPECT_EQ(Outcome(number), WcStatus::kSuccess);
  verbs_.srqs().Destroy(srq);
  EXPECT_NE(NumberOf(CreateQueue()), number);
  EXPECT_EQ(Outcome(number), WcStatus::kRemInvReq);
}

TEST_F(XrcTest, ABasicQueueHasNoNumber) {
  verbs_.srqs().Create();
  EXPECT_EQ(Outcome(0), WcStatus::kRemInvReq);
}

TEST_F(XrcTest, MemoryIsReachedInTheDomainOfTheQueue) {
  EXPECT_EQ(Outcome(NumberOf(CreateQueue()), WcOpcode::kWrite), WcStatus::kSuccess);
  EXPECT_EQ(verbs_.regions()[memory_].bytes[4], 'a');
  const uint32_t other = CreateQueue(kXrcDomain, kDomain + 1);
  EXPECT_EQ(Outcome(NumberOf(other), WcOpcode::kWrite), WcStatus::kRemAccess);
}

TEST_F(XrcTest, TheLimitOfAQueueIsReported) {
  const uint32_t srq = CreateQueue();
  Receive(srq, 1);
  verbs_.srqs().Limit(srq, 1);
  EXPECT_EQ(Outcome(NumberOf(srq)), WcStatus::kSuccess);
  const std::vector<News> news = verbs_.TakeNews();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0], (News{ObjectEvent::kSrqLimitReached, srq}));
}

TEST_F(XrcTest, SendersAndTargetsHaveEachOtherAsPeersOnly) {
  const uint32_t plain = verbs_.Create(kThere, false);
  Connect(from_, kHere, plain, kThere);
  ASSERT_EQ(verbs_.PostReceive(plain, {.opcode = WcOpcode::kReceive}), Errno::kNone);
  EXPECT_EQ(Outcome(0), WcStatus::kRetryExc);
  EXPECT_TRUE(XrcPart{}.Joins(XrcRole::kNone));
  EXPECT_TRUE(kSender.Joins(XrcRole::kTarget));
  EXPECT_FALSE(kSender.Joins(XrcRole::kInitiator));
  EXPECT_FALSE(kTarget.Joins(XrcRole::kInitiator));
  EXPECT_FALSE(XrcPart{}.Joins(XrcRole::kTarget));
}

}  // namespace
}  // namespace cm::sim
