#include "model/base/duration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace cm {
namespace {

TEST(Duration, IsWrittenInTheLargestUnitThatKeepsItWhole) {
  EXPECT_EQ(ToString(Duration()), "0us");  // how a history begins
  EXPECT_EQ(ToString(Duration::Nanoseconds(250)), "250ns");
  EXPECT_EQ(ToString(Duration::Nanoseconds(1500)), "1500ns");
  EXPECT_EQ(ToString(Duration::Microseconds(20)), "20us");
  EXPECT_EQ(ToString(Duration::Microseconds(5000)), "5ms");
  EXPECT_EQ(ToString(Duration::Milliseconds(6144)), "6144ms");
  EXPECT_EQ(ToString(Duration::Seconds(102)), "102s");
}

TEST(Duration, ReadsWhatItWrites) {
  for (int64_t unit : {int64_t{1}, int64_t{1'000}, int64_t{1'000'000}, int64_t{1'000'000'000}}) {
    for (int64_t n : {0, 1, 2, 9, 10, 999, 1000, 1001, 65536}) {
      const Duration duration = Duration::Nanoseconds(n * unit);
      EXPECT_EQ(ParseDuration(ToString(duration)), duration) << ToString(duration);
    }
  }
}

TEST(Duration, ReadsTheLongestOneToo) {
  EXPECT_EQ(ParseDuration(ToString(Duration::Max())), Duration::Max());
}

TEST(Duration, TakesNothingElseForADuration) {
  for (const std::string_view bad : {"", "5", "ms", "-5ms", "+5ms", "5 ms", " 5ms", "5ms ", "5m",
                                     "5.5ms", "0x5ms", "5MS", "5minutes"})
    EXPECT_EQ(ParseDuration(bad), std::nullopt) << bad;
}

// 2^63 ns is a little more than 9223372036 s.
TEST(Duration, TakesNoNumberThatDoesNotFit) {
  EXPECT_TRUE(ParseDuration("9223372036s"));
  EXPECT_EQ(ParseDuration("9223372037s"), std::nullopt);
  EXPECT_EQ(ParseDuration("9223372036854775808ns"), std::nullopt);
  EXPECT_EQ(ParseDuration("99999999999999999999ns"), std::nullopt);
}

TEST(Instant, IsAsFarFromAnotherAsTheyAreApart) {
  const Instant start = Instant::FromNanoseconds(5);
  const Instant later = start + Duration::Milliseconds(2);
  EXPECT_EQ(later - start, Duration::Milliseconds(2));
  EXPECT_LT(start, later);
  EXPECT_LT(later, Instant::Never());
}

}  // namespace
}  // namespace cm
