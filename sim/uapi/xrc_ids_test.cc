// Connections of ids of XRC, which programs ask for with the port space IB.
#include <gtest/gtest.h>

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
// source: <infiniband/verbs.h> enum ibv_qp_type
constexpr uint8_t kRc = 2, kXrcSend = 9, kXrcReceive = 10;
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

// source: linux 6.1 cm.c cm_validate_req_param
TEST_F(XrcIds, OfATargetOnlyAnswer) {
  Listen(kXrcReceive);
  EXPECT_EQ(Connect(kXrcReceive), -EINVAL);
}

}  // namespace
}  // namespace cm::sim::uapi
