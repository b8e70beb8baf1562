#include "sim/fake_libibverbs/instruction_account.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace cm::sim::fake_libibverbs {
namespace {

constexpr uint64_t kThousand = 1'000;
constexpr uint64_t kRate = 3 * kThousand * kThousand * kThousand;  // 3000 a step

// The program retires this many instructions.
void Retire(InstructionAccount* account, uint64_t instructions) {
  constexpr uint64_t kReading = 700;
  account->Resume(kReading);
  account->Pause(kReading + instructions);
}

TEST(InstructionAccount, HasNothingAtFirst) {
  InstructionAccount account;
  EXPECT_EQ(account.Take(kRate), 0);
  account.Pause(1'000'000'000);
  EXPECT_EQ(account.Take(kRate), 0) << "when it began is not known";
}

TEST(InstructionAccount, YieldsWhatTheProgramHasRetiredOnce) {
  InstructionAccount account;
  Retire(&account, 30'000'000);
  EXPECT_EQ(account.Take(kRate), 10'000'000);
  EXPECT_EQ(account.Take(kRate), 0);
}

TEST(InstructionAccount, CountsNothingBetweenPauseAndResume) {
  InstructionAccount account;
  account.Resume(100);
  account.Pause(3'100);
  account.Pause(900'000);  // in the object
  account.Resume(1'000'000);
  account.Pause(1'006'000);
  EXPECT_EQ(account.Take(kRate), 3'000);
}

TEST(InstructionAccount, GrowsInWholeStepsAndKeepsTheRest) {
  InstructionAccount account;
  Retire(&account, 2'999);
  EXPECT_EQ(account.Take(kRate), 0);
  Retire(&account, 1);
  EXPECT_EQ(account.Take(kRate), 1'000);
  Retire(&account, 5'999);
  EXPECT_EQ(account.Take(kRate), 1'000);
  int64_t all = 2'000;
  for (int i = 0; i < 10'000; ++i) {
    Retire(&account, 7);
    all += account.Take(kRate);
  }
  EXPECT_EQ(all, (9'000 - 1 + 70'000) / 3'000 * 1'000);
}

TEST(InstructionAccount, LosesNothingWhereAStepIsNoWholeNumberOfInstructions) {
  for (const uint64_t rate : std::to_array<uint64_t>({1, 1'000, 1'234'567, 2'999'999'999})) {
    InstructionAccount account;
    int64_t all = 0;
    for (uint64_t i = 0; i < 1'000; ++i) {
      Retire(&account, rate / 1'000 + (i < rate % 1'000 ? 1 : 0));
      all += account.Take(rate);
    }
    EXPECT_EQ(all, 1'000'000'000) << rate;
  }
}

TEST(InstructionAccount, TakesReadingsThatWrap) {
  InstructionAccount account;
  account.Resume(UINT64_MAX - 999);
  account.Pause(2'000);
  EXPECT_EQ(account.Take(kRate), 1'000);
}

TEST(InstructionAccount, HasRoomForDays) {
  constexpr uint64_t kDays = 1'000'000;  // seconds
  constexpr uint64_t kFastest = kThousand * kThousand * kThousand * kThousand;
  InstructionAccount account;
  Retire(&account, kFastest * kDays + kFastest - 1);
  EXPECT_EQ(account.Take(kFastest), 1'000'000'999'999'000);
  Retire(&account, 1);
  EXPECT_EQ(account.Take(kFastest), 1'000);
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
