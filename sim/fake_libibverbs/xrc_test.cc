// A program with queue pairs of XRC, on a simulated machine.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr uint32_t kWhole = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
constexpr uint32_t kWholeQueue =
    IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;

class Xrc : public OnMachine {
 protected:
  ibv_xrcd* Open(int fd, int flags, uint32_t parts = kWhole) {
    ibv_xrcd_init_attr initial{.comp_mask = parts, .fd = fd, .oflags = flags};
    errno = 0;
    return ibv_open_xrcd(context_, &initial);
  }
  // What the inline functions of the header call.
  ibv_srq* CreateSrqEx(ibv_srq_init_attr_ex* initial) {
    return verbs_get_ctx(context_)->create_srq_ex(context_, initial);
  }
  ibv_qp* CreateQpEx(ibv_qp_init_attr_ex* initial) {
    return verbs_get_ctx(context_)->create_qp_ex(context_, initial);
  }
  ibv_srq_init_attr_ex QueueIn(ibv_xrcd* xrcd) {
    ibv_srq_init_attr_ex initial{};
    initial.attr = {.max_wr = 7, .max_sge = 1};
    initial.comp_mask = kWholeQueue;
    initial.srq_type = IBV_SRQT_XRC;
    initial.pd = pd_;
    initial.xrcd = xrcd;
    initial.cq = cq_;
    return initial;
  }
  int WhyNoQueue(ibv_srq_init_attr_ex initial) {
    errno = 0;
    ibv_srq* const made = CreateSrqEx(&initial);
    if (made == nullptr) return errno;
    EXPECT_EQ(DestroyQueue(made), 0);
    return 0;
  }
  int DestroyQueue(ibv_srq* queue) { return Of<int(ibv_srq*)>("ibv_destroy_srq")(queue); }
  ibv_qp* CreateTarget(ibv_xrcd* xrcd) {
    ibv_qp_init_attr_ex initial{};
    initial.qp_type = IBV_QPT_XRC_RECV;
    initial.comp_mask = IBV_QP_INIT_ATTR_XRCD;
    initial.xrcd = xrcd;
    return CreateQpEx(&initial);
  }
  ibv_qp* CreateSender(uint64_t ops = 0) {
    ibv_qp_init_attr_ex initial{};
    initial.qp_type = IBV_QPT_XRC_SEND;
    initial.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    initial.pd = pd_;
    initial.send_cq = cq_;
    initial.cap = {.max_send_wr = 7, .max_send_sge = 1};
    initial.send_ops_flags = ops;
    return CreateQpEx(&initial);
  }
};

// source: rdma-core 44 cmd.c ibv_cmd_open_xrcd; linux 6.1 uverbs_cmd.c ib_uverbs_open_xrcd
TEST_F(Xrc, DomainsAreNamedByFiles) {
  EXPECT_EQ(Open(-1, O_CREAT, kWhole + 4), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(Open(-1, O_CREAT, IBV_XRCD_INIT_ATTR_FD), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(Open(1000, O_CREAT), nullptr);
  EXPECT_EQ(errno, EBADF);
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(Open(fileno(file), 0), nullptr);
  EXPECT_EQ(errno, EAGAIN);
  ibv_xrcd* const first = Open(fileno(file), O_CREAT);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->context, context_);
  EXPECT_EQ(Open(fileno(file), O_CREAT | O_EXCL), nullptr);
  EXPECT_EQ(errno, EINVAL);
  ibv_xrcd* const second = Open(fileno(file), 0);
  ASSERT_NE(second, nullptr);
  ibv_xrcd* const alone = Open(-1, 0);
  ASSERT_NE(alone, nullptr);
  for (ibv_xrcd* const xrcd : {first, second, alone}) EXPECT_EQ(ibv_close_xrcd(xrcd), 0);
  EXPECT_EQ(Open(fileno(file), 0), nullptr) << "it is gone";
  std::fclose(file);
}

// source: rdma-core 44 cmd_srq.c ibv_icmd_create_srq, mlx5 verbs.c mlx5_create_srq_ex
TEST_F(Xrc, QueuesNeedADomainAndACompletionQueue) {
  ibv_xrcd* const xrcd = Open(-1, 0);
  ibv_srq_init_attr_ex initial = QueueIn(xrcd);
  EXPECT_EQ(WhyNoQueue(initial), 0);
  for (const uint32_t part : {IBV_SRQ_INIT_ATTR_PD, IBV_SRQ_INIT_ATTR_XRCD, IBV_SRQ_INIT_ATTR_CQ}) {
    initial = QueueIn(xrcd);
    initial.comp_mask &= ~part;
    EXPECT_EQ(WhyNoQueue(initial), EINVAL) << part;
  }
  initial = QueueIn(xrcd);
  initial.attr.max_sge = 1000;
  EXPECT_EQ(WhyNoQueue(initial), EINVAL);
  initial = QueueIn(xrcd);
  initial.srq_type = IBV_SRQT_TM;
  EXPECT_EQ(WhyNoQueue(initial), EOPNOTSUPP);
  EXPECT_EQ(ibv_close_xrcd(xrcd), 0);
}

TEST_F(Xrc, QueuePairsAreOfADomainOrOfAnXrcDomain) {
  ibv_xrcd* const xrcd = Open(-1, 0);
  ibv_qp_init_attr plain{};
  plain.qp_type = IBV_QPT_XRC_RECV;
  errno = 0;
  EXPECT_EQ(Of<decltype(::ibv_create_qp)>("ibv_create_qp")(pd_, &plain), nullptr);
  EXPECT_EQ(errno, EINVAL);
  plain.qp_type = IBV_QPT_XRC_SEND;
  EXPECT_EQ(Of<decltype(::ibv_create_qp)>("ibv_create_qp")(pd_, &plain), nullptr);
  EXPECT_EQ(errno, EINVAL) << "it has no completion queue";
  plain.send_cq = cq_;
  plain.cap = {.max_send_wr = 3, .max_recv_wr = 3, .max_send_sge = 1, .max_recv_sge = 1};
  ibv_qp* const sender = Of<decltype(::ibv_create_qp)>("ibv_create_qp")(pd_, &plain);
  ASSERT_NE(sender, nullptr);
  EXPECT_EQ(plain.cap.max_recv_wr, 0U);
  ibv_recv_wr receive{};
  ibv_recv_wr* bad = nullptr;
  EXPECT_EQ(ibv_post_recv(sender, &receive, &bad), EINVAL);
  ibv_qp* const target = CreateTarget(xrcd);
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->pd, nullptr);
  ibv_send_wr send{};
  ibv_send_wr* bad_send = nullptr;
  EXPECT_EQ(ibv_post_send(target, &send, &bad_send), ENOMEM);
  EXPECT_EQ(ibv_close_xrcd(xrcd), EBUSY);
  DestroyQp(sender);
  DestroyQp(target);
  EXPECT_EQ(ibv_close_xrcd(xrcd), 0);
}

// source: rdma-core 44 cmd.c ibv_cmd_open_qp
TEST_F(Xrc, TargetsAreOpenedByTheirNumber) {
  ibv_xrcd* const xrcd = Open(-1, 0);
  ibv_qp* const target = CreateTarget(xrcd);
  const auto open = [&](uint32_t parts, uint32_t number, ibv_qp_type type) {
    ibv_qp_open_attr initial{
        .comp_mask = parts, .qp_num = number, .xrcd = xrcd, .qp_context = this, .qp_type = type};
    errno = 0;
    return ibv_open_qp(context_, &initial);
  };
  constexpr uint32_t kNeeded = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
  EXPECT_EQ(open(IBV_QP_OPEN_ATTR_RESERVED, target->qp_num, IBV_QPT_XRC_RECV), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(open(IBV_QP_OPEN_ATTR_XRCD, target->qp_num, IBV_QPT_XRC_RECV), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(open(kNeeded, target->qp_num, IBV_QPT_RC), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(open(kNeeded, target->qp_num + 1, IBV_QPT_XRC_RECV), nullptr);
  EXPECT_EQ(errno, EINVAL);
  ibv_qp* const opened = open(kNeeded | IBV_QP_OPEN_ATTR_CONTEXT, target->qp_num, IBV_QPT_XRC_RECV);
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(opened->qp_num, target->qp_num);
  EXPECT_EQ(opened->qp_context, this);
  DestroyQp(target);
  ibv_qp_attr attributes{};
  ibv_qp_init_attr initial{};
  EXPECT_EQ(
      Of<decltype(::ibv_query_qp)>("ibv_query_qp")(opened, &attributes, IBV_QP_STATE, &initial), 0);
  EXPECT_EQ(attributes.qp_state, IBV_QPS_RESET);
  DestroyQp(opened);
  EXPECT_EQ(ibv_close_xrcd(xrcd), 0);
}

class ConnectedXrc : public Xrc {
 protected:
  void SetUp() override {
    OnMachine::SetUp();
    xrcd_ = Open(-1, 0);
    ibv_srq_init_attr_ex initial = QueueIn(xrcd_);
    received_ = CreateCq();
    initial.cq = received_;
    queue_ = CreateSrqEx(&initial);
    ASSERT_NE(queue_, nullptr);
    ASSERT_EQ(ibv_get_srq_num(queue_, &number_), 0);
    from_ = CreateSender(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE);
    to_ = CreateTarget(xrcd_);
    ASSERT_TRUE(from_ != nullptr && to_ != nullptr);
    Connect(from_, to_);
    Connect(to_, from_);
    memory_[0] = 'a';
  }
  void TearDown() override {
    DestroyQp(from_);
    DestroyQp(to_);
    EXPECT_EQ(DestroyQueue(queue_), 0);
    EXPECT_EQ(ibv_close_xrcd(xrcd_), 0);
    DestroyCq(received_);
    OnMachine::TearDown();
  }
  void PostReceive(uint64_t wr_id) {
    ibv_sge piece = Piece(32, 4);
    ibv_recv_wr work{.wr_id = wr_id, .sg_list = &piece, .num_sge = 1};
    ibv_recv_wr* bad = nullptr;
    ASSERT_EQ(ibv_post_srq_recv(queue_, &work, &bad), 0);
  }
  int PostSend(ibv_wr_opcode opcode, uint32_t number) {
    ibv_sge piece = Piece(0, 4);
    ibv_send_wr work{.wr_id = 2, .sg_list = &piece, .num_sge = 1, .opcode = opcode};
    work.send_flags = IBV_SEND_SIGNALED;
    work.wr.rdma = {.remote_addr = Piece(40, 4).addr, .rkey = region_->rkey};
    work.qp_type.xrc.remote_srqn = number;
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(from_, &work, &bad);
  }
  ibv_wc_status Sent() {
    const std::vector<ibv_wc> done = Completions();
    EXPECT_EQ(done.size(), 1U);
    return done.empty() ? IBV_WC_GENERAL_ERR : done[0].status;
  }

  ibv_xrcd* xrcd_ = nullptr;
  ibv_cq* received_ = nullptr;
  ibv_srq* queue_ = nullptr;
  uint32_t number_ = 0;
  ibv_qp* from_ = nullptr;
  ibv_qp* to_ = nullptr;
};

TEST_F(ConnectedXrc, ReceivesFromTheQueueThatARequestNames) {
  PostReceive(5);
  ASSERT_EQ(PostSend(IBV_WR_SEND, number_), 0);
  EXPECT_EQ(Sent(), IBV_WC_SUCCESS);
  ibv_wc done{};
  ASSERT_EQ(ibv_poll_cq(received_, 1, &done), 1);
  EXPECT_EQ(done.wr_id, 5U);
  EXPECT_EQ(done.opcode, IBV_WC_RECV);
  EXPECT_EQ(done.qp_num, to_->qp_num);
  EXPECT_EQ(memory_[32], 'a');
}

TEST_F(ConnectedXrc, WritesInTheDomainOfTheQueue) {
  ASSERT_EQ(PostSend(IBV_WR_RDMA_WRITE, number_), 0);
  EXPECT_EQ(Sent(), IBV_WC_SUCCESS);
  EXPECT_EQ(memory_[40], 'a');
}

TEST_F(ConnectedXrc, RefusesAnUnknownQueue) {
  ASSERT_EQ(PostSend(IBV_WR_SEND, number_ + 1), 0);
  EXPECT_EQ(Sent(), IBV_WC_REM_INV_REQ_ERR);
}

TEST_F(ConnectedXrc, HasBuildersThatNameTheQueue) {
  PostReceive(5);
  ibv_qp_ex* const qp = Of<decltype(::ibv_qp_to_qp_ex)>("ibv_qp_to_qp_ex")(from_);
  ASSERT_NE(qp, nullptr);
  ibv_wr_start(qp);
  qp->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_send(qp);
  ibv_wr_set_xrc_srqn(qp, number_);
  ibv_wr_set_sge(qp, region_->lkey, Piece(0, 4).addr, 4);
  ASSERT_EQ(ibv_wr_complete(qp), 0);
  EXPECT_EQ(Sent(), IBV_WC_SUCCESS);
  EXPECT_EQ(memory_[32], 'a');
}

TEST_F(ConnectedXrc, KeepsItsCompletionQueueAndItsDomain) {
  EXPECT_EQ(Of<int(ibv_cq*)>("ibv_destroy_cq")(received_), EBUSY);
  EXPECT_EQ(ibv_close_xrcd(xrcd_), EBUSY);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
