#include "sim/core/slot_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/core/index.h"

namespace cm::sim {
namespace {

using Place = Index<struct Thing>;
using Table = SlotTable<Place>;

std::multiset<uint32_t> Under(const Table& table, uint32_t hash) {
  std::multiset<uint32_t> places;
  table.Visit(hash, [&](Place place) { places.insert(place.value()); });
  return places;
}

TEST(SlotTable, ShowsEveryPlaceUnderAHash) {
  Table table;
  EXPECT_TRUE(Under(table, 7).empty());
  table.Add(7, Place(1));
  table.Add(7, Place(2));
  table.Add(8, Place(3));
  EXPECT_EQ(Under(table, 7), (std::multiset<uint32_t>{1, 2}));
  table.Remove(7, Place(1));
  EXPECT_EQ(Under(table, 7), (std::multiset<uint32_t>{2}));
  EXPECT_EQ(Under(table, 8), (std::multiset<uint32_t>{3}));
}

// Entries at the end of the table have their neighbours at its beginning.
TEST(SlotTable, HoldsWhatAReferenceHolds) {
  Table table;
  std::multiset<std::pair<uint32_t, uint32_t>> reference;
  uint64_t state = 1;
  for (uint32_t step = 0; step < 20000; ++step) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto hash = static_cast<uint32_t>(0xffffffff - ((state >> 40) & 0x3f) * 0x1000000);
    if ((state >> 33) % 3 == 0 && !reference.empty()) {
      const auto [gone_hash, gone] = *reference.begin();
      table.Remove(gone_hash, Place(gone));
      reference.erase(reference.begin());
    } else if (reference.size() < 200) {
      table.Add(hash, Place(step));
      reference.emplace(hash, step);
    }
    std::multiset<uint32_t> expected;
    for (auto it = reference.lower_bound({hash, 0}); it != reference.end() && it->first == hash;
         ++it)
      expected.insert(it->second);
    ASSERT_EQ(Under(table, hash), expected) << "step " << step;
  }
}

TEST(SlotTableDeathTest, DoesNotRemoveWhatIsNotThere) {
  Table table;
  table.Add(7, Place(1));
  EXPECT_DEATH(table.Remove(7, Place(2)), "place 2");
}

}  // namespace
}  // namespace cm::sim
