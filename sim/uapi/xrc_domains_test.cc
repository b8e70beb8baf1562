// XRC domains of processes, and targets that processes share.
#include "sim/uapi/xrc_domains.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "sim/uapi/peers.h"
#include "sim/uapi/refusals.h"

namespace cm::sim::uapi {
namespace {

class XrcDomainsTest : public VerbsEndTest {
 protected:
  explicit XrcDomainsTest(const char* topology = "two-kernels")
      : VerbsEndTest("6.1-rxe", topology) {}

  int64_t Open(const Peer& peer, uint64_t file, int flags) {
    return Open(peer, {.flags = static_cast<uint32_t>(flags), .has_file = 1, .file = file});
  }
  int64_t Open(const Peer& peer, const XrcdRecord& record) {
    return Ask(peer, {.op = Op::kOpenXrcd, .bytes = Bytes(record)}).value;
  }
  int64_t Close(const Peer& peer, int64_t xrcd) {
    return Ask(peer, {.op = Op::kCloseXrcd, .on = static_cast<uint32_t>(xrcd)}).value;
  }
  Answer CreateQp(const Peer& peer, uint32_t type, int64_t xrcd) {
    const QpRecord record{.type = type,
                          .send_queue = type == kXrcSend ? peer.cq : 0,
                          .sends = {.work = 3, .pieces = 1},
                          .xrcd = static_cast<uint32_t>(xrcd)};
    return Ask(peer, {.op = Op::kCreateQp, .bytes = Bytes(record)});
  }
  Answer CreateSrq(const Peer& peer, int64_t xrcd, uint32_t queue) {
    const SrqRecord record{
        .room = {.work = 3, .pieces = 1}, .xrcd = static_cast<uint32_t>(xrcd), .queue = queue};
    return Ask(peer, {.op = Op::kCreateSrq, .bytes = Bytes(record)});
  }
  int64_t OpenQp(const Peer& peer, int64_t xrcd, uint32_t number) {
    const QpRecord record{.xrcd = static_cast<uint32_t>(xrcd)};
    return Ask(peer, {.op = Op::kOpenQp, .more = number, .bytes = Bytes(record)}).value;
  }
  int64_t Destroy(const Peer& peer, Op op, int64_t object) {
    return Ask(peer, {.op = op, .on = static_cast<uint32_t>(object)}).value;
  }
  static uint32_t NumberIn(const Answer& answer) {
    uint32_t number = 0;
    EXPECT_EQ(answer.bytes.size(), sizeof number);
    if (answer.bytes.size() == sizeof number)
      std::memcpy(&number, answer.bytes.data(), sizeof number);
    return number;
  }

  const Peer a_ = Make(kActiveSide, kRc);
  const Peer b_ = Make(kActiveSide, kRc);  // another process of the same host
  const Peer far_ = Make(kPassiveSide, kRc);
};

// source: linux 6.1 uverbs_cmd.c ib_uverbs_open_xrcd
TEST_F(XrcDomainsTest, AFileNamesOneOnEachHost) {
  EXPECT_EQ(Open(a_, 1, 0), -EAGAIN);
  EXPECT_GT(Open(a_, 1, O_CREAT), 0);
  EXPECT_GT(Open(b_, 1, 0), 0);
  EXPECT_EQ(Open(b_, 1, O_CREAT | O_EXCL), -EINVAL);
  EXPECT_EQ(Open(far_, 1, 0), -EAGAIN) << "another device";
  EXPECT_EQ(Open(a_, 2, 0), -EAGAIN) << "another file";
  EXPECT_EQ(Open(a_, {.has_file = 1, .file_system = 1, .file = 1}), -EAGAIN);
  EXPECT_EQ(Open(a_, {.device = 9}), -ENODEV);
}

TEST_F(XrcDomainsTest, AFileNamesItUntilAllHaveClosedIt) {
  const int64_t first = Open(a_, 1, O_CREAT);
  const int64_t second = Open(b_, 1, 0);
  EXPECT_EQ(Close(b_, first), -EINVAL) << "of another process";
  EXPECT_EQ(Close(a_, first), 0);
  EXPECT_EQ(Close(a_, first), -EINVAL);
  const int64_t third = Open(a_, 1, 0);
  EXPECT_GT(third, 0);
  EXPECT_EQ(Close(b_, second), 0);
  machine_.RemoveProcess(a_.process);
  EXPECT_EQ(Open(b_, 1, 0), -EAGAIN);
}

// source: linux 6.1 uverbs_std_types.c uverbs_free_xrcd; verbs.c ib_destroy_cq_user
TEST_F(XrcDomainsTest, StayWhileSomethingIsInThem) {
  const int64_t xrcd = Open(a_, {});
  ASSERT_GT(xrcd, 0);
  const uint32_t cq = CreateCq(a_, 7);
  const Answer srq = CreateSrq(a_, xrcd, cq);
  ASSERT_GT(srq.value, 0);
  EXPECT_NE(NumberIn(srq), 0u);
  EXPECT_EQ(Destroy(a_, Op::kDestroyCq, cq), -EBUSY);
  EXPECT_EQ(Close(a_, xrcd), -EBUSY);
  const Answer target = CreateQp(a_, kXrcReceive, xrcd);
  ASSERT_GT(target.value, 0);
  EXPECT_EQ(Destroy(a_, Op::kDestroySrq, srq.value), 0);
  EXPECT_EQ(Destroy(a_, Op::kDestroyCq, cq), 0);
  EXPECT_EQ(Close(a_, xrcd), -EBUSY);
  EXPECT_EQ(Destroy(a_, Op::kDestroyQp, target.value), 0);
  EXPECT_EQ(Close(a_, xrcd), 0);
}

TEST_F(XrcDomainsTest, QueuesAndQueuePairsNeedWhatIsTheirs) {
  const int64_t xrcd = Open(a_, {});
  EXPECT_EQ(CreateSrq(a_, xrcd, 99).value, -EINVAL);
  EXPECT_EQ(CreateSrq(a_, 99, a_.cq).value, -EINVAL);
  EXPECT_EQ(CreateSrq(b_, xrcd, b_.cq).value, -EINVAL) << "the domain of another process";
  EXPECT_EQ(CreateQp(a_, kXrcReceive, 0).value, -EINVAL);
  EXPECT_EQ(CreateQp(b_, kXrcReceive, xrcd).value, -EINVAL);
  Peer without = a_;
  without.cq = 0;
  EXPECT_EQ(CreateQp(without, kXrcSend, 0).value, -EINVAL);
  EXPECT_GT(CreateQp(a_, kXrcSend, 0).value, 0);
  const Answer srq = CreateSrq(a_, xrcd, a_.cq);
  ASSERT_GT(srq.value, 0);
  const QpRecord usual{.type = kRc,
                       .send_queue = a_.cq,
                       .receive_queue = a_.cq,
                       .srq = static_cast<uint32_t>(srq.value),
                       .sends = {.work = 3, .pieces = 1}};
  EXPECT_EQ(Ask(a_, {.op = Op::kCreateQp, .bytes = Bytes(usual)}).value, -EINVAL)
      << "a shared receive queue of XRC";
}

// source: linux 6.1 verbs.c ib_open_qp, __ib_destroy_shared_qp
TEST_F(XrcDomainsTest, TargetsBelongToAllThatHaveOpenedThem) {
  const int64_t of_a = Open(a_, 1, O_CREAT);
  const int64_t of_b = Open(b_, 1, 0);
  const Answer made = CreateQp(a_, kXrcReceive, of_a);
  const uint32_t number = NumberIn(made);
  EXPECT_EQ(OpenQp(b_, of_b, number + 1), -EINVAL);
  EXPECT_EQ(OpenQp(b_, of_a, number), -EINVAL) << "the domain of another process";
  EXPECT_EQ(OpenQp(b_, Open(b_, 2, O_CREAT), number), -EINVAL) << "another domain";
  EXPECT_EQ(OpenQp(b_, of_b, a_.number), -EINVAL) << "no target";
  const int64_t opened = OpenQp(b_, of_b, number);
  ASSERT_GT(opened, 0);
  EXPECT_EQ(Close(b_, of_b), -EBUSY);
  const ModifyRecord to_init{.mask = 0x1 | 0x8 | 0x10 | 0x20, .state = kInit};
  Peer at_b = b_;
  at_b.qp = static_cast<uint32_t>(opened);
  EXPECT_EQ(Modify(at_b, to_init), 0);
  EXPECT_EQ(Destroy(a_, Op::kQueryQp, made.value), kInit) << "it is the same one";
  EXPECT_EQ(Destroy(a_, Op::kDestroyQp, made.value), 0);
  EXPECT_EQ(Destroy(b_, Op::kQueryQp, opened), kInit) << "it stays";
  EXPECT_EQ(Destroy(b_, Op::kDestroyQp, opened), 0);
  EXPECT_EQ(OpenQp(b_, of_b, number), -EINVAL);
  EXPECT_EQ(Close(b_, of_b), 0);
}

TEST_F(XrcDomainsTest, AProcessThatEndsLeavesTheTargetsOfOthers) {
  const int64_t of_a = Open(a_, 1, O_CREAT);
  const int64_t of_b = Open(b_, 1, 0);
  const Answer made = CreateQp(a_, kXrcReceive, of_a);
  const int64_t opened = OpenQp(b_, of_b, NumberIn(made));
  ASSERT_GT(CreateSrq(a_, of_a, a_.cq).value, 0);
  machine_.RemoveProcess(a_.process);
  EXPECT_EQ(Destroy(b_, Op::kQueryQp, opened), kReset);
  EXPECT_EQ(Destroy(b_, Op::kDestroyQp, opened), 0);
  EXPECT_EQ(Close(b_, of_b), 0);
  EXPECT_EQ(Open(b_, 1, 0), -EAGAIN);
}

class XrcDomainsOfTwoDevices : public XrcDomainsTest {
 protected:
  XrcDomainsOfTwoDevices() : XrcDomainsTest("one-kernel-two-devices") {}
};

// source: linux 6.1 uverbs_cmd.c create_qp: looks its domain up among those of the same device
TEST_F(XrcDomainsOfTwoDevices, HaveTargetsOnTheirOwnDevice) {
  const int64_t here = Open(a_, {});
  const int64_t there = Open(a_, {.device = 1});
  ASSERT_GT(here, 0);
  ASSERT_GT(there, 0);
  EXPECT_GT(CreateQp(a_, kXrcReceive, here).value, 0);
  EXPECT_EQ(CreateQp(a_, kXrcReceive, there).value, -EINVAL);
}

}  // namespace
}  // namespace cm::sim::uapi
