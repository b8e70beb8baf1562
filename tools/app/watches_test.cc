#include "tools/app/watches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace cm::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<uint64_t> Readable(const Watches& watches) {
  std::vector<uint64_t> all;
  for (const auto& [number, watched] : watches) all.push_back(watched.readable.more);
  return all;
}

TEST(Watches, StandInTheOrderInWhichTheyWereNamedWhateverTheirNames) {
  Watches watches;
  for (const uint64_t name : {uint64_t{70}, uint64_t{30}, uint64_t{50}})
    watches.Get(name).readable.more = name;
  EXPECT_THAT(Readable(watches), ElementsAre(70, 30, 50));
  watches.Get(70).readable.more = 71;
  EXPECT_THAT(Readable(watches), ElementsAre(71, 30, 50)) << "it keeps its place";
}

TEST(Watches, ComeLastWhenTheyAreNamedAgain) {
  Watches watches;
  for (const uint64_t name : {uint64_t{1}, uint64_t{2}}) watches.Get(name).readable.more = name;
  watches.Get(1).is_readable = true;
  watches.Erase(1);
  watches.Erase(3);
  EXPECT_THAT(Readable(watches), ElementsAre(2));
  EXPECT_FALSE(watches.Get(1).is_readable) << "it is a new one";
  watches.Get(1).readable.more = 1;
  EXPECT_THAT(Readable(watches), ElementsAre(2, 1));
  watches.Clear();
  EXPECT_THAT(Readable(watches), IsEmpty());
  watches.Get(2).readable.more = 2;
  EXPECT_THAT(Readable(watches), ElementsAre(2));
}

}  // namespace
}  // namespace cm::app
