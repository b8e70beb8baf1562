// Whole connections through all layers: an application calls the simulated librdmacm, which calls
// the simulated kernel, exactly as in a conversation of the suite.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/base/check.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
#include "sim/lib/calls.h"
#include "sim/lib/library.h"
#include "sim/world/world.h"
#include "tools/bench/figure.h"
#include "tools/bench/ours.h"

namespace cm::bench {
namespace {

constexpr int64_t kConnections = 1000;
constexpr int64_t kWorldEvents = 200'000;
constexpr uint8_t kActive = 0;
constexpr uint8_t kPassive = 1;
constexpr uint16_t kPort = 7471;

class WorldLives {
 public:
  explicit WorldLives(int64_t connections)
      : world_(FindTopology("two-kernels"), FindProfile("6.1-rxe")) {
    for (const uint8_t side : {kActive, kPassive})
      channels_[side] = Do(side, call::CreateEventChannel{.nonblocking = true}, {}).made;
    const uint32_t listener = NewId(kPassive);
    Do(kPassive, call::BindAddr{.address = Of(kPassive, kPort)}, {.id = listener});
    Do(kPassive, call::Listen{.backlog = 1024}, {.id = listener});
    // So that connections are not in step: a life is a little longer than two seconds.
    for (int64_t i = 0; i < connections; ++i) {
      Start();
      Run(6);
    }
  }

  // Executes that many events; their effects are handled immediately.
  void Run(int64_t events) {
    for (int64_t i = 0; i < events; ++i) {
      world_.Step();
      Attend(kActive);
      Attend(kPassive);
    }
  }
  [[gnu::noinline]] void MeasuredWorld(int64_t events) { Run(events); }
  uint64_t cycles() const { return cycles_; }
  uint64_t calls() const { return calls_; }
  uint64_t fingerprint() const { return world_.RunFingerprint(); }

 private:
  static Address Of(uint8_t side, uint16_t port) {
    return {.kind = AddressKind::kSide, .side = side, .port = port};
  }
  template <typename Call>
  sim::Progress Do(uint8_t side, const Call& call, const sim::Named& at) {
    ++calls_;
    const sim::Progress progress = world_.Do(side, call, at);
    CM_CHECK(progress.reply.succeeded());
    return progress;
  }
  uint32_t NewId(uint8_t side) {
    return Do(side, call::CreateId{}, {.channel = channels_[side]}).made;
  }
  void Start() {
    const uint32_t id = NewId(kActive);
    const call::ResolveAddr resolve{.source = Of(kActive, 0), .destination = Of(kPassive, kPort)};
    Do(kActive, resolve, {.id = id});
  }
  void Attend(uint8_t side) {
    while (Readable(world_.Context(), world_.Prepared(side), channels_[side])) {
      const sim::Progress got = world_.Do(side, call::GetCmEvent{}, {.channel = channels_[side]});
      ++calls_;
      if (!got.reply.succeeded()) return;
      const sim::FetchedEvent& fetched = world_.library(side).events[got.made];
      const uint32_t id = fetched.id;
      const EventType type = fetched.event.type;
      Do(side, call::AckCmEvent{}, {.event = got.made});
      Hears(side, id, type);
    }
  }
  void Hears(uint8_t side, uint32_t id, EventType type) {
    if (type == EventType::kAddrResolved) {
      Do(side, call::ResolveRoute{}, {.id = id});
    } else if (type == EventType::kRouteResolved) {
      Do(side, call::CreateQp{}, {.id = id});
      Do(side, call::Connect{.param = ConnParam{}}, {.id = id});
    } else if (type == EventType::kConnectRequest) {
      Do(side, call::CreateQp{}, {.id = id});
      Do(side, call::Accept{.param = ConnParam{}}, {.id = id});
    } else if (type == EventType::kEstablished) {
      if (side == kActive) Do(side, call::Disconnect{}, {.id = id});
    } else if (type == EventType::kDisconnected) {
      if (side == kPassive) Do(side, call::Disconnect{}, {.id = id});
    } else {
      CM_CHECK(type == EventType::kTimewaitExit) << ToString(type);
      Do(side, call::DestroyQp{}, {.id = id});
      Do(side, call::DestroyId{}, {.id = id});
      if (side != kActive) return;
      ++cycles_;
      Start();
    }
  }

  sim::World world_;
  uint32_t channels_[2] = {};
  uint64_t cycles_ = 0;
  uint64_t calls_ = 0;
};

}  // namespace

void OurWorld() {
  Figure("world/1000/library", kWorldEvents, [](benchmark::State& state) {
    auto lives = std::make_unique<WorldLives>(kConnections);
    lives->Run(Scaled(20 * kConnections));
    const uint64_t cycles = lives->cycles();
    const uint64_t calls = lives->calls();
    MeasureOnce(state, [&](int64_t events) { lives->MeasuredWorld(events); });
    const auto events = static_cast<double>(state.iterations());
    state.counters["events_per_cycle"] = events / static_cast<double>(lives->cycles() - cycles);
    state.counters["calls_per_event"] = static_cast<double>(lives->calls() - calls) / events;
  });
}

}  // namespace cm::bench
