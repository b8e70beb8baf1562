#include "sim/core/fifo.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace cm::sim {
namespace {

std::vector<int> In(const Fifo<int>& fifo) { return {fifo.begin(), fifo.end()}; }

TEST(Fifo, HoldsWhatADequeHolds) {
  Fifo<int> fifo;
  std::deque<int> reference;
  uint64_t state = 1;
  for (int step = 0; step < 20000; ++step) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const uint64_t coin = (state >> 33) % 16;
    if (coin < 8) {
      fifo.push_back(step);
      reference.push_back(step);
    } else if (coin < 14 && !reference.empty()) {
      fifo.pop_front();
      reference.pop_front();
    } else if (coin == 14 && !reference.empty()) {
      fifo.pop_back();
      reference.pop_back();
    } else if (coin == 15) {
      const auto goes = [&](int item) { return item % 5 == 0; };
      fifo.EraseIf(goes);
      std::erase_if(reference, goes);
    }
    ASSERT_EQ(In(fifo), std::vector<int>(reference.begin(), reference.end())) << "step " << step;
    ASSERT_EQ(fifo.size(), reference.size());
    ASSERT_EQ(fifo.empty(), reference.empty());
    if (reference.empty()) continue;
    ASSERT_EQ(fifo.front(), reference.front());
    ASSERT_EQ(fifo.back(), reference.back());
  }
}

TEST(Fifo, IsEqualToOneThatHoldsTheSame) {
  Fifo<int> one;
  Fifo<int> other;
  for (const int item : {1, 2, 3}) one.push_back(item);
  for (const int item : {2, 3}) other.push_back(item);
  EXPECT_FALSE(one == other);
  one.pop_front();
  EXPECT_TRUE(one == other);
}

}  // namespace
}  // namespace cm::sim
