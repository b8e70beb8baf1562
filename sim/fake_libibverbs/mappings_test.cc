#include "sim/fake_libibverbs/mappings.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace cm::sim::fake_libibverbs {
namespace {

constexpr std::string_view kMaps =
    "1000-3000 rw-p 00000000 00:00 0 \n"
    "3000-4000 r--p 00000000 08:01 17   /lib/x.so\n"
    "6000-7000 ---p 00000000 00:00 0 \n"
    "7000-8000 rw-s 00000000 00:00 0    /dev/shm/y";

TEST(Mappings, AreCoveredWhereTheyAdjoin) {
  EXPECT_TRUE(Covers(kMaps, 0x1000, 0x2000, true));
  EXPECT_TRUE(Covers(kMaps, 0x1800, 0x2800, false));
  EXPECT_TRUE(Covers(kMaps, 0x7fff, 1, true)) << "the last line has no end";
}

TEST(Mappings, AreWrittenWhereTheyAllowIt) {
  EXPECT_FALSE(Covers(kMaps, 0x1800, 0x2800, true));
  EXPECT_FALSE(Covers(kMaps, 0x3000, 1, true));
  EXPECT_FALSE(Covers(kMaps, 0x6000, 1, false)) << "it is not readable";
}

TEST(Mappings, LeaveGaps) {
  EXPECT_FALSE(Covers(kMaps, 0, 1, false));
  EXPECT_FALSE(Covers(kMaps, 0xfff, 2, false));
  EXPECT_FALSE(Covers(kMaps, 0x3fff, 2, false));
  EXPECT_FALSE(Covers(kMaps, 0x7fff, 2, false)) << "beyond the last";
  EXPECT_FALSE(Covers(kMaps, 0x1000, UINT64_MAX, false)) << "around the end";
}

TEST(Mappings, OfDamagedTextAreThoseThatAreWhole) {
  EXPECT_FALSE(Covers("", 0x1000, 1, false));
  EXPECT_FALSE(Covers("1000", 0x1000, 1, false));
  EXPECT_FALSE(Covers("1000-", 0x1000, 1, false));
  EXPECT_FALSE(Covers("1000-2000", 0x1000, 1, false));
  EXPECT_FALSE(Covers("1000-2000 r", 0x1000, 1, false));
  EXPECT_FALSE(Covers("1000+2000 rw-p", 0x1000, 1, false));
  EXPECT_TRUE(Covers("what?\n1000-2000 rw", 0x1000, 1, true));
}

class OfThisProcess : public testing::Test {
 protected:
  void SetUp() override {
    page_ = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    first_ = mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(first_, MAP_FAILED);
    std::memset(first_, 7, 3 * page_);
  }
  void TearDown() override { munmap(first_, 3 * page_); }
  uint64_t Address() const { return std::bit_cast<uint64_t>(first_); }

  uint64_t page_ = 0;
  void* first_ = nullptr;
};

TEST_F(OfThisProcess, WrittenMemoryCanBePinnedAndStaysAsItIs) {
  EXPECT_TRUE(CanBePinned(Address() + 1, 2 * page_, true));
  for (uint64_t at = 0; at < 3 * page_; ++at) ASSERT_EQ(static_cast<uint8_t*>(first_)[at], 7) << at;
}

TEST_F(OfThisProcess, ReadOnlyMemoryCanBePinnedToBeRead) {
  ASSERT_EQ(mprotect(first_, page_, PROT_READ), 0);
  EXPECT_TRUE(CanBePinned(Address(), 2 * page_, false));
  EXPECT_FALSE(CanBePinned(Address(), 2 * page_, true));
}

TEST_F(OfThisProcess, MemoryThatIsNotThereCannotBePinned) {
  EXPECT_FALSE(CanBePinned(0, page_, false));
  ASSERT_EQ(munmap(static_cast<uint8_t*>(first_) + page_, page_), 0);
  EXPECT_FALSE(CanBePinned(Address(), 3 * page_, false));
  EXPECT_TRUE(CanBePinned(Address(), page_, true));
}

TEST(Mappings, ThatAreLargeCanBePinnedAndNeedNoMemory) {
  constexpr size_t kSize = size_t{64} << 30;
  void* const first = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(first, MAP_FAILED);
  EXPECT_TRUE(CanBePinned(std::bit_cast<uint64_t>(first), kSize, true));
  unsigned char present = 1;
  EXPECT_EQ(mincore(first, 1, &present), 0);
  EXPECT_EQ(present, 0);
  munmap(first, kSize);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
