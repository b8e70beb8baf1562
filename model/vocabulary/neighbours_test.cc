#include "model/vocabulary/neighbours.h"

#include <gtest/gtest.h>

namespace cm {
namespace {

constexpr uint8_t kOfNoDevice = 0xff;

TEST(ANeighbourTable, HasAnEntryForEachDeviceAndOneForTheOthers) {
  NeighbourTable table;
  table.Set(3, Neighbour::kWrong);
  EXPECT_EQ(table[3], Neighbour::kWrong);
  EXPECT_EQ(table[2], Neighbour::kRight);
  EXPECT_EQ(table[kOfNoDevice], Neighbour::kRight);
  EXPECT_EQ(NeighbourTable(Neighbour::kWrong)[kOfNoDevice], Neighbour::kWrong);
}

TEST(ANeighbourTable, ExpiresAndIsLearntAgainButForWhatIsWrong) {
  NeighbourTable table;
  table.Set(3, Neighbour::kWrong);
  table.Expire();
  EXPECT_EQ(table[3], Neighbour::kWrong);
  EXPECT_EQ(table[2], Neighbour::kAbsent);
  EXPECT_FALSE(table.Has(Neighbour::kRight));
  table.Set(2, Neighbour::kAsked);
  table.Learn();
  EXPECT_EQ(table[2], Neighbour::kRight);
  EXPECT_EQ(table[3], Neighbour::kWrong);
  table.Set(3, Neighbour::kRight);
  EXPECT_EQ(table, NeighbourTable());
}

}  // namespace
}  // namespace cm
