// Multicast groups: joined by ids in every state, twice, in vain; left early, late and never.
#include <vector>

#include "conformance/walks/arguments.h"
#include "conformance/walks/steps.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class MulticastWalk : public Steps {
 public:
  explicit MulticastWalk(ConversationBuilder& builder)
      : Steps(builder), arguments_(builder, false) {}

  void Walk() {
    side_ = builder_.AnySide();
    channel_ = builder_.ChannelOf(side_);
    const bool alone = builder_.Can(Capability::kLanes) && builder_.OneIn(8, "synchronous");
    if (alone) return WalkSynchronously();
    const uint64_t ids = 1 + builder_.Below(3, "how many ids");
    for (uint64_t i = 0; i < ids; ++i) Makes();
    const uint64_t steps = 8 + builder_.Below(8, "how many steps");
    for (uint64_t i = 0; i < steps; ++i) Step();
    builder_.FetchesAll(3);
  }

 private:
  Lane Main() const { return LaneOf(side_); }
  Lane Other() const { return {.side = side_, .number = 2}; }

  PortSpace Space() {
    return builder_.OneOf({PortSpace::kUdp, PortSpace::kUdp, PortSpace::kUdp, PortSpace::kUdp,
                           PortSpace::kUdp, PortSpace::kUdp, PortSpace::kTcp, PortSpace::kIpoib},
                          "which port space");
  }

  // An id in one of the states in which joins are possible.
  void Makes() {
    const PortSpace space = Space();
    const IdRef id = builder_.NewId(side_, channel_, space);
    ids_.push_back(id);
    const uint16_t port = builder_.Port(static_cast<int>(ids_.size()));
    const Address own = builder_.AddressOf(side_, 0);
    switch (builder_.Below(12, "how far it comes")) {
      case 0:
        return;
      case 1:
        return builder_.Call(call::BindAddr{id, Wildcard(port)});
      case 2:
        builder_.Call(call::BindAddr{id, builder_.AddressOf(side_, port)});
        return builder_.Call(call::Listen{id, 2});
      case 3:
        return Resolves(id, {}, {.kind = AddressKind::kLoopback, .port = port});
      case 4:
        Resolves(id, own, Peer(port));
        return Routes(id);
      case 5:
        Resolves(id, own, Peer(port));
        Routes(id);
        return builder_.Call(call::Connect{id, ConnParam{.qp_num = 4101}});
      case 6:
        builder_.Call(call::BindAddr{id, builder_.AddressOf(side_, port, true)});
        v6_.push_back(id);
        return;
      case 7:
        return Resolves(id, own, Peer(port));
      case 8:
        return Resolves(id, own, Group(1));
      default:
        builder_.Call(call::BindAddr{id, builder_.AddressOf(side_, port)});
        if (builder_.OneIn(3, "with a queue pair")) builder_.Call(call::CreateQp{id});
        return;
    }
  }

  Address Peer(uint16_t port) const { return builder_.AddressOf(OtherSide(side_), port); }

  static Address Group(int number, uint16_t port = 0, bool v6 = false) {
    const auto group = static_cast<uint8_t>(number);
    return {.kind = AddressKind::kGroup, .v6 = v6, .group = group, .port = port};
  }

  void Resolves(IdRef id, const Address& source, const Address& destination) {
    builder_.Call(call::ResolveAddr{id, source, destination, 2000});
    builder_.Await(side_);
  }

  void Routes(IdRef id) {
    builder_.Call(call::ResolveRoute{id, 2000});
    builder_.Await(side_);
  }

  // Few groups, so that they are joined twice and left by other ids.
  Address Somewhere() {
    const int number = builder_.OneOf({1, 2}, "which group");
    const uint16_t port = builder_.OneIn(6, "with a port") ? builder_.Port(5) : uint16_t{0};
    if (!builder_.OneIn(4, "an odd address")) return Group(number, port);
    if (builder_.OneIn(3, "an IPv6 group")) {
      return Group(number, port, true);
    }
    if (builder_.OneIn(3, "that of a side")) return builder_.AddressOf(side_, port);
    return arguments_.OddAddress(port);
  }

  void Joins(IdRef id, const Address& address) {
    // Not all events are fetched: they pile up.
    if (++unread_ > 4) {
      unread_ = 0;
      for (int i = 0; i < 5; ++i) builder_.Fetch(side_);
    }
    const auto context = static_cast<uint16_t>(builder_.Below(3, "which context"));
    if (!builder_.OneIn(2, "with attributes"))
      return builder_.Call(call::JoinMulticast{id, address, context});
    call::JoinMulticastEx join{id, address, context};
    join.flags = static_cast<uint32_t>(builder_.Below(2, "full or send only"));
    if (builder_.OneIn(8, "unknown flags")) join.flags = 2;
    if (builder_.OneIn(8, "another mask"))
      join.comp_mask = static_cast<uint32_t>(builder_.Below(6, "which mask"));
    builder_.Call(join);
  }

  void Step() {
    const IdRef id = ids_[builder_.Below(ids_.size(), "which id")];
    builder_.DoOneOf(this, "what now",
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

  void FetchesOne(IdRef /*id*/) { builder_.Fetch(side_); }
  void Settles(IdRef /*id*/) { builder_.Settle(); }
  void JoinsSomewhere(IdRef id) { Joins(id, Somewhere()); }

  void Leaves(IdRef id) {
    // Later events of a group that a removed device has left are not followed.
    if (removed_ && builder_.Can(Capability::kCrashes)) return;
    builder_.Call(call::LeaveMulticast{id, Somewhere()});
  }

  // Leaving waits for the event that another thread has not acknowledged.
  void JoinsAndLeavesWithEvent(IdRef id) {
    const Address group = Group(3);
    Joins(id, group);
    builder_.Settle();
    const bool waits = builder_.Can(Capability::kLanes) && builder_.OneIn(3, "in hand");
    builder_.Fetch(Main(), channel_, !waits);
    builder_.Call(waits ? Other() : Main(), call::LeaveMulticast{id, group});
    if (!waits) return;
    const auto held = builder_.model().held();
    if (!held.empty()) builder_.Call(call::AckCmEvent{held.back().first});
  }

  // IPv6 addresses are removed when the link goes down, and their GIDs with them.
  void JoinsWithoutLink(IdRef /*id*/) {
    if (v6_.empty()) return;
    if (!builder_.Inject(FaultKind::kLinkDown, side_)) return;
    builder_.Settle();
    Joins(v6_.front(), Group(1));
    builder_.Settle();
    builder_.Fetch(side_);
    builder_.Heal();
  }

  void Trouble(IdRef id) {
    if (builder_.OneIn(2, "an id goes")) return builder_.Destroys(id);
    if (removed_ || !builder_.OneIn(2, "the device goes")) return;
    removed_ = true;
    // A membership that is reported and acknowledged can be left afterwards.
    const Address group = Group(4);
    Joins(id, group);
    const bool known = builder_.OneIn(2, "reported before");
    if (known) {
      builder_.Settle();
      for (int i = 0; i < 6; ++i) builder_.Fetch(side_);
    }
    if (!builder_.Inject(FaultKind::kRemoveDevice, side_)) return;
    if (builder_.OneIn(2, "and settles")) builder_.Settle();
    if (known && !builder_.Can(Capability::kCrashes))
      builder_.Call(call::LeaveMulticast{id, group});
    Joins(id, Group(2));
  }

  // Joins wait for their event, and the last one is kept: only the next call releases it.
  void WalkSynchronously() {
    const IdRef id = builder_.NewId(side_, {}, PortSpace::kUdp);
    ids_.push_back(id);
    builder_.Call(call::BindAddr{id, builder_.AddressOf(side_, builder_.Port(1))});
    if (builder_.OneIn(2, "with a queue pair")) builder_.Call(call::CreateQp{id});
    const uint64_t joins = 1 + builder_.Below(3, "how many joins");
    for (uint64_t i = 0; i < joins; ++i) {
      unread_ = 0;
      JoinsSomewhere(id);
      builder_.Call(call::ShowEvent{id});
    }
    builder_.Call(call::JoinMulticast{id, Group(1), 7});
    if (builder_.OneIn(2, "another one")) {
      builder_.Calls({call::JoinMulticast{id, Group(2), 8}, call::LeaveMulticast{id, Group(1)}});
    }
    if (builder_.OneIn(3, "leaves for ever"))
      builder_.Call(Other(), call::LeaveMulticast{id, Group(2)});
  }

  Arguments arguments_;
  uint8_t side_ = 0;
  ChannelRef channel_;
  int unread_ = 0;
  bool removed_ = false;
  std::vector<IdRef> ids_;
  std::vector<IdRef> v6_;  // those with IPv6 addresses
};

}  // namespace

void GroupsAreJoined(ConversationBuilder& builder) { MulticastWalk(builder).Walk(); }

}  // namespace cm
