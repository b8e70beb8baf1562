#include "tools/app/rate.h"

#include <gtest/gtest.h>

#include <optional>

namespace cm::app {
namespace {

TEST(Rate, HasAUnitOrNone) {
  EXPECT_EQ(ParseRate(""), 0u);
  EXPECT_EQ(ParseRate("64000"), 64'000u);
  EXPECT_EQ(ParseRate("800k"), 800'000u);
  EXPECT_EQ(ParseRate("100M"), 100'000'000u);
  EXPECT_EQ(ParseRate("25G"), 25'000'000'000u);
  EXPECT_EQ(ParseRate("1000G"), 1'000'000'000'000u);
}

TEST(Rate, IsRefusedWhereItIsNoRate) {
  for (const char* text :
       {"fast", "10Gbit", "-1", "1.5G", "999", "0", "1001G", "1T", "G", "99999999999999999999"})
    EXPECT_EQ(ParseRate(text), std::nullopt) << text;
}

}  // namespace
}  // namespace cm::app
