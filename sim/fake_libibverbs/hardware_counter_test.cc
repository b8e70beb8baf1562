#include "sim/fake_libibverbs/hardware_counter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <thread>

#include "sim/fake_libibverbs/instruction_counter.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr size_t kPage = 4096;

// Writes to this many pages that have no memory yet, each of which is a fault.
void FaultPages(size_t count) {
  void* const memory =
      mmap(nullptr, count * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, count * kPage, MADV_NOHUGEPAGE);
  const std::span bytes(static_cast<volatile uint8_t*>(memory), count * kPage);
  for (size_t at = 0; at < bytes.size(); at += kPage) bytes[at] = 1;
  munmap(memory, count * kPage);
}

// Page faults, which the kernel counts without the processor, are read like instructions.
class EventCounter : public testing::Test {
 protected:
  void SetUp() override {
    counter_ = OpenEventCounter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
    if (counter_ < 0)
      GTEST_SKIP() << "unsupported here: perf_event_open: " << std::strerror(-counter_);
  }
  void TearDown() override {
    if (counter_ >= 0) close(counter_);
  }
  uint64_t Reading() const { return ReadInstructionCounter(counter_).value_or(UINT64_MAX); }

  int counter_ = -1;
};

TEST_F(EventCounter, CountsWhatItsThreadDoes) {
  const uint64_t before = Reading();
  FaultPages(500);
  const uint64_t after = Reading();
  EXPECT_GE(after - before, 500U);
  EXPECT_LE(after - before, 600U);
}

TEST_F(EventCounter, CountsNoOtherThreadAndNoChild) {
  const uint64_t before = Reading();
  std::thread([] { FaultPages(5'000); }).join();
  const pid_t child = fork();
  if (child == 0) {
    FaultPages(5'000);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_LT(Reading() - before, 5'000U);
}

TEST_F(EventCounter, IsClosedByAnExec) {
  EXPECT_EQ(fcntl(counter_, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST_F(EventCounter, SaysSoWhenItDoesNotCountAnyMore) {
  EXPECT_EQ(ReadInstructionCounter(-1), std::nullopt);
  EXPECT_EQ(errno, EBADF);
}

TEST(OpenEventCounter, SaysWhyNot) { EXPECT_LT(OpenEventCounter(UINT32_MAX, 0), 0); }

TEST(InstructionCounter, CountsThisLoop) {
  const int counter = OpenInstructionCounter();
  if (counter < 0) GTEST_SKIP() << "unsupported here: perf_event_open: " << std::strerror(-counter);
  constexpr uint64_t kRounds = 1'000'000;
  const uint64_t before = ReadInstructionCounter(counter).value_or(0);
  for (volatile uint64_t i = 0; i < kRounds;) i = i + 1;
  const std::optional<uint64_t> after = ReadInstructionCounter(counter);
  ASSERT_TRUE(after);
  EXPECT_GE(*after - before, kRounds);
  EXPECT_LE(*after - before, 100 * kRounds);
  close(counter);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
