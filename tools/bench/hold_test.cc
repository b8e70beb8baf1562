// The queues of the benchmarks do the same work, and ours is faster than a simple one.
#include "tools/bench/hold.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tools/bench/agenda_queue.h"
#include "tools/bench/figure.h"
#include "tools/bench/floor/queues.h"

namespace cm::bench {
namespace {

template <typename Queue>
double OrderOf(int64_t pending) {
  Hold<Queue> hold(pending);
  hold.MeasuredHold(10'000);
  return hold.order();
}

TEST(TheHoldModel, GivesEveryQueueTheSameOrder) {
  for (const int64_t pending : {16, 1000, 20'000}) {
    const double order = OrderOf<AgendaQueue>(pending);
    EXPECT_EQ(OrderOf<FloorHeap>(pending), order) << pending;
    EXPECT_EQ(OrderOf<FloorWheel>(pending), order) << pending;
    EXPECT_NE(OrderOf<FloorHeap>(pending + 1), order) << "the checksum sees no difference";
  }
  EXPECT_EQ(OrderOf<FloorList>(16), OrderOf<AgendaQueue>(16));
}

template <typename Queue>
double SecondsOf(Hold<Queue>* hold) {
  const double start = CpuSeconds();
  hold->MeasuredHold(100'000);
  return CpuSeconds() - start;
}

// By a factor of three or more; a ratio, because machines differ. The minimum of several runs,
// because other load only adds time.
TEST(TheAgenda, IsFasterThanAHeapWhereManyArePending) {
  Hold<AgendaQueue> agenda(100'000);
  Hold<FloorHeap> heap(100'000);
  double ours = 1e9;
  double theirs = 1e9;
  for (int turn = 0; turn < 7; ++turn) {
    ours = std::min(ours, SecondsOf(&agenda));
    theirs = std::min(theirs, SecondsOf(&heap));
  }
  EXPECT_LT(ours, theirs);
}

}  // namespace
}  // namespace cm::bench
