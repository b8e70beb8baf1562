#include "conformance/adapters/wire/listening_door.h"

#include <atomic>
#include <thread>
#include <utility>

#include "conformance/adapters/wire/listener.h"
#include "conformance/driver/driver.h"
#include "model/vocabulary/call_addresses.h"

namespace cm::live {
namespace {

// As the peer's driver knows it: its own side, and one that a listener never hears of.
Topology TopologyOfDriver(const Ends& ends) {
  const Topology live = TopologyOf(ends);
  Topology own = *FindTopology("two-kernels");
  own.devices[own.sides[ends.peer_side].device].v4 =
      live.devices[live.sides[ends.peer_side].device].v4;
  return own;
}

// The same, with the tester as the other side.
Topology TopologyOfApplication(const Ends& ends) {
  const Topology live = TopologyOf(ends);
  Topology own = *FindTopology("two-kernels");
  for (const auto& [side, of] :
       {std::pair(ends.peer_side, ends.peer_side),
        std::pair<uint8_t, uint8_t>(1 - ends.peer_side, TesterSide(live))}) {
    DeviceInfo& device = own.devices[own.sides[side].device];
    device.v4 = live.devices[live.sides[of].device].v4;
    device.v6 = live.devices[live.sides[of].device].v6;
  }
  return own;
}

// Under a name of its own where it is not the built-in one.
TopologyRef RefTo(Topology topology) {
  const Topology* built_in = FindTopology(topology.name);
  if (topology == *built_in) return TopologyRef(built_in);
  topology.name = "wire";
  topology.sentence.clear();
  return TopologyRef(std::move(topology));
}

// The driver is asked on a thread of its own: it takes its time.
class ListeningDoor : public Door {
 public:
  ListeningDoor(std::unique_ptr<Door> door, Implementation& driver, const Ends& ends,
                uint16_t service)
      : door_(std::move(door)),
        conversation_(
            ListenerConversation(RefTo(TopologyOfDriver(ends)), driver.profile().name, service)),
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

// The driver knows no tester: for it, that is the other side.
class ApplicationDoor : public Door, public Driver {
 public:
  ApplicationDoor(std::unique_ptr<Door> door, Implementation& driver, const Ends& ends,
                  const Conversation& conversation)
      : door_(std::move(door)),
        other_side_(1 - ends.peer_side),
        tester_(TesterSide(*conversation.topology)),
        conversation_(ForDriver(conversation, driver.profile().name, ends)),
        session_(driver.Start(conversation_)) {}
  ApplicationDoor(const ApplicationDoor&) = delete;
  ApplicationDoor& operator=(const ApplicationDoor&) = delete;
  ~ApplicationDoor() override { (void)session_->Leaks(); }

  std::string WhyNot() const { return session_->Unsupported(); }

  Instant Now() override { return door_->Now(); }
  void Send(std::span<const uint8_t> frame) override { door_->Send(frame); }
  std::optional<Bytes> Receive(Instant until) override { return door_->Receive(until); }
  Driver* application() override { return this; }
  bool application_is_apart() const override { return true; }

  seen::Answered Submit(Lane lane, const Call& call) override {
    Call own = call;
    Translate(&own);
    return session_->driver().Submit(lane, own);
  }
  std::optional<seen::Released> Released(Lane lane) override {
    return session_->driver().Released(lane);
  }
  bool Readable(Lane lane, ChannelRef channel, Duration within) override {
    return session_->driver().Readable(lane, channel, within);
  }

 private:
  void Translate(Call* call) const {
    EachAddress(*call, [&](Address& address) {
      if (address.kind == AddressKind::kSide && address.side == tester_) address.side = other_side_;
    });
  }

  Conversation ForDriver(Conversation conversation, const std::string& profile, const Ends& ends) {
    conversation.topology = RefTo(TopologyOfApplication(ends));
    conversation.profile = profile;
    conversation.capabilities = {};
    std::erase_if(conversation.lines,
                  [](const Line& line) { return std::holds_alternative<line::Sends>(line); });
    for (Line& line : conversation.lines)
      if (auto* calls = std::get_if<line::Calls>(&line)) Translate(&calls->call);
    return conversation;
  }

  std::unique_ptr<Door> door_;
  uint8_t other_side_;
  uint8_t tester_;
  Conversation conversation_;
  std::unique_ptr<Session> session_;
};

}  // namespace

std::variant<std::unique_ptr<Door>, std::string> WithApplication(std::unique_ptr<Door> door,
                                                                 Implementation& driver,
                                                                 const Ends& ends,
                                                                 const Conversation& conversation) {
  auto with = std::make_unique<ApplicationDoor>(std::move(door), driver, ends, conversation);
  std::string why = with->WhyNot();
  if (!why.empty()) return "the peer's driver does not begin: " + why;
  return with;
}

std::variant<std::unique_ptr<Door>, std::string> WithListener(std::unique_ptr<Door> door,
                                                              Implementation& driver,
                                                              const Ends& ends, uint16_t service) {
  auto listening = std::make_unique<ListeningDoor>(std::move(door), driver, ends, service);
  std::string problem = listening->Begin();
  if (!problem.empty()) return "the peer's driver does not listen: " + problem;
  return listening;
}

}  // namespace cm::live
