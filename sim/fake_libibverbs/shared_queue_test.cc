// A program with a shared receive queue that it refills after each limit event, on a simulated
// machine.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <cstdint>

#include "sim/fake_libibverbs/on_machine.h"

namespace cm::sim::fake_libibverbs {
namespace {

class SharedQueue : public OnMachine {
 protected:
  static constexpr uint32_t kLimit = 3;
  static constexpr int kRoom = 7;

  void SetUp() override {
    OnMachine::SetUp();
    ibv_srq_init_attr shared{.srq_context = nullptr, .attr = {.max_wr = kRoom, .max_sge = 1}};
    srq_ = Of<decltype(::ibv_create_srq)>("ibv_create_srq")(pd_, &shared);
    ASSERT_NE(srq_, nullptr);
    from_ = CreateQp();
    to_ = CreateQp(srq_);
    ASSERT_TRUE(from_ != nullptr && to_ != nullptr);
    Connect(from_, to_);
    Connect(to_, from_);
  }
  void TearDown() override {
    DestroyQp(from_);
    DestroyQp(to_);
    EXPECT_EQ(Of<int(ibv_srq*)>("ibv_destroy_srq")(srq_), 0) << "all of it is acknowledged";
    OnMachine::TearDown();
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
