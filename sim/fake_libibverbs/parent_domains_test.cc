// Thread domains, and parent domains in place of protection domains.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

class ParentDomains : public OnMachine {
 protected:
  ibv_td* AllocTd() {
    ibv_td_init_attr initial{};
    return ibv_alloc_td(context_, &initial);
  }
  ibv_pd* AllocParent(ibv_td* td = nullptr) {
    ibv_parent_domain_init_attr initial{.pd = pd_, .td = td};
    return ibv_alloc_parent_domain(context_, &initial);
  }
  int WhyNoParent(ibv_parent_domain_init_attr initial) {
    errno = 0;
    ibv_pd* const parent = ibv_alloc_parent_domain(context_, &initial);
    if (parent == nullptr) return errno;
    EXPECT_EQ(Dealloc(parent), 0);
    return 0;
  }
  int Dealloc(ibv_pd* pd) { return Of<int(ibv_pd*)>("ibv_dealloc_pd")(pd); }
};

// source: rdma-core 44 mlx5 verbs.c mlx5_alloc_td, mlx5_dealloc_td
TEST_F(ParentDomains, KeepTheirThreadDomain) {
  ibv_td_init_attr unknown{.comp_mask = 1};
  errno = 0;
  EXPECT_EQ(ibv_alloc_td(context_, &unknown), nullptr);
  EXPECT_EQ(errno, EINVAL);
  ibv_td* const td = AllocTd();
  ASSERT_NE(td, nullptr);
  EXPECT_EQ(td->context, context_);
  ibv_pd* const first = AllocParent(td);
  ibv_pd* const second = AllocParent(td);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(ibv_dealloc_td(td), EBUSY);
  EXPECT_EQ(Dealloc(first), 0);
  EXPECT_EQ(ibv_dealloc_td(td), EBUSY);
  EXPECT_EQ(Dealloc(second), 0);
  EXPECT_EQ(ibv_dealloc_td(td), 0);
}

// source: rdma-core 44 mlx5 verbs.c mlx5_alloc_parent_domain, driver.h
// ibv_check_alloc_parent_domain
TEST_F(ParentDomains, AreRefusedWithoutADomainAndWithWhatIsUnknown) {
  EXPECT_EQ(WhyNoParent({}), EINVAL);
  EXPECT_EQ(WhyNoParent({.pd = pd_, .comp_mask = 4}), EINVAL);
  EXPECT_EQ(WhyNoParent({.pd = pd_,
                         .comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
                                      IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT}),
            0);
}

TEST_F(ParentDomains, KeepTheirDomainAndAreKeptByWhatIsInThem) {
  ibv_pd* const below = Of<decltype(::ibv_alloc_pd)>("ibv_alloc_pd")(context_);
  ibv_parent_domain_init_attr initial{.pd = below};
  ibv_pd* const parent = ibv_alloc_parent_domain(context_, &initial);
  ASSERT_NE(parent, nullptr);
  EXPECT_EQ(parent->handle, below->handle);
  EXPECT_EQ(Dealloc(below), EBUSY);
  ibv_mr* const region = Of<decltype(::ibv_reg_mr)>("ibv_reg_mr")(
      parent, memory_.data(), memory_.size(), IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(region, nullptr);
  EXPECT_EQ(region->pd, parent);
  EXPECT_EQ(Dealloc(parent), EBUSY);
  Deregister(region);
  EXPECT_EQ(Dealloc(parent), 0);
  EXPECT_EQ(Dealloc(below), 0);
}

TEST_F(ParentDomains, OverOthersAreOverTheSameDomain) {
  ibv_pd* const first = AllocParent();
  ibv_parent_domain_init_attr initial{.pd = first};
  ibv_pd* const second = ibv_alloc_parent_domain(context_, &initial);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->handle, pd_->handle);
  EXPECT_EQ(Dealloc(first), EBUSY);
  EXPECT_EQ(Dealloc(second), 0);
  EXPECT_EQ(Dealloc(first), 0);
}

TEST_F(ParentDomains, AreTheDomainOfTheirCompletionQueues) {
  ibv_cq_init_attr_ex initial{};
  initial.cqe = 1;
  initial.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
  initial.parent_domain = pd_;
  errno = 0;
  EXPECT_EQ(ibv_create_cq_ex(context_, &initial), nullptr);
  EXPECT_EQ(errno, EINVAL) << "it is no parent domain";
  ibv_pd* const parent = AllocParent();
  initial.parent_domain = parent;
  ibv_cq_ex* const queue = ibv_create_cq_ex(context_, &initial);
  ASSERT_NE(queue, nullptr);
  EXPECT_EQ(Dealloc(parent), EBUSY);
  DestroyCq(ibv_cq_ex_to_cq(queue));
  EXPECT_EQ(Dealloc(parent), 0);
}

// Queue pairs in it use regions of the domain below, and the other way round.
TEST_F(ParentDomains, AreTheSameProtectionAsTheirDomain) {
  ibv_td* const td = AllocTd();
  ibv_pd* const parent = AllocParent(td);
  ibv_pd* const plain = std::exchange(pd_, parent);
  ibv_qp* const from = CreateQp();
  ASSERT_NE(from, nullptr);
  EXPECT_EQ(from->pd, parent);
  ibv_mr* const region = Register(IBV_ACCESS_LOCAL_WRITE);
  pd_ = plain;
  ibv_qp* const to = CreateQp();
  Connect(from, to);
  Connect(to, from);
  ibv_sge received = Piece(32, 4);
  received.lkey = region->lkey;
  Receive(to, 1, received);
  memory_[0] = 'a';
  ibv_sge piece = Piece(0, 4);
  ibv_send_wr work{.wr_id = 2, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND};
  work.send_flags = IBV_SEND_SIGNALED;
  ibv_send_wr* bad = nullptr;
  ASSERT_EQ(ibv_post_send(from, &work, &bad), 0);
  for (const ibv_wc& completion : Completions()) EXPECT_EQ(completion.status, IBV_WC_SUCCESS);
  EXPECT_EQ(memory_[32], 'a');
  EXPECT_EQ(Dealloc(parent), EBUSY);
  DestroyQp(from);
  DestroyQp(to);
  Deregister(region);
  EXPECT_EQ(Dealloc(parent), 0);
  EXPECT_EQ(ibv_dealloc_td(td), 0);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
