#include "conformance/adapters/wire/listening_door.h"

#include <atomic>
#include <thread>
#include <utility>

#include "conformance/adapters/wire/listener.h"

namespace cm::live {
namespace {

// As the peer's driver knows it: its own side, and one that it never hears of.
TopologyRef TopologyOfDriver(const Ends& ends) {
  const Topology& built_in = *FindTopology("two-kernels");
  const Topology live = TopologyOf(ends);
  Topology own = built_in;
  own.devices[own.sides[kPassiveSide].device].v4 = live.devices[live.sides[kPassiveSide].device].v4;
  return own == built_in ? TopologyRef(&built_in) : TopologyRef(std::move(own));
}

// The driver is asked on a thread of its own: it takes its time.
class ListeningDoor : public Door {
 public:
  ListeningDoor(std::unique_ptr<Door> door, Implementation& driver, const Ends& ends,
                uint16_t service)
      : door_(std::move(door)),
        conversation_(ListenerConversation(TopologyOfDriver(ends), driver.profile().name, service)),
        session_(driver.Start(conversation_)),
        listener_(&session_->driver(), conversation_) {}
  ListeningDoor(const ListeningDoor&) = delete;
  ListeningDoor& operator=(const ListeningDoor&) = delete;
  ~ListeningDoor() override {
    over_ = true;
    if (serving_.joinable()) serving_.join();
    (void)session_->Leaks();
  }

  std::string Begin() {
    std::string problem = session_->Unsupported();
    if (problem.empty()) problem = listener_.Begin();
    if (problem.empty())
      serving_ = std::thread([this] {
        while (!over_) listener_.Serve(kListenerWaits);
      });
    return problem;
  }

  Instant Now() override { return door_->Now(); }
  void Send(std::span<const uint8_t> frame) override { door_->Send(frame); }
  std::optional<Bytes> Receive(Instant until) override { return door_->Receive(until); }

 private:
  std::unique_ptr<Door> door_;
  Conversation conversation_;
  std::unique_ptr<Session> session_;
  Listener listener_;
  std::atomic<bool> over_ = false;
  std::thread serving_;
};

}  // namespace

std::variant<std::unique_ptr<Door>, std::string> WithListener(std::unique_ptr<Door> door,
                                                              Implementation& driver,
                                                              const Ends& ends, uint16_t service) {
  auto listening = std::make_unique<ListeningDoor>(std::move(door), driver, ends, service);
  std::string problem = listening->Begin();
  if (!problem.empty()) return "the peer's driver does not listen: " + problem;
  return listening;
}

}  // namespace cm::live
