// InfiniBand subnets: the SA knows the paths and the groups, and may be silent.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

class SubnetWalk {
 public:
  explicit SubnetWalk(ConversationBuilder& builder)
      : builder_(builder), port_(builder.Port(0)), channel_(builder.ChannelOf(kActiveSide)) {}

  void Walk() {
    builder_.DoOneOf(this, "what a subnet is asked for",
                     {{3, &SubnetWalk::Routes},
                      {1, &SubnetWalk::RoutesSynchronously},
                      {2, &SubnetWalk::Groups},
                      {2, &SubnetWalk::Services}});
  }

 private:
  void Silences(uint8_t side) {
    builder_.Inject(FaultKind::kSilenceSm, side);
    if (!builder_.OneIn(4, "at once")) builder_.Settle();
  }

  void Passes() {
    builder_.Pass(
        builder_.OneOf({Duration::Milliseconds(10), Duration::Milliseconds(150),
                        Duration::Seconds(1), Duration::Seconds(4), Duration::Seconds(30)},
                       "how long"));
  }

  int32_t Patience() {
    return builder_.OneOf<int32_t>({2000, 2000, 2000, 100, 5, 1}, "how patient");
  }

  // An id with an address, of a peer mostly.
  IdRef Addressed(PortSpace space) {
    const IdRef id = builder_.NewId(kActiveSide, channel_, space);
    Address there = builder_.AddressOf(kPassiveSide, port_);
    if (builder_.OneIn(6, "a group")) there = {.kind = AddressKind::kGroup, .group = 1};
    if (builder_.OneIn(8, "loopback")) there = {.kind = AddressKind::kLoopback, .port = port_};
    const bool bound = builder_.OneIn(2, "from an address");
    const Address own = bound ? builder_.AddressOf(kActiveSide, 0) : Address{};
    builder_.Call(call::ResolveAddr{id, own, there, 2000});
    builder_.Await(kActiveSide);
    return id;
  }

  void Routes() {
    builder_.Listens(kPassiveSide, port_);
    const IdRef id = Addressed(PortSpace::kTcp);
    const bool early = builder_.OneIn(5, "silenced meanwhile");
    if (!early) Silences(builder_.OneIn(6, "the other side's") ? kPassiveSide : kActiveSide);
    builder_.Call(call::ResolveRoute{id, Patience()});
    if (early) Silences(kActiveSide);
    const uint64_t tries = builder_.Below(3, "how many calls meanwhile");
    for (uint64_t i = 0; i < tries; ++i) Tries(id);
    if (builder_.OneIn(6, "it is destroyed")) builder_.Destroys(id);
    if (builder_.OneIn(8, "the device goes"))
      builder_.Inject(FaultKind::kRemoveDevice, kActiveSide);
    if (builder_.OneIn(3, "it answers again")) builder_.Heal();
    Passes();
    builder_.FetchesAll(1);
    builder_.Call(call::Show{id});
    if (builder_.OneIn(2, "as before")) Passes();
    builder_.Heal();
    builder_.FetchesAll(1);
    builder_.Call(call::ResolveRoute{id, 2000});
    builder_.Await(kActiveSide);
    builder_.Calls({call::CreateQp{id}, call::Connect{id, ConnParam{}}});
    builder_.SettlesAndFetches(1);
  }

  // Calls on an id with an outstanding route query.
  void Tries(IdRef id) {
    constexpr uint32_t kOwnPath = 0x2b;
    constexpr uint32_t kPathRecord = 72;
    builder_.Call(builder_.OneOf<Call>(
        {call::ResolveRoute{id, 2000}, call::Connect{id, ConnParam{}}, call::CreateQp{id},
         call::SetOption{id, kIbPathOption, kOwnPath, kPathRecord}, call::Listen{id, 1},
         call::JoinMulticast{id, Group(1), 1}, call::Disconnect{id}},
        "which call"));
  }

  void RoutesSynchronously() {
    if (!builder_.Can(Capability::kLanes)) return Routes();
    const IdRef id = builder_.NewId(kActiveSide, {}, PortSpace::kTcp);
    builder_.ResolvesPeer(id, port_);
    Silences(kActiveSide);
    builder_.Call(call::ResolveRoute{id, Patience()});
    Passes();
    builder_.Heal();
    Passes();
    builder_.Call(call::ResolveRoute{id, 2000});
  }

  static Address Group(uint64_t number) {
    return {.kind = AddressKind::kGroup, .group = static_cast<uint8_t>(number)};
  }

  Address Somewhere() {
    Address group = Group(1 + builder_.Below(2, "which group"));
    group.v6 = builder_.OneIn(5, "an IPv6 group");
    if (builder_.OneIn(8, "no group")) group = {.kind = AddressKind::kAny};
    return group;
  }

  PortSpace Space() { return builder_.OneIn(3, "of IPoIB") ? PortSpace::kIpoib : PortSpace::kUdp; }

  void Joins(IdRef id) {
    const Address group = Somewhere();
    if (!builder_.OneIn(4, "to send only")) return builder_.Call(call::JoinMulticast{id, group, 3});
    builder_.Call(call::JoinMulticastEx{id, group, 4, call::JoinMulticastEx::kSendOnly});
  }

  // Joined before, while the SA is silent, and afterwards.
  void Groups() {
    std::array<IdRef, 2> ids;
    for (IdRef& id : ids) {
      id = builder_.NewId(kActiveSide, channel_, Space());
      builder_.Call(call::BindAddr{id, builder_.AddressOf(kActiveSide, 0)});
      if (builder_.OneIn(3, "with a queue pair")) builder_.Call(call::CreateQp{id});
    }
    if (builder_.OneIn(2, "in a group already")) {
      Joins(ids[0]);
      builder_.Await(kActiveSide);
    }
    Silences(kActiveSide);
    const uint64_t joins = 1 + builder_.Below(3, "how many joins");
    for (uint64_t i = 0; i < joins; ++i) Joins(ids[builder_.Below(ids.size(), "which id")]);
    if (builder_.OneIn(4, "and leaves")) builder_.Call(call::LeaveMulticast{ids[0], Group(1)});
    if (builder_.OneIn(6, "it is destroyed")) builder_.Destroys(ids[1]);
    if (builder_.OneIn(4, "it answers again")) builder_.Heal();
    Passes();
    for (uint64_t i = 0; i < joins; ++i) builder_.FetchesAll(1);
    if (builder_.OneIn(2, "and is silent again")) Silences(kActiveSide);
    builder_.Pass(Duration::Seconds(4));
    builder_.Heal();
    builder_.FetchesAll(2);
    Joins(ids[0]);
    builder_.Await(kActiveSide);
  }

  // A datagram service on the interface itself.
  void Services() {
    const PortSpace space = Space();
    const ChannelRef channel = builder_.ChannelOf(kPassiveSide);
    const IdRef listener = builder_.NewId(kPassiveSide, channel, space);
    const bool any = builder_.OneIn(3, "on a wildcard");
    const Address at = any ? Wildcard(port_) : builder_.AddressOf(kPassiveSide, port_);
    builder_.Calls({call::BindAddr{listener, at}, call::Listen{listener, 4}});
    const IdRef id = Addressed(space);
    builder_.Call(call::ResolveRoute{id, 2000});
    builder_.Await(kActiveSide);
    if (!builder_.OneIn(4, "without a queue pair")) builder_.Call(call::CreateQp{id});
    builder_.Call(call::Connect{id, ConnParam{}});
    const IdRef request = builder_.Await(kPassiveSide);
    if (builder_.OneIn(4, "refused")) {
      builder_.Call(call::Reject{request, {}});
    } else {
      builder_.Calls({call::CreateQp{request}, call::Accept{request, ConnParam{}}});
    }
    builder_.Await(kActiveSide);
    builder_.Disconnects(id);
  }

  ConversationBuilder& builder_;
  const uint16_t port_;
  const ChannelRef channel_;
};

}  // namespace

void SubnetsAreAsked(ConversationBuilder& builder) { SubnetWalk(builder).Walk(); }

}  // namespace cm
