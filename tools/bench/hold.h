// The hold model: a constant number of events is pending, and each event schedules one.
//
// Three of four are due after 16 to 271 ns, the others after 16 us to 1.06 ms; events of one
// instant happen in the order of scheduling. Every queue gets the same numbers and must give the
// same order: the counter `order` is a checksum of it.
#ifndef TOOLS_BENCH_HOLD_H_
#define TOOLS_BENCH_HOLD_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "tools/bench/figure.h"

namespace cm::bench {

struct Due {
  int64_t at = 0;
  uint32_t id = 0;
};

inline int64_t HoldDelay(Random* random) {
  const uint64_t r = random->Next();
  const uint64_t near = 16 + ((r >> 8) & 0xff);
  const uint64_t far = 16384 + ((r >> 8) & 0xfffff);
  return static_cast<int64_t>((r & 3) != 0 ? near : far);
}

inline constexpr int64_t kHoldSizes[] = {16, 1000, 100'000, 1'000'000};
inline constexpr int64_t kHoldEvents = 2'000'000;
// Until the ratio of near and far events is stationary.
inline int64_t HoldWarmUp(int64_t pending) { return Scaled(4 * pending + 100'000); }

// The result that all queues must agree on. 32 bits, which the counter of a figure holds exactly.
class OrderSum {
 public:
  void Add(Due due) { sum_ = sum_ * 31 + static_cast<uint32_t>(due.at) + due.id; }
  double value() const { return sum_; }

 private:
  uint32_t sum_ = 0;
};

// A queue has void Push(Due) and Due Pop().
template <typename Queue>
class Hold {
 public:
  explicit Hold(int64_t pending) {
    for (int64_t i = 0; i < pending; ++i) Schedule(0);
    Run(HoldWarmUp(pending));
  }
  [[gnu::noinline]] void MeasuredHold(int64_t events) { Run(events); }
  double order() const { return order_.value(); }

 private:
  void Schedule(int64_t now) { queue_.Push({now + HoldDelay(&random_), next_id_++}); }
  void Run(int64_t events) {
    for (int64_t i = 0; i < events; ++i) {
      const Due due = queue_.Pop();
      order_.Add(due);
      Schedule(due.at);
    }
  }

  Queue queue_;
  Random random_;
  OrderSum order_;
  uint32_t next_id_ = 0;
};

template <typename Queue>
void HoldFigures(const std::string& variant) {
  for (const int64_t pending : kHoldSizes) {
    const std::string name = "hold/" + std::to_string(pending) + "/" + variant;
    Figure(name, kHoldEvents, [pending](benchmark::State& state) {
      Hold<Queue> hold(pending);
      MeasureOnce(state, [&](int64_t events) { hold.MeasuredHold(events); });
      state.counters["order"] = hold.order();
    });
  }
}

}  // namespace cm::bench

#endif  // TOOLS_BENCH_HOLD_H_
