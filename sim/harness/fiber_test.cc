#include "sim/harness/fiber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace cm::sim {
namespace {

using testing::ElementsAre;

TEST(Fiber, GoesOnWhereItWasLeft) {
  std::vector<int> seen;
  Fiber fiber([&seen] {
    for (int i = 0; i < 3; ++i) {
      seen.push_back(i);
      Fiber::Yield();
    }
  });
  EXPECT_FALSE(fiber.Resume());
  seen.push_back(10);
  EXPECT_FALSE(fiber.Resume());
  EXPECT_FALSE(fiber.Resume());
  EXPECT_FALSE(fiber.ended());
  EXPECT_TRUE(fiber.Resume());
  EXPECT_THAT(seen, ElementsAre(0, 10, 1, 2));
}

TEST(Fiber, OneResumesAnother) {
  std::vector<int> seen;
  Fiber inner([&seen] {
    seen.push_back(1);
    Fiber::Yield();
    seen.push_back(3);
  });
  Fiber outer([&] {
    inner.Resume();
    seen.push_back(2);
    inner.Resume();
    EXPECT_NE(Fiber::Current(), nullptr);
  });
  EXPECT_TRUE(outer.Resume());
  EXPECT_TRUE(inner.ended());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
  EXPECT_EQ(Fiber::Current(), nullptr);
}

TEST(Fiber, OneThatIsForgottenLeavesItsStackToOthers) {
  for (int i = 0; i < 1000; ++i) {
    auto fiber = std::make_unique<Fiber>([] { Fiber::Yield(); });
    EXPECT_FALSE(fiber->Resume());
  }
}

}  // namespace
}  // namespace cm::sim
