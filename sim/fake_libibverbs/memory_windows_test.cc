// Memory windows: allocating, binding, access by their keys, invalidating.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

// A queue pair binds windows to memory that its peer writes and reads.
class MemoryWindows : public OnMachine {
 protected:
  explicit MemoryWindows(const char* profile = "6.1-rxe") : OnMachine(profile) {}

  void SetUp() override {
    OnMachine::SetUp();
    Deregister(region_);
    region_ = Register(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
    owner_ = CreateQp();
    peer_ = CreateQp();
    ASSERT_TRUE(region_ != nullptr && owner_ != nullptr && peer_ != nullptr);
    Connect(owner_, peer_);
    Connect(peer_, owner_);
  }
  void TearDown() override {
    DestroyQp(owner_);
    DestroyQp(peer_);
    OnMachine::TearDown();
  }
  ibv_mw_bind_info To(size_t offset, size_t length, unsigned int access) {
    return {
        .mr = region_, .addr = Piece(offset, 0).addr, .length = length, .mw_access_flags = access};
  }
  // Of type 1.
  int Bind(ibv_mw* window, const ibv_mw_bind_info& to) {
    ibv_mw_bind bind{.wr_id = 5, .send_flags = IBV_SEND_SIGNALED, .bind_info = to};
    return ibv_bind_mw(owner_, window, &bind);
  }
  static int Post(ibv_qp* qp, ibv_send_wr work) {
    work.send_flags |= IBV_SEND_SIGNALED;
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp, &work, &bad);
  }
  // Of type 2; the key is the one that it has afterwards.
  int PostBind(ibv_qp* qp, ibv_mw* window, uint32_t key, const ibv_mw_bind_info& to) {
    ibv_send_wr work{.wr_id = 5, .opcode = IBV_WR_BIND_MW};
    work.bind_mw.mw = window;
    work.bind_mw.rkey = key;
    work.bind_mw.bind_info = to;
    return Post(qp, work);
  }
  int PostOfKey(ibv_qp* qp, ibv_wr_opcode opcode, uint32_t key) {
    ibv_send_wr work{.wr_id = 6, .opcode = opcode};
    work.invalidate_rkey = key;
    return Post(qp, work);
  }
  int PostToMemory(ibv_wr_opcode opcode, uint32_t key, size_t offset) {
    pieces_ = {Piece(0, 4)};
    ibv_send_wr work{.wr_id = 7, .sg_list = pieces_.data(), .num_sge = 1, .opcode = opcode};
    work.wr.rdma.remote_addr = Piece(offset, 0).addr;
    work.wr.rdma.rkey = key;
    return Post(peer_, work);
  }
  // Of the only completion there is, whose opcode is in `opcode_` then.
  int Status() {
    const std::vector<ibv_wc> done = Completions();
    EXPECT_EQ(done.size(), 1U);
    if (done.size() != 1) return -1;
    opcode_ = done[0].opcode;
    return done[0].status;
  }
  int StatusOf(ibv_wr_opcode opcode, uint32_t key, size_t offset) {
    EXPECT_EQ(PostToMemory(opcode, key, offset), 0);
    return Status();
  }
  static uint32_t NextKey(uint32_t key) { return (key & ~0xffU) | ((key + 1) & 0xffU); }
  void Free(ibv_mw* window) { EXPECT_EQ(ibv_dealloc_mw(window), 0); }

  std::vector<ibv_sge> pieces_;
  ibv_wc_opcode opcode_ = IBV_WC_SEND;
  ibv_qp* owner_ = nullptr;
  ibv_qp* peer_ = nullptr;
};

constexpr unsigned kWrites = IBV_ACCESS_REMOTE_WRITE;

// source: linux 6.1 rxe_param.h
TEST_F(MemoryWindows, AreAmongTheAttributesOfTheDevice) {
  ibv_device_attr attributes{};
  ASSERT_EQ(Of<decltype(::ibv_query_device)>("ibv_query_device")(context_, &attributes), 0);
  EXPECT_EQ(attributes.max_mw, 0x7ffff);
  EXPECT_EQ(attributes.device_cap_flags & ~unsigned{IBV_DEVICE_XRC}, 0x01223c76U);
}

// source: linux 6.1 uverbs_cmd.c ib_uverbs_alloc_mw
TEST_F(MemoryWindows, AreOfTwoTypesAndKeepTheirDomain) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_2);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->pd, pd_);
  EXPECT_EQ(window->context, context_);
  EXPECT_EQ(window->type, IBV_MW_TYPE_2);
  EXPECT_EQ(Of<int(ibv_pd*)>("ibv_dealloc_pd")(pd_), EBUSY);
  Free(window);
  EXPECT_EQ(ibv_alloc_mw(pd_, static_cast<ibv_mw_type>(3)), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(MemoryWindows, OfTypeOneGetANewKeyWithEachBind) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ASSERT_NE(window, nullptr);
  const uint32_t first = window->rkey;
  ASSERT_EQ(Bind(window, To(32, 16, kWrites)), 0);
  EXPECT_EQ(window->rkey, NextKey(first));
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(opcode_, IBV_WC_BIND_MW);
  memory_[0] = 'x';
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, window->rkey, 32), IBV_WC_SUCCESS);
  EXPECT_EQ(memory_[32], 'x');
  EXPECT_EQ(Of<int(ibv_mr*)>("ibv_dereg_mr")(region_), EINVAL) << "a window is bound to it";
  ASSERT_EQ(Bind(window, To(32, 0, 0)), 0) << "of no length: nothing is bound any more";
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, window->rkey, 32), IBV_WC_REM_ACCESS_ERR);
  Free(window);
}

TEST_F(MemoryWindows, PermitWhatTheyWereBoundFor) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ASSERT_EQ(Bind(window, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_READ, window->rkey, 32), IBV_WC_REM_ACCESS_ERR);
  Free(window);
}

TEST_F(MemoryWindows, HaveNoEarlierKey) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  const uint32_t first = window->rkey;
  ASSERT_EQ(Bind(window, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, first, 32), IBV_WC_REM_ACCESS_ERR);
  Free(window);
}

// source: linux 6.1 rxe_resp.c check_rkey
TEST_F(MemoryWindows, ReachAsFarAsTheirRegion) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ASSERT_EQ(Bind(window, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, window->rkey, 8), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, window->rkey, kMemory - 2), IBV_WC_REM_ACCESS_ERR);
  Free(window);
}

// source: linux 6.1 rxe_mw.c rxe_check_bind_mw
TEST_F(MemoryWindows, AreNotBoundBeyondTheirRegion) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ASSERT_EQ(Bind(window, To(32, kMemory, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_MW_BIND_ERR);
  ibv_qp_attr attributes{};
  ibv_qp_init_attr initial{};
  ASSERT_EQ(Of<decltype(::ibv_query_qp)>("ibv_query_qp")(owner_, &attributes, 0, &initial), 0);
  EXPECT_EQ(attributes.qp_state, IBV_QPS_ERR);
  Free(window);
}

TEST_F(MemoryWindows, AreNotBoundToARegionThatDoesNotPermitIt) {
  ibv_mr* const other = Register(IBV_ACCESS_LOCAL_WRITE);
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ibv_mw_bind_info to = To(32, 16, kWrites);
  to.mr = other;
  ASSERT_EQ(Bind(window, to), 0);
  EXPECT_EQ(Status(), IBV_WC_MW_BIND_ERR);
  Free(window);
  Deregister(other);
}

TEST_F(MemoryWindows, AreNotBoundForWritesToAReadOnlyRegion) {
  ibv_mr* const other = Register(IBV_ACCESS_MW_BIND);
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ibv_mw_bind_info to = To(32, 16, kWrites);
  to.mr = other;
  ASSERT_EQ(Bind(window, to), 0);
  EXPECT_EQ(Status(), IBV_WC_MW_BIND_ERR);
  Free(window);
  Deregister(other);
}

// source: rdma-core 44 rxe.c rxe_bind_mw, validate_send_wr
TEST_F(MemoryWindows, AreRefusedByTheProvider) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  const uint32_t key = window->rkey;
  EXPECT_EQ(Bind(window, To(32, 16, IBV_ACCESS_ZERO_BASED)), EINVAL);
  EXPECT_EQ(window->rkey, key);
  ibv_send_wr work{.opcode = IBV_WR_BIND_MW};
  work.imm_data = 1;
  work.bind_mw.mw = window;
  work.bind_mw.bind_info = To(32, 16, kWrites);
  EXPECT_EQ(Post(owner_, work), EINVAL);
  Free(window);
}

TEST_F(MemoryWindows, OfTypeTwoBelongToTheQueuePairThatBoundThem) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_2);
  const uint32_t key = NextKey(window->rkey);
  ASSERT_EQ(PostBind(peer_, window, key, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, key, 32), IBV_WC_REM_ACCESS_ERR) << "not of its peer";
  Free(window);
}

TEST_F(MemoryWindows, OfTypeTwoAreBoundOnce) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_2);
  const uint32_t key = NextKey(window->rkey);
  ASSERT_EQ(PostBind(owner_, window, key, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, key, 32), IBV_WC_SUCCESS);
  window->rkey = key;
  ASSERT_EQ(PostBind(owner_, window, NextKey(key), To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_MW_BIND_ERR);
  Free(window);
}

TEST_F(MemoryWindows, OfTypeTwoAreInvalidatedAndBoundAgain) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_2);
  const uint32_t key = NextKey(window->rkey);
  ASSERT_EQ(PostBind(owner_, window, key, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  window->rkey = key;
  ASSERT_EQ(PostOfKey(owner_, IBV_WR_LOCAL_INV, key), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(opcode_, IBV_WC_LOCAL_INV);
  ASSERT_EQ(PostBind(owner_, window, key, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  ASSERT_EQ(PostOfKey(owner_, IBV_WR_LOCAL_INV, key), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, key, 32), IBV_WC_REM_ACCESS_ERR);
  Free(window);
}

TEST_F(MemoryWindows, OfTypeOneAreNotInvalidated) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ASSERT_EQ(PostOfKey(owner_, IBV_WR_LOCAL_INV, window->rkey), 0);
  EXPECT_EQ(Status(), IBV_WC_LOC_QP_OP_ERR);
  Free(window);
}

TEST_F(MemoryWindows, AreInvalidatedByTheMessagesOfTheirPeers) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_2);
  const uint32_t key = NextKey(window->rkey);
  ASSERT_EQ(PostBind(owner_, window, key, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  Receive(owner_, 8, Piece(16, 8));
  ASSERT_EQ(PostOfKey(peer_, IBV_WR_SEND_WITH_INV, key), 0);
  const std::vector<ibv_wc> done = Completions();
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].wr_id, 8U);
  EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
  EXPECT_EQ(done[0].wc_flags, static_cast<unsigned>(IBV_WC_WITH_INV));
  EXPECT_EQ(done[0].invalidated_rkey, key);
  EXPECT_EQ(done[1].opcode, IBV_WC_SEND);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, key, 32), IBV_WC_REM_ACCESS_ERR);
  Free(window);
}

// source: linux 6.1 rxe_resp.c execute, rxe_responder: RESPST_ERR_INVALIDATE_RKEY
TEST_F(MemoryWindows, ThatAMessageCannotInvalidateAreTheReceiversError) {
  Receive(owner_, 8, Piece(16, 8));
  ASSERT_EQ(PostOfKey(peer_, IBV_WR_SEND_WITH_INV, region_->rkey), 0);
  const std::vector<ibv_wc> done = Completions();
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].status, IBV_WC_REM_INV_REQ_ERR);
  EXPECT_EQ(done[1].status, IBV_WC_SUCCESS) << "it is acknowledged";
}

TEST_F(MemoryWindows, ThatAreDeallocatedPermitNothing) {
  ibv_mw* const window = ibv_alloc_mw(pd_, IBV_MW_TYPE_1);
  ASSERT_EQ(Bind(window, To(32, 16, kWrites)), 0);
  EXPECT_EQ(Status(), IBV_WC_SUCCESS);
  const uint32_t key = window->rkey;
  Free(window);
  EXPECT_EQ(StatusOf(IBV_WR_RDMA_WRITE, key, 32), IBV_WC_REM_ACCESS_ERR);
}

class OldProvider : public OnMachine {
 protected:
  OldProvider() : OnMachine("5.10-rxe") {}
};

// source: rdma-core 33 rxe.c rxe_ctx_ops; linux 5.10 rxe_verbs.c rxe_dev_ops
TEST_F(OldProvider, HasNoneOfTheExtendedVerbs) {
  EXPECT_EQ(ibv_alloc_mw(pd_, IBV_MW_TYPE_1), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(verbs_get_ctx_op(context_, create_cq_ex), nullptr);
  EXPECT_EQ(verbs_get_ctx_op(context_, create_qp_ex), nullptr);
  EXPECT_EQ(verbs_get_ctx_op(context_, query_device_ex), nullptr);
  ibv_device_attr attributes{};
  ASSERT_EQ(Of<decltype(::ibv_query_device)>("ibv_query_device")(context_, &attributes), 0);
  EXPECT_EQ(attributes.max_mw, 0);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
