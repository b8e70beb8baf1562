// A program with a shared receive queue that it refills after each limit event, on a simulated
// machine.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "model/base/check.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/fake_libibverbs/backend.h"
#include "sim/uapi/machine.h"
#include "sim/world/world.h"

// The header defines macros of these names.
#undef ibv_get_device_list
#undef ibv_reg_mr

namespace cm::sim::fake_libibverbs {
namespace {

// The test's own.
class OwnMemory : public uapi::Memory {
 public:
  bool Read(uint32_t /*process*/, uint64_t address, std::span<uint8_t> bytes) override {
    std::memcpy(bytes.data(), std::bit_cast<const uint8_t*>(address), bytes.size());
    return true;
  }
  bool Write(uint32_t /*process*/, uint64_t address, std::span<const uint8_t> bytes) override {
    std::memcpy(std::bit_cast<uint8_t*>(address), bytes.data(), bytes.size());
    return true;
  }
};

// One process with one thread. The world runs while the thread waits.
class MachineBackend : public Backend {
 public:
  uapi::Answer Ask(const uapi::Request& request) override {
    uapi::Answer answer = machine_.Ask(asker_, request);
    while (answer.waits && world_.NextAt()) {
      world_.Step();
      answer = machine_.Continue(asker_);
    }
    return answer.waits ? machine_.Interrupt(asker_) : answer;  // nothing would ever answer
  }
  void Yield() override { CM_CHECK(false) << "there is no other thread to wait for"; }
  void Settle() {
    while (world_.NextAt()) world_.Step();
  }

 private:
  OwnMemory memory_;
  World world_{FindTopology("two-kernels"), FindProfile("6.1-rxe")};
  uapi::Machine machine_{&world_, &memory_};
  uapi::Asker asker_{.process = machine_.AddProcess(kActiveSide)};
};

class SharedQueue : public testing::Test {
 protected:
  static constexpr uint32_t kLimit = 3;
  static constexpr int kRoom = 7;

  void SetUp() override {
    object_ = dlopen("sim/fake_libibverbs/libcmsim_suite.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(object_, nullptr) << dlerror();
    Of<void()>("cmsim_reset")();
    Of<void(Backend*)>("cmsim_attach")(&backend_);
    ibv_device** list = Of<decltype(::ibv_get_device_list)>("ibv_get_device_list")(nullptr);
    ASSERT_NE(list, nullptr);
    context_ = Of<decltype(::ibv_open_device)>("ibv_open_device")(list[0]);
    Of<decltype(::ibv_free_device_list)>("ibv_free_device_list")(list);
    ASSERT_NE(context_, nullptr);
    pd_ = Of<decltype(::ibv_alloc_pd)>("ibv_alloc_pd")(context_);
    region_ = Of<decltype(::ibv_reg_mr)>("ibv_reg_mr")(pd_, memory_.data(), memory_.size(),
                                                       IBV_ACCESS_LOCAL_WRITE);
    cq_ = Of<decltype(::ibv_create_cq)>("ibv_create_cq")(context_, 63, nullptr, nullptr, 0);
    ibv_srq_init_attr shared{.srq_context = nullptr, .attr = {.max_wr = kRoom, .max_sge = 1}};
    srq_ = Of<decltype(::ibv_create_srq)>("ibv_create_srq")(pd_, &shared);
    ASSERT_NE(srq_, nullptr);
    from_ = CreateQp(nullptr);
    to_ = CreateQp(srq_);
    ASSERT_TRUE(from_ != nullptr && to_ != nullptr);
    Connect(from_, to_);
    Connect(to_, from_);
  }
  void TearDown() override {
    EXPECT_EQ(Of<int(ibv_qp*)>("ibv_destroy_qp")(from_), 0);
    EXPECT_EQ(Of<int(ibv_qp*)>("ibv_destroy_qp")(to_), 0);
    EXPECT_EQ(Of<int(ibv_srq*)>("ibv_destroy_srq")(srq_), 0) << "all of it is acknowledged";
    EXPECT_EQ(Of<int(ibv_cq*)>("ibv_destroy_cq")(cq_), 0);
    EXPECT_EQ(Of<int(ibv_mr*)>("ibv_dereg_mr")(region_), 0);
    EXPECT_EQ(Of<int(ibv_pd*)>("ibv_dealloc_pd")(pd_), 0);
    EXPECT_EQ(Of<int(ibv_context*)>("ibv_close_device")(context_), 0);
    Of<void(Backend*)>("cmsim_attach")(nullptr);
  }

  template <typename Function>
  Function* Of(const char* name) const {
    auto* function = reinterpret_cast<Function*>(dlsym(object_, name));
    EXPECT_NE(function, nullptr) << name;
    return function;
  }
  ibv_qp* CreateQp(ibv_srq* srq) {
    ibv_qp_init_attr initial{};
    initial.send_cq = initial.recv_cq = cq_;
    initial.srq = srq;
    initial.cap = {.max_send_wr = 31, .max_send_sge = 1};
    initial.qp_type = IBV_QPT_RC;
    return Of<decltype(::ibv_create_qp)>("ibv_create_qp")(pd_, &initial);
  }
  void Connect(ibv_qp* own, ibv_qp* peer) {
    auto* modify = Of<decltype(::ibv_modify_qp)>("ibv_modify_qp");
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_INIT;
    attributes.port_num = 1;
    ASSERT_EQ(modify(own, &attributes,
                     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
              0);
    attributes.qp_state = IBV_QPS_RTR;
    attributes.path_mtu = IBV_MTU_1024;
    attributes.dest_qp_num = peer->qp_num;
    attributes.ah_attr.port_num = 1;
    constexpr int kToRtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    EXPECT_EQ(modify(own, &attributes, kToRtr), EINVAL) << "RoCE needs a GRH";
    EXPECT_EQ(Of<decltype(::ibv_create_ah)>("ibv_create_ah")(pd_, &attributes.ah_attr), nullptr);
    attributes.ah_attr.is_global = 1;
    ASSERT_EQ(Of<decltype(::ibv_query_gid)>("ibv_query_gid")(context_, 1, 0,
                                                             &attributes.ah_attr.grh.dgid),
              0);
    ASSERT_EQ(modify(own, &attributes, kToRtr), 0);
    attributes.qp_state = IBV_QPS_RTS;
    ASSERT_EQ(modify(own, &attributes,
                     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                         IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
              0);
  }
  ibv_sge Piece() {
    return {.addr = std::bit_cast<uint64_t>(memory_.data()),
            .length = static_cast<uint32_t>(memory_.size()),
            .lkey = region_->lkey};
  }
  // As many as fit.
  int Fill() {
    ibv_sge piece = Piece();
    ibv_recv_wr work{};
    work.sg_list = &piece;
    work.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    int posted = 0;
    while (ibv_post_srq_recv(srq_, &work, &bad) == 0) ++posted;
    return posted;
  }
  void Arm() {
    ibv_srq_attr attributes{.srq_limit = kLimit};
    ASSERT_EQ(Of<decltype(::ibv_modify_srq)>("ibv_modify_srq")(srq_, &attributes, IBV_SRQ_LIMIT),
              0);
  }
  uint32_t Limit() {
    ibv_srq_attr attributes{};
    EXPECT_EQ(Of<decltype(::ibv_query_srq)>("ibv_query_srq")(srq_, &attributes), 0);
    return attributes.srq_limit;
  }
  void Send(int count) {
    ibv_sge piece = Piece();
    ibv_send_wr work{};
    work.sg_list = &piece;
    work.num_sge = 1;
    work.opcode = IBV_WR_SEND;
    ibv_send_wr* bad = nullptr;
    for (int i = 0; i < count; ++i) ASSERT_EQ(ibv_post_send(from_, &work, &bad), 0);
  }
  // Waits for the limit event of the queue.
  void HearOfTheLimit() {
    ibv_async_event event{};
    ASSERT_EQ(Of<decltype(::ibv_get_async_event)>("ibv_get_async_event")(context_, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
    EXPECT_EQ(event.element.srq, srq_);
    Of<decltype(::ibv_ack_async_event)>("ibv_ack_async_event")(&event);
  }
  int Received() {
    std::array<ibv_wc, 63> completions{};
    const int count = ibv_poll_cq(cq_, completions.size(), completions.data());
    for (int i = 0; i < count; ++i) EXPECT_EQ(completions[i].status, IBV_WC_SUCCESS);
    return count;
  }

  MachineBackend backend_;
  void* object_ = nullptr;
  std::array<uint8_t, 16> memory_{};
  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  ibv_mr* region_ = nullptr;
  ibv_cq* cq_ = nullptr;
  ibv_srq* srq_ = nullptr;
  ibv_qp* from_ = nullptr;
  ibv_qp* to_ = nullptr;
};

TEST_F(SharedQueue, IsFilledAgainWheneverItRunsLow) {
  EXPECT_EQ(Fill(), kRoom);
  for (int round = 0; round < 3; ++round) {
    Arm();
    Send(5);
    HearOfTheLimit();
    EXPECT_EQ(Limit(), 0U);
    backend_.Settle();
    EXPECT_EQ(Fill(), 5);
  }
  EXPECT_EQ(Received(), 15);
}

TEST_F(SharedQueue, SaysNothingMoreUntilItIsArmedAgain) {
  EXPECT_EQ(Fill(), kRoom);
  Arm();
  Send(5);
  HearOfTheLimit();
  Send(2);
  ibv_async_event event{};
  EXPECT_EQ(Of<decltype(::ibv_get_async_event)>("ibv_get_async_event")(context_, &event), -1);
  EXPECT_EQ(Received(), kRoom);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
