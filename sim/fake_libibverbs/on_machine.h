// A test program on a simulated machine: it calls the functions of the object for the suite.
#ifndef SIM_FAKE_LIBIBVERBS_ON_MACHINE_H_
#define SIM_FAKE_LIBIBVERBS_ON_MACHINE_H_

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "model/base/check.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/fake_libibverbs/backend.h"
#include "sim/uapi/machine.h"
#include "sim/world/world.h"

// The header defines macros of these names.
#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

namespace cm::sim::fake_libibverbs {

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
  explicit MachineBackend(const char* profile)
      : world_(FindTopology("two-kernels"), FindProfile(profile)) {}
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
  World world_;
  uapi::Machine machine_{&world_, &memory_};
  uapi::Asker asker_{.process = machine_.AddProcess(kActiveSide)};
};

// With a device, a protection domain, a region of all of its memory, and a completion queue.
class OnMachine : public testing::Test {
 protected:
  static constexpr int kAllAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                                    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
                                    IBV_ACCESS_MW_BIND;
  static constexpr uint8_t kDepth = 1;  // reads and atomic operations that are outstanding

  explicit OnMachine(const char* profile = "6.1-rxe") : backend_(profile) {}

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
    region_ = Register(kAllAccess);
    cq_ = CreateCq();
    ASSERT_TRUE(region_ != nullptr && cq_ != nullptr);
  }
  // Objects that a test has made must be gone.
  void TearDown() override {
    DestroyCq(cq_);
    Deregister(region_);
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
  ibv_mr* Register(int access) {
    return Of<decltype(::ibv_reg_mr)>("ibv_reg_mr")(pd_, memory_.data(), memory_.size(), access);
  }
  void Deregister(ibv_mr* region) { EXPECT_EQ(Of<int(ibv_mr*)>("ibv_dereg_mr")(region), 0); }
  ibv_cq* CreateCq() {
    return Of<decltype(::ibv_create_cq)>("ibv_create_cq")(context_, 63, nullptr, nullptr, 0);
  }
  void DestroyCq(ibv_cq* cq) { EXPECT_EQ(Of<int(ibv_cq*)>("ibv_destroy_cq")(cq), 0); }
  void DestroyQp(ibv_qp* qp) { EXPECT_EQ(Of<int(ibv_qp*)>("ibv_destroy_qp")(qp), 0); }
  ibv_qp* CreateQp(ibv_srq* srq = nullptr, ibv_qp_type type = IBV_QPT_RC) {
    ibv_qp_init_attr initial{};
    initial.send_cq = initial.recv_cq = cq_;
    initial.srq = srq;
    initial.cap = {.max_send_wr = 31, .max_recv_wr = 31, .max_send_sge = 2, .max_recv_sge = 2};
    initial.qp_type = type;
    return Of<decltype(::ibv_create_qp)>("ibv_create_qp")(pd_, &initial);
  }
  int Modify(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
    return Of<decltype(::ibv_modify_qp)>("ibv_modify_qp")(qp, attributes, mask);
  }
  // To RTS, over a reliable connection.
  void Connect(ibv_qp* own, ibv_qp* peer) {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_INIT;
    attributes.port_num = 1;
    attributes.qp_access_flags = kAllAccess;
    ASSERT_EQ(Modify(own, &attributes,
                     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
              0);
    attributes.qp_state = IBV_QPS_RTR;
    attributes.path_mtu = IBV_MTU_1024;
    attributes.dest_qp_num = peer->qp_num;
    attributes.ah_attr.port_num = 1;
    attributes.max_dest_rd_atomic = attributes.max_rd_atomic = kDepth;
    constexpr int kToRtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    EXPECT_EQ(Modify(own, &attributes, kToRtr), EINVAL) << "RoCE needs a GRH";
    EXPECT_EQ(Of<decltype(::ibv_create_ah)>("ibv_create_ah")(pd_, &attributes.ah_attr), nullptr);
    attributes.ah_attr.is_global = 1;
    ASSERT_EQ(Of<decltype(::ibv_query_gid)>("ibv_query_gid")(context_, 1, 0,
                                                             &attributes.ah_attr.grh.dgid),
              0);
    ASSERT_EQ(Modify(own, &attributes, kToRtr), 0);
    attributes.qp_state = IBV_QPS_RTS;
    ASSERT_EQ(Modify(own, &attributes,
                     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                         IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
              0);
  }
  ibv_sge Piece(size_t offset = 0, size_t length = kMemory) {
    return {.addr = std::bit_cast<uint64_t>(memory_.data()) + offset,
            .length = static_cast<uint32_t>(length),
            .lkey = region_->lkey};
  }
  void Receive(ibv_qp* qp, uint64_t wr_id, ibv_sge piece) {
    ibv_recv_wr work{.wr_id = wr_id, .sg_list = &piece, .num_sge = 1};
    ibv_recv_wr* bad = nullptr;
    ASSERT_EQ(ibv_post_recv(qp, &work, &bad), 0);
  }
  // Of all that can happen.
  std::vector<ibv_wc> Completions() {
    backend_.Settle();
    std::vector<ibv_wc> completions(63);
    const int count = ibv_poll_cq(cq_, 63, completions.data());
    completions.resize(count < 0 ? 0 : static_cast<size_t>(count));
    return completions;
  }

  static constexpr size_t kMemory = 64;
  MachineBackend backend_;
  void* object_ = nullptr;
  alignas(8) std::array<uint8_t, kMemory> memory_{};
  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  ibv_mr* region_ = nullptr;
  ibv_cq* cq_ = nullptr;
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_ON_MACHINE_H_
