// Protection domains: what the machine learns about them, and how long they exist.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "sim/fake_libibverbs/calls.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr const char* kConstant =
    "memory that must not be written, by any request; it is rather long, too";

class Domains : public Calls {
 protected:
  void SetUp() override {
    Calls::SetUp();
    context_ = OpenDevice();
    pd_ = AllocPd(context_);
    ASSERT_NE(pd_, nullptr);
  }
  ibv_mr* Register(ibv_pd* pd) {
    return Of<decltype(::ibv_reg_mr)>("ibv_reg_mr")(pd, memory_.data(), memory_.size(),
                                                    IBV_ACCESS_LOCAL_WRITE);
  }
  template <typename Record>
  uint32_t LastDomain() {
    Record record;
    const auto& bytes = backend_.requests.back().bytes;
    EXPECT_EQ(bytes.size(), sizeof record);
    std::memcpy(&record, bytes.data(), sizeof record);
    return record.domain;
  }
  uint32_t DomainOfRegion(ibv_pd* pd) {
    ibv_mr* const region = Register(pd);
    EXPECT_NE(region, nullptr);
    const uint32_t domain = LastDomain<uapi::RegionRecord>();
    EXPECT_EQ(Of<int(ibv_mr*)>("ibv_dereg_mr")(region), 0);
    return domain;
  }

  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  std::array<uint8_t, 64> memory_{};
};

TEST_F(Domains, AreToldWithWhatIsInThem) {
  const uint32_t own = DomainOfRegion(pd_);
  EXPECT_EQ(DomainOfRegion(pd_), own);
  EXPECT_NE(DomainOfRegion(AllocPd(context_)), own);
  ibv_qp_init_attr initial{};
  initial.qp_type = IBV_QPT_RC;
  ASSERT_NE(CreateQp(pd_, &initial), nullptr);
  EXPECT_EQ(LastDomain<uapi::QpRecord>(), own);
}

// source: linux 6.1 uverbs_std_types.c uverbs_free_pd
class DomainsInUse : public Domains {
 protected:
  int Dealloc() const { return Of<int(ibv_pd*)>("ibv_dealloc_pd")(own_); }
  void ExpectBusy() const {
    errno = 0;
    EXPECT_EQ(Dealloc(), EBUSY);
    EXPECT_EQ(errno, EBUSY);
    EXPECT_EQ(Dealloc(), EBUSY) << "it stays";
  }
  void SetUp() override {
    Domains::SetUp();
    own_ = Of<decltype(::ibv_alloc_pd)>("ibv_alloc_pd")(context_);
    ASSERT_NE(own_, nullptr);
  }
  void TearDown() override {
    EXPECT_EQ(Dealloc(), 0) << "nothing is left there";
    Domains::TearDown();
  }

  ibv_pd* own_ = nullptr;
};

TEST_F(DomainsInUse, HaveARegion) {
  ibv_mr* const region = Register(own_);
  ASSERT_NE(region, nullptr);
  ExpectBusy();
  // A refused object stays in its domain.
  backend_.instead = [](const uapi::Request& /*request*/, uapi::Answer* answer) {
    answer->value = -EINVAL;
    return true;
  };
  EXPECT_EQ(Of<int(ibv_mr*)>("ibv_dereg_mr")(region), EINVAL);
  EXPECT_EQ(Register(own_), nullptr);
  ExpectBusy();
  backend_.instead = nullptr;
  EXPECT_EQ(Of<int(ibv_mr*)>("ibv_dereg_mr")(region), 0);
}

TEST_F(DomainsInUse, HaveAQueuePair) {
  ibv_qp_init_attr initial{};
  initial.qp_type = IBV_QPT_RC;
  ibv_qp* const qp = Of<decltype(::ibv_create_qp)>("ibv_create_qp")(own_, &initial);
  ASSERT_NE(qp, nullptr);
  ExpectBusy();
  EXPECT_EQ(Of<int(ibv_qp*)>("ibv_destroy_qp")(qp), 0);
}

TEST_F(DomainsInUse, HaveASharedQueue) {
  ibv_srq_init_attr initial{.srq_context = nullptr, .attr = {.max_wr = 1, .max_sge = 1}};
  ibv_srq* const queue = Of<decltype(::ibv_create_srq)>("ibv_create_srq")(own_, &initial);
  ASSERT_NE(queue, nullptr);
  ExpectBusy();
  EXPECT_EQ(Of<int(ibv_srq*)>("ibv_destroy_srq")(queue), 0);
}

TEST_F(DomainsInUse, HaveAnAddressHandle) {
  ibv_ah_attr to{};
  to.port_num = 1;
  to.is_global = 1;
  ibv_ah* const handle = Of<decltype(::ibv_create_ah)>("ibv_create_ah")(own_, &to);
  ASSERT_NE(handle, nullptr);
  ExpectBusy();
  EXPECT_EQ(Of<int(ibv_ah*)>("ibv_destroy_ah")(handle), 0);
}

// The capacity of a queue pair is reported when it is created.
TEST_F(Domains, RefusedQueuePairsSayNothingOfTheirRoom) {
  backend_.instead = [](const uapi::Request& request, uapi::Answer* answer) {
    answer->value = -EINVAL;
    return request.op == uapi::Op::kCreateQp;
  };
  ibv_qp_init_attr initial{};
  initial.qp_type = IBV_QPT_RC;
  initial.cap.max_send_sge = 2;
  EXPECT_EQ(CreateQp(pd_, &initial), nullptr);
  EXPECT_EQ(initial.cap.max_inline_data, 0U);
  backend_.instead = nullptr;
  EXPECT_NE(CreateQp(pd_, &initial), nullptr);
  EXPECT_EQ(initial.cap.max_inline_data, 2 * sizeof(ibv_sge));
}

// The machine is informed, because it may have more to return.
TEST_F(Domains, RegionsAreOfMemoryThatIsThere) {
  const auto faults = [this](void* address, int access) {
    ibv_mr* const region =
        Of<decltype(::ibv_reg_mr)>("ibv_reg_mr")(pd_, address, memory_.size(), access);
    const auto told = RecordAt<uapi::RegionRecord>(backend_.requests.back().bytes, 0);
    EXPECT_EQ(Of<int(ibv_mr*)>("ibv_dereg_mr")(region), 0);
    return told.faults;
  };
  EXPECT_EQ(faults(memory_.data(), IBV_ACCESS_LOCAL_WRITE), 0U);
  EXPECT_EQ(faults(nullptr, 0), 1U);
  void* const constant = const_cast<char*>(kConstant);
  EXPECT_EQ(faults(constant, IBV_ACCESS_REMOTE_READ), 0U);
  EXPECT_EQ(faults(constant, IBV_ACCESS_LOCAL_WRITE), 1U);
  EXPECT_STREQ(kConstant,
               "memory that must not be written, by any request; it is rather long, too");
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
