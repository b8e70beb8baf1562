// Completion queues of ibv_create_cq_ex.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

class ExtendedQueue : public OnMachine {
 protected:
  ibv_cq_ex* Create(ibv_cq_init_attr_ex initial) {
    verbs_context* const context = verbs_get_ctx_op(context_, create_cq_ex);
    EXPECT_NE(context, nullptr);
    return context == nullptr ? nullptr : context->create_cq_ex(context_, &initial);
  }
  ibv_cq_ex* CreateWith(uint64_t fields) {
    return Create({.cqe = 63, .cq_context = this, .wc_flags = fields});
  }
  // The errno of a refused one.
  int WhyNot(const ibv_cq_init_attr_ex& initial) {
    errno = 0;
    ibv_cq_ex* const made = Create(initial);
    if (made == nullptr) return errno;
    DestroyCq(ibv_cq_ex_to_cq(made));
    return 0;
  }
};

class UsedExtendedQueue : public ExtendedQueue {
 protected:
  void SetUp() override {
    OnMachine::SetUp();
    extended_ = CreateWith(IBV_WC_STANDARD_FLAGS);
    ASSERT_NE(extended_, nullptr);
    DestroyCq(cq_);
    cq_ = ibv_cq_ex_to_cq(extended_);
    from_ = CreateQp();
    to_ = CreateQp();
    ASSERT_TRUE(from_ != nullptr && to_ != nullptr);
    Connect(from_, to_);
    Connect(to_, from_);
  }
  void TearDown() override {
    DestroyQp(from_);
    DestroyQp(to_);
    OnMachine::TearDown();
  }
  // A receive and a send that it takes.
  void Exchange(uint64_t receive, uint64_t send) {
    Receive(to_, receive, Piece(32, 32));
    ibv_sge piece = Piece(0, 16);
    ibv_send_wr work{.wr_id = send, .sg_list = &piece, .num_sge = 1};
    work.opcode = IBV_WR_SEND_WITH_IMM;
    work.send_flags = IBV_SEND_SIGNALED;
    work.imm_data = 0x01020304;
    ibv_send_wr* bad = nullptr;
    ASSERT_EQ(ibv_post_send(from_, &work, &bad), 0);
    backend_.Settle();
  }
  int Start() {
    ibv_poll_cq_attr attributes{};
    return ibv_start_poll(extended_, &attributes);
  }

  ibv_cq_ex* extended_ = nullptr;
  ibv_qp* from_ = nullptr;
  ibv_qp* to_ = nullptr;
};

// source: rdma-core 44 rxe.c rxe_create_cq_ex
TEST_F(ExtendedQueue, ReadsTheFieldsThatWereAskedFor) {
  ibv_cq_ex* const queue = CreateWith(IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_SRC_QP);
  ASSERT_NE(queue, nullptr);
  EXPECT_EQ(queue->context, context_);
  EXPECT_EQ(queue->cq_context, this);
  EXPECT_EQ(queue->cqe, 63);
  EXPECT_NE(queue->read_opcode, nullptr);
  EXPECT_NE(queue->read_vendor_err, nullptr);
  EXPECT_NE(queue->read_wc_flags, nullptr);
  EXPECT_NE(queue->read_byte_len, nullptr);
  EXPECT_NE(queue->read_src_qp, nullptr);
  EXPECT_EQ(queue->read_imm_data, nullptr);
  EXPECT_EQ(queue->read_qp_num, nullptr);
  EXPECT_EQ(queue->read_completion_ts, nullptr);
  DestroyCq(ibv_cq_ex_to_cq(queue));
}

TEST_F(ExtendedQueue, HasNoFieldsThatTheDriverLacks) {
  for (const uint64_t field :
       {IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
        IBV_WC_EX_WITH_CVLAN, IBV_WC_EX_WITH_FLOW_TAG, IBV_WC_EX_WITH_TM_INFO})
    EXPECT_EQ(WhyNot({.cqe = 8, .wc_flags = field}), EOPNOTSUPP) << field;
}

// source: rdma-core 44 cmd_cq.c ibv_cmd_create_cq_ex; linux 6.1 rxe_verbs.c rxe_create_cq
TEST_F(ExtendedQueue, IsRefusedAsByTheKernel) {
  EXPECT_EQ(WhyNot({.cqe = 0}), EINVAL);
  EXPECT_EQ(WhyNot({.cqe = 1U << 15}), EINVAL);
  EXPECT_EQ(WhyNot({.cqe = 8, .comp_vector = 1}), EINVAL);
  ibv_cq_init_attr_ex initial{.cqe = 8, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS};
  initial.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
  EXPECT_EQ(WhyNot(initial), 0) << "the library's own";
  initial.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
  EXPECT_EQ(WhyNot(initial), EOPNOTSUPP);
  EXPECT_EQ(WhyNot({.cqe = 8, .comp_mask = 1U << 8}), EOPNOTSUPP);
}

TEST_F(UsedExtendedQueue, ReadsCompletionsOneAfterTheOther) {
  EXPECT_EQ(Start(), ENOENT);
  EXPECT_EQ(errno, ENOENT);
  Exchange(7, 8);
  ASSERT_EQ(Start(), 0);
  EXPECT_EQ(extended_->status, IBV_WC_SUCCESS);
  EXPECT_EQ(extended_->wr_id, 7U);
  EXPECT_EQ(ibv_wc_read_opcode(extended_), IBV_WC_RECV);
  EXPECT_EQ(ibv_wc_read_byte_len(extended_), 16U);
  EXPECT_EQ(ibv_wc_read_wc_flags(extended_), static_cast<unsigned>(IBV_WC_WITH_IMM));
  EXPECT_EQ(ibv_wc_read_imm_data(extended_), 0x01020304U);
  EXPECT_EQ(ibv_wc_read_qp_num(extended_), to_->qp_num);
  ASSERT_EQ(ibv_next_poll(extended_), 0);
  EXPECT_EQ(extended_->wr_id, 8U);
  EXPECT_EQ(ibv_wc_read_opcode(extended_), IBV_WC_SEND);
  EXPECT_EQ(ibv_wc_read_qp_num(extended_), from_->qp_num);
  EXPECT_EQ(ibv_wc_read_vendor_err(extended_), 0U);
  EXPECT_EQ(ibv_wc_read_slid(extended_) + ibv_wc_read_sl(extended_), 0U);
  EXPECT_EQ(ibv_wc_read_dlid_path_bits(extended_), 0);
  EXPECT_EQ(ibv_next_poll(extended_), ENOENT);
  ibv_end_poll(extended_);
  EXPECT_EQ(Start(), ENOENT);
}

TEST_F(UsedExtendedQueue, KeepsWhatIsNotReadForLater) {
  Exchange(7, 8);
  ASSERT_EQ(Start(), 0);
  ibv_end_poll(extended_);
  std::array<ibv_wc, 2> completions{};
  ASSERT_EQ(ibv_poll_cq(cq_, completions.size(), completions.data()), 1) << "as a plain one";
  EXPECT_EQ(completions[0].wr_id, 8U);
}

TEST_F(UsedExtendedQueue, ReadsErrorsAsWell) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_ERR;
  Receive(to_, 9, Piece());
  ASSERT_EQ(Modify(to_, &attributes, IBV_QP_STATE), 0);
  ASSERT_EQ(Start(), 0);
  EXPECT_EQ(extended_->status, IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(extended_->wr_id, 9U);
  ibv_end_poll(extended_);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
