// Queue pairs of two processes on two hosts, and bytes that move between their memories.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "sim/uapi/peers.h"
#include "sim/uapi/program.h"

namespace cm::sim::uapi {
namespace {

using testing::ElementsAreArray;

TEST_F(VerbsEndTest, MessageMovesFromOneMemoryToTheOther) {
  ConnectBoth();
  MemoryOf(a_).replace(100, 5, "hello");
  ASSERT_EQ(Receive(b_, 0xdeadbeef00000001, 200, 64), 0);
  ASSERT_EQ(Post(a_, {.wr_id = 0x123456789abcdef0, .opcode = kSend, .flags = kSignal}, 100, 5), 0);
  // The memory is read when the request is carried out, not when it is posted.
  MemoryOf(a_)[100] = 'j';
  Settle();
  EXPECT_EQ(MemoryOf(b_).substr(199, 7), ".jello.");
  const auto sent = Poll(a_);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].wr_id, 0x123456789abcdef0u);
  EXPECT_EQ(sent[0].status, 0u);
  EXPECT_EQ(sent[0].opcode, 0u);  // IBV_WC_SEND
  EXPECT_EQ(sent[0].qp_number, a_.number);
  const auto received = Poll(b_);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].wr_id, 0xdeadbeef00000001u);
  EXPECT_EQ(received[0].opcode, 128u);  // IBV_WC_RECV
  EXPECT_EQ(received[0].length, 5u);
  EXPECT_EQ(received[0].flags, 0u);
  EXPECT_TRUE(Poll(b_).empty());
}

TEST_F(VerbsEndTest, InlineDataIsReadWhenItIsPosted) {
  ConnectBoth();
  ASSERT_EQ(Receive(b_, 1, 0, 8), 0);
  const WorkRecord work{.opcode = kSendWithImm, .flags = kInlined, .immediate = 0xabcd};
  ASSERT_EQ(Ask(a_, {.op = Op::kPostSend, .on = a_.qp, .bytes = Work(work, {}, "inline")}).value,
            0);
  Settle();
  EXPECT_EQ(MemoryOf(b_).substr(0, 7), "inline.");
  EXPECT_TRUE(Poll(a_).empty());  // not signalled
  const auto received = Poll(b_);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].flags, 2u);  // IBV_WC_WITH_IMM
  EXPECT_EQ(received[0].immediate, 0xabcdu);
}

TEST_F(VerbsEndTest, RemoteMemoryIsWrittenAndRead) {
  ConnectBoth();
  MemoryOf(a_).replace(0, 4, "data");
  WorkRecord work{.wr_id = 1, .opcode = kWrite, .flags = kSignal};
  work.remote_key = b_.key;
  work.remote_address = kBase + 4000;
  ASSERT_EQ(Post(a_, work, 0, 4), 0);
  work.wr_id = 2;
  work.opcode = kRead;
  ASSERT_EQ(Post(a_, work, 10, 6), 0);
  Settle();
  EXPECT_EQ(MemoryOf(b_).substr(3999, 6), ".data.");
  EXPECT_EQ(MemoryOf(a_).substr(9, 8), ".data...");
  const auto done = Poll(a_);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].opcode, 1u);  // IBV_WC_RDMA_WRITE
  EXPECT_EQ(done[1].opcode, 2u);  // IBV_WC_RDMA_READ
  EXPECT_EQ(done[1].length, 6u);
  EXPECT_TRUE(Poll(b_).empty());
}

TEST_F(VerbsEndTest, WriteWithImmediateTakesAReceive) {
  ConnectBoth();
  ASSERT_EQ(Receive(b_, 7, 0, 8), 0);
  MemoryOf(a_).replace(0, 4, "data");
  WorkRecord work{.opcode = kWriteWithImm, .immediate = 5};
  work.remote_key = b_.key;
  work.remote_address = kBase + 100;
  ASSERT_EQ(Post(a_, work, 0, 4), 0);
  Settle();
  EXPECT_EQ(MemoryOf(b_).substr(100, 4), "data");
  const auto received = Poll(b_);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].opcode, 129u);  // IBV_WC_RECV_RDMA_WITH_IMM
  EXPECT_EQ(received[0].wr_id, 7u);
  EXPECT_EQ(received[0].immediate, 5u);
  EXPECT_EQ(received[0].length, 4u);
}

TEST_F(VerbsEndTest, WrongKeysAndPlacesAreErrors) {
  ConnectBoth();
  WorkRecord work{.opcode = kWrite};
  work.remote_key = b_.key;
  work.remote_address = kBase + kLength - 3;
  ASSERT_EQ(Post(a_, work, 0, 4), 0);
  Settle();
  auto done = Poll(a_);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, 10u);  // IBV_WC_REM_ACCESS_ERR
  EXPECT_EQ(Ask(a_, {.op = Op::kQueryQp, .on = a_.qp}).value, kErr);

  const Peer c = Make(kActiveSide, kRc);
  const Peer d = Make(kPassiveSide, kRc);
  BringUp(c, d);
  BringUp(d, c);
  ASSERT_EQ(Receive(d, 1, 0, 8), 0);
  ASSERT_EQ(Post(c, {.opcode = kSend}, kLength - 3, 4), 0);
  Settle();
  done = Poll(c);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, 4u);  // IBV_WC_LOC_PROT_ERR
}

TEST_F(VerbsEndTest, KeyOfAnotherProcessIsNone) {
  ConnectBoth();
  Peer thief = a_;
  thief.key = Make(kActiveSide, kRc).key;
  ASSERT_EQ(Receive(b_, 1, 0, 8), 0);
  ASSERT_EQ(Post(thief, {.opcode = kSend}, 0, 4), 0);
  Settle();
  const auto done = Poll(a_);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, 4u);
  EXPECT_EQ(Ask(a_, {.op = Op::kDeregister, .on = b_.key}).value, -EINVAL);
  EXPECT_EQ(Ask(b_, {.op = Op::kDeregister, .on = b_.key}).value, 0);
  EXPECT_EQ(Ask(b_, {.op = Op::kDeregister, .on = b_.key}).value, -EINVAL);
}

TEST_F(VerbsEndTest, ErrorFlushesWhatIsPosted) {
  ConnectBoth();
  ASSERT_EQ(Receive(a_, 1, 0, 8), 0);
  ASSERT_EQ(Receive(a_, 2, 0, 8), 0);
  ASSERT_EQ(Modify(a_, {.mask = 1, .state = kErr}), 0);
  const auto done = Poll(a_);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].wr_id, 1u);
  EXPECT_EQ(done[0].status, 5u);  // IBV_WC_WR_FLUSH_ERR
  EXPECT_EQ(done[1].wr_id, 2u);
}

TEST_F(VerbsEndTest, StatesAreReachedWithTheirAttributes) {
  EXPECT_EQ(Modify(a_, {.mask = 0x129181, .state = kRtr}), -EINVAL);  // from RESET
  EXPECT_EQ(Modify(a_, {.mask = 0x31, .state = kInit}), -EINVAL);     // no access flags
  EXPECT_EQ(Modify(a_, {.mask = 0x71, .state = kInit}), -EINVAL);     // attributes of UD
  EXPECT_EQ(Modify(a_, {.mask = 0x39, .state = kInit}), 0);
  EXPECT_EQ(Modify(a_, {.mask = 0x129101, .state = kRtr}), -EINVAL);  // no path to the peer
  EXPECT_EQ(Modify(a_, {.mask = 0x1, .state = 7}), -EINVAL);
  EXPECT_EQ(Ask(a_, {.op = Op::kQueryQp, .on = a_.qp}).value, kInit);
  EXPECT_EQ(Modify(a_, {.mask = 0x1, .state = kReset}), 0);
  EXPECT_EQ(Ask(a_, {.op = Op::kPostSend, .on = a_.qp, .bytes = Work({}, {})}).value, -EINVAL);
}

TEST_F(VerbsEndTest, DatagramsHaveAHeaderInFront) {
  const Peer from = Make(kActiveSide, kUd);
  const Peer to = Make(kPassiveSide, kUd);
  for (const Peer& peer : {from, to}) {
    ASSERT_EQ(Modify(peer, {.mask = 0x71, .state = kInit}), 0);
    ASSERT_EQ(Modify(peer, {.mask = 0x1, .state = kRtr}), 0);
    ASSERT_EQ(Modify(peer, {.mask = 0x10001, .state = kRts}), 0);
  }
  ASSERT_EQ(Receive(to, 1, 0, 64), 0);
  MemoryOf(from).replace(0, 4, "data");
  WorkRecord work{.opcode = kSend, .to_number = to.number, .to_gid = GidOf(to)};
  ASSERT_EQ(Post(from, work, 0, 4), 0);
  Settle();
  EXPECT_EQ(MemoryOf(to).substr(40, 5), "data.");
  const auto gid = GidOf(from);
  EXPECT_EQ(std::memcmp(MemoryOf(to).data() + 8, gid.data(), gid.size()), 0);
  const auto received = Poll(to);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].length, 44u);
  EXPECT_EQ(received[0].flags, 1u);  // IBV_WC_GRH
  EXPECT_EQ(received[0].source_number, from.number);
}

TEST_F(VerbsEndTest, DestroyLetsDatagramsLeave) {
  const Peer from = Make(kActiveSide, kUd);
  const Peer to = Make(kPassiveSide, kUd);
  for (const Peer& peer : {from, to}) {
    ASSERT_EQ(Modify(peer, {.mask = 0x71, .state = kInit}), 0);
    ASSERT_EQ(Modify(peer, {.mask = 0x1, .state = kRtr}), 0);
    ASSERT_EQ(Modify(peer, {.mask = 0x10001, .state = kRts}), 0);
  }
  ASSERT_EQ(Receive(to, 1, 0, 64), 0);
  const WorkRecord work{.opcode = kSend, .to_number = to.number, .to_gid = GidOf(to)};
  ASSERT_EQ(Post(from, work, 0, 4), 0);
  const Answer over = Ask(from, {.op = Op::kDestroyQp, .on = from.qp});
  EXPECT_FALSE(over.waits);
  EXPECT_EQ(over.value, 0);
  EXPECT_EQ(Poll(to).size(), 1u);
}

// The size of a ring is a power of two; one entry stays free.
TEST_F(VerbsEndTest, QueuesHoldWhatTheyWereAskedToHold) {
  const Peer peer = Make(kActiveSide, kUd);
  const auto cq = static_cast<uint32_t>(Ask(peer, {.op = Op::kCreateCq, .more = 1}).value);
  const QpRecord record{
      .type = kUd, .send_queue = cq, .receive_queue = cq, .receives = {.work = 2, .pieces = 1}};
  Peer small = peer;
  small.qp = static_cast<uint32_t>(Ask(peer, {.op = Op::kCreateQp, .bytes = Bytes(record)}).value);
  ASSERT_EQ(Modify(small, {.mask = 0x71, .state = kInit}), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Receive(small, 1, 0, 64), 0);
  EXPECT_EQ(Receive(small, 1, 0, 64), -ENOMEM);

  const auto srq = static_cast<uint32_t>(
      Ask(peer, {.op = Op::kCreateSrq, .bytes = Bytes(RoomRecord{.work = 1, .pieces = 1})}).value);
  const WorkRecord empty{};
  const auto post = [&] {
    return Ask(peer, {.op = Op::kPostToSrq, .on = srq, .bytes = Bytes(empty)}).value;
  };
  const auto holds = [](uint32_t work) {
    return Bytes(SrqRecord{.room = {.work = work}, .mask = 1});  // IBV_SRQ_MAX_WR
  };
  EXPECT_EQ(post(), 0);
  EXPECT_EQ(post(), -ENOMEM);
  EXPECT_EQ(Ask(peer, {.op = Op::kModifySrq, .on = srq, .bytes = holds(2)}).value, 0);
  EXPECT_EQ(post(), 0);
  EXPECT_EQ(post(), 0);
  EXPECT_EQ(post(), -ENOMEM);
  EXPECT_EQ(Ask(peer, {.op = Op::kModifySrq, .on = srq, .bytes = holds(1)}).value, -EINVAL);
}

// source: linux 6.1 rxe_qp.c rxe_qp_to_init
TEST_F(VerbsEndTest, QueuePairShowsWhatItsQueuesHold) {
  const auto shown = [this](QpRecord record) {
    record.type = kRc;
    record.send_queue = record.receive_queue = a_.cq;
    record.sends = {.work = 4, .pieces = 2};
    record.receives = {.work = 8, .pieces = 3};
    const Answer made = Ask(a_, {.op = Op::kCreateQp, .bytes = Bytes(record)});
    const Answer told = Ask(a_, {.op = Op::kQueryQp, .on = static_cast<uint32_t>(made.value)});
    CapacityRecord capacity;
    EXPECT_EQ(told.bytes.size(), sizeof capacity);
    std::memcpy(&capacity, told.bytes.data(), std::min(told.bytes.size(), sizeof capacity));
    return capacity;
  };
  CapacityRecord capacity = shown({});
  EXPECT_EQ(capacity.sends.work, 7u);
  EXPECT_EQ(capacity.sends.pieces, 2u);
  EXPECT_EQ(capacity.receives.work, 15u);
  EXPECT_EQ(capacity.receives.pieces, 3u);
  const SrqRecord srq{.room = {.work = 1, .pieces = 1}};
  const Answer made = Ask(a_, {.op = Op::kCreateSrq, .bytes = Bytes(srq)});
  capacity = shown({.srq = static_cast<uint32_t>(made.value)});
  EXPECT_EQ(capacity.receives.work, 0u);
  EXPECT_EQ(capacity.receives.pieces, 0u);
}

TEST_F(VerbsEndTest, GroupReachesWhoeverIsAttached) {
  const Peer from = Make(kActiveSide, kUd);
  const Peer in = Make(kPassiveSide, kUd);
  const Peer out = Make(kPassiveSide, kUd);
  const std::array<uint8_t, 16> group = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 1, 1};
  for (const Peer& peer : {from, in, out}) {
    ASSERT_EQ(Modify(peer, {.mask = 0x71, .state = kInit}), 0);
    ASSERT_EQ(Modify(peer, {.mask = 0x1, .state = kRtr}), 0);
    ASSERT_EQ(Modify(peer, {.mask = 0x10001, .state = kRts}), 0);
    ASSERT_EQ(Receive(peer, 1, 0, 64), 0);
    ASSERT_EQ(Receive(peer, 2, 0, 64), 0);
  }
  for (const Peer& peer : {from, in})
    ASSERT_EQ(Ask(peer, {.op = Op::kAttach, .on = peer.qp, .bytes = Bytes(group)}).value, 0);
  EXPECT_EQ(Ask(in, {.op = Op::kAttach, .on = in.qp, .bytes = Bytes(GidOf(in))}).value, -EINVAL);
  EXPECT_EQ(Ask(out, {.op = Op::kDetach, .on = out.qp, .bytes = Bytes(group)}).value, -EINVAL);
  WorkRecord work{.opcode = kSend, .to_number = 0xffffff, .to_gid = group};
  ASSERT_EQ(Post(from, work, 0, 4), 0);
  Settle();
  EXPECT_EQ(Poll(in).size(), 1u);
  EXPECT_EQ(Poll(out).size(), 0u);
  EXPECT_EQ(Poll(from).size(), 0u);  // no loopback of multicast
  ASSERT_EQ(Ask(in, {.op = Op::kDetach, .on = in.qp, .bytes = Bytes(group)}).value, 0);
  ASSERT_EQ(Post(from, work, 0, 4), 0);
  Settle();
  EXPECT_EQ(Poll(in).size(), 0u);
}

// source: linux 6.1 rxe_param.h RXE_MAX_MCAST_QP_ATTACH, uverbs_cmd.c ib_uverbs_attach_mcast
TEST_F(VerbsEndTest, GroupHasSoManyQueuePairsOfADevice) {
  constexpr int kMost = 56;
  const std::array<uint8_t, 16> group = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 1, 1};
  const auto attach = [&](const Peer& peer) {
    return Ask(peer, {.op = Op::kAttach, .on = peer.qp, .bytes = Bytes(group)}).value;
  };
  const auto detach = [&](const Peer& peer) {
    return Ask(peer, {.op = Op::kDetach, .on = peer.qp, .bytes = Bytes(group)}).value;
  };
  std::vector<Peer> peers;
  for (int i = 0; i < kMost; ++i) {
    peers.push_back(Make(kActiveSide, kUd));
    EXPECT_EQ(attach(peers.back()), 0);
  }
  EXPECT_EQ(attach(peers.front()), 0) << "it is there already";
  const Peer more = Make(kActiveSide, kUd);
  EXPECT_EQ(attach(more), -ENOMEM);
  EXPECT_EQ(attach(Make(kPassiveSide, kUd)), 0) << "of another device";
  EXPECT_EQ(detach(peers.front()), 0);
  EXPECT_EQ(detach(peers.front()), -EINVAL) << "it was attached once";
  EXPECT_EQ(attach(more), 0);
}

// source: linux 6.1 rxe_qp.c rxe_qp_chk_init
TEST_F(VerbsEndTest, QueuePairsOfOtherTypesAreNotSupportedOrUnknown) {
  constexpr uint32_t kRawPacket = 8;
  QpRecord record{.type = kRawPacket, .send_queue = a_.cq, .receive_queue = a_.cq};
  EXPECT_EQ(Ask(a_, {.op = Op::kCreateQp, .bytes = Bytes(record)}).value, -EOPNOTSUPP);
  record = {.type = 77, .send_queue = a_.cq, .receive_queue = a_.cq};
  EXPECT_EQ(Ask(a_, {.op = Op::kCreateQp, .bytes = Bytes(record)}).value, -EINVAL);
}

TEST_F(VerbsEndTest, SharedReceivesServeWhoComesFirst) {
  const auto srq = static_cast<uint32_t>(
      Ask(b_, {.op = Op::kCreateSrq, .bytes = Bytes(RoomRecord{.work = 15, .pieces = 4})}).value);
  QpRecord record{.type = kRc, .send_queue = b_.cq, .receive_queue = b_.cq, .srq = srq};
  const Answer made = Ask(b_, {.op = Op::kCreateQp, .bytes = Bytes(record)});
  Peer shares = b_;
  shares.qp = static_cast<uint32_t>(made.value);
  std::memcpy(&shares.number, made.bytes.data(), sizeof(shares.number));
  BringUp(a_, shares);
  BringUp(shares, a_);
  EXPECT_EQ(Receive(shares, 1, 0, 8), -EINVAL);
  const PieceRecord piece{.address = kBase, .length = 8, .key = b_.key};
  ASSERT_EQ(Ask(b_, {.op = Op::kPostToSrq, .on = srq, .bytes = Work({.wr_id = 9}, {piece})}).value,
            0);
  ASSERT_EQ(Post(a_, {.opcode = kSend}, 0, 4), 0);
  Settle();
  const auto received = Poll(b_);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].wr_id, 9u);
  EXPECT_EQ(received[0].qp_number, shares.number);
  EXPECT_EQ(Ask(b_, {.op = Op::kDestroySrq, .on = srq}).value, -EBUSY);
  EXPECT_EQ(Ask(b_, {.op = Op::kDestroyCq, .on = b_.cq}).value, -EBUSY);
}

TEST_F(VerbsEndTest, ObjectsAreTheirMakersAlone) {
  EXPECT_EQ(Ask(b_, {.op = Op::kDestroyQp, .on = a_.qp}).value, -EINVAL);
  EXPECT_EQ(Ask(b_, {.op = Op::kPoll, .on = a_.cq, .more = 1}).value, -EINVAL);
  machine_.RemoveProcess(a_.process);
  machine_.RemoveProcess(b_.process);
  EXPECT_EQ(world_.InUse(), Usage{});
}

TEST_F(VerbsEndTest, DevicesAreThoseOfTheKernel) {
  const Answer answer = Ask(b_, {.op = Op::kDevices});
  ASSERT_EQ(answer.bytes.size(), sizeof(DeviceRecord));
  DeviceRecord record;
  std::memcpy(&record, answer.bytes.data(), sizeof(record));
  EXPECT_STREQ(record.name.data(), "rxe1");
  EXPECT_NE(record.guid, 0u);
  EXPECT_EQ(record.index, 0u);
  EXPECT_EQ(record.registered, 1);
  world_.Inject({.kind = FaultKind::kRemoveDevice, .side = kPassiveSide});
  std::memcpy(&record, Ask(b_, {.op = Op::kDevices}).bytes.data(), sizeof(record));
  EXPECT_EQ(record.registered, 0);
  const Answer port = Ask(a_, {.op = Op::kPort, .more = 1});
  PortRecord shown;
  std::memcpy(&shown, port.bytes.data(), sizeof(shown));
  EXPECT_EQ(shown.active, 1);
  EXPECT_EQ(shown.gids, 3u);
  EXPECT_EQ(Ask(a_, {.op = Op::kGid, .more = uint64_t{1} << 32 | 3}).value, -EINVAL);
  EXPECT_EQ(Ask(a_, {.op = Op::kPort, .on = 1, .more = 1}).value, -ENODEV);
}

// The interfaces have the addresses 52:54:00:00:00:01 and 52:54:00:00:00:02. source: linux 6.1
// roce_gid_mgmt.c rdma_roce_rescan_device, addrconf.h addrconf_addr_eui48
TEST_F(VerbsEndTest, TheFirstGidOfADeviceIsMadeOfItsInterfacesAddress) {
  std::array<uint8_t, 16> gid = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0, 0, 1};
  const Request of_first{.op = Op::kGid, .more = uint64_t{1} << 32};
  EXPECT_THAT(Ask(a_, of_first).bytes, ElementsAreArray(gid));
  gid[15] = 2;
  EXPECT_THAT(Ask(b_, of_first).bytes, ElementsAreArray(gid));
}

// A datagram to it has it as the source, too.
TEST_F(VerbsEndTest, ADatagramIsFromAGidOfTheSameKind) {
  const Topology& topology = world_.topology();
  for (uint32_t index = 0; index < GidCount(topology, 0); ++index)
    EXPECT_EQ(SourceGid(topology, 0, *GidAt(topology, 1, index)), GidAt(topology, 0, index));
}

// The kernel looks up the path when the queue pair is modified, from the attributes that it
// returned.
TEST_F(VerbsEndTest, WayIsLookedForWithTheAttributesOfTheConnection) {
  Program active(&world_, &machine_, kActiveSide);
  Program passive(&world_, &machine_, kPassiveSide);
  const uint32_t s = passive.Open();
  const uint32_t c = active.Open();
  const uint32_t listener = passive.CreateId(s, 1);
  ASSERT_GT(passive.Bind(s, listener, "10.0.1.1", 7471), 0);
  ASSERT_GT(passive.Listen(s, listener), 0);
  const uint32_t id = active.CreateId(c, 2);
  ASSERT_GT(active.ResolveAddr(c, id, "10.0.1.1", 7471), 0);
  active.GetEvent(c);
  ASSERT_GT(active.ResolveRoute(c, id), 0);
  active.GetEvent(c);
  ASSERT_GT(active.Connect(c, id, Program::Param("", a_.number)), 0);
  const uint32_t child = passive.GetEvent(s).id;
  const Peer own = Furnish({.process = passive.asker().process}, kRc, 7);
  ASSERT_EQ(Modify(own, {.mask = 0x39, .state = kInit}), 0);
  world_.Inject({.kind = FaultKind::kLinkDown, .side = kPassiveSide});
  const auto attr = passive.Get<ib_uverbs_qp_attr>(s, RDMA_USER_CM_CMD_INIT_QP_ATTR,
                                                   rdma_ucm_init_qp_attr{0, child, kRtr});
  ModifyRecord rtr{.mask = attr.qp_attr_mask, .state = kRtr, .peer_number = attr.dest_qp_num};
  std::memcpy(rtr.peer_gid.data(), attr.ah_attr.grh.dgid, rtr.peer_gid.size());
  EXPECT_EQ(rtr.peer_gid, GidOf(a_));
  EXPECT_EQ(Modify(own, rtr), -ENETUNREACH);
  world_.Inject({.kind = FaultKind::kLinkUp, .side = kPassiveSide});
  passive.Get<ib_uverbs_qp_attr>(s, RDMA_USER_CM_CMD_INIT_QP_ATTR,
                                 rdma_ucm_init_qp_attr{0, child, kRtr});
  EXPECT_EQ(Modify(own, rtr), 0);
}

TEST_F(VerbsEndTest, SleepEndsWithItsInstant) {
  const int64_t now = Ask(a_, {.op = Op::kNow}).value;
  const auto until = static_cast<uint64_t>(now) + 1000;
  EXPECT_TRUE(Ask(a_, {.op = Op::kSleep, .more = until}).waits);
  world_.RunUntil(world_.Now() + Duration::Microseconds(1));
  EXPECT_FALSE(machine_.Continue({.process = a_.process}).waits);
  EXPECT_EQ(Ask(a_, {.op = Op::kNow}).value, now + 1000);
}

// source: linux 6.1 verbs.c qp_state_table
TEST_F(VerbsEndTest, AnUnreliableConnectionNeedsNeitherRetriesNorReads) {
  constexpr uint32_t kUc = 3;
  const Peer own = Make(kActiveSide, kUc);
  const Peer peer = Make(kPassiveSide, kUc);
  ASSERT_EQ(Modify(own, {.mask = 0x39, .state = kInit, .access = 7}), 0);
  const std::array<uint8_t, 16> gid = GidOf(peer);
  ModifyRecord rtr = {.mask = 0x100181, .state = kRtr, .peer_number = peer.number, .peer_gid = gid};
  EXPECT_EQ(Modify(own, rtr), -EINVAL);  // no rq_psn
  rtr.mask = 0x101181;
  EXPECT_EQ(Modify(own, rtr), 0);
  EXPECT_EQ(Modify(own, {.mask = 0x1, .state = kRts}), -EINVAL);  // no sq_psn
  EXPECT_EQ(Modify(own, {.mask = 0x10001, .state = kRts}), 0);
}

TEST_F(VerbsEndTest, AClockIsReadableFromItsInstantOn) {
  const auto instant = static_cast<uint64_t>(Ask(a_, {.op = Op::kNow}).value) + 1000;
  EXPECT_EQ(Ask(a_, {.op = Op::kPollTime, .more = instant}).value, 0);
  world_.RunUntil(world_.Now() + Duration::Microseconds(1));
  EXPECT_EQ(Ask(a_, {.op = Op::kPollTime, .more = instant}).value, 1);
  EXPECT_EQ(Ask(a_, {.op = Op::kPollTime, .more = kNever}).value, 0);
}

}  // namespace
}  // namespace cm::sim::uapi
