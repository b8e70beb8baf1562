// Threads that wait in a file of rdma_cm.
#include "sim/uapi/machine.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/uapi/program.h"

namespace cm::sim::uapi {
namespace {

constexpr uint16_t kPort = 7471;
constexpr const char* kPassive = "10.0.1.1";

class MachineTest : public testing::Test {
 protected:
  NoMemory memory_;
  World world_{FindTopology("two-kernels"), FindProfile("6.1-rxe")};
  Machine machine_{&world_, &memory_};
  Program program_{&world_, &machine_, kActiveSide};
  uint32_t c_ = program_.Open();
};

TEST_F(MachineTest, WaitsForAnEventUnlessToldNotTo) {
  const uint32_t id = program_.CreateId(c_, 2);
  const auto bytes = Program::Bytes(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), 336);
  EXPECT_EQ(program_.Write(c_, bytes).value, -EAGAIN);
  Answer answer = program_.Ask({.op = Op::kWrite, .on = c_, .bytes = bytes});
  EXPECT_TRUE(answer.waits);
  EXPECT_EQ(machine_.WaitsFor(program_.asker()),
            "rdma_cm file " + std::to_string(c_) + ": an event");
  EXPECT_TRUE(machine_.Continue(program_.asker()).waits);
  // Another thread causes it.
  const Asker thread{.process = program_.asker().process, .thread = 1};
  auto resolve = Zeros<rdma_ucm_resolve_addr>();
  resolve.id = id;
  resolve.dst_size = Program::Put(kPassive, kPort, &resolve.dst_addr);
  ASSERT_GT(machine_
                .Ask(thread, {.op = Op::kWrite,
                              .on = c_,
                              .bytes = Program::Bytes(RDMA_USER_CM_CMD_RESOLVE_ADDR, resolve, 0)})
                .value,
            0);
  answer = program_.Finish(machine_.Continue(program_.asker()));
  EXPECT_EQ(answer.value, 8 + 8);
  EXPECT_EQ(answer.bytes.size(), 336u);
}

TEST_F(MachineTest, SignalEndsAWaitForAnEvent) {
  const auto bytes = Program::Bytes(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), 336);
  ASSERT_TRUE(program_.Ask({.op = Op::kWrite, .on = c_, .bytes = bytes}).waits);
  EXPECT_EQ(machine_.Interrupt(program_.asker()).value, -EINTR);
  EXPECT_EQ(program_.Write(c_, bytes).value, -EAGAIN) << "the asker may ask again";
}

// source: linux 6.1 ucma.c ucma_get_event, ucma_close: the waiting thread holds the file.
TEST_F(MachineTest, ThreadThatWaitsInAFileKeepsItOpenWhenItIsClosed) {
  const uint32_t id = program_.CreateId(c_, 2);
  const auto bytes = Program::Bytes(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), 336);
  ASSERT_TRUE(program_.Ask({.op = Op::kWrite, .on = c_, .bytes = bytes}).waits);
  auto resolve = Zeros<rdma_ucm_resolve_addr>();
  resolve.id = id;
  resolve.dst_size = Program::Put(kPassive, kPort, &resolve.dst_addr);
  const Request begin = {.op = Op::kWrite,
                         .on = c_,
                         .bytes = Program::Bytes(RDMA_USER_CM_CMD_RESOLVE_ADDR, resolve, 0)};
  const Asker thread{.process = program_.asker().process, .thread = 1};
  ASSERT_GT(machine_.Ask(thread, begin).value, 0);
  EXPECT_EQ(machine_.Ask(thread, {.op = Op::kClose, .on = c_}).value, 0);
  EXPECT_EQ(machine_.Ask(thread, begin).value, -EBADF) << "no descriptor leads to it";
  EXPECT_EQ(machine_.WaitsFor(program_.asker()),
            "rdma_cm file " + std::to_string(c_) + ", which has been closed: an event");
  EXPECT_NE(machine_.Ask(thread, {.op = Op::kOpen}).value, c_) << "it is open";
  EXPECT_EQ(world_.InUse().kernel_ids, 1u);
  EXPECT_EQ(program_.Finish(machine_.Continue(program_.asker())).value, 8 + 8) << "the event";
  EXPECT_EQ(world_.InUse().kernel_ids, 0u);
  EXPECT_EQ(machine_.Ask(thread, {.op = Op::kOpen}).value, c_);
}

TEST_F(MachineTest, SignalEndsAWaitInAFileThatIsClosed) {
  program_.CreateId(c_, 2);
  const auto bytes = Program::Bytes(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), 336);
  ASSERT_TRUE(program_.Ask({.op = Op::kWrite, .on = c_, .bytes = bytes}).waits);
  const Asker thread{.process = program_.asker().process, .thread = 1};
  EXPECT_EQ(machine_.Ask(thread, {.op = Op::kClose, .on = c_}).value, 0);
  EXPECT_EQ(world_.InUse().kernel_ids, 1u);
  EXPECT_EQ(machine_.Interrupt(program_.asker()).value, -EINTR);
  EXPECT_EQ(world_.InUse().kernel_ids, 0u);
}

}  // namespace
}  // namespace cm::sim::uapi
