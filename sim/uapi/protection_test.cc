// Access of a queue pair: regions of its own protection domain, according to their access flags.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/uapi/peers.h"

namespace cm::sim::uapi {
namespace {

// source: <infiniband/verbs.h> enum ibv_wc_status
constexpr uint32_t kSuccess = 0, kLocQpOpErr = 2, kLocProtErr = 4, kRemAccessErr = 10,
                   kRemOpErr = 11, kFlushErr = 5, kRemInvReqErr = 9;
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
  // The only completion in the queue.
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

// Processes number their domains independently.
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

// The access flags of the queue pair are checked before the key.
// source: linux 6.1 rxe_resp.c check_op_valid
class AllowedByTheQueuePair : public Protection {
 protected:
  // All but one of the access flags.
  void Forbid(uint32_t flag) {
    d_ = Make(kPassiveSide, kRc, kAll);
    BringUp(d_, a_, kAll & ~flag);
    ASSERT_EQ(Modify(a_, {.mask = 1, .state = kReset}), 0);
    BringUp(a_, d_, kAll);
    b_ = d_;
  }
  void ExpectRefused(uint32_t opcode) {
    EXPECT_EQ(StatusOf(opcode), kRemInvReqErr);
    EXPECT_EQ(Ask(b_, {.op = Op::kQueryQp, .on = b_.qp}).value, kErr);
    EXPECT_EQ(MemoryOf(b_)[0], '.');
  }

  Peer d_;
};

TEST_F(AllowedByTheQueuePair, AreWrites) {
  Forbid(2);
  ExpectRefused(kWrite);
}

TEST_F(AllowedByTheQueuePair, AreWritesThatAnnounceThemselves) {
  Forbid(2);
  ExpectRefused(kWriteWithImm);  // though there is no receive for it
}

TEST_F(AllowedByTheQueuePair, AreReads) {
  Forbid(4);
  ExpectRefused(kRead);
}

TEST_F(AllowedByTheQueuePair, AreAtomics) {
  Forbid(8);
  ExpectRefused(kFetchAdd);
}

TEST_F(AllowedByTheQueuePair, IsWhatItSaysLast) {
  ASSERT_EQ(Modify(b_, {.mask = 8, .access = 1}), 0);  // IBV_QP_ACCESS_FLAGS alone
  ExpectRefused(kWrite);
}

class Depths : public Protection {
 protected:
  // The number of reads and atomic operations that each side initiates and accepts.
  void Meet(uint8_t own, uint8_t peers) {
    for (const Peer& peer : {a_, b_}) ASSERT_EQ(Modify(peer, {.mask = 1, .state = kReset}), 0);
    BringUp(a_, b_, kAll, own);
    BringUp(b_, a_, kAll, peers);
  }
};

// source: linux 6.1 rxe_req.c check_init_depth
TEST_F(Depths, WithoutOneReadsStayAndWhatIsBehindThem) {
  Meet(0, 1);
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  ASSERT_EQ(PostToB(kRead), 0);
  ASSERT_EQ(PostToB(kSend), 0);
  Settle();
  EXPECT_TRUE(Poll(a_).empty());
  EXPECT_TRUE(Poll(b_).empty());
  ASSERT_EQ(Modify(a_, {.mask = 1, .state = kErr}), 0);
  const std::vector<CompletionRecord> flushed = Poll(a_);
  ASSERT_EQ(flushed.size(), 2u);
  EXPECT_EQ(flushed[0].status, kFlushErr);
  EXPECT_EQ(flushed[1].status, kFlushErr);
}

TEST_F(Depths, WithoutOneAtomicsStay) {
  Meet(0, 1);
  ASSERT_EQ(PostToB(kFetchAdd), 0);
  Settle();
  EXPECT_TRUE(Poll(a_).empty());
}

TEST_F(Depths, WithoutOneMessagesAndWritesGo) {
  Meet(0, 0);
  ASSERT_EQ(Receive(b_, 1, 0, 64), 0);
  EXPECT_EQ(StatusOf(kSend), kSuccess);
  EXPECT_EQ(StatusOf(kWrite), kSuccess);
}

// source: linux 6.1 rxe_resp.c check_resource
TEST_F(Depths, WithoutResourcesReadsAreRefused) {
  Meet(1, 0);
  EXPECT_EQ(StatusOf(kRead), kRemInvReqErr);
  EXPECT_EQ(Ask(b_, {.op = Op::kQueryQp, .on = b_.qp}).value, kErr);
}

TEST_F(Depths, WithoutResourcesAtomicsAreRefused) {
  Meet(1, 0);
  EXPECT_EQ(StatusOf(kFetchAdd), kRemInvReqErr);
}

// The process has unmapped the memory; the region stays.
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

// source: InfiniBand C9-88
TEST_F(Protection, NoBytesNeedNoKey) {
  for (const uint32_t opcode : {kWrite, kRead}) {
    const WorkRecord work{.opcode = opcode, .flags = kSignal};
    EXPECT_EQ(Ask(a_, {.op = Op::kPostSend, .on = a_.qp, .bytes = Work(work, {})}).value, 0);
    EXPECT_EQ(StatusAt(a_), kSuccess);
    EXPECT_EQ(Post(a_, work, 0, 0), 0);
    EXPECT_EQ(StatusAt(a_), kSuccess);
  }
}

TEST_F(Protection, OneByteNeedsAKey) {
  EXPECT_EQ(Post(a_, {.opcode = kWrite, .flags = kSignal}, 0, 1), 0);
  EXPECT_EQ(StatusAt(a_), kRemAccessErr);
}

}  // namespace
}  // namespace cm::sim::uapi
