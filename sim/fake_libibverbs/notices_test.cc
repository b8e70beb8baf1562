// Asynchronous events as programs get and acknowledge them.
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/fake_libibverbs/calls.h"
#include "sim/fake_libibverbs/fake_backend.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Answer;
using uapi::Op;
using uapi::Request;
using uapi::SrqRecord;
using uapi::ToldRecord;

constexpr uint32_t kEvents = 5;  // events of the device's context
constexpr uint8_t kPort = 2;     // the port of port events

class Notices : public Calls {
 protected:
  void SetUp() override {
    Calls::SetUp();
    backend_.instead = [this](const Request& request, Answer* answer) {
      return Instead(request, answer);
    };
    context_ = OpenDevice();
    ASSERT_NE(context_, nullptr);
    pd_ = AllocPd(context_);
  }

  // An object is reported by the name that it was created with; for each destroyed object one event
  // had been taken.
  bool Instead(const Request& request, Answer* answer) {
    const Op op = request.op;
    if (op == Op::kCreateCq) told_ = RecordAt<ToldRecord>(request.bytes, 0);
    if (op == Op::kCreateSrq) told_ = RecordAt<SrqRecord>(request.bytes, 0).told;
    if (op == Op::kCreateQp) told_ = RecordAt<uapi::QpRecord>(request.bytes, 0).told;
    if (op == Op::kOpenEvents) {
      answer->value = kEvents;
      return true;
    }
    if (op == Op::kTakeEventOfDevice) {
      answer->value = next_;
      answer->bytes = BytesOf(NameOf(next_));
      return true;
    }
    if (op != Op::kDestroyCq && op != Op::kDestroySrq && op != Op::kDestroyQp) return false;
    answer->bytes = BytesOf(uint32_t{1});
    return true;
  }
  uint64_t NameOf(int64_t type) const {
    if (type == IBV_EVENT_DEVICE_FATAL) return 0;
    return type == IBV_EVENT_PORT_ERR || type == IBV_EVENT_PORT_ACTIVE ? kPort : told_.name;
  }
  ibv_async_event Get(ibv_event_type type) {
    next_ = type;
    ibv_async_event event{};
    EXPECT_EQ(Of<decltype(::ibv_get_async_event)>("ibv_get_async_event")(context_, &event), 0);
    EXPECT_EQ(event.event_type, type);
    return event;
  }
  void Acknowledge(ibv_async_event event) {
    Of<decltype(::ibv_ack_async_event)>("ibv_ack_async_event")(&event);
  }
  // Number of yields in the destroy when the event is acknowledged at the third.
  template <typename Object>
  int YieldsOf(const char* destroy, Object* object, ibv_async_event event) {
    const int before = backend_.yields;
    backend_.at_yield = [this, before, event] {
      if (backend_.yields == before + 3) Acknowledge(event);
    };
    EXPECT_EQ(Of<int(Object*)>(destroy)(object), 0);
    return backend_.yields - before;
  }
  ibv_srq* CreateSrq(const ibv_srq_attr& attributes) {
    ibv_srq_init_attr initial{.srq_context = nullptr, .attr = attributes};
    return Of<decltype(::ibv_create_srq)>("ibv_create_srq")(pd_, &initial);
  }

  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  ToldRecord told_;  // for the latest object
  int64_t next_ = 0;
};

TEST_F(Notices, OfADeviceArePortOnesOrNot) {
  EXPECT_EQ(Get(IBV_EVENT_PORT_ERR).element.port_num, kPort);
  EXPECT_EQ(Get(IBV_EVENT_DEVICE_FATAL).element.port_num, 0);
  Acknowledge(Get(IBV_EVENT_PORT_ACTIVE));
}

TEST_F(Notices, OfACompletionQueueAreAcknowledgedBeforeItGoes) {
  ibv_cq* cq = Of<decltype(::ibv_create_cq)>("ibv_create_cq")(context_, 1, nullptr, nullptr, 0);
  EXPECT_EQ(told_.events, kEvents);
  const ibv_async_event event = Get(IBV_EVENT_CQ_ERR);
  EXPECT_EQ(event.element.cq, cq);
  EXPECT_EQ(YieldsOf("ibv_destroy_cq", cq, event), 3);
}

TEST_F(Notices, OfASharedQueueAreAcknowledgedBeforeItGoes) {
  ibv_srq* srq = CreateSrq({.max_wr = 4, .max_sge = 1, .srq_limit = 2});
  EXPECT_EQ(told_.events, kEvents);
  const ibv_async_event event = Get(IBV_EVENT_SRQ_LIMIT_REACHED);
  EXPECT_EQ(event.element.srq, srq);
  EXPECT_EQ(YieldsOf("ibv_destroy_srq", srq, event), 3);
}

TEST_F(Notices, OfAQueuePairAreAcknowledgedBeforeItGoes) {
  ibv_qp_init_attr initial{};
  initial.qp_type = IBV_QPT_RC;
  ibv_qp* qp = Of<decltype(::ibv_create_qp)>("ibv_create_qp")(pd_, &initial);
  EXPECT_EQ(told_.events, kEvents);
  const ibv_async_event event = Get(IBV_EVENT_QP_LAST_WQE_REACHED);
  EXPECT_EQ(event.element.qp, qp);
  EXPECT_EQ(YieldsOf("ibv_destroy_qp", qp, event), 3);
}

// In a new world no event of an old world's context exists.
TEST_F(Notices, OfAnotherWorldAreNone) {
  Of<void()>("cmsim_reset")();
  ibv_cq* cq = Of<decltype(::ibv_create_cq)>("ibv_create_cq")(context_, 1, nullptr, nullptr, 0);
  ASSERT_NE(cq, nullptr);
  EXPECT_EQ(told_.events, 0U);
  Of<void()>("cmsim_reset")();
  EXPECT_EQ(Of<decltype(::ibv_destroy_cq)>("ibv_destroy_cq")(cq), 0) << "and waits for nothing";
}

TEST_F(Notices, OfADeviceForWhichThereIsNoDescriptorEnd) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  errno = 0;
  EXPECT_EQ(OpenDevice(), nullptr);
  EXPECT_EQ(errno, EMFILE);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(backend_.requests.back().op, Op::kCloseEvents);
  EXPECT_EQ(backend_.requests.back().on, kEvents);
}

TEST_F(Notices, AttributesOfASharedQueueAreTheMachines) {
  ibv_srq* srq = CreateSrq({.max_wr = 4, .max_sge = 1, .srq_limit = 2});
  auto carried = RecordAt<SrqRecord>(backend_.requests.back().bytes, 0);
  EXPECT_EQ(carried.room.work, 4U);
  EXPECT_EQ(carried.limit, 2U);
  backend_.instead = [](const Request& request, Answer* answer) {
    if (request.op == Op::kModifySrq) answer->value = -EINVAL;
    if (request.op == Op::kQuerySrq)
      answer->bytes = BytesOf(SrqRecord{.room = {.work = 7, .pieces = 1}, .limit = 3});
    return answer->value != 0 || !answer->bytes.empty();
  };
  ibv_srq_attr attributes{.max_wr = 9, .max_sge = 0, .srq_limit = 8};
  EXPECT_EQ(Of<decltype(::ibv_modify_srq)>("ibv_modify_srq")(srq, &attributes, IBV_SRQ_LIMIT),
            EINVAL);
  carried = RecordAt<SrqRecord>(backend_.requests.back().bytes, 0);
  EXPECT_EQ(carried.room.work, 9U);
  EXPECT_EQ(carried.limit, 8U);
  EXPECT_EQ(carried.mask, static_cast<uint32_t>(IBV_SRQ_LIMIT));
  EXPECT_EQ(Of<decltype(::ibv_query_srq)>("ibv_query_srq")(srq, &attributes), 0);
  EXPECT_EQ(attributes.max_wr, 7U);
  EXPECT_EQ(attributes.max_sge, 1U);
  EXPECT_EQ(attributes.srq_limit, 3U);
  EXPECT_EQ(Of<decltype(::ibv_destroy_srq)>("ibv_destroy_srq")(srq), 0);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
