// Whole connections through all layers: an application calls the simulated librdmacm, which calls
// the simulated kernel, exactly as in a conversation of the suite.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/base/check.h"
#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology.h"
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
      channels_[side] = Lib(side).CreateEventChannel(world_.Context(), true).made;
    const uint32_t listener = NewId(kPassive);
    Check(Lib(kPassive).BindAddr(world_.Context(), listener, Of(kPassive, kPort)));
    Check(Lib(kPassive).Listen(world_.Context(), listener, 1024));
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
  sim::Library& Lib(uint8_t side) {
    ++calls_;
    return world_.Prepared(side);
  }
  static void Check(const Reply& reply) { CM_CHECK(reply.succeeded()); }

  uint32_t NewId(uint8_t side) {
    return Lib(side).CreateId(world_.Context(), channels_[side], PortSpace::kTcp).made;
  }
  void Start() {
    const uint32_t id = NewId(kActive);
    const call::ResolveAddr resolve{.source = Of(kActive, 0), .destination = Of(kPassive, kPort)};
    Check(Lib(kActive).ResolveAddr(world_.Context(), id, resolve));
  }
  void Attend(uint8_t side) {
    while (world_.Prepared(side).Readable(world_.Context(), channels_[side])) {
      const sim::Progress got = Lib(side).GetCmEvent(world_.Context(), channels_[side]);
      if (!got.reply.succeeded()) return;
      const sim::FetchedEvent& fetched = world_.Prepared(side).fetched(got.made);
      const uint32_t id = fetched.id;
      const EventType type = fetched.event.type;
      Check(Lib(side).AckCmEvent(got.made));
      Hears(side, id, type);
    }
  }
  void Hears(uint8_t side, uint32_t id, EventType type) {
    switch (type) {
      case EventType::kAddrResolved:
        return Check(Lib(side).ResolveRoute(world_.Context(), id, 2000));
      case EventType::kRouteResolved:
        Check(Lib(side).CreateQp(world_.Context(), id, {}));
        return Check(Lib(side).Connect(world_.Context(), id, ConnParam{}));
      case EventType::kConnectRequest:
        Check(Lib(side).CreateQp(world_.Context(), id, {}));
        return Check(Lib(side).Accept(world_.Context(), id, ConnParam{}));
      case EventType::kEstablished:
        if (side == kActive) Lib(side).DisconnectOrWait(world_.Context(), id);
        return;
      case EventType::kDisconnected:
        if (side == kPassive) Lib(side).DisconnectOrWait(world_.Context(), id);
        return;
      case EventType::kTimewaitExit:
        Check(Lib(side).DestroyQp(world_.Context(), id));
        Check(Lib(side).DestroyId(world_.Context(), id).reply);
        if (side != kActive) return;
        ++cycles_;
        return Start();
      default:
        CM_CHECK(false) << ToString(type);
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
