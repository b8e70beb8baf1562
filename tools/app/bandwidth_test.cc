#include "tools/app/bandwidth.h"

#include <gtest/gtest.h>

#include <optional>

namespace cm::app {
namespace {

TEST(Bandwidth, HasAUnitOrNone) {
  EXPECT_EQ(ParseBandwidth(""), 0u);
  EXPECT_EQ(ParseBandwidth("64000"), 64'000u);
  EXPECT_EQ(ParseBandwidth("800k"), 800'000u);
  EXPECT_EQ(ParseBandwidth("100M"), 100'000'000u);
  EXPECT_EQ(ParseBandwidth("25G"), 25'000'000'000u);
  EXPECT_EQ(ParseBandwidth("1000G"), 1'000'000'000'000u);
}

TEST(Bandwidth, IsRefusedWhereItIsNoRate) {
  for (const char* text :
       {"fast", "10Gbit", "-1", "1.5G", "999", "0", "1001G", "1T", "G", "99999999999999999999"})
    EXPECT_EQ(ParseBandwidth(text), std::nullopt) << text;
}

}  // namespace
}  // namespace cm::app
