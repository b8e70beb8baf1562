// Subnets of InfiniBand: their administrator knows the paths and the groups, and may be silent.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

class SubnetWalk {
 public:
  explicit SubnetWalk(Stage& stage)
      : stage_(stage), port_(stage.Port(0)), channel_(stage.ChannelOf(kActiveSide)) {}

  void Walk() {
    stage_.DoOneOf(this, "what a subnet is asked for",
                   {{3, &SubnetWalk::Routes},
                    {1, &SubnetWalk::RoutesSynchronously},
                    {2, &SubnetWalk::Groups},
                    {2, &SubnetWalk::Services}});
  }

 private:
  void Silences(uint8_t side) {
    stage_.Inject(FaultKind::kSilenceSm, side);
    if (!stage_.OneIn(4, "at once")) stage_.Settle();
  }

  void Passes() {
    stage_.Pass(stage_.OneOf({Duration::Milliseconds(10), Duration::Milliseconds(150),
                              Duration::Seconds(1), Duration::Seconds(4), Duration::Seconds(30)},
                             "how long"));
  }

  int32_t Patience() { return stage_.OneOf<int32_t>({2000, 2000, 2000, 100, 5, 1}, "how patient"); }

  // An id with an address, of a peer mostly.
  IdRef Addressed(PortSpace space) {
    const IdRef id = stage_.NewIdIn(kActiveSide, channel_, space);
    Address there = stage_.AddressOf(kPassiveSide, port_);
    if (stage_.OneIn(6, "a group")) there = {.kind = AddressKind::kGroup, .group = 1};
    if (stage_.OneIn(8, "loopback")) there = {.kind = AddressKind::kLoopback, .port = port_};
    const bool bound = stage_.OneIn(2, "from an address");
    const Address own = bound ? stage_.AddressOf(kActiveSide, 0) : Address{};
    stage_.Call(call::ResolveAddr{id, own, there, 2000});
    stage_.Await(kActiveSide);
    return id;
  }

  void Routes() {
    stage_.Listens(kPassiveSide, port_);
    const IdRef id = Addressed(PortSpace::kTcp);
    const bool early = stage_.OneIn(5, "silenced meanwhile");
    if (!early) Silences(stage_.OneIn(6, "the other side's") ? kPassiveSide : kActiveSide);
    stage_.Call(call::ResolveRoute{id, Patience()});
    if (early) Silences(kActiveSide);
    const uint64_t tries = stage_.Below(3, "how many calls meanwhile");
    for (uint64_t i = 0; i < tries; ++i) Tries(id);
    if (stage_.OneIn(6, "it is destroyed")) stage_.Destroys(id);
    if (stage_.OneIn(8, "the device goes")) stage_.Inject(FaultKind::kRemoveDevice, kActiveSide);
    if (stage_.OneIn(3, "it answers again")) stage_.Heal();
    Passes();
    stage_.FetchesAll(1);
    stage_.Call(call::Show{id});
    if (stage_.OneIn(2, "as before")) Passes();
    stage_.Heal();
    stage_.FetchesAll(1);
    stage_.Call(call::ResolveRoute{id, 2000});
    stage_.Await(kActiveSide);
    stage_.Calls({call::CreateQp{id}, call::Connect{id, ConnParam{}}});
    stage_.SettlesAndFetches(1);
  }

  // Calls on an id whose route is asked for.
  void Tries(IdRef id) {
    constexpr uint32_t kOwnPath = 0x2b;
    constexpr uint32_t kPathRecord = 72;
    stage_.Call(stage_.OneOf<Call>(
        {call::ResolveRoute{id, 2000}, call::Connect{id, ConnParam{}}, call::CreateQp{id},
         call::SetOption{id, kIbPathOption, kOwnPath, kPathRecord}, call::Listen{id, 1},
         call::JoinMulticast{id, Group(1), 1}, call::Disconnect{id}},
        "which call"));
  }

  void RoutesSynchronously() {
    if (!stage_.Can(Capability::kLanes)) return Routes();
    const IdRef id = stage_.NewIdIn(kActiveSide, {}, PortSpace::kTcp);
    stage_.ResolvesPeer(id, port_);
    Silences(kActiveSide);
    stage_.Call(call::ResolveRoute{id, Patience()});
    Passes();
    stage_.Heal();
    Passes();
    stage_.Call(call::ResolveRoute{id, 2000});
  }

  static Address Group(uint64_t number) {
    return {.kind = AddressKind::kGroup, .group = static_cast<uint8_t>(number)};
  }

  Address Somewhere() {
    Address group = Group(1 + stage_.Below(2, "which group"));
    group.v6 = stage_.OneIn(5, "an IPv6 group");
    if (stage_.OneIn(8, "nobody's")) group = {.kind = AddressKind::kAny};
    return group;
  }

  PortSpace Space() { return stage_.OneIn(3, "of IPoIB") ? PortSpace::kIpoib : PortSpace::kUdp; }

  void Joins(IdRef id) {
    const Address group = Somewhere();
    if (!stage_.OneIn(4, "to send only")) return stage_.Call(call::JoinMulticast{id, group, 3});
    stage_.Call(call::JoinMulticastEx{id, group, 4, call::JoinMulticastEx::kSendOnly});
  }

  // Joined before, while nobody answers, and afterwards.
  void Groups() {
    std::array<IdRef, 2> ids;
    for (IdRef& id : ids) {
      id = stage_.NewIdIn(kActiveSide, channel_, Space());
      stage_.Call(call::BindAddr{id, stage_.AddressOf(kActiveSide, 0)});
      if (stage_.OneIn(3, "with a queue pair")) stage_.Call(call::CreateQp{id});
    }
    if (stage_.OneIn(2, "in a group already")) {
      Joins(ids[0]);
      stage_.Await(kActiveSide);
    }
    Silences(kActiveSide);
    const uint64_t joins = 1 + stage_.Below(3, "how many joins");
    for (uint64_t i = 0; i < joins; ++i) Joins(ids[stage_.Below(ids.size(), "which id")]);
    if (stage_.OneIn(4, "and leaves")) stage_.Call(call::LeaveMulticast{ids[0], Group(1)});
    if (stage_.OneIn(6, "it is destroyed")) stage_.Destroys(ids[1]);
    if (stage_.OneIn(4, "it answers again")) stage_.Heal();
    Passes();
    for (uint64_t i = 0; i < joins; ++i) stage_.FetchesAll(1);
    if (stage_.OneIn(2, "and is silent again")) Silences(kActiveSide);
    stage_.Pass(Duration::Seconds(4));
    stage_.Heal();
    stage_.FetchesAll(2);
    Joins(ids[0]);
    stage_.Await(kActiveSide);
  }

  // A service of datagrams on the interface itself.
  void Services() {
    const PortSpace space = Space();
    const ChannelRef channel = stage_.ChannelOf(kPassiveSide);
    const IdRef listener = stage_.NewIdIn(kPassiveSide, channel, space);
    const bool any = stage_.OneIn(3, "on a wildcard");
    const Address at = any ? Wildcard(port_) : stage_.AddressOf(kPassiveSide, port_);
    stage_.Calls({call::BindAddr{listener, at}, call::Listen{listener, 4}});
    const IdRef id = Addressed(space);
    stage_.Call(call::ResolveRoute{id, 2000});
    stage_.Await(kActiveSide);
    if (!stage_.OneIn(4, "without a queue pair")) stage_.Call(call::CreateQp{id});
    stage_.Call(call::Connect{id, ConnParam{}});
    const IdRef request = stage_.Await(kPassiveSide);
    if (stage_.OneIn(4, "refused")) {
      stage_.Call(call::Reject{request, {}});
    } else {
      stage_.Calls({call::CreateQp{request}, call::Accept{request, ConnParam{}}});
    }
    stage_.Await(kActiveSide);
    stage_.Disconnects(id);
  }

  Stage& stage_;
  const uint16_t port_;
  const ChannelRef channel_;
};

}  // namespace

void SubnetsAreAsked(Stage& stage) { SubnetWalk(stage).Walk(); }

}  // namespace cm
