#include "tools/app/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cm::app {
namespace {

std::vector<uint64_t> Draw(Order* order) {
  std::vector<uint64_t> drawn;
  for (int i = 0; i < 40; ++i) drawn.push_back(order->Below(3, "who"));
  return drawn;
}

TEST(Order, IsTheUsualOneWithoutASeed) {
  Order order(0, std::nullopt);
  EXPECT_EQ(Draw(&order), std::vector<uint64_t>(40, 0));
  EXPECT_EQ(ToString(order.taken()), "usual");
}

TEST(Order, IsDrawnBySeedsAndDiffers) {
  Order one(1, std::nullopt);
  Order same(1, std::nullopt);
  Order other(2, std::nullopt);
  const std::vector<uint64_t> drawn = Draw(&one);
  EXPECT_EQ(Draw(&same), drawn);
  EXPECT_NE(Draw(&other), drawn);
}

TEST(Order, OfOneThreadDoesNotDependOnDecisionsOfOthers) {
  Order alone(1, std::nullopt);
  Order among_others(1, std::nullopt);
  const std::vector<uint64_t> drawn = Draw(&alone);
  for (const uint64_t one : drawn) {
    among_others.Below(2, "another");
    EXPECT_EQ(among_others.Below(3, "who"), one);
  }
}

TEST(Order, IsRepeatedByItsDeviations) {
  Order drawn(7, std::nullopt);
  const std::vector<uint64_t> first = Draw(&drawn);
  const auto read = ParseDeviations(ToString(drawn.taken()));
  ASSERT_TRUE(read.has_value());
  Order again(7, read);
  EXPECT_EQ(Draw(&again), first);
  EXPECT_EQ(again.taken(), drawn.taken());
}

TEST(Order, TellsOnlyOutcomesThatAreUnusual) {
  constexpr std::array<uint8_t, 4> kOutcomes = {0, 0, 0, 2};
  Order drawn(7, std::nullopt);
  std::vector<uint64_t> first;
  for (int i = 0; i < 40; ++i) first.push_back(drawn.OneOf(kOutcomes, "who"));
  EXPECT_EQ(std::ranges::count(first, 0) + std::ranges::count(first, 2), 40);
  EXPECT_GT(std::ranges::count(first, 2), 0);
  EXPECT_EQ(static_cast<ptrdiff_t>(drawn.taken().size()), std::ranges::count(first, 2));
  Order again(0, drawn.taken());
  for (const uint64_t one : first) EXPECT_EQ(again.OneOf(kOutcomes, "who"), one);
}

TEST(Order, HasOneOutcomeForOneNumber) {
  Order order(7, std::nullopt);
  std::vector<uint64_t> drawn;
  for (uint64_t at = 0; at < 40; ++at) drawn.push_back(order.BelowAt(3, "who", at));
  const Deviations told = order.taken();
  for (uint64_t at = 40; at-- > 0;) EXPECT_EQ(order.BelowAt(3, "who", at), drawn[at]);
  EXPECT_EQ(order.taken(), told) << "told once";
  Order again(7, told);
  EXPECT_EQ(again.BelowAt(3, "who", told[0].at), told[0].taken);
}

TEST(Order, TakesTheUsualWayWhereAGivenOneIsNotThere) {
  Order order(
      7, Deviations{{.what = "who", .at = 0, .taken = 5}, {.what = "who", .at = 1, .taken = 1}});
  EXPECT_EQ(order.Below(2, "who"), 0U);
  EXPECT_EQ(order.Below(1, "who"), 0U) << "no decision";
  EXPECT_EQ(order.Below(2, "which one"), 0U) << "another decision";
  EXPECT_EQ(order.Below(2, "who"), 1U);
}

TEST(Order, RefusesOtherText) {
  for (const char* const text : {"", "1", "a@1", "@1:1", "a@1:", "a@:1", "a@1:x", "a@1:1;a@2:1"})
    EXPECT_EQ(ParseDeviations(text), std::nullopt) << text;
}

}  // namespace
}  // namespace cm::app
