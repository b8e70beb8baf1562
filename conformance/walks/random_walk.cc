// Any calls, legal and illegal, with weights that each run draws for itself (swarm testing): a run
// that never destroys finds other defects than a run that destroys all the time.
#include <algorithm>
#include <array>

#include "conformance/walks/arguments.h"
#include "conformance/walks/steps.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class Random : public Steps {
 public:
  explicit Random(ConversationBuilder& builder)
      : Steps(builder), v6_(builder.OneIn(7, "IPv6")), arguments_(builder, v6_) {
    for (size_t i = 0; i < kActions.size(); ++i) {
      const int factor = builder.OneOf({0, 1, 1, 4}, "how much this run likes an action");
      // Without these nothing ever happens.
      const int least = kActions[i].always ? 1 : 0;
      weights_[i] = kActions[i].weight * std::max(factor, least);
    }
    faults_ = builder_.OneIn(2, "faults at all");
  }

  void Run() {
    Listen();
    Progress();
    while (builder_.calls_made() < builder_.calls_wanted()) Act();
  }

 private:
  struct Action {
    void (Random::*act)();
    int weight;
    bool always = false;  // in every run
  };
  static const std::array<Action, 17> kActions;

  void Act() {
    const size_t at = DrawByWeight(builder_.choice(), weights_, std::identity(), "the next action");
    (this->*kActions[at].act)();
  }

  void MakeChannel() { NewChannel(builder_.AnySide()); }
  void MakeId() { NewId(builder_.AnySide()); }
  void FetchAndAck() { Fetch(true); }
  void FetchOnly() { Fetch(false); }
  void Settle() { builder_.Settle(); }

  void Show() {
    if (const IdRef id = AnyId(); id.valid()) builder_.Call(call::Show{id});
  }

  void Heal() {
    if (builder_.model().AnythingInTheWay()) builder_.Heal();
  }

  ChannelRef NewChannel(uint8_t side) {
    const bool blocking = builder_.Can(Capability::kLanes) && builder_.OneIn(8, "blocking channel");
    const ChannelRef channel = builder_.NewChannel(side, !blocking);
    channels_.push_back({channel, side, blocking});
    return channel;
  }

  ChannelRef ChannelOn(uint8_t side) {
    std::vector<ChannelRef> mine;
    for (const Known& known : channels_)
      if (known.side == side) mine.push_back(known.channel);
    if (mine.empty()) return NewChannel(side);
    return mine[builder_.Below(mine.size(), "which channel")];
  }

  IdRef NewId(uint8_t side) {
    const ChannelRef channel = ChannelOn(side);
    return builder_.NewId(side, channel);
  }

  // An id that satisfies the condition; none when there is none.
  template <typename Condition>
  IdRef Pick(Condition condition) {
    std::vector<IdRef> found;
    for (uint16_t i = 0; i < builder_.model().id_count(); ++i)
      if (condition(builder_.model().id(IdRef{i}))) found.push_back(IdRef{i});
    if (found.empty()) return {};
    return found[builder_.Below(found.size(), "which id")];
  }

  IdRef AnyId() {
    return Pick([](const ExpectedId& id) { return id.phase != Phase::kNone; });
  }

  void Listen() {
    const uint8_t side = builder_.OneIn(4, "the other way round") ? kActiveSide : kPassiveSide;
    const IdRef id = NewId(side);
    if (!builder_.OneIn(10, "listen without bind")) {
      const uint16_t port = arguments_.Port();
      Address address = builder_.AddressOf(side, port, v6_);
      if (builder_.OneIn(5, "wildcard")) address = Wildcard(port, address.v6);
      builder_.Call(call::BindAddr{id, address});
    }
    builder_.Call(call::Listen{id, arguments_.Backlog()});
  }

  void Progress() {
    const IdRef id = Pick([](const ExpectedId& e) {
      return e.phase == Phase::kCreated || e.phase == Phase::kBound ||
             e.phase == Phase::kAddrResolved || e.phase == Phase::kRouteResolved ||
             (e.phase == Phase::kReplied && !e.has_qp);
    });
    if (!id.valid()) {
      NewId(builder_.AnySide());
      return;
    }
    const ExpectedId expected = builder_.model().id(id);
    if (expected.phase == Phase::kCreated || expected.phase == Phase::kBound)
      return Resolve(id, expected);
    if (expected.phase == Phase::kAddrResolved) {
      if (expected.device_known) return builder_.Call(call::ResolveRoute{id, 2000});
      return FetchOn(expected.channel, expected.side, true);
    }
    if (expected.phase == Phase::kReplied) return builder_.Call(call::Establish{id});
    if (!expected.has_qp && !builder_.OneIn(6, "without a queue pair"))
      builder_.Call(call::CreateQp{id});
    Connects(id);
  }

  void Resolve(IdRef id, const ExpectedId& expected) {
    const uint8_t other = OtherSide(expected.side);
    const bool v6 = expected.phase == Phase::kBound ? expected.v6 : v6_;
    Address source = builder_.AddressOf(expected.side, 0, v6);
    if (builder_.OneIn(8, "no source")) source = Address{};
    Address destination = builder_.AddressOf(other, AnyListenedPort(), v6);
    if (builder_.OneIn(20, "an odd destination"))
      destination = arguments_.OddAddress(arguments_.Port());
    builder_.Call(call::ResolveAddr{id, source, destination, arguments_.ResolveTimeout()});
  }

  // Mostly a port with a listener.
  uint16_t AnyListenedPort() {
    const IdRef listener =
        Pick([](const ExpectedId& e) { return e.phase == Phase::kListening && e.port != 0; });
    if (!listener.valid() || builder_.OneIn(10, "a port without a listener"))
      return arguments_.Port();
    return builder_.model().id(listener).port;
  }

  void Fetch(bool acknowledge) {
    std::vector<Known> full;
    for (const Known& known : channels_)
      if (!builder_.model().waiting(known.channel).empty()) full.push_back(known);
    if (full.empty()) {
      if (channels_.empty() || !builder_.OneIn(6, "look at a channel without events")) return;
      const Known& known = channels_[builder_.Below(channels_.size(), "which channel")];
      if (known.blocking)
        return builder_.Wait(LaneOf(known.side), known.channel, Duration::Milliseconds(30));
      builder_.Fetch(LaneOf(known.side), known.channel, true);
      return;
    }
    const Known known = full[builder_.Below(full.size(), "which channel")];
    FetchOn(known.channel, known.side, acknowledge);
  }

  void FetchOn(ChannelRef channel, uint8_t side, bool acknowledge) {
    if (builder_.Can(Capability::kRaces) && !builder_.OneIn(8, "fetch without waiting"))
      builder_.Wait(LaneOf(side), channel, Duration::Seconds(1));
    builder_.Fetch(LaneOf(side), channel, acknowledge);
  }

  void Ack() {
    const auto& held = builder_.model().held();
    if (held.empty()) return;
    const auto [event, id] = held[builder_.Below(held.size(), "which event")];
    if (!id.valid()) return;
    builder_.Call(call::AckCmEvent{event});
  }

  void Answer() {
    const IdRef id = Pick([](const ExpectedId& e) { return e.phase == Phase::kPending; });
    if (!id.valid()) return Progress();
    if (builder_.OneIn(4, "reject")) return Rejects(id);
    if (!builder_.model().id(id).has_qp && !builder_.OneIn(5, "without a queue pair"))
      builder_.Call(call::CreateQp{id});
    builder_.Call(call::Accept{id, arguments_.Param(id)});
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
    if (builder_.OneIn(12, "destroy a channel") && channels_.size() > 1) {
      const size_t at = builder_.Below(channels_.size(), "which channel");
      const Known known = channels_[at];
      channels_.erase(channels_.begin() + static_cast<ptrdiff_t>(at));
      return builder_.Call(call::DestroyEventChannel{known.channel});
    }
    // With an event in hand that would wait for ever on the thread that holds it.
    if (std::ranges::count(builder_.model().held(), id, &std::pair<EventRef, IdRef>::second) == 0)
      builder_.Call(call::DestroyId{id});
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
    const AnyCall& call = kAnyCalls[builder_.Below(kAnyCalls.size(), "which call")];
    const ExpectedId& own = builder_.model().id(id);
    const bool crashes = (call.needs_device && !own.device_known) || (call.needs_qp && !own.has_qp);
    if (!crashes || builder_.Can(Capability::kCrashes)) (this->*call.make)(id);
  }

  uint8_t SideOf(IdRef id) const { return builder_.model().id(id).side; }
  void Binds(IdRef id) { builder_.Call(call::BindAddr{id, arguments_.BindAddress(SideOf(id))}); }
  void StartsListening(IdRef id) { builder_.Call(call::Listen{id, arguments_.Backlog()}); }
  void Connects(IdRef id) { builder_.Call(call::Connect{id, arguments_.Param(id)}); }

  void ResolvesAnything(IdRef id) {
    const Address source = arguments_.BindAddress(SideOf(id));
    const uint16_t port = arguments_.Port();
    const bool odd = builder_.OneIn(3, "an odd destination");
    const Address there =
        odd ? arguments_.OddAddress(port) : builder_.AddressOf(OtherSide(SideOf(id)), port, v6_);
    const int32_t timeout = builder_.OneOf<int32_t>({2000, 0, 300, -1}, "time-out");
    builder_.Call(call::ResolveAddr{id, source, there, timeout});
  }

  void ResolvesRoute(IdRef id) {
    builder_.Call(call::ResolveRoute{id, builder_.OneIn(3, "no time") ? 0 : 2000});
  }

  void Accepts(IdRef id) {
    builder_.Call(call::Accept{id, arguments_.AcceptParam(id, builder_.model().id(id))});
  }

  void Rejects(IdRef id) {
    const uint8_t length = arguments_.DataLength(builder_.profile().limits.reject_data);
    builder_.Call(call::Reject{id, PrivateData::Counting(length)});
  }

  void Pass() {
    if (builder_.Can(Capability::kRaces) && !builder_.OneIn(4, "a long time"))
      return builder_.Pass(builder_.OneOf(
          {Duration::Microseconds(3), Duration::Microseconds(8), Duration::Microseconds(15),
           Duration::Microseconds(40), Duration::Milliseconds(1), Duration::Milliseconds(300)},
          "how long"));
    if (builder_.Can(Capability::kTime))
      builder_.Pass(
          builder_.OneOf({Duration::Seconds(4), Duration::Seconds(4), Duration::Seconds(12),
                          Duration::Seconds(80), Duration::Seconds(120)},
                         "how long"));
  }

  void Fault() {
    if (!faults_) return;
    using enum FaultKind;
    cm::Fault fault{
        .kind = builder_.OneOf({kDrop, kDrop, kDrop, kDelay, kDuplicate, kReorder, kLinkDown,
                                kLinkUp, kRemoveDevice, kFailOver, kNeighbourChange, kExit},
                               "kind of fault")};
    fault.side = builder_.AnySide();
    if (builder_.Can(Capability::kSilenceSm) && builder_.OneIn(8, "the subnet's"))
      fault.kind = FaultKind::kSilenceSm;
    if (fault.kind == FaultKind::kRemoveDevice && builder_.model().DeviceGone(fault.side))
      fault.kind = FaultKind::kAddDevice;
    if (fault.OnPackets()) {
      const uint64_t which = builder_.Below(kConnectionMads.size() + 1, "which messages");
      fault.messages =
          which == kConnectionMads.size() ? MadKinds::All() : MadKinds(kConnectionMads[which]);
      if (builder_.Can(Capability::kDropNth) && builder_.OneIn(2, "only some")) {
        fault.first = static_cast<uint32_t>(1 + builder_.Below(2, "from which on"));
        fault.last = fault.first + static_cast<uint32_t>(builder_.Below(2, "how many more"));
      }
    }
    if (fault.kind == FaultKind::kDelay) {
      fault.by = builder_.OneOf(
          {Duration::Microseconds(25), Duration::Milliseconds(500), Duration::Seconds(5)},
          "how much later");
    }
    if (fault.kind == FaultKind::kDrop && builder_.Can(Capability::kCorrupt) &&
        builder_.OneIn(4, "corrupt"))
      fault.kind = FaultKind::kCorrupt;
    if (fault.kind == FaultKind::kDelay && builder_.Can(Capability::kDelayRange) &&
        builder_.OneIn(2, "a range"))
      fault.at_most = fault.by * 10;
    if (fault.OnPackets() && builder_.Can(Capability::kDirection) &&
        builder_.OneIn(6, "any sender"))
      fault.side = kAnySide;
    if (fault.kind == FaultKind::kExit && !builder_.OneIn(3, "really")) return;
    builder_.Inject(fault);
  }

  // Calls that wait, on threads of their own.
  void Blocking() {
    if (!builder_.Can(Capability::kLanes) || next_lane_ >= 6) return;
    const auto lane = [this](uint8_t side) { return Lane{.side = side, .number = next_lane_++}; };
    const auto& held = builder_.model().held();
    if (!held.empty() && !builder_.OneIn(3, "wait for an event instead")) {
      const auto [event, id] = held[builder_.Below(held.size(), "which event")];
      if (!id.valid() || builder_.model().id(id).phase == Phase::kNone) return;
      return builder_.Call(lane(builder_.model().id(id).side), call::DestroyId{id});
    }
    for (const Known& known : channels_) {
      if (!known.blocking) continue;
      builder_.Fetch(lane(known.side), known.channel, false);
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

void RandomWalk(ConversationBuilder& builder) { Random(builder).Run(); }

}  // namespace cm
