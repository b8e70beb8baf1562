// Atomic operations on the memory of a peer.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "sim/uapi/peers.h"

namespace cm::sim::uapi {
namespace {

constexpr uint32_t kAll = 15;  // enum ibv_access_flags
constexpr uint32_t kWithoutAtomic = 7;
constexpr uint32_t kThere = 4000;  // address of the value at the peer

class Atomics : public VerbsEndTest {
 protected:
  // The access flags of the peer's queue pair and of its region.
  void Meet(uint32_t of_qp = kAll, uint32_t of_region = kAll) {
    c_ = Make(kActiveSide, kRc, kAll);
    d_ = Make(kPassiveSide, kRc, of_region);
    BringUp(c_, d_);
    BringUp(d_, c_, of_qp);
  }
  void Put(const Peer& peer, uint32_t offset, uint64_t value) {
    std::memcpy(MemoryOf(peer).data() + offset, &value, sizeof value);
  }
  uint64_t ValueAt(const Peer& peer, uint32_t offset) {
    uint64_t value = 0;
    std::memcpy(&value, MemoryOf(peer).data() + offset, sizeof value);
    return value;
  }
  int64_t PostAtomic(uint32_t opcode, uint64_t compare_or_add, uint64_t swap = 0,
                     uint32_t length = 8) {
    WorkRecord work{.wr_id = 3, .opcode = opcode, .flags = kSignal};
    work.remote_key = d_.key;
    work.remote_address = kBase + there_;
    work.compare_or_add = compare_or_add;
    work.swap = swap;
    return Post(c_, work, 16, length);
  }
  CompletionRecord Done() {
    Settle();
    const auto done = Poll(c_);
    EXPECT_EQ(done.size(), 1u);
    return done.empty() ? CompletionRecord{.status = 99} : done[0];
  }

  Peer c_;
  Peer d_;
  uint32_t there_ = kThere;
};

TEST_F(Atomics, FetchAndAddGivesWhatWasThere) {
  Meet();
  Put(d_, kThere, 0xffffffffffffffff);
  ASSERT_EQ(PostAtomic(kFetchAdd, 3), 0);
  const CompletionRecord done = Done();
  EXPECT_EQ(done.status, 0u);
  EXPECT_EQ(done.opcode, 4u);  // IBV_WC_FETCH_ADD
  EXPECT_EQ(done.length, 8u);
  EXPECT_EQ(done.wr_id, 3u);
  EXPECT_EQ(ValueAt(d_, kThere), 2u);
  EXPECT_EQ(ValueAt(c_, 16), 0xffffffffffffffff);
  EXPECT_TRUE(Poll(d_).empty());
}

TEST_F(Atomics, CompareAndSwapChangesWhatItExpects) {
  Meet();
  Put(d_, kThere, 10);
  ASSERT_EQ(PostAtomic(kCompareSwap, 10, 20), 0);
  EXPECT_EQ(Done().opcode, 3u);  // IBV_WC_COMP_SWAP
  EXPECT_EQ(ValueAt(d_, kThere), 20u);
  EXPECT_EQ(ValueAt(c_, 16), 10u);
  ASSERT_EQ(PostAtomic(kCompareSwap, 10, 30), 0);
  EXPECT_EQ(Done().status, 0u);
  EXPECT_EQ(ValueAt(d_, kThere), 20u);
  EXPECT_EQ(ValueAt(c_, 16), 20u);
}

// source: rdma-core 44 rxe.c validate_send_wr
TEST_F(Atomics, AreOfEightBytesWhereTheseFit) {
  Meet();
  EXPECT_EQ(PostAtomic(kFetchAdd, 1, 0, 7), -EINVAL);
  there_ = kThere + 4;
  EXPECT_EQ(PostAtomic(kFetchAdd, 1), -EINVAL);
  there_ = kLength - 8;
  ASSERT_EQ(PostAtomic(kFetchAdd, 1, 0, 16), 0);
  const CompletionRecord done = Done();
  EXPECT_EQ(done.status, 0u);
  EXPECT_EQ(done.length, 16u);  // of the buffer. source: linux 6.1 rxe_comp.c make_send_cqe
  EXPECT_EQ(MemoryOf(c_)[24], '.') << "eight bytes are written";
}

// source: linux 6.1 rxe_resp.c check_rkey
TEST_F(Atomics, RegionAllowsThem) {
  Meet(kAll, kWithoutAtomic);
  Put(d_, kThere, 1);
  ASSERT_EQ(PostAtomic(kFetchAdd, 1), 0);
  EXPECT_EQ(Done().status, 10u);  // IBV_WC_REM_ACCESS_ERR
  EXPECT_EQ(ValueAt(d_, kThere), 1u);
  EXPECT_EQ(Ask(c_, {.op = Op::kQueryQp, .on = c_.qp}).value, kErr);
  EXPECT_EQ(Ask(d_, {.op = Op::kQueryQp, .on = d_.qp}).value, kErr);
}

TEST_F(Atomics, RegionHasThePlace) {
  Meet();
  there_ = kLength;
  ASSERT_EQ(PostAtomic(kFetchAdd, 1), 0);
  EXPECT_EQ(Done().status, 10u);
}

// source: linux 6.1 rxe_resp.c check_op_valid
TEST_F(Atomics, QueuePairAllowsThem) {
  Meet(kWithoutAtomic);
  ASSERT_EQ(PostAtomic(kFetchAdd, 1), 0);
  EXPECT_EQ(Done().status, 9u);  // IBV_WC_REM_INV_REQ_ERR
  EXPECT_EQ(Ask(d_, {.op = Op::kQueryQp, .on = d_.qp}).value, kErr);
}

// source: linux 6.1 rxe_qp.c rxe_qp_chk_attr
TEST_F(Atomics, DeviceHasTheDepthInWhichItAsks) {
  constexpr uint8_t kMost = 128;
  c_ = Make(kActiveSide, kRc);
  ASSERT_EQ(Modify(c_, {.mask = 0x39, .state = kInit, .access = 7, .port = c_.port}), 0);
  ModifyRecord ready{
      .mask = 0x129181, .state = kRtr, .peer_number = b_.number, .peer_gid = GidOf(b_)};
  ready.max_dest_rd_atomic = kMost + 1;
  EXPECT_EQ(Modify(c_, ready), 0) << "that in which it answers is not checked";
  ModifyRecord sends{.mask = 0x12e01, .state = kRts, .retry_count = 1, .rnr_retry_count = 1};
  sends.max_rd_atomic = kMost + 1;
  EXPECT_EQ(Modify(c_, sends), -EINVAL);
  sends.max_rd_atomic = kMost;
  EXPECT_EQ(Modify(c_, sends), 0);
}

TEST_F(Atomics, GoOverReliableConnectionsOnly) {
  constexpr uint32_t kUc = 3;
  c_ = Make(kActiveSide, kUc);
  BringUp(c_, b_);
  EXPECT_EQ(PostAtomic(kFetchAdd, 1), -EINVAL);
  c_ = Make(kActiveSide, kUd);
  ASSERT_EQ(Modify(c_, {.mask = 0x71, .state = kInit}), 0);
  ASSERT_EQ(Modify(c_, {.mask = 0x1, .state = kRtr}), 0);
  ASSERT_EQ(Modify(c_, {.mask = 0x10001, .state = kRts}), 0);
  EXPECT_EQ(PostAtomic(kFetchAdd, 1), -EINVAL);
}

}  // namespace
}  // namespace cm::sim::uapi
