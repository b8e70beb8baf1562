#include "sim/uapi/shared_lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace cm::sim::uapi {
namespace {

class SharedLinesTest : public testing::Test {
 protected:
  void TearDown() override { unlink(path_.c_str()); }

  std::string path_ = testing::TempDir() + "/lines";
  std::unique_ptr<SharedLines> machine_ = SharedLines::Make(path_);
};

TEST_F(SharedLinesTest, AreTakenOnceUntilTheyAreGivenBack) {
  ASSERT_TRUE(machine_);
  SharedLines program = SharedLines::See(path_.c_str());
  for (uint32_t i = 0; i < LinesRecord::kLines; ++i) ASSERT_EQ(program.Take(), i);
  EXPECT_EQ(program.Take(), kNoLine);
  EXPECT_EQ(program.Get(kNoLine), nullptr);
  const uint8_t byte = 1;
  ASSERT_TRUE(program.Get(77)->to_machine.Put({&byte, 1}));
  EXPECT_FALSE(machine_->Get(77)->to_machine.IsEmpty());
  machine_->GiveBack(77);
  EXPECT_EQ(program.Take(), 77U);
  EXPECT_TRUE(machine_->Get(77)->to_machine.IsEmpty());
}

TEST_F(SharedLinesTest, BellEndsAWait) {
  ASSERT_TRUE(machine_);
  SharedLines program = SharedLines::See(path_.c_str());
  const uint32_t before = machine_->bell();
  std::thread rings([&] { program.RingBell(); });
  machine_->Await(before, Duration::Seconds(3'600));
  EXPECT_NE(machine_->bell(), before);
  rings.join();
}

TEST(SharedLines, ThereAreNoneWithoutTheFile) {
  SharedLines none = SharedLines::See("/nowhere/lines");
  EXPECT_EQ(none.Take(), kNoLine);
  none.RingBell();
}

}  // namespace
}  // namespace cm::sim::uapi
