// Groups: joined by ids in every state, twice, in vain; left early, late and never.
#include <array>
#include <vector>

#include "conformance/walks/arguments.h"
#include "conformance/walks/steps.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class MulticastWalk : public Steps {
 public:
  explicit MulticastWalk(Stage& stage) : Steps(stage), arguments_(stage, false) {}

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

  // An id in one of the states that joins meet.
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

  static Address Group(int number, uint16_t port = 0, bool v6 = false) {
    const auto group = static_cast<uint8_t>(number);
    return {.kind = AddressKind::kGroup, .v6 = v6, .group = group, .port = port};
  }

  void Resolves(IdRef id, const Address& source, const Address& destination) {
    stage_.Call(call::ResolveAddr{id, source, destination, 2000});
    stage_.Await(side_);
  }

  void Routes(IdRef id) {
    stage_.Call(call::ResolveRoute{id, 2000});
    stage_.Await(side_);
  }

  // Few groups, so that they are joined twice and left by others.
  Address Somewhere() {
    const int number = stage_.OneOf({1, 2}, "which group");
    const uint16_t port = stage_.OneIn(6, "with a port") ? stage_.Port(5) : uint16_t{0};
    if (!stage_.OneIn(4, "an odd address")) return Group(number, port);
    if (stage_.OneIn(3, "an IPv6 group")) {
      return Group(number, port, true);
    }
    if (stage_.OneIn(3, "that of a side")) return stage_.AddressOf(side_, port);
    return arguments_.OddAddress(port);
  }

  void Joins(IdRef id, const Address& address) {
    // Nobody looks at all of them: events that are not fetched pile up.
    if (++unread_ > 4) {
      unread_ = 0;
      for (int i = 0; i < 5; ++i) stage_.Fetch(side_);
    }
    const auto context = static_cast<uint16_t>(stage_.Below(3, "which context"));
    if (!stage_.OneIn(2, "with attributes"))
      return stage_.Call(call::JoinMulticast{id, address, context});
    call::JoinMulticastEx join{id, address, context};
    join.flags = static_cast<uint32_t>(stage_.Below(2, "full or send only"));
    if (stage_.OneIn(8, "unknown flags")) join.flags = 2;
    if (stage_.OneIn(8, "another mask"))
      join.comp_mask = static_cast<uint32_t>(stage_.Below(6, "which mask"));
    stage_.Call(join);
  }

  void Step() {
    const IdRef id = ids_[stage_.Below(ids_.size(), "which id")];
    stage_.DoOneOf(this, "what now",
                   {{4, &MulticastWalk::JoinsSomewhere},
                    {3, &MulticastWalk::Leaves},
                    {2, &MulticastWalk::FetchesOne},
                    {1, &MulticastWalk::JoinsAndLeavesWithEvent},
                    {1, &MulticastWalk::MakesQp},
                    {1, &MulticastWalk::DestroysQp},
                    {1, &MulticastWalk::JoinsWithoutLink},
                    {1, &MulticastWalk::Trouble},
                    {1, &MulticastWalk::Settles},
                    {1, &MulticastWalk::Shows}},
                   id);
  }

  void FetchesOne(IdRef /*id*/) { stage_.Fetch(side_); }
  void Settles(IdRef /*id*/) { stage_.Settle(); }
  void JoinsSomewhere(IdRef id) { Joins(id, Somewhere()); }

  void Leaves(IdRef id) {
    // What is reported later of a group that a removed device has left is in nobody's memory.
    if (removed_ && stage_.Can(Capability::kCrashes)) return;
    stage_.Call(call::LeaveMulticast{id, Somewhere()});
  }

  // Whoever leaves waits for the event that another thread has in hand.
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

  // IPv6 addresses go with the link, and the GID with them.
  void JoinsWithoutLink(IdRef /*id*/) {
    if (v6_.empty()) return;
    if (!stage_.Inject(FaultKind::kLinkDown, side_)) return;
    stage_.Settle();
    Joins(v6_.front(), Group(1));
    stage_.Settle();
    stage_.Fetch(side_);
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
      for (int i = 0; i < 6; ++i) stage_.Fetch(side_);
    }
    if (!stage_.Inject(FaultKind::kRemoveDevice, side_)) return;
    if (stage_.OneIn(2, "and settles")) stage_.Settle();
    if (known && !stage_.Can(Capability::kCrashes)) stage_.Call(call::LeaveMulticast{id, group});
    Joins(id, Group(2));
  }

  // Joins wait for their event, and the last one is kept: nothing lets go of it but the next call.
  void WalkSynchronously() {
    const IdRef id = stage_.NewIdIn(side_, {}, PortSpace::kUdp);
    ids_.push_back(id);
    stage_.Call(call::BindAddr{id, stage_.AddressOf(side_, stage_.Port(1))});
    if (stage_.OneIn(2, "with a queue pair")) stage_.Call(call::CreateQp{id});
    const uint64_t joins = 1 + stage_.Below(3, "how many joins");
    for (uint64_t i = 0; i < joins; ++i) {
      unread_ = 0;
      JoinsSomewhere(id);
      stage_.Call(call::ShowEvent{id});
    }
    stage_.Call(call::JoinMulticast{id, Group(1), 7});
    if (stage_.OneIn(2, "another one")) {
      stage_.Calls({call::JoinMulticast{id, Group(2), 8}, call::LeaveMulticast{id, Group(1)}});
    }
    if (stage_.OneIn(3, "leaves for ever"))
      stage_.Call(Other(), call::LeaveMulticast{id, Group(2)});
  }

  Arguments arguments_;
  uint8_t side_ = 0;
  ChannelRef channel_;
  int unread_ = 0;
  bool removed_ = false;
  std::vector<IdRef> ids_;
  std::vector<IdRef> v6_;  // of them, those with IPv6 addresses
};

}  // namespace

void GroupsAreJoined(Stage& stage) { MulticastWalk(stage).Walk(); }

}  // namespace cm
