// Refused verbs objects.
#include "sim/uapi/refusals.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>

#include "sim/uapi/peers.h"

namespace cm::sim::uapi {
namespace {

// source: <infiniband/verbs.h> enum ibv_access_flags
constexpr uint32_t kLocalWrite = 1, kRemoteWrite = 2, kRemoteRead = 4, kRemoteAtomic = 8;

class Refusals : public VerbsEndTest {
 protected:
  int64_t Register(const RegionRecord& region) {
    return Ask(a_, {.op = Op::kRegister, .bytes = Bytes(region)}).value;
  }
  int64_t RegisterWith(uint32_t access) {
    return Register({.address = kBase, .length = 64, .access = access});
  }
};

// source: linux 6.1 ib_verbs.h ib_check_mr_access
TEST_F(Refusals, RegionsThatPeersWriteAreWrittenHereToo) {
  EXPECT_EQ(RegisterWith(kRemoteWrite), -EINVAL);
  EXPECT_EQ(RegisterWith(kRemoteAtomic), -EINVAL);
  EXPECT_EQ(RegisterWith(kRemoteRead | kRemoteAtomic), -EINVAL);
  EXPECT_GT(RegisterWith(kRemoteWrite | kRemoteAtomic | kLocalWrite), 0);
  EXPECT_GT(RegisterWith(kRemoteRead), 0);
  EXPECT_GT(RegisterWith(0), 0);
}

TEST_F(Refusals, AccessFlagsAreKnown) {
  constexpr uint32_t kMwBind = 0x10, kZeroBased = 0x20, kOnDemand = 0x40, kHugetlb = 0x80;
  constexpr uint32_t kRelaxedOrdering = 1 << 20;
  EXPECT_GT(RegisterWith(kLocalWrite | kMwBind | kZeroBased | kHugetlb | kRelaxedOrdering), 0);
  EXPECT_EQ(RegisterWith(kLocalWrite | kOnDemand), -EINVAL);
  EXPECT_EQ(RegisterWith(1 << 12), -EINVAL);
  EXPECT_EQ(RegisterWith(1U << 31), -EINVAL);
}

TEST_F(Refusals, RegionsHaveBytes) {
  EXPECT_EQ(Register({.address = kBase, .access = kLocalWrite}), -EINVAL);
  EXPECT_EQ(Register({.address = UINT64_MAX - 3, .length = 8}), -EINVAL) << "around the end";
}

TEST_F(Refusals, MemoryThatIsNotThereIsNotRegistered) {
  RegionRecord region{.address = kBase, .length = 64, .access = kLocalWrite, .faults = 1};
  EXPECT_EQ(Register(region), -EFAULT);
  region.access = kRemoteWrite;
  EXPECT_EQ(Register(region), -EINVAL) << "access flags are looked at first";
}

// source: linux 6.1 rxe_cq.c rxe_cq_chk_attr
TEST_F(Refusals, CompletionQueuesHoldWhatADeviceCan) {
  const auto create = [this](uint64_t holds) {
    return Ask(a_, {.op = Op::kCreateCq, .more = holds}).value;
  };
  EXPECT_EQ(create(0), -EINVAL);
  EXPECT_EQ(create(DeviceLimits::kCompletions + 1), -EINVAL);
  EXPECT_EQ(create(uint64_t{1} << 32 | 1), -EINVAL);
  const int64_t cq = create(DeviceLimits::kCompletions);
  ASSERT_GT(cq, 0);
  const auto resize = [&](uint64_t holds) {
    return Ask(a_, {.op = Op::kResizeCq, .on = static_cast<uint32_t>(cq), .more = holds}).value;
  };
  EXPECT_EQ(resize(0), -EINVAL);
  EXPECT_EQ(resize(DeviceLimits::kCompletions + 1), -EINVAL);
  EXPECT_EQ(resize(1), 0);
}

// source: linux 6.1 rxe_srq.c rxe_srq_chk_init, rxe_srq_chk_attr
TEST_F(Refusals, SharedQueuesHoldWhatADeviceCan) {
  const auto create = [this](const RoomRecord& room) {
    return Ask(a_, {.op = Op::kCreateSrq, .bytes = Bytes(SrqRecord{.room = room})}).value;
  };
  EXPECT_EQ(create({.work = 0, .pieces = 1}), -EINVAL);
  EXPECT_EQ(create({.work = DeviceLimits::kWork + 1, .pieces = 1}), -EINVAL);
  EXPECT_EQ(create({.work = 1, .pieces = DeviceLimits::kSharedPieces + 1}), -EINVAL);
  const int64_t srq = create({.work = DeviceLimits::kWork, .pieces = DeviceLimits::kSharedPieces});
  ASSERT_GT(srq, 0);
  const SrqRecord large{.room = {.work = DeviceLimits::kWork + 1}, .mask = 1};
  EXPECT_EQ(Ask(a_, {.op = Op::kModifySrq, .on = static_cast<uint32_t>(srq), .bytes = Bytes(large)})
                .value,
            -EINVAL);
}

// source: linux 6.1 rxe_qp.c rxe_qp_chk_cap
TEST_F(Refusals, QueuePairsHoldWhatADeviceCan) {
  constexpr RoomRecord kMost{.work = DeviceLimits::kWork, .pieces = DeviceLimits::kPieces};
  constexpr RoomRecord kDeep{.work = DeviceLimits::kWork + 1, .pieces = 1};
  constexpr RoomRecord kWide{.work = 1, .pieces = DeviceLimits::kPieces + 1};
  const auto create = [this](const RoomRecord& sends, const RoomRecord& receives,
                             uint32_t srq = QpRecord{}.srq) {
    const QpRecord record{.type = kRc,
                          .send_queue = a_.cq,
                          .receive_queue = a_.cq,
                          .srq = srq,
                          .sends = sends,
                          .receives = receives};
    return Ask(a_, {.op = Op::kCreateQp, .bytes = Bytes(record)}).value;
  };
  EXPECT_EQ(create(kDeep, kMost), -EINVAL);
  EXPECT_EQ(create(kWide, kMost), -EINVAL);
  EXPECT_EQ(create(kMost, kDeep), -EINVAL);
  EXPECT_EQ(create(kMost, kWide), -EINVAL);
  EXPECT_GT(create(kMost, kMost), 0);
  EXPECT_GT(create({}, {}), 0);
  const SrqRecord shared{.room = {.work = 1, .pieces = 1}};
  const int64_t srq = Ask(a_, {.op = Op::kCreateSrq, .bytes = Bytes(shared)}).value;
  EXPECT_GT(create(kMost, kWide, static_cast<uint32_t>(srq)), 0) << "it has no receives";
}

class RefusalsOverIwarp : public VerbsEndTest {
 protected:
  RefusalsOverIwarp() : VerbsEndTest("6.1-siw") {}
};

// source: linux 6.1 siw_verbs.c siw_create_qp, siw_create_cq, siw_create_srq; siw.h, siw-abi.h
TEST_F(RefusalsOverIwarp, AreThoseOfSiw) {
  const auto cq = [this](uint64_t holds) {
    return Ask(a_, {.op = Op::kCreateCq, .more = holds}).value;
  };
  EXPECT_GT(cq(3'276'800), 0);
  EXPECT_EQ(cq(3'276'801), -EINVAL);
  const auto srq = [this](const RoomRecord& room) {
    return Ask(a_, {.op = Op::kCreateSrq, .bytes = Bytes(SrqRecord{.room = room})}).value;
  };
  EXPECT_GT(srq({.work = 327'680, .pieces = 6}), 0);
  EXPECT_EQ(srq({.work = 327'681, .pieces = 6}), -EINVAL);
  EXPECT_EQ(srq({.work = 1, .pieces = 7}), -EINVAL);
  const auto own = static_cast<uint32_t>(cq(8));
  const auto qp = [&](const RoomRecord& sends, const RoomRecord& receives) {
    const QpRecord record{
        .type = kRc, .send_queue = own, .receive_queue = own, .sends = sends, .receives = receives};
    return Ask(a_, {.op = Op::kCreateQp, .bytes = Bytes(record)}).value;
  };
  constexpr RoomRecord kMost{.work = 32'768, .pieces = 6};
  EXPECT_GT(qp(kMost, kMost), 0);
  EXPECT_EQ(qp({.work = 32'769, .pieces = 1}, kMost), -EINVAL);
  EXPECT_EQ(qp(kMost, {.work = 1, .pieces = 7}), -EINVAL);
}

TEST_F(Refusals, QueuePairsAreOfAType) {
  for (const uint32_t type : {0U, 1U, 5U, 77U, 0x102U})
    EXPECT_EQ(WhyNoQp(type, false), Errno::kInval) << type;
  for (const uint32_t type : {8U, 9U, 10U, 0xffU})
    EXPECT_EQ(WhyNoQp(type, false), Errno::kNotSup) << type;
  for (const uint32_t type : {2U, 3U, 4U}) EXPECT_EQ(WhyNoQp(type, false), Errno::kNone) << type;
  EXPECT_EQ(WhyNoQp(kUd, true), Errno::kNotSup);
}

}  // namespace
}  // namespace cm::sim::uapi
