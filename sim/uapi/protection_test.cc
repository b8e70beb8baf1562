// What a queue pair may touch: regions of its own protection domain, as their access flags say.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/uapi/peers.h"

namespace cm::sim::uapi {
namespace {

// source: <infiniband/verbs.h> enum ibv_wc_status
constexpr uint32_t kSuccess = 0, kLocQpOpErr = 2, kLocProtErr = 4, kRemAccessErr = 10,
                   kRemOpErr = 11;
// source: <infiniband/verbs.h> enum ibv_access_flags
constexpr uint32_t kAll = 15;
constexpr uint32_t kRemoteReadOnly = 4;

class Protection : public VerbsEndTest {
 protected:
  Protection() {
    a_.key = Register(a_, kAll);
    b_.key = Register(b_, kAll);
    BringUp(a_, b_, kAll);
    BringUp(b_, a_, kAll);
  }
  uint32_t Register(const Peer& peer, uint32_t access, uint32_t domain = 0) {
    const RegionRecord region{
        .address = kBase, .length = kLength, .access = access, .domain = domain};
    return static_cast<uint32_t>(Ask(peer, {.op = Op::kRegister, .bytes = Bytes(region)}).value);
  }
  int64_t PostToB(uint32_t opcode) {
    WorkRecord work{.opcode = opcode, .flags = kSignal};
    work.remote_key = b_.key;
    work.remote_address = kBase;
    return Post(a_, work, 16, 8);
  }
  // The only completion there.
  uint32_t StatusAt(const Peer& peer) {
    Settle();
    const std::vector<CompletionRecord> done = Poll(peer);
    EXPECT_EQ(done.size(), 1u);
    return done.empty() ? 99 : done[0].status;
  }
  uint32_t StatusOf(uint32_t opcode) {
    EXPECT_EQ(PostToB(opcode), 0);
    return StatusAt(a_);
  }
};

// source: linux 6.1 rxe_mr.c lookup_mr
TEST_F(Protection, SendsComeFromTheirOwnDomain) {
  a_.key = Register(a_, kAll, 1);
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  EXPECT_EQ(StatusOf(kSend), kLocProtErr);
}

TEST_F(Protection, ReceivesGoToTheirOwnDomain) {
  b_.key = Register(b_, kAll, 1);
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  EXPECT_EQ(StatusOf(kSend), kRemOpErr);
  EXPECT_EQ(StatusAt(b_), kLocQpOpErr);
}

TEST_F(Protection, RemoteKeysAreOfThePeersDomain) {
  b_.key = Register(b_, kAll, 1);
  EXPECT_EQ(StatusOf(kWrite), kRemAccessErr);
  EXPECT_EQ(Ask(b_, {.op = Op::kQueryQp, .on = b_.qp}).value, kErr);
}

TEST_F(Protection, ReadsAskForAKeyOfThePeersDomain) {
  b_.key = Register(b_, kAll, 1);
  EXPECT_EQ(StatusOf(kRead), kRemAccessErr);
}

TEST_F(Protection, AtomicsAskForAKeyOfThePeersDomain) {
  b_.key = Register(b_, kAll, 1);
  EXPECT_EQ(StatusOf(kFetchAdd), kRemAccessErr);
}

TEST_F(Protection, ReadsGoToTheirOwnDomain) {
  a_.key = Register(a_, kAll, 1);
  EXPECT_EQ(StatusOf(kRead), kLocProtErr);
}

// Processes number their domains for themselves.
TEST_F(Protection, DomainsOfTwoProcessesAreTwo) {
  b_.key = Make(kPassiveSide, kRc).key;
  EXPECT_EQ(StatusOf(kWrite), kRemAccessErr);
}

TEST_F(Protection, QueuePairsOfOneDomainShareItsRegions) {
  const RoomRecord room{.work = 1, .pieces = 1};
  const QpRecord record{.type = kRc,
                        .send_queue = b_.cq,
                        .receive_queue = b_.cq,
                        .sends = room,
                        .receives = room,
                        .domain = 1};
  const Answer made = Ask(b_, {.op = Op::kCreateQp, .bytes = Bytes(record)});
  b_.qp = static_cast<uint32_t>(made.value);
  std::memcpy(&b_.number, made.bytes.data(), sizeof(b_.number));
  b_.key = Register(b_, kAll, 1);
  const Peer c = Furnish(a_, kRc, kAll);
  BringUp(c, b_, kAll);
  BringUp(b_, c, kAll);
  WorkRecord work{.opcode = kWrite, .flags = kSignal};
  work.remote_key = b_.key;
  work.remote_address = kBase;
  ASSERT_EQ(Post(c, work, 16, 8), 0);
  EXPECT_EQ(StatusAt(c), kSuccess);
}

// source: linux 6.1 rxe_resp.c send_data_in
TEST_F(Protection, ReceivesWriteWhereThatIsAllowed) {
  b_.key = Register(b_, kRemoteReadOnly);
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  EXPECT_EQ(StatusOf(kSend), kRemOpErr);
  EXPECT_EQ(StatusAt(b_), kLocQpOpErr);
  EXPECT_EQ(MemoryOf(b_)[0], '.');
}

// source: linux 6.1 rxe_comp.c do_read
TEST_F(Protection, ReadsWriteWhereThatIsAllowed) {
  a_.key = Register(a_, kRemoteReadOnly);
  MemoryOf(b_)[0] = '!';
  EXPECT_EQ(StatusOf(kRead), kLocProtErr);
  EXPECT_EQ(MemoryOf(a_)[16], '.');
}

// source: linux 6.1 rxe_comp.c do_atomic
TEST_F(Protection, AtomicsWriteWhereThatIsAllowed) {
  a_.key = Register(a_, kRemoteReadOnly);
  MemoryOf(b_)[0] = '!';
  EXPECT_EQ(StatusOf(kFetchAdd), kLocProtErr);
  EXPECT_EQ(MemoryOf(a_)[16], '.');
}

TEST_F(Protection, SendsReadWhereNothingMayWrite) {
  a_.key = Register(a_, 0);
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  EXPECT_EQ(StatusOf(kSend), kSuccess);
}

// The process has given it up; the region stands.
TEST_F(Protection, SendsFromMemoryThatIsGoneFail) {
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  MemoryOf(a_).clear();
  EXPECT_EQ(StatusOf(kSend), kLocProtErr);
  EXPECT_EQ(MemoryOf(b_)[0], '.');
}

TEST_F(Protection, ReceivesIntoMemoryThatIsGoneFail) {
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  MemoryOf(b_).clear();
  EXPECT_EQ(StatusOf(kSend), kRemOpErr);
  EXPECT_EQ(StatusAt(b_), kLocQpOpErr);
}

TEST_F(Protection, ReadsIntoMemoryThatIsGoneFail) {
  MemoryOf(a_).clear();
  EXPECT_EQ(StatusOf(kRead), kLocProtErr);
}

TEST_F(Protection, MemoryOfAPeerThatIsGoneIsNotReached) {
  MemoryOf(b_).clear();
  EXPECT_EQ(StatusOf(kRead), kRemAccessErr);
}

TEST_F(Protection, MemoryOfAPeerThatIsGoneIsNotWritten) {
  MemoryOf(b_).clear();
  EXPECT_EQ(StatusOf(kWrite), kRemAccessErr);
}

}  // namespace
}  // namespace cm::sim::uapi
