// Work requests that a program builds with ibv_wr_*.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr uint64_t kAllOps = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
                             IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
                             IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                             IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

class Builders : public OnMachine {
 protected:
  static constexpr uint32_t kRoom = 3;

  ibv_qp_init_attr_ex Initial(ibv_qp_type type, uint64_t ops) {
    ibv_qp_init_attr_ex initial{};
    initial.send_cq = initial.recv_cq = cq_;
    initial.cap = {.max_send_wr = kRoom,
                   .max_recv_wr = 31,
                   .max_send_sge = 2,
                   .max_recv_sge = 2,
                   .max_inline_data = 32};
    initial.qp_type = type;
    initial.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    initial.pd = pd_;
    initial.send_ops_flags = ops;
    return initial;
  }
  ibv_qp* Create(ibv_qp_init_attr_ex initial) {
    verbs_context* const context = verbs_get_ctx_op(context_, create_qp_ex);
    EXPECT_NE(context, nullptr);
    return context == nullptr ? nullptr : context->create_qp_ex(context_, &initial);
  }
  // The errno of a refused one.
  int WhyNot(const ibv_qp_init_attr_ex& initial) {
    errno = 0;
    ibv_qp* const made = Create(initial);
    if (made == nullptr) return errno;
    DestroyQp(made);
    return 0;
  }
  ibv_qp_ex* Extended(ibv_qp* qp) { return Of<decltype(::ibv_qp_to_qp_ex)>("ibv_qp_to_qp_ex")(qp); }
};

class UsedBuilders : public Builders {
 protected:
  void SetUp() override {
    OnMachine::SetUp();
    from_ = Create(Initial(IBV_QPT_RC, kAllOps));
    to_ = CreateQp();
    ASSERT_TRUE(from_ != nullptr && to_ != nullptr);
    qp_ = Extended(from_);
    ASSERT_NE(qp_, nullptr);
    Connect(from_, to_);
    Connect(to_, from_);
    Write(0, "abcdefgh12345678");
  }
  void TearDown() override {
    DestroyQp(from_);
    DestroyQp(to_);
    OnMachine::TearDown();
  }
  void Write(size_t offset, std::string_view text) {
    std::ranges::copy(text, memory_.begin() + static_cast<ptrdiff_t>(offset));
  }
  std::string_view Text(size_t offset, size_t length) {
    return {reinterpret_cast<const char*>(memory_.data()) + offset, length};
  }
  uint64_t Address(size_t offset) { return Piece(offset, 1).addr; }
  void Begin(uint64_t wr_id) {
    qp_->wr_id = wr_id;
    qp_->wr_flags = IBV_SEND_SIGNALED;
  }

  ibv_qp* from_ = nullptr;
  ibv_qp* to_ = nullptr;
  ibv_qp_ex* qp_ = nullptr;
};

// source: rdma-core 44 rxe.c check_qp_init_attr, set_qp_send_ops
TEST_F(Builders, AreThoseThatWereAskedFor) {
  ibv_qp* const qp = Create(Initial(IBV_QPT_RC, IBV_QP_EX_WITH_SEND));
  ASSERT_NE(qp, nullptr);
  const ibv_qp_ex* const extended = Extended(qp);
  ASSERT_NE(extended, nullptr);
  EXPECT_NE(extended->wr_send, nullptr);
  EXPECT_EQ(extended->wr_send_imm, nullptr);
  EXPECT_EQ(extended->wr_rdma_read, nullptr);
  EXPECT_NE(extended->wr_set_sge, nullptr);
  EXPECT_EQ(extended->wr_send_tso, nullptr);
  EXPECT_EQ(extended->wr_set_xrc_srqn, nullptr);
  EXPECT_EQ(qp->qp_type, IBV_QPT_RC);
  DestroyQp(qp);
}

TEST_F(Builders, BelongToExtendedQueuePairsOnly) {
  ibv_qp* const qp = CreateQp();
  ASSERT_NE(qp, nullptr);
  EXPECT_EQ(Extended(qp), nullptr);
  DestroyQp(qp);
}

TEST_F(Builders, AreRefusedAsByTheProvider) {
  EXPECT_EQ(WhyNot(Initial(IBV_QPT_RC, IBV_QP_EX_WITH_TSO)), EOPNOTSUPP);
  EXPECT_EQ(WhyNot(Initial(IBV_QPT_UC, IBV_QP_EX_WITH_SEND_WITH_INV)), 0);
  EXPECT_EQ(WhyNot(Initial(IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_READ)), EOPNOTSUPP);
  EXPECT_EQ(WhyNot(Initial(IBV_QPT_UD, IBV_QP_EX_WITH_SEND_WITH_IMM)), 0);
  EXPECT_EQ(WhyNot(Initial(IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_WRITE)), EOPNOTSUPP);
  EXPECT_EQ(WhyNot(Initial(IBV_QPT_XRC_SEND, IBV_QP_EX_WITH_SEND)), 0);
  EXPECT_EQ(WhyNot(Initial(IBV_QPT_XRC_RECV, IBV_QP_EX_WITH_SEND)), EOPNOTSUPP);
  ibv_qp_init_attr_ex initial = Initial(IBV_QPT_RC, IBV_QP_EX_WITH_SEND);
  initial.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
  EXPECT_EQ(WhyNot(initial), 0);
  initial.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
  EXPECT_EQ(WhyNot(initial), EOPNOTSUPP);
  initial.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
  EXPECT_EQ(WhyNot(initial), EOPNOTSUPP);
  initial.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
  EXPECT_EQ(WhyNot(initial), EINVAL) << "there is no domain";
}

TEST_F(UsedBuilders, SendAndWriteInTheOrderOfBuilding) {
  Receive(to_, 1, Piece(32, 8));
  Receive(to_, 2, Piece(40, 0));
  ibv_wr_start(qp_);
  Begin(11);
  ibv_wr_send_imm(qp_, 0x01020304);
  const std::array<ibv_sge, 2> pieces{Piece(0, 2), Piece(8, 2)};
  ibv_wr_set_sge_list(qp_, pieces.size(), pieces.data());
  Begin(12);
  ibv_wr_rdma_write_imm(qp_, region_->rkey, Address(48), 0x05060708);
  ibv_wr_set_sge(qp_, region_->lkey, Address(0), 4);
  EXPECT_TRUE(Completions().empty()) << "nothing is sent before";
  ASSERT_EQ(ibv_wr_complete(qp_), 0);
  const std::vector<ibv_wc> done = Completions();
  ASSERT_EQ(done.size(), 4U);
  EXPECT_EQ(Text(32, 4), "ab12");
  EXPECT_EQ(Text(48, 4), "abcd");
  EXPECT_EQ(done[0].opcode, IBV_WC_RECV);
  EXPECT_EQ(done[0].imm_data, 0x01020304U);
  EXPECT_EQ(done[1].opcode, IBV_WC_RECV_RDMA_WITH_IMM) << "both are under way together";
  EXPECT_EQ(done[2].wr_id, 11U);
  EXPECT_EQ(done[3].wr_id, 12U);
}

TEST_F(UsedBuilders, CopyInlineDataWhenItIsSet) {
  Receive(to_, 1, Piece(32, 16));
  ibv_wr_start(qp_);
  Begin(11);
  ibv_wr_send(qp_);
  std::array<char, 2> first{'x', 'y'};
  const std::array<ibv_data_buf, 2> list{
      {{.addr = first.data(), .length = first.size()}, {.addr = memory_.data(), .length = 3}}};
  ibv_wr_set_inline_data_list(qp_, list.size(), list.data());
  Begin(12);
  ibv_wr_rdma_write(qp_, region_->rkey, Address(48));
  ibv_wr_set_inline_data(qp_, first.data(), first.size());
  first = {'-', '-'};
  ASSERT_EQ(ibv_wr_complete(qp_), 0);
  EXPECT_EQ(Completions().size(), 3U);
  EXPECT_EQ(Text(32, 5), "xyabc");
  EXPECT_EQ(Text(48, 2), "xy");
}

TEST_F(UsedBuilders, ReadAndCountAtThePeer) {
  ibv_wr_start(qp_);
  Begin(1);
  ibv_wr_rdma_read(qp_, region_->rkey, Address(0));
  ibv_wr_set_sge(qp_, region_->lkey, Address(32), 4);
  Begin(2);
  ibv_wr_atomic_fetch_add(qp_, region_->rkey, Address(56), 5);
  ibv_wr_set_sge(qp_, region_->lkey, Address(40), 8);
  Begin(3);
  ibv_wr_atomic_cmp_swp(qp_, region_->rkey, Address(56), 5, 9);
  ibv_wr_set_sge(qp_, region_->lkey, Address(48), 8);
  ASSERT_EQ(ibv_wr_complete(qp_), 0);
  EXPECT_EQ(Completions().size(), 3U);
  EXPECT_EQ(Text(32, 4), "abcd");
  EXPECT_EQ(memory_[48], 5);
  EXPECT_EQ(memory_[56], 9);
}

TEST_F(UsedBuilders, DiscardWhatIsAborted) {
  ibv_wr_start(qp_);
  Begin(1);
  ibv_wr_rdma_write(qp_, region_->rkey, Address(48));
  ibv_wr_set_sge(qp_, region_->lkey, Address(0), 4);
  ibv_wr_abort(qp_);
  EXPECT_TRUE(Completions().empty());
  ibv_wr_start(qp_);
  EXPECT_EQ(ibv_wr_complete(qp_), 0);
  EXPECT_TRUE(Completions().empty());
}

// source: rdma-core 44 rxe.c check_qp_queue_full, wr_set_sge_list, wr_set_inline_data
TEST_F(UsedBuilders, PostAllOfThemOrNone) {
  const auto write = [this] {
    Begin(1);
    ibv_wr_rdma_write(qp_, region_->rkey, Address(48));
    ibv_wr_set_sge(qp_, region_->lkey, Address(0), 4);
  };
  ibv_wr_start(qp_);
  for (uint32_t i = 0; i <= kRoom; ++i) write();
  EXPECT_EQ(ibv_wr_complete(qp_), ENOSPC) << "the queue has no room for all";
  ibv_wr_start(qp_);
  write();
  Begin(2);
  ibv_wr_send(qp_);
  const std::vector<ibv_sge> pieces(9, Piece(0, 1));
  ibv_wr_set_sge_list(qp_, pieces.size(), pieces.data());
  EXPECT_EQ(ibv_wr_complete(qp_), ENOSPC) << "too many elements";
  ibv_wr_start(qp_);
  write();
  Begin(2);
  ibv_wr_send(qp_);
  ibv_wr_set_inline_data(qp_, memory_.data(), 33);
  EXPECT_EQ(ibv_wr_complete(qp_), ENOSPC) << "too much inline data";
  EXPECT_TRUE(Completions().empty());
  ibv_wr_start(qp_);
  for (uint32_t i = 0; i < kRoom; ++i) write();
  EXPECT_EQ(ibv_wr_complete(qp_), 0);
  EXPECT_EQ(Completions().size(), kRoom);
}

TEST_F(UsedBuilders, SayThatTheQueuePairCannotSend) {
  ibv_qp* const idle = Create(Initial(IBV_QPT_RC, kAllOps));
  ASSERT_NE(idle, nullptr);
  ibv_qp_ex* const extended = Extended(idle);
  ibv_wr_start(extended);
  ibv_wr_send(extended);
  EXPECT_EQ(ibv_wr_complete(extended), EINVAL);
  DestroyQp(idle);
}

class DatagramBuilders : public UsedBuilders {};

TEST_F(DatagramBuilders, NameTheReceiver) {
  ibv_qp* const sender = Create(Initial(IBV_QPT_UD, IBV_QP_EX_WITH_SEND));
  ibv_qp* const receiver = Create(Initial(IBV_QPT_UD, IBV_QP_EX_WITH_SEND));
  ASSERT_TRUE(sender != nullptr && receiver != nullptr);
  ibv_qp_attr attributes{};
  attributes.port_num = 1;
  for (ibv_qp* const qp : {sender, receiver}) {
    attributes.qp_state = IBV_QPS_INIT;
    ASSERT_EQ(Modify(qp, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
              0);
    attributes.qp_state = IBV_QPS_RTR;
    ASSERT_EQ(Modify(qp, &attributes, IBV_QP_STATE), 0);
    attributes.qp_state = IBV_QPS_RTS;
    ASSERT_EQ(Modify(qp, &attributes, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
  }
  ibv_ah_attr to{.is_global = 1, .port_num = 1};
  ASSERT_EQ(Of<decltype(::ibv_query_gid)>("ibv_query_gid")(context_, 1, 0, &to.grh.dgid), 0);
  ibv_ah* const handle = Of<decltype(::ibv_create_ah)>("ibv_create_ah")(pd_, &to);
  ASSERT_NE(handle, nullptr);
  Receive(receiver, 1, Piece(16, 48));
  ibv_qp_ex* const qp = Extended(sender);
  ibv_wr_start(qp);
  qp->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_send(qp);
  EXPECT_EQ(ibv_wr_complete(qp), EINVAL) << "it has no receiver";
  ibv_wr_start(qp);
  ibv_wr_send(qp);
  ibv_wr_set_ud_addr(qp, handle, receiver->qp_num, 0);
  ibv_wr_set_sge(qp, region_->lkey, Address(0), 8);
  ASSERT_EQ(ibv_wr_complete(qp), 0);
  EXPECT_EQ(Completions().size(), 2U);
  EXPECT_EQ(Text(56, 8), "abcdefgh");
  EXPECT_EQ(Of<int(ibv_ah*)>("ibv_destroy_ah")(handle), 0);
  DestroyQp(sender);
  DestroyQp(receiver);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
