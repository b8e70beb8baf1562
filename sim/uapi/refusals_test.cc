// What is not made.
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
