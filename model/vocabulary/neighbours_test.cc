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

TEST(ANeighbourTable, ChangesTheEntriesOfOneKind) {
  NeighbourTable table;
  table.Set(3, Neighbour::kWrong);
  table.Change(Neighbour::kRight, Neighbour::kAbsent);
  EXPECT_EQ(table[3], Neighbour::kWrong);
  EXPECT_EQ(table[2], Neighbour::kAbsent);
  EXPECT_FALSE(table.Has(Neighbour::kRight));
  table.Change(Neighbour::kAbsent, Neighbour::kRight);
  table.Set(3, Neighbour::kRight);
  EXPECT_EQ(table, NeighbourTable());
}

}  // namespace
}  // namespace cm
