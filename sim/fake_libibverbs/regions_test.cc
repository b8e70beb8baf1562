// Regions that are registered again.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr int kRemote = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

class Reregistered : public OnMachine {
 protected:
  explicit Reregistered(const char* profile = "6.1-rxe") : OnMachine(profile) {}

  struct Refusal {
    int code = 0;
    int error = 0;
    friend bool operator==(const Refusal&, const Refusal&) = default;
  };

  int Rereg(int flags, ibv_pd* pd, void* address, size_t length, int access) {
    return Of<decltype(::ibv_rereg_mr)>("ibv_rereg_mr")(mr_, flags, pd, address, length, access);
  }
  Refusal WhyNot(int flags, ibv_pd* pd, void* address, size_t length, int access) {
    errno = 0;
    const int code = Rereg(flags, pd, address, length, access);
    return {.code = code, .error = errno};
  }
  void SetUp() override {
    OnMachine::SetUp();
    mr_ = Register(kRemote);
    ASSERT_NE(mr_, nullptr);
  }
  void TearDown() override {
    Deregister(mr_);
    OnMachine::TearDown();
  }

  ibv_mr* mr_ = nullptr;
};

class ReregisteredInUse : public Reregistered {
 protected:
  void SetUp() override {
    Reregistered::SetUp();
    from_ = CreateQp();
    to_ = CreateQp();
    Connect(from_, to_);
    Connect(to_, from_);
    memory_[0] = 'a';
  }
  void TearDown() override {
    DestroyQp(from_);
    DestroyQp(to_);
    Reregistered::TearDown();
  }
  // The status of a write from the first bytes of the memory.
  ibv_wc_status WriteTo(uint64_t address, uint32_t key) {
    ibv_sge piece = Piece(0, 4);
    ibv_send_wr work{.wr_id = 2, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE};
    work.send_flags = IBV_SEND_SIGNALED;
    work.wr.rdma = {.remote_addr = address, .rkey = key};
    ibv_send_wr* bad = nullptr;
    EXPECT_EQ(ibv_post_send(from_, &work, &bad), 0);
    const std::vector<ibv_wc> done = Completions();
    EXPECT_EQ(done.size(), 1U);
    return done.empty() ? IBV_WC_GENERAL_ERR : done[0].status;
  }
  uint64_t Address(size_t offset) { return Piece(offset, 1).addr; }

  ibv_qp* from_ = nullptr;
  ibv_qp* to_ = nullptr;
};

// With the version that <infiniband/verbs.h> asks for where the access is constant.
TEST_F(Reregistered, AreFirstRegisteredWithTheirOwnAddressAlone) {
  using RegisterAt = ibv_mr*(ibv_pd*, void*, size_t, uint64_t, int);
  auto* const reg =
      reinterpret_cast<RegisterAt*>(dlvsym(object_, "ibv_reg_mr_iova", "IBVERBS_1.7"));
  ASSERT_NE(reg, nullptr);
  const auto own = std::bit_cast<uint64_t>(memory_.data());
  ibv_mr* const region = reg(pd_, memory_.data(), memory_.size(), own, kRemote);
  ASSERT_NE(region, nullptr);
  Deregister(region);
  errno = 0;
  EXPECT_EQ(reg(pd_, memory_.data(), memory_.size(), own + 1, kRemote), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
}

// source: man ibv_rereg_mr(3); rdma-core 44 verbs.c ibv_rereg_mr
TEST_F(Reregistered, AreRefusedByTheLibrary) {
  const Refusal input{.code = IBV_REREG_MR_ERR_INPUT, .error = EINVAL};
  EXPECT_EQ(WhyNot(IBV_REREG_MR_FLAGS_SUPPORTED + 1, nullptr, nullptr, 0, 0), input);
  EXPECT_EQ(WhyNot(IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, nullptr, 4, 0), input);
  EXPECT_EQ(WhyNot(IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory_.data(), 0, 0), input);
  EXPECT_EQ(WhyNot(IBV_REREG_MR_CHANGE_PD, pd_, nullptr, 0, IBV_ACCESS_LOCAL_WRITE), input);
}

// source: linux 6.1 uverbs_cmd.c ib_uverbs_rereg_mr
TEST_F(Reregistered, AreRefusedByTheKernelAndStayAsTheyWere) {
  const Refusal command{.code = IBV_REREG_MR_ERR_CMD, .error = EINVAL};
  const ibv_mr before = *mr_;
  EXPECT_EQ(WhyNot(0, nullptr, nullptr, 0, 0), command);
  EXPECT_EQ(WhyNot(IBV_REREG_MR_CHANGE_PD, nullptr, nullptr, 0, 0), command);
  EXPECT_EQ(WhyNot(IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, IBV_ACCESS_REMOTE_WRITE),
            command)
      << "a remote write needs a local one";
  const Refusal unmapped{.code = IBV_REREG_MR_ERR_CMD, .error = EFAULT};
  auto* const nowhere = std::bit_cast<void*>(uint64_t{4096});
  EXPECT_EQ(WhyNot(IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, nowhere, 4096, 0), unmapped);
  EXPECT_EQ(mr_->addr, before.addr);
  EXPECT_EQ(mr_->lkey, before.lkey);
}

TEST_F(Reregistered, CountInTheirNewDomain) {
  ibv_pd* const other = Of<decltype(::ibv_alloc_pd)>("ibv_alloc_pd")(context_);
  ASSERT_EQ(Rereg(IBV_REREG_MR_CHANGE_PD, other, nullptr, 0, 0), 0);
  EXPECT_EQ(mr_->pd, other);
  EXPECT_EQ(Of<int(ibv_pd*)>("ibv_dealloc_pd")(other), EBUSY);
  ASSERT_EQ(Rereg(IBV_REREG_MR_CHANGE_PD, pd_, nullptr, 0, 0), 0);
  EXPECT_EQ(Of<int(ibv_pd*)>("ibv_dealloc_pd")(other), 0);
}

TEST_F(ReregisteredInUse, HaveTheirNewAccess) {
  const uint32_t key = mr_->rkey;
  EXPECT_EQ(WriteTo(Address(32), key), IBV_WC_SUCCESS);
  EXPECT_EQ(memory_[32], 'a');
  ASSERT_EQ(Rereg(IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, IBV_ACCESS_LOCAL_WRITE), 0);
  EXPECT_EQ(mr_->rkey, key);
  EXPECT_EQ(WriteTo(Address(36), key), IBV_WC_REM_ACCESS_ERR);
  EXPECT_EQ(memory_[36], 0);
}

TEST_F(ReregisteredInUse, AreUsedByQueuePairsOfTheirNewDomainOnly) {
  ibv_pd* const other = Of<decltype(::ibv_alloc_pd)>("ibv_alloc_pd")(context_);
  ASSERT_EQ(Rereg(IBV_REREG_MR_CHANGE_PD, other, nullptr, 0, 0), 0);
  EXPECT_EQ(WriteTo(Address(32), mr_->rkey), IBV_WC_REM_ACCESS_ERR);
  ASSERT_EQ(Rereg(IBV_REREG_MR_CHANGE_PD, pd_, nullptr, 0, 0), 0);
  EXPECT_EQ(Of<int(ibv_pd*)>("ibv_dealloc_pd")(other), 0);
}

TEST_F(ReregisteredInUse, AreInOtherMemoryWithOtherKeys) {
  std::array<uint8_t, 16> other{};
  const uint32_t key = mr_->rkey;
  ASSERT_EQ(Rereg(IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, other.data(), other.size(), 0), 0);
  EXPECT_EQ(mr_->addr, other.data());
  EXPECT_EQ(mr_->length, other.size());
  EXPECT_NE(mr_->rkey, key);
  EXPECT_EQ(WriteTo(std::bit_cast<uint64_t>(other.data()), mr_->rkey), IBV_WC_SUCCESS);
  EXPECT_EQ(other[0], 'a');
  EXPECT_EQ(WriteTo(Address(32), key), IBV_WC_REM_ACCESS_ERR) << "it is no key any more";
}

// Of a receive that was posted before.
TEST_F(ReregisteredInUse, LeaveOldRequestsWithoutMemory) {
  ibv_sge received = Piece(32, 4);
  received.lkey = mr_->lkey;
  Receive(to_, 1, received);
  std::array<uint8_t, 64> other{};
  ASSERT_EQ(Rereg(IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, other.data(), other.size(), 0), 0);
  ibv_sge piece = Piece(0, 4);
  ibv_send_wr work{.wr_id = 2, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND};
  work.send_flags = IBV_SEND_SIGNALED;
  ibv_send_wr* bad = nullptr;
  ASSERT_EQ(ibv_post_send(from_, &work, &bad), 0);
  const std::vector<ibv_wc> done = Completions();
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].status, IBV_WC_LOC_QP_OP_ERR);
  EXPECT_EQ(done[1].status, IBV_WC_REM_OP_ERR);
}

class ReregisteredByOldProvider : public Reregistered {
 protected:
  ReregisteredByOldProvider() : Reregistered("5.10-rxe") {}
};

// source: rdma-core 44 dummy_ops.c rereg_mr, verbs.c ibv_rereg_mr
TEST_F(ReregisteredByOldProvider, AreRefused) {
  const Refusal refusal{.code = IBV_REREG_MR_ERR_CMD, .error = EOPNOTSUPP};
  EXPECT_EQ(WhyNot(IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, 0), refusal);
  ibv_td_init_attr threads{};
  errno = 0;
  EXPECT_EQ(ibv_alloc_td(context_, &threads), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
