#include "tools/bench/hold.h"

#include "tools/bench/floor/floor.h"
#include "tools/bench/floor/queues.h"

namespace cm::bench {

void FloorHold() {
  HoldFigures<FloorHeap>("heap");
  HoldFigures<FloorWheel>("wheel");
  const std::string name = "hold/16/list";
  Figure(name, kHoldEvents, [](benchmark::State& state) {
    Hold<FloorList> hold(16);
    MeasureOnce(state, [&](int64_t events) { hold.MeasuredHold(events); });
    state.counters["order"] = hold.order();
  });
}

}  // namespace cm::bench
