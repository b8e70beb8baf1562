#include "conformance/adapters/wire/listening_door.h"

#include <algorithm>
#include <utility>

#include "conformance/adapters/wire/listener.h"

namespace cm::live {
namespace {

// How long the application may not look while the tester waits for a frame.
constexpr Duration kLooksEvery = Duration::Milliseconds(5);

// As the peer's driver knows it: itself and somebody else.
TopologyRef TopologyOfDriver(const Ends& ends) {
  const Topology& built_in = *FindTopology("two-kernels");
  const Topology live = TopologyOf(ends);
  Topology own = built_in;
  own.devices[own.sides[kPassiveSide].device].v4 = live.devices[live.sides[kPassiveSide].device].v4;
  return own == built_in ? TopologyRef(&built_in) : TopologyRef(std::move(own));
}

class ListeningDoor : public Door {
 public:
  ListeningDoor(std::unique_ptr<Door> door, Implementation& driver, const Ends& ends)
      : door_(std::move(door)),
        names_(ListenerNames(TopologyOfDriver(ends), driver.profile().name)),
        session_(driver.Start(names_)),
        listener_(&session_->driver(), names_) {}

  std::string Begin(uint16_t service) {
    std::string problem = session_->Unsupported();
    return problem.empty() ? listener_.Begin(service) : problem;
  }

  Instant Now() override { return door_->Now(); }
  void Send(std::span<const uint8_t> frame) override { door_->Send(frame); }
  std::optional<Bytes> Receive(Instant until) override {
    for (;;) {
      listener_.Poll();
      if (auto frame = door_->Receive(std::min(until, Now() + kLooksEvery))) return frame;
      if (Now() >= until) return std::nullopt;
    }
  }

 private:
  std::unique_ptr<Door> door_;
  Conversation names_;
  std::unique_ptr<Session> session_;
  Listener listener_;
};

}  // namespace

std::variant<std::unique_ptr<Door>, std::string> WithListener(std::unique_ptr<Door> door,
                                                              Implementation& driver,
                                                              const Ends& ends, uint16_t service) {
  auto listening = std::make_unique<ListeningDoor>(std::move(door), driver, ends);
  std::string problem = listening->Begin(service);
  if (!problem.empty()) return "the peer's driver does not listen: " + problem;
  return listening;
}

}  // namespace cm::live
