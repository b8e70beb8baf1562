// Anything, legal and illegal, with weights that each run draws for itself (swarm testing): a run
// that never destroys finds other things than a run that destroys all the time.
#include <algorithm>
#include <array>

#include "conformance/walks/arguments.h"
#include "conformance/walks/steps.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class Random : public Steps {
 public:
  explicit Random(Stage& stage)
      : Steps(stage), v6_(stage.OneIn(7, "IPv6")), arguments_(stage, v6_) {
    for (size_t i = 0; i < kActions.size(); ++i) {
      const int factor = stage.OneOf({0, 1, 1, 4}, "how much this run likes an action");
      // Without these nothing ever happens.
      const int least = kActions[i].always ? 1 : 0;
      weights_[i] = kActions[i].weight * std::max(factor, least);
    }
    faults_ = stage_.OneIn(2, "faults at all");
  }

  void Run() {
    Listen();
    Progress();
    while (stage_.calls_made() < stage_.calls_wanted()) Act();
  }

 private:
  struct Action {
    void (Random::*act)();
    int weight;
    bool always = false;  // in every run
  };
  static const std::array<Action, 17> kActions;

  void Act() {
    const size_t at = DrawByWeight(stage_.choice(), weights_, std::identity(), "the next action");
    (this->*kActions[at].act)();
  }

  void MakeChannel() { NewChannel(stage_.AnySide()); }
  void MakeId() { NewId(stage_.AnySide()); }
  void FetchAndAck() { Fetch(true); }
  void FetchOnly() { Fetch(false); }
  void Settle() { stage_.Settle(); }

  void Show() {
    if (const IdRef id = AnyId(); id.valid()) stage_.Call(call::Show{id});
  }

  void Heal() {
    if (stage_.forecast().AnythingInTheWay()) stage_.Heal();
  }

  ChannelRef NewChannel(uint8_t side) {
    const bool blocking = stage_.Can(Capability::kLanes) && stage_.OneIn(8, "blocking channel");
    const ChannelRef channel = stage_.NewChannel(side, !blocking);
    channels_.push_back({channel, side, blocking});
    return channel;
  }

  ChannelRef ChannelOn(uint8_t side) {
    std::vector<ChannelRef> mine;
    for (const Known& known : channels_)
      if (known.side == side) mine.push_back(known.channel);
    if (mine.empty()) return NewChannel(side);
    return mine[stage_.Below(mine.size(), "which channel")];
  }

  IdRef NewId(uint8_t side) {
    const ChannelRef channel = ChannelOn(side);
    return stage_.NewId(side, channel);
  }

  // An id that satisfies the condition; none when there is none.
  template <typename Condition>
  IdRef Pick(Condition condition) {
    std::vector<IdRef> found;
    for (uint16_t i = 0; i < stage_.forecast().id_count(); ++i)
      if (condition(stage_.forecast().id(IdRef{i}))) found.push_back(IdRef{i});
    if (found.empty()) return {};
    return found[stage_.Below(found.size(), "which id")];
  }

  IdRef AnyId() {
    return Pick([](const ExpectedId& id) { return id.phase != Phase::kNone; });
  }

  void Listen() {
    const uint8_t side = stage_.OneIn(4, "the other way round") ? kActiveSide : kPassiveSide;
    const IdRef id = NewId(side);
    if (!stage_.OneIn(10, "listen without bind")) {
      const uint16_t port = arguments_.Port();
      Address address = stage_.AddressOf(side, port, v6_);
      if (stage_.OneIn(5, "wildcard")) address = Wildcard(port, address.v6);
      stage_.Call(call::BindAddr{id, address});
    }
    stage_.Call(call::Listen{id, arguments_.Backlog()});
  }

  void Progress() {
    const IdRef id = Pick([](const ExpectedId& e) {
      return e.phase == Phase::kCreated || e.phase == Phase::kBound ||
             e.phase == Phase::kAddrResolved || e.phase == Phase::kRouteResolved ||
             (e.phase == Phase::kReplied && !e.has_qp);
    });
    if (!id.valid()) {
      NewId(stage_.AnySide());
      return;
    }
    const ExpectedId expected = stage_.forecast().id(id);
    switch (expected.phase) {
      case Phase::kCreated:
      case Phase::kBound:
        return Resolve(id, expected);
      case Phase::kAddrResolved:
        if (expected.device_known) return stage_.Call(call::ResolveRoute{id, 2000});
        return FetchOn(expected.channel, expected.side, true);
      case Phase::kRouteResolved:
        if (!expected.has_qp && !stage_.OneIn(6, "without a queue pair"))
          stage_.Call(call::CreateQp{id});
        return Connects(id);
      default:
        return stage_.Call(call::Establish{id});
    }
  }

  void Resolve(IdRef id, const ExpectedId& expected) {
    const uint8_t other = OtherSide(expected.side);
    const bool v6 = expected.phase == Phase::kBound ? expected.v6 : v6_;
    Address source = stage_.AddressOf(expected.side, 0, v6);
    if (stage_.OneIn(8, "no source")) source = Address{};
    Address destination = stage_.AddressOf(other, AnyListenedPort(), v6);
    if (stage_.OneIn(20, "an odd destination"))
      destination = arguments_.OddAddress(arguments_.Port());
    stage_.Call(call::ResolveAddr{id, source, destination, arguments_.ResolveTimeout()});
  }

  // Mostly a port that somebody listens on.
  uint16_t AnyListenedPort() {
    const IdRef listener =
        Pick([](const ExpectedId& e) { return e.phase == Phase::kListening && e.port != 0; });
    if (!listener.valid() || stage_.OneIn(10, "a port nobody may listen on"))
      return arguments_.Port();
    return stage_.forecast().id(listener).port;
  }

  void Fetch(bool acknowledge) {
    std::vector<Known> full;
    for (const Known& known : channels_)
      if (!stage_.forecast().waiting(known.channel).empty()) full.push_back(known);
    if (full.empty()) {
      if (channels_.empty() || !stage_.OneIn(6, "look at a channel without events")) return;
      const Known& known = channels_[stage_.Below(channels_.size(), "which channel")];
      if (known.blocking)
        return stage_.Wait(Stage::MainLane(known.side), known.channel, Duration::Milliseconds(30));
      stage_.Fetch(Stage::MainLane(known.side), known.channel, true);
      return;
    }
    const Known known = full[stage_.Below(full.size(), "which channel")];
    FetchOn(known.channel, known.side, acknowledge);
  }

  void FetchOn(ChannelRef channel, uint8_t side, bool acknowledge) {
    if (stage_.Can(Capability::kRaces) && !stage_.OneIn(8, "fetch without waiting"))
      stage_.Wait(Stage::MainLane(side), channel, Duration::Seconds(1));
    stage_.Fetch(Stage::MainLane(side), channel, acknowledge);
  }

  void Ack() {
    const auto& held = stage_.forecast().held();
    if (held.empty()) return;
    const auto [event, id] = held[stage_.Below(held.size(), "which event")];
    if (!id.valid()) return;
    stage_.Call(call::AckCmEvent{event});
  }

  void Answer() {
    const IdRef id = Pick([](const ExpectedId& e) { return e.phase == Phase::kPending; });
    if (!id.valid()) return Progress();
    if (stage_.OneIn(4, "reject")) return Rejects(id);
    if (!stage_.forecast().id(id).has_qp && !stage_.OneIn(5, "without a queue pair"))
      stage_.Call(call::CreateQp{id});
    stage_.Call(call::Accept{id, arguments_.Param(id)});
  }

  void Disconnect() {
    const IdRef id = Pick([](const ExpectedId& e) {
      return e.phase == Phase::kEstablished || e.phase == Phase::kDisconnected ||
             e.phase == Phase::kDisconnecting;
    });
    if (id.valid()) Disconnects(id);
  }

  void Destroy() {
    const IdRef id = AnyId();
    if (!id.valid()) return;
    if (stage_.OneIn(12, "destroy a channel") && channels_.size() > 1) {
      const size_t at = stage_.Below(channels_.size(), "which channel");
      const Known known = channels_[at];
      channels_.erase(channels_.begin() + static_cast<ptrdiff_t>(at));
      return stage_.Call(call::DestroyEventChannel{known.channel});
    }
    // With an event in hand that would wait for ever on the thread that holds it.
    if (std::ranges::count(stage_.forecast().held(), id, &std::pair<EventRef, IdRef>::second) == 0)
      stage_.Call(call::DestroyId{id});
  }

  // A call in any state. The real library dies of some, without a device or a queue pair.
  struct AnyCall {
    void (Random::*make)(IdRef id);
    bool needs_device = false;
    bool needs_qp = false;
  };
  static const std::array<AnyCall, 11> kAnyCalls;

  void Illegal() {
    const IdRef id = AnyId();
    if (!id.valid()) return;
    const AnyCall& call = kAnyCalls[stage_.Below(kAnyCalls.size(), "which call")];
    const ExpectedId& own = stage_.forecast().id(id);
    const bool crashes = (call.needs_device && !own.device_known) || (call.needs_qp && !own.has_qp);
    if (!crashes || stage_.Can(Capability::kCrashes)) (this->*call.make)(id);
  }

  uint8_t SideOf(IdRef id) const { return stage_.forecast().id(id).side; }
  void Binds(IdRef id) { stage_.Call(call::BindAddr{id, arguments_.BindAddress(SideOf(id))}); }
  void StartsListening(IdRef id) { stage_.Call(call::Listen{id, arguments_.Backlog()}); }
  void Connects(IdRef id) { stage_.Call(call::Connect{id, arguments_.Param(id)}); }

  void ResolvesAnything(IdRef id) {
    const Address source = arguments_.BindAddress(SideOf(id));
    const uint16_t port = arguments_.Port();
    const bool odd = stage_.OneIn(3, "an odd destination");
    const Address there =
        odd ? arguments_.OddAddress(port) : stage_.AddressOf(OtherSide(SideOf(id)), port, v6_);
    const int32_t timeout = stage_.OneOf<int32_t>({2000, 0, 300, -1}, "time-out");
    stage_.Call(call::ResolveAddr{id, source, there, timeout});
  }

  void ResolvesRoute(IdRef id) {
    stage_.Call(call::ResolveRoute{id, stage_.OneIn(3, "no time") ? 0 : 2000});
  }

  void Accepts(IdRef id) {
    stage_.Call(call::Accept{id, arguments_.AcceptParam(id, stage_.forecast().id(id))});
  }

  void Rejects(IdRef id) {
    const uint8_t length = arguments_.DataLength(stage_.profile().limits.reject_data);
    stage_.Call(call::Reject{id, PrivateData::Counting(length)});
  }

  void Pass() {
    if (stage_.Can(Capability::kRaces) && !stage_.OneIn(4, "a long time"))
      return stage_.Pass(stage_.OneOf(
          {Duration::Microseconds(3), Duration::Microseconds(8), Duration::Microseconds(15),
           Duration::Microseconds(40), Duration::Milliseconds(1), Duration::Milliseconds(300)},
          "how long"));
    if (stage_.Can(Capability::kTime))
      stage_.Pass(stage_.OneOf({Duration::Seconds(4), Duration::Seconds(4), Duration::Seconds(12),
                                Duration::Seconds(80), Duration::Seconds(120)},
                               "how long"));
  }

  void Fault() {
    if (!faults_) return;
    using enum FaultKind;
    cm::Fault fault{.kind =
                        stage_.OneOf({kDrop, kDrop, kDrop, kDelay, kDuplicate, kReorder, kLinkDown,
                                      kLinkUp, kRemoveDevice, kFailOver, kNeighbourChange, kExit},
                                     "kind of fault")};
    fault.side = stage_.AnySide();
    if (stage_.Can(Capability::kSilenceSm) && stage_.OneIn(8, "the subnet's"))
      fault.kind = FaultKind::kSilenceSm;
    if (fault.kind == FaultKind::kRemoveDevice && stage_.forecast().DeviceGone(fault.side))
      fault.kind = FaultKind::kAddDevice;
    if (fault.OnPackets()) {
      const uint64_t which = stage_.Below(kConnectionMadKindCount + 1, "which messages");
      fault.messages = which == kConnectionMadKindCount ? MadKinds::All()
                                                        : MadKinds(static_cast<MadKind>(which));
      if (stage_.Can(Capability::kDropNth) && stage_.OneIn(2, "only some")) {
        fault.first = static_cast<uint32_t>(1 + stage_.Below(2, "from which on"));
        fault.last = fault.first + static_cast<uint32_t>(stage_.Below(2, "how many more"));
      }
    }
    if (fault.kind == FaultKind::kDelay) {
      fault.by = stage_.OneOf(
          {Duration::Microseconds(25), Duration::Milliseconds(500), Duration::Seconds(5)},
          "how much later");
    }
    if (fault.kind == FaultKind::kDrop && stage_.Can(Capability::kCorrupt) &&
        stage_.OneIn(4, "corrupt"))
      fault.kind = FaultKind::kCorrupt;
    if (fault.kind == FaultKind::kDelay && stage_.Can(Capability::kDelayRange) &&
        stage_.OneIn(2, "a range"))
      fault.at_most = fault.by * 10;
    if (fault.OnPackets() && stage_.Can(Capability::kDirection) && stage_.OneIn(6, "whoever sends"))
      fault.side = kAnySide;
    if (fault.kind == FaultKind::kExit && !stage_.OneIn(3, "really")) return;
    stage_.Inject(fault);
  }

  // Calls that wait, on threads that nobody else needs.
  void Blocking() {
    if (!stage_.Can(Capability::kLanes) || next_lane_ >= 6) return;
    const auto lane = [this](uint8_t side) { return Lane{.side = side, .number = next_lane_++}; };
    const auto& held = stage_.forecast().held();
    if (!held.empty() && !stage_.OneIn(3, "wait for an event instead")) {
      const auto [event, id] = held[stage_.Below(held.size(), "which event")];
      if (!id.valid() || stage_.forecast().id(id).phase == Phase::kNone) return;
      return stage_.Call(lane(stage_.forecast().id(id).side), call::DestroyId{id});
    }
    for (const Known& known : channels_) {
      if (!known.blocking) continue;
      stage_.Fetch(lane(known.side), known.channel, false);
      return;
    }
  }

  struct Known {
    ChannelRef channel;
    uint8_t side = 0;
    bool blocking = false;
  };

  const bool v6_;
  Arguments arguments_;
  std::array<int, 17> weights_{};
  std::vector<Known> channels_;
  bool faults_ = false;
  uint8_t next_lane_ = 2;
};

constexpr std::array<Random::Action, 17> Random::kActions = {{
    {&Random::MakeChannel, 2},
    {&Random::MakeId, 8, true},
    {&Random::Listen, 6, true},
    {&Random::Progress, 40, true},
    {&Random::FetchAndAck, 30, true},
    {&Random::FetchOnly, 4},  // acknowledged later
    {&Random::Ack, 6},
    {&Random::Answer, 16},
    {&Random::Disconnect, 8},
    {&Random::Destroy, 7},
    {&Random::Illegal, 16},
    {&Random::Show, 4},
    {&Random::Pass, 4},
    {&Random::Settle, 10},
    {&Random::Fault, 3},
    {&Random::Heal, 2},
    {&Random::Blocking, 2},
}};

constexpr std::array<Random::AnyCall, 11> Random::kAnyCalls = {{
    {&Random::Binds},
    {&Random::StartsListening},
    {&Random::ResolvesAnything},
    {&Random::ResolvesRoute, true},
    {&Random::MakesQp, true},
    {&Random::DestroysQp, false, true},
    {&Random::Connects, true},
    {&Random::Accepts, true},
    {&Random::Rejects},
    {&Random::Establishes},
    {&Random::Disconnects},
}};

}  // namespace

void RandomWalk(Stage& stage) { Random(stage).Run(); }

}  // namespace cm
