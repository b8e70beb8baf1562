// The event engine of ns-3, by its public interface, with each of its schedulers.
#include <ns3/core-module.h>

#include <cstdint>
#include <string>

#include "tools/bench/hold.h"

namespace cm::bench {
namespace {

// Like Hold, but ns-3 calls us.
class Ns3Hold {
 public:
  explicit Ns3Hold(const std::string& scheduler, int64_t pending) {
    ns3::ObjectFactory factory;
    factory.SetTypeId(scheduler);
    ns3::Simulator::SetScheduler(factory);
    for (int64_t i = 0; i < pending; ++i) Schedule();
    left_ = HoldWarmUp(pending);
    ns3::Simulator::Run();
  }
  ~Ns3Hold() { ns3::Simulator::Destroy(); }
  Ns3Hold(const Ns3Hold&) = delete;
  Ns3Hold& operator=(const Ns3Hold&) = delete;

  [[gnu::noinline]] void MeasuredHold(int64_t events) {
    left_ = events;
    ns3::Simulator::Run();
  }
  double order() const { return order_.value(); }

 private:
  void Schedule() {
    const ns3::Time delay = ns3::NanoSeconds(HoldDelay(&random_));
    ns3::Simulator::Schedule(delay, &Ns3Hold::Happens, this, next_id_++);
  }
  void Happens(uint32_t id) {
    order_.Add({ns3::Simulator::Now().GetNanoSeconds(), id});
    Schedule();
    if (--left_ == 0) ns3::Simulator::Stop();
  }

  Random random_;
  OrderSum order_;
  uint32_t next_id_ = 0;
  int64_t left_ = 0;
};

void Ns3HoldFigures(const std::string& scheduler, const std::string& variant) {
  for (const int64_t pending : kHoldSizes) {
    const std::string name = "hold/" + std::to_string(pending) + "/" + variant;
    Figure(name, kHoldEvents, [scheduler, pending](benchmark::State& state) {
      Ns3Hold hold(scheduler, pending);
      MeasureOnce(state, [&](int64_t events) { hold.MeasuredHold(events); });
      state.counters["order"] = hold.order();
    });
  }
}

}  // namespace
}  // namespace cm::bench

int main(int argc, char** argv) {
  cm::bench::Ns3HoldFigures("ns3::PriorityQueueScheduler", "ns3_priority_queue");
  cm::bench::Ns3HoldFigures("ns3::MapScheduler", "ns3_map_default");
  cm::bench::Ns3HoldFigures("ns3::HeapScheduler", "ns3_heap");
  return cm::bench::RunFigures(argc, argv);
}
