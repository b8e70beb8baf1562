#include "sim/ib_cm/port_queues.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/core/index.h"

namespace cm::sim {
namespace {

constexpr uint32_t kLimit = 2;

// Three ids of port 1; what Transmitter does with those that are taken.
class PortQueuesTest : public testing::Test {
 protected:
  PortQueuesTest() {
    for (IbId& id : ids_) id.device = 1;
  }
  void Enqueue(uint32_t ib) { queues_.Enqueue(&ids_[ib], IbIndex(ib)); }
  void Leave(uint32_t ib) { queues_.Leave(&ids_[ib], IbIndex(ib)); }
  // The number of the id; kNobody when there is none.
  uint32_t Take() {
    const uint32_t ib = queues_.TakeNext(kLimit).value();
    if (ib == kNobody) return ib;
    ids_[ib].queued = false;
    ids_[ib].counted = true;
    return ib;
  }

  std::array<IbId, 3> ids_;
  PortQueues queues_;
};

TEST_F(PortQueuesTest, GiveTurnsInOrderUpToTheLimit) {
  for (const uint32_t ib : {2u, 0u, 1u}) Enqueue(ib);
  EXPECT_EQ(Take(), 2u);
  EXPECT_EQ(Take(), 0u);
  EXPECT_EQ(Take(), kNobody);
  Leave(2);
  EXPECT_EQ(Take(), 1u);
  EXPECT_EQ(Take(), kNobody);
}

TEST_F(PortQueuesTest, DropAMessageThatLeavesBeforeItsTurn) {
  for (const uint32_t ib : {0u, 1u, 2u}) Enqueue(ib);
  Leave(1);
  EXPECT_EQ(Take(), 0u);
  EXPECT_EQ(Take(), 2u);
  EXPECT_EQ(queues_.queues().at(1).outstanding, 2u);
}

TEST_F(PortQueuesTest, LetAMessageRepeatUnlessOthersWait) {
  Enqueue(0);
  EXPECT_FALSE(queues_.MayRepeat(ids_[0]));
  EXPECT_EQ(Take(), 0u);
  EXPECT_TRUE(queues_.MayRepeat(ids_[0]));
  Enqueue(1);
  EXPECT_FALSE(queues_.MayRepeat(ids_[0]));
  Enqueue(0);  // behind the other one
  EXPECT_EQ(Take(), 1u);
  EXPECT_EQ(Take(), 0u);
}

}  // namespace
}  // namespace cm::sim
