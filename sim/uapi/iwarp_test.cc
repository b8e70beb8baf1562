#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/uapi/peers.h"
#include "sim/uapi/program.h"

namespace cm::sim::uapi {
namespace {

// Two programs, each with a queue pair in INIT, an id with a resolved route, and a listener.
class IwarpTest : public VerbsEndTest {
 protected:
  IwarpTest() : VerbsEndTest("6.1-siw") {}
  Peer PeerOf(const Program& program) {
    memory_.of[program.asker().process] = std::string(kLength, '.');
    return Furnish({.process = program.asker().process}, kRc, 7);
  }
  void Prepare() {
    a_ = PeerOf(active_);
    b_ = PeerOf(passive_);
    for (const Peer& peer : {a_, b_})
      ASSERT_EQ(Modify(peer, {.mask = 0x29, .state = kInit, .access = 6}), 0);
    const uint32_t listener = passive_.CreateId(s_, 1);
    ASSERT_GT(passive_.Bind(s_, listener, "10.0.1.1", 7471), 0);
    ASSERT_GT(passive_.Listen(s_, listener), 0);
    id_ = active_.CreateId(c_, 2);
    ASSERT_GT(active_.ResolveAddr(c_, id_, "10.0.1.1", 7471), 0);
    active_.GetEvent(c_);
    ASSERT_GT(active_.ResolveRoute(c_, id_), 0);
    active_.GetEvent(c_);
  }

  Program active_{&world_, &machine_, kActiveSide};
  Program passive_{&world_, &machine_, kPassiveSide};
  uint32_t c_ = active_.Open();
  uint32_t s_ = passive_.Open();
  uint32_t id_ = 0;
};

// source: linux 6.1 siw_verbs.c siw_query_port, siw_query_gid
TEST_F(IwarpTest, AGidIsTheHardwareAddress) {
  const Asker asker = passive_.asker();
  const Answer port = machine_.Ask(asker, {.op = Op::kPort, .more = 1});
  PortRecord shown;
  ASSERT_EQ(port.bytes.size(), sizeof(shown));
  std::memcpy(&shown, port.bytes.data(), sizeof(shown));
  EXPECT_EQ(shown.gids, 1U);
  const Answer first = machine_.Ask(asker, {.op = Op::kGid, .more = uint64_t{1} << 32});
  EXPECT_EQ(first.bytes,
            (std::vector<uint8_t>{0x52, 0x54, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(machine_.Ask(asker, {.op = Op::kGid, .more = uint64_t{1} << 32 | 1}).value, -EINVAL);
}

TEST_F(IwarpTest, QueuePairsMoveWithTheirConnection) {
  Prepare();
  ASSERT_EQ(Receive(a_, 1, 0, 8), 0);
  ASSERT_GT(active_.Connect(c_, id_, Program::Param("", a_.number)), 0);
  const uint32_t child = passive_.GetEvent(s_).id;
  ASSERT_EQ(Modify(b_, {.mask = 0x29, .state = kRtr}), 0);
  EXPECT_EQ(Modify(b_, {.mask = 0x12e01, .state = kRts}), -EINVAL);
  ASSERT_GT(passive_.Accept(s_, child, 3, Program::Param("", b_.number)), 0);
  EXPECT_EQ(Modify(b_, {.mask = 0x12e01, .state = kRts}), 0);
  EXPECT_EQ(Modify(b_, {.mask = 0x29, .state = kInit, .access = 6}), 0) << "and changes nothing";
  EXPECT_EQ(Ask(b_, {.op = Op::kQueryQp, .on = b_.qp}).value, kReset) << "it never says another";
  MemoryOf(b_).replace(0, 4, "data");
  ASSERT_EQ(Post(b_, {.opcode = kSend, .flags = kSignal}, 0, 4), 0);
  EXPECT_EQ(active_.GetEvent(c_).event, 9u);  // RDMA_CM_EVENT_ESTABLISHED
  world_.RunUntil(world_.Now() + Duration::Milliseconds(1));
  EXPECT_EQ(MemoryOf(a_).substr(0, 5), "data.");
  EXPECT_EQ(Poll(b_).size(), 1u);
  EXPECT_EQ(Poll(a_).size(), 1u);
  // One side's error ends the other side's connection.
  ASSERT_EQ(Receive(a_, 2, 0, 8), 0);
  ASSERT_EQ(Modify(b_, {.mask = 1, .state = kErr}), 0);
  EXPECT_EQ(active_.GetEvent(c_).event, 10u);  // RDMA_CM_EVENT_DISCONNECTED
  const auto flushed = Poll(a_);
  ASSERT_EQ(flushed.size(), 1u);
  EXPECT_EQ(flushed[0].status, 5u);
}

// The provider waits for the reply, which is never sent here.
TEST_F(IwarpTest, DestroyWaitsUntilNoReplyWillCome) {
  Prepare();
  ASSERT_GT(active_.Connect(c_, id_, Program::Param("", a_.number)), 0);
  auto cmd = Zeros<rdma_ucm_destroy_id>();
  cmd.id = id_;
  const Answer begun =
      active_.Write(c_, Program::Bytes(RDMA_USER_CM_CMD_DESTROY_ID, cmd, sizeof(uint32_t)));
  ASSERT_TRUE(begun.waits);
  EXPECT_EQ(machine_.WaitsFor(active_.asker()),
            "rdma_cm id " + std::to_string(id_) + ": that it is destroyed");
  EXPECT_TRUE(machine_.Interrupt(active_.asker()).waits);
  const Answer over = active_.Finish(begun);
  EXPECT_EQ(over.value, 8 + 16);
  ASSERT_EQ(over.bytes.size(), sizeof(uint32_t));
  EXPECT_EQ(over.bytes[0], 2);  // address and route
  EXPECT_EQ(active_.Listen(c_, id_), -ENOENT);
}

TEST_F(IwarpTest, CloseWaitsForTheLastOfItsIds) {
  Prepare();
  ASSERT_GT(active_.Connect(c_, id_, Program::Param("", a_.number)), 0);
  const Answer begun = active_.Ask({.op = Op::kClose, .on = c_});
  ASSERT_TRUE(begun.waits);
  // The number is free again before the program looks, and another socket has taken it.
  Settle();
  EXPECT_EQ(
      machine_.Ask({.process = active_.asker().process, .thread = 1}, {.op = Op::kOpen}).value, c_);
  EXPECT_FALSE(machine_.Continue(active_.asker()).waits);
}

// Who waits in the file closes it at last, and returns with its own result when that is done.
TEST_F(IwarpTest, WhoWaitsInAClosedFileWaitsForItsLastId) {
  Prepare();
  ASSERT_GT(active_.Connect(c_, id_, Program::Param("", a_.number)), 0);
  const auto bytes = Program::Bytes(RDMA_USER_CM_CMD_GET_EVENT, Zeros<rdma_ucm_get_event>(), 336);
  ASSERT_TRUE(active_.Ask({.op = Op::kWrite, .on = c_, .bytes = bytes}).waits);
  const Asker thread{.process = active_.asker().process, .thread = 1};
  EXPECT_EQ(machine_.Ask(thread, {.op = Op::kClose, .on = c_}).value, 0);
  EXPECT_TRUE(machine_.Interrupt(active_.asker()).waits);
  Settle();
  const Answer last = machine_.Continue(active_.asker());
  EXPECT_FALSE(last.waits);
  EXPECT_EQ(last.value, -EINTR);
}

TEST_F(IwarpTest, DisconnectWaitsForTheReply) {
  Prepare();
  ASSERT_GT(active_.Connect(c_, id_, Program::Param("", a_.number)), 0);
  const uint32_t child = passive_.GetEvent(s_).id;
  const Answer begun =
      active_.Write(c_, Program::Bytes(RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{id_}, 0));
  ASSERT_TRUE(begun.waits);
  EXPECT_TRUE(machine_.Continue(active_.asker()).waits);
  ASSERT_GT(passive_.Accept(s_, child, 3, Program::Param("", b_.number)), 0);
  EXPECT_EQ(active_.Finish(begun).value, 8 + 4);
}

TEST_F(IwarpTest, HasNoQueuePairsForDatagrams) {
  const QpRecord record{.type = kUd, .send_queue = a_.cq, .receive_queue = a_.cq};
  EXPECT_EQ(Ask(a_, {.op = Op::kCreateQp, .bytes = Bytes(record)}).value, -EOPNOTSUPP);
}

}  // namespace
}  // namespace cm::sim::uapi
