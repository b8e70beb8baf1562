// Connections of ids of XRC, which programs ask for with the port space IB.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/program.h"

namespace cm::sim::uapi {
namespace {

constexpr uint16_t kPort = 7471;
constexpr const char* kPassive = "10.0.1.1";
constexpr uint16_t kPortSpaceIb = 0x013f;
constexpr uint8_t kRc = IBV_QPT_RC, kXrcSend = IBV_QPT_XRC_SEND, kXrcReceive = IBV_QPT_XRC_RECV;
// source: <rdma/rdma_cma.h> enum rdma_cm_event_type; a C++ file cannot include both headers
constexpr uint32_t kConnectRequest = 4, kConnectResponse = 5, kRejected = 8;

class XrcIds : public testing::Test {
 protected:
  static uint32_t CreateId(Program* program, uint32_t file, uint64_t uid, uint8_t type) {
    auto cmd = Zeros<rdma_ucm_create_id>();
    cmd.uid = uid;
    cmd.ps = kPortSpaceIb;
    cmd.qp_type = type;
    return program->Get<rdma_ucm_create_id_resp>(file, RDMA_USER_CM_CMD_CREATE_ID, cmd).id;
  }
  void Listen(uint8_t type) {
    const uint32_t listener = CreateId(&passive_, s_, 0x1000, type);
    EXPECT_GT(passive_.Bind(s_, listener, kPassive, kPort), 0);
    EXPECT_GT(passive_.Listen(s_, listener, 4), 0);
  }
  int64_t Connect(uint8_t type) {
    id_ = CreateId(&active_, c_, 0x2000, type);
    EXPECT_GT(active_.ResolveAddr(c_, id_, kPassive, kPort), 0);
    active_.GetEvent(c_);
    EXPECT_GT(active_.ResolveRoute(c_, id_), 0);
    active_.GetEvent(c_);
    return active_.Connect(c_, id_, Program::Param("hello", 17));
  }

  static uint32_t MaskFor(Program* program, uint32_t file, uint32_t id, ibv_qp_state state) {
    return program
        ->Get<ib_uverbs_qp_attr>(file, RDMA_USER_CM_CMD_INIT_QP_ATTR,
                                 rdma_ucm_init_qp_attr{0, id, state})
        .qp_attr_mask;
  }

  NoMemory memory_;
  World world_{FindTopology("two-kernels"), FindProfile("6.1-rxe")};
  Machine machine_{&world_, &memory_};
  Program active_{&world_, &machine_, kActiveSide};
  Program passive_{&world_, &machine_, kPassiveSide};
  uint32_t c_ = active_.Open();
  uint32_t s_ = passive_.Open();
  uint32_t id_ = 0;
};

// source: linux 6.1 cm.c cm_format_req, cm_format_rep
TEST_F(XrcIds, ConnectASenderToATarget) {
  Listen(kXrcReceive);
  ASSERT_GT(Connect(kXrcSend), 0);
  const rdma_ucm_event_resp request = passive_.GetEvent(s_);
  ASSERT_EQ(request.event, kConnectRequest);
  EXPECT_EQ(request.param.conn.qp_num, 17u);
  EXPECT_EQ(request.param.conn.responder_resources, 2);
  EXPECT_EQ(request.param.conn.initiator_depth, 0) << "a sender answers nothing";
  EXPECT_EQ(request.param.conn.retry_count, 0);
  EXPECT_EQ(request.param.conn.rnr_retry_count, 0);
  EXPECT_GT(passive_.Accept(s_, request.id, 0x3000, Program::Param("welcome", 18)), 0);
  const rdma_ucm_event_resp response = active_.GetEvent(c_);
  EXPECT_EQ(response.event, kConnectResponse);
  EXPECT_EQ(response.param.conn.qp_num, 18u);
  EXPECT_EQ(response.param.conn.responder_resources, 0) << "a target asks for nothing";
  EXPECT_EQ(response.param.conn.initiator_depth, 3);
  EXPECT_EQ(response.param.conn.srq, 1);
}

// source: linux 6.1 cm.c cm_init_qp_rtr_attr, cm_init_qp_rts_attr
TEST_F(XrcIds, HaveTheAttributesOfTheirSide) {
  constexpr uint32_t kToReceive =
      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_RQ_PSN | IBV_QP_DEST_QPN;
  constexpr uint32_t kToAnswer = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  constexpr uint32_t kToSend = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_SQ_PSN;
  constexpr uint32_t kToRequest = IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  Listen(kXrcReceive);
  ASSERT_GT(Connect(kXrcSend), 0);
  const uint32_t target = passive_.GetEvent(s_).id;
  EXPECT_EQ(MaskFor(&passive_, s_, target, IBV_QPS_RTR), kToReceive | kToAnswer);
  EXPECT_EQ(MaskFor(&passive_, s_, target, IBV_QPS_RTS), kToSend);
  ASSERT_GT(passive_.Accept(s_, target, 0x3000, Program::Param("welcome", 18)), 0);
  ASSERT_EQ(active_.GetEvent(c_).event, kConnectResponse);
  EXPECT_EQ(MaskFor(&active_, c_, id_, IBV_QPS_RTR), kToReceive);
  EXPECT_EQ(MaskFor(&active_, c_, id_, IBV_QPS_RTS), kToSend | kToRequest);
}

// source: linux 6.1 cma.c cma_ib_check_req_qp_type
TEST_F(XrcIds, DoNotConnectToIdsOfAnotherType) {
  Listen(kRc);
  ASSERT_GT(Connect(kXrcSend), 0);
  EXPECT_EQ(active_.GetEvent(c_).event, kRejected);
}

TEST_F(XrcIds, TakeNoRequestsOfAnotherType) {
  Listen(kXrcReceive);
  ASSERT_GT(Connect(kRc), 0);
  EXPECT_EQ(active_.GetEvent(c_).event, kRejected);
}

TEST_F(XrcIds, OfASenderTakeNoRequests) {
  Listen(kXrcSend);
  ASSERT_GT(Connect(kRc), 0);
  EXPECT_EQ(active_.GetEvent(c_).event, kRejected);
}

// source: linux 6.1 cm.c cm_validate_req_param
TEST_F(XrcIds, OfATargetOnlyAnswer) {
  Listen(kXrcReceive);
  EXPECT_EQ(Connect(kXrcReceive), -EINVAL);
}

}  // namespace
}  // namespace cm::sim::uapi
