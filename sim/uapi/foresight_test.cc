#include "sim/uapi/foresight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/program.h"

namespace cm::sim::uapi {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kPassive = "10.0.1.1";

class ForesightTest : public testing::Test {
 protected:
  // The program asks; what is expected then is in `expected_`.
  Answer Ask(const Request& request) {
    Answer answer = program_.Ask(request);
    while (answer.value == -EAGAIN && world_.NextAt()) {
      world_.Step();
      answer = program_.Ask(request);
    }
    expected_ = foresight_.After(program_.asker(), request, answer);
    return answer;
  }
  template <typename Body>
  Request Writes(uint32_t command, const Body& body, size_t room) const {
    return {.op = Op::kWrite,
            .on = file_,
            .more = command == RDMA_USER_CM_CMD_GET_EVENT ? 1U : 0U,
            .bytes = Program::Bytes(command, body, room)};
  }
  Request Query(uint32_t id, uint32_t option) const {
    return Writes(RDMA_USER_CM_CMD_QUERY, rdma_ucm_query{7, id, option},
                  sizeof(rdma_ucm_query_addr_resp));
  }
  Request Attributes(uint32_t id) const {
    return Writes(RDMA_USER_CM_CMD_INIT_QP_ATTR, rdma_ucm_init_qp_attr{7, id, IBV_QPS_INIT},
                  sizeof(ib_uverbs_qp_attr));
  }
  // An id whose address has been resolved, and its event fetched.
  uint32_t Resolved() {
    const uint32_t id = program_.CreateId(file_, 1);
    program_.ResolveAddr(file_, id, kPassive, 7471);
    Ask(Writes(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(),
               sizeof(rdma_ucm_event_resp)));
    return id;
  }
  uint32_t CreateQp(uint32_t type = IBV_QPT_RC) {
    const QpRecord record = {.type = type,
                             .send_queue = queue_,
                             .receive_queue = queue_,
                             .sends = {4, 1},
                             .receives = {4, 1}};
    const std::span<const uint8_t> bytes = BytesOf(record);
    return static_cast<uint32_t>(
        Ask({.op = Op::kCreateQp, .bytes = {bytes.begin(), bytes.end()}}).value);
  }
  // As librdmacm initializes a queue pair.
  void Initialize(uint32_t id, uint32_t qp) {
    const auto given = As<ib_uverbs_qp_attr>(Ask(Attributes(id)).bytes);
    const ModifyRecord record = {.mask = given.qp_attr_mask,
                                 .state = IBV_QPS_INIT,
                                 .access = given.qp_access_flags,
                                 .port = given.port_num};
    const std::span<const uint8_t> bytes = BytesOf(record);
    EXPECT_EQ(Ask({.op = Op::kModifyQp, .on = qp, .bytes = {bytes.begin(), bytes.end()}}).value, 0);
  }
  // What was expected is what is asked now, and what it would be answered.
  void Expect(size_t nth, const std::vector<Foreseen>& expected, const Request& request) {
    ASSERT_LT(nth, expected.size());
    EXPECT_EQ(expected[nth].request.op, request.op);
    EXPECT_EQ(expected[nth].request.on, request.on);
    EXPECT_EQ(expected[nth].request.bytes, request.bytes);
    const Answer answer = Ask(request);
    EXPECT_EQ(expected[nth].answer.value, answer.value);
    EXPECT_EQ(expected[nth].answer.bytes, answer.bytes);
  }

  NoMemory memory_;
  World world_{FindTopology("two-kernels"), FindProfile("6.1-rxe")};
  Machine machine_{&world_, &memory_};
  Program program_{&world_, &machine_, kActiveSide};
  Foresight foresight_{&machine_};
  uint32_t file_ = program_.Open();
  uint32_t queue_ = static_cast<uint32_t>(program_.Ask({.op = Op::kCreateCq, .more = 16}).value);
  std::vector<Foreseen> expected_;
};

TEST_F(ForesightTest, WhatWasAskedAfterAnEventIsExpectedAfterTheNextOfItsType) {
  const uint32_t first = Resolved();
  EXPECT_THAT(expected_, IsEmpty());
  Ask(Query(first, RDMA_USER_CM_QUERY_ADDR));
  Ask(Query(first, RDMA_USER_CM_QUERY_GID));
  const uint32_t second = Resolved();
  const std::vector<Foreseen> expected = expected_;
  ASSERT_THAT(expected, SizeIs(2));
  Expect(0, expected, Query(second, RDMA_USER_CM_QUERY_ADDR));
  Expect(1, expected, Query(second, RDMA_USER_CM_QUERY_GID));
}

TEST_F(ForesightTest, QueuePairIsExpectedToBeInitializedAsItWasBefore) {
  const uint32_t first = Resolved();
  Initialize(first, CreateQp());
  const uint32_t second = Resolved();
  const uint32_t qp = CreateQp();
  const std::vector<Foreseen> expected = expected_;
  ASSERT_THAT(expected, SizeIs(2));
  Expect(0, expected, Attributes(second));
  EXPECT_EQ(expected[1].request.on, qp);
  Expect(1, expected, expected[1].request);
  EXPECT_EQ(program_.Ask({.op = Op::kQueryQp, .on = qp}).value, IBV_QPS_INIT);
}

TEST_F(ForesightTest, ChangesNothing) {
  const uint32_t first = Resolved();
  Initialize(first, CreateQp());
  Resolved();
  const uint32_t qp = CreateQp();
  ASSERT_THAT(expected_, SizeIs(2));
  EXPECT_EQ(program_.Ask({.op = Op::kQueryQp, .on = qp}).value, IBV_QPS_RESET);
}

TEST_F(ForesightTest, EndsWhereAnAnswerIsNotCertain) {
  const uint32_t first = Resolved();
  Initialize(first, CreateQp());
  Resolved();
  CreateQp(IBV_QPT_UC);
  EXPECT_THAT(expected_, SizeIs(1)) << "the attributes of the id alone";
}

// As rdma_destroy_qp does with the queues that rdma_create_qp has made.
TEST_F(ForesightTest, QueuesAreExpectedToGoWithTheirQueuePair) {
  const auto create = [this] {
    return static_cast<uint32_t>(program_.Ask({.op = Op::kCreateCq, .more = 16}).value);
  };
  const auto create_pair = [&](uint32_t receives) {
    queue_ = receives;
    return CreateQp();
  };
  const uint32_t first_queue = create();
  const uint32_t first = create_pair(first_queue);
  const uint32_t second_queue = create();
  const uint32_t second = create_pair(second_queue);
  const uint32_t third = create_pair(second_queue);
  Ask({.op = Op::kDestroyQp, .on = first});
  EXPECT_THAT(expected_, IsEmpty());
  Ask({.op = Op::kDestroyCq, .on = first_queue});
  Ask({.op = Op::kDestroyQp, .on = second});
  EXPECT_THAT(expected_, IsEmpty()) << "the third queue pair uses it";
  Ask({.op = Op::kDestroyQp, .on = third});
  EXPECT_THAT(expected_, IsEmpty()) << "none was destroyed with the second";
  const uint32_t last_queue = create();
  const uint32_t last = create_pair(last_queue);
  Ask({.op = Op::kDestroyQp, .on = create_pair(second_queue)});
  Ask({.op = Op::kDestroyCq, .on = second_queue});
  Ask({.op = Op::kDestroyQp, .on = last});
  const std::vector<Foreseen> expected = expected_;
  ASSERT_THAT(expected, SizeIs(1));
  Expect(0, expected, {.op = Op::kDestroyCq, .on = last_queue});
}

TEST_F(ForesightTest, ForgetsHabitsThatHaveChanged) {
  Ask(Query(Resolved(), RDMA_USER_CM_QUERY_ADDR));
  Resolved();
  ASSERT_THAT(expected_, SizeIs(1));
  Resolved();
  EXPECT_THAT(expected_, IsEmpty());
}

}  // namespace
}  // namespace cm::sim::uapi
