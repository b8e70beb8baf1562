// Multicast groups: joined by ids in every state, twice, in vain; left early, late and never.
#include <array>
#include <vector>

#include "conformance/walks/arguments.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class MulticastWalk {
 public:
  explicit MulticastWalk(Stage& stage) : stage_(stage), arguments_(stage, false) {}

  void Walk() {
    side_ = stage_.AnySide();
    channel_ = stage_.ChannelOf(side_);
    const bool alone = stage_.Can(Capability::kLanes) && stage_.OneIn(8, "synchronous");
    if (alone) return WalkSynchronously();
    const uint64_t ids = 1 + stage_.Below(3, "how many ids");
    for (uint64_t i = 0; i < ids; ++i) Makes();
    const uint64_t steps = 8 + stage_.Below(8, "how many steps");
    for (uint64_t i = 0; i < steps; ++i) Step();
    stage_.FetchesAll(3);
  }

 private:
  Lane Main() const { return Stage::MainLane(side_); }
  Lane Other() const { return {.side = side_, .number = 2}; }

  PortSpace Space() {
    return stage_.OneOf({PortSpace::kUdp, PortSpace::kUdp, PortSpace::kUdp, PortSpace::kUdp,
                         PortSpace::kUdp, PortSpace::kUdp, PortSpace::kTcp, PortSpace::kIpoib},
                        "which port space");
  }

  // An id in one of the states in which joins are possible.
  void Makes() {
    const PortSpace space = Space();
    const IdRef id = stage_.NewIdIn(side_, channel_, space);
    ids_.push_back(id);
    const uint16_t port = stage_.Port(static_cast<int>(ids_.size()));
    const Address own = stage_.AddressOf(side_, 0);
    switch (stage_.Below(12, "how far it comes")) {
      case 0:
        return;
      case 1:
        return stage_.Call(call::BindAddr{id, Wildcard(port)});
      case 2:
        stage_.Call(call::BindAddr{id, stage_.AddressOf(side_, port)});
        return stage_.Call(call::Listen{id, 2});
      case 3:
        return Resolves(id, {}, {.kind = AddressKind::kLoopback, .port = port});
      case 4:
        Resolves(id, own, Peer(port));
        return Routes(id);
      case 5:
        Resolves(id, own, Peer(port));
        Routes(id);
        return stage_.Call(call::Connect{id, ConnParam{.qp_num = 4101}});
      case 6:
        stage_.Call(call::BindAddr{id, stage_.AddressOf(side_, port, true)});
        v6_.push_back(id);
        return;
      case 7:
        return Resolves(id, own, Peer(port));
      case 8:
        return Resolves(id, own, Group(1));
      default:
        stage_.Call(call::BindAddr{id, stage_.AddressOf(side_, port)});
        if (stage_.OneIn(3, "with a queue pair")) stage_.Call(call::CreateQp{id});
        return;
    }
  }

  Address Peer(uint16_t port) const { return stage_.AddressOf(OtherSide(side_), port); }

  static Address Group(uint64_t number, uint16_t port = 0) {
    return {.kind = AddressKind::kGroup, .group = static_cast<uint8_t>(number), .port = port};
  }

  void Resolves(IdRef id, const Address& source, const Address& destination) {
    stage_.Call(call::ResolveAddr{id, source, destination, 2000});
    Takes();
  }

  void Routes(IdRef id) {
    stage_.Call(call::ResolveRoute{id, 2000});
    Takes();
  }

  void Takes() { stage_.Await(side_, channel_); }

  // Few groups, so that they are joined twice and left by other ids.
  Address Somewhere() {
    const uint64_t number = 1 + stage_.Below(2, "which group");
    const uint16_t port = stage_.OneIn(6, "with a port") ? stage_.Port(5) : uint16_t{0};
    if (!stage_.OneIn(4, "an odd address")) return Group(number, port);
    if (stage_.OneIn(3, "an IPv6 group")) {
      Address group = Group(number, port);
      group.v6 = true;
      return group;
    }
    if (stage_.OneIn(3, "that of a side")) return stage_.AddressOf(side_, port);
    return arguments_.OddAddress(port);
  }

  void Joins(IdRef id, const Address& address) {
    // Not all events are fetched: they pile up.
    if (++unread_ > 4) {
      unread_ = 0;
      for (int i = 0; i < 5; ++i) stage_.Fetch(Main(), channel_);
    }
    const auto context = static_cast<uint16_t>(stage_.Below(3, "which context"));
    if (!stage_.OneIn(2, "with attributes"))
      return stage_.Call(call::JoinMulticast{id, address, context});
    call::JoinMulticastEx join{id, address, context};
    join.flags = static_cast<uint32_t>(stage_.Below(2, "full or send only"));
    if (stage_.OneIn(8, "unknown flags")) join.flags = 2;
    if (stage_.OneIn(8, "another mask"))
      join.comp_mask = static_cast<uint32_t>(stage_.Below(6, "which mask"));
    stage_.Call(Main(), join);
  }

  IdRef OneOf(const std::vector<IdRef>& ids) { return ids[stage_.Below(ids.size(), "which id")]; }

  void Step() {
    const IdRef id = OneOf(ids_);
    switch (stage_.Below(16, "what now")) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const Address address = Somewhere();
        return Joins(id, address);
      }
      case 4:
      case 5:
      case 6:
        return Leaves(id);
      case 7:
      case 8:
        return static_cast<void>(stage_.Fetch(Main(), channel_));
      case 9:
        return JoinsAndLeavesWithEvent(id);
      case 10:
        return stage_.Call(call::CreateQp{id});
      case 11:
        return stage_.Call(call::DestroyQp{id});
      case 12:
        return JoinsWithoutLink();
      case 13:
        return Trouble(id);
      case 14:
        return stage_.Settle();
      default:
        return stage_.Call(call::Show{id});
    }
  }

  void Leaves(IdRef id) {
    // Later events of a group that a removed device has left are not followed.
    if (removed_ && stage_.Can(Capability::kCrashes)) return;
    const Address address = Somewhere();
    stage_.Call(call::LeaveMulticast{id, address});
  }

  // Leaving waits for the event that another thread has not acknowledged.
  void JoinsAndLeavesWithEvent(IdRef id) {
    const Address group = Group(3);
    Joins(id, group);
    stage_.Settle();
    const bool waits = stage_.Can(Capability::kLanes) && stage_.OneIn(3, "in hand");
    stage_.Fetch(Main(), channel_, !waits);
    stage_.Call(waits ? Other() : Main(), call::LeaveMulticast{id, group});
    if (!waits) return;
    const auto held = stage_.forecast().held();
    if (!held.empty()) stage_.Call(call::AckCmEvent{held.back().first});
  }

  // IPv6 addresses are removed when the link goes down, and their GIDs with them.
  void JoinsWithoutLink() {
    if (v6_.empty()) return;
    if (!stage_.Inject(FaultKind::kLinkDown, side_)) return;
    stage_.Settle();
    Joins(v6_.front(), Group(1));
    stage_.Settle();
    stage_.Fetch(Main(), channel_);
    stage_.Heal();
  }

  void Trouble(IdRef id) {
    if (stage_.OneIn(2, "an id goes")) return stage_.Destroys(id);
    if (removed_ || !stage_.OneIn(2, "the device goes")) return;
    removed_ = true;
    // A membership that is reported and acknowledged can be left afterwards.
    const Address group = Group(4);
    Joins(id, group);
    const bool known = stage_.OneIn(2, "reported before");
    if (known) {
      stage_.Settle();
      for (int i = 0; i < 6; ++i) stage_.Fetch(Main(), channel_);
    }
    if (!stage_.Inject(FaultKind::kRemoveDevice, side_)) return;
    if (stage_.OneIn(2, "and settles")) stage_.Settle();
    if (known && !stage_.Can(Capability::kCrashes)) stage_.Call(call::LeaveMulticast{id, group});
    Joins(id, Group(2));
  }

  // Joins wait for their event, and the last one is kept: only the next call releases it.
  void WalkSynchronously() {
    const IdRef id = stage_.NewIdIn(side_, {}, PortSpace::kUdp);
    ids_.push_back(id);
    stage_.Call(call::BindAddr{id, stage_.AddressOf(side_, stage_.Port(1))});
    if (stage_.OneIn(2, "with a queue pair")) stage_.Call(call::CreateQp{id});
    const uint64_t joins = 1 + stage_.Below(3, "how many joins");
    for (uint64_t i = 0; i < joins; ++i) {
      const Address address = Somewhere();
      unread_ = 0;
      Joins(id, address);
      stage_.Call(call::ShowEvent{id});
    }
    stage_.Call(call::JoinMulticast{id, Group(1), 7});
    if (stage_.OneIn(2, "another one")) {
      stage_.Call(call::JoinMulticast{id, Group(2), 8});
      stage_.Call(call::LeaveMulticast{id, Group(1)});
    }
    if (stage_.OneIn(3, "leaves for ever"))
      stage_.Call(Other(), call::LeaveMulticast{id, Group(2)});
  }

  Stage& stage_;
  Arguments arguments_;
  uint8_t side_ = 0;
  ChannelRef channel_;
  int unread_ = 0;
  bool removed_ = false;
  std::vector<IdRef> ids_;
  std::vector<IdRef> v6_;  // those with IPv6 addresses
};

}  // namespace

void GroupsAreJoined(Stage& stage) { MulticastWalk(stage).Walk(); }

}  // namespace cm
