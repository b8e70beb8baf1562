#include "sim/ib_cm/timer.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "model/base/duration.h"
#include "model/vocabulary/profile.h"

namespace cm::sim {
namespace {

constexpr Instant At(int64_t ms) { return Instant() + Duration::Milliseconds(ms); }
Instant OnWheel(int64_t now_ms, int64_t span_ms) {
  return FiresAt(At(now_ms), Duration::Milliseconds(span_ms), TimerClock::kWheel);
}

TEST(FiresAt, IsExactOrTheNextSlotOfTheWheel) {
  EXPECT_EQ(FiresAt(At(1), Duration::Milliseconds(10), TimerClock::kExact), At(11));
  EXPECT_EQ(OnWheel(0, 4), At(8));      // a slot of 4 ms
  EXPECT_EQ(OnWheel(3, 5), At(12));     // a span of two slots
  EXPECT_EQ(OnWheel(0, 252), At(256));  // 63 slots: the next level, of 32 ms
  EXPECT_EQ(OnWheel(0, 256), At(288));
  EXPECT_EQ(OnWheel(0, 2048), At(2304));  // slots of 256 ms
}

// source: linux 6.1 cm.c cm_ack_timeout
TEST(AckTimeout, IsTwiceThePathAndTheDeviceAsAnExponent) {
  EXPECT_EQ(AckTimeout(0, 18), 19);
  EXPECT_EQ(AckTimeout(18, 18), 20);
  EXPECT_EQ(AckTimeout(25, 18), 25);
  EXPECT_EQ(AckTimeout(20, 18), 21);
  EXPECT_EQ(AckTimeout(31, 31), 31);
}

}  // namespace
}  // namespace cm::sim
