// Walks with faults of the environment: devices, links, neighbours, processes and hosts disappear
// and return, and two hosts have one address.
#include "conformance/walks/walks.h"

namespace cm {
namespace {

// The progress of the two sides; the active id.
IdRef ComesTo(ConversationBuilder& builder, uint64_t phase, uint16_t port) {
  if (phase == 0) return builder.Resolves(kActiveSide, port);
  if (phase > 2) return builder.Connection(kActiveSide, port).first;
  const bool with_qp = phase == 1 || builder.OneIn(2, "queue pair");
  const IdRef active = builder.Connects(kActiveSide, port, with_qp);
  if (phase == 2) builder.Accepts(kPassiveSide);
  return active;
}

// The peer has to be asked for its hardware address, with its link up or down.
void NeighbourExpires(ConversationBuilder& builder) {
  if (builder.OneIn(2, "with a connection")) builder.Connection(kActiveSide);
  builder.Inject(FaultKind::kNeighbourExpires, kActiveSide);
  if (builder.OneIn(2, "the peer is silent")) builder.Inject(FaultKind::kLinkDown, kPassiveSide);
  builder.Resolves(kActiveSide);
  builder.PassesAndFetches(Duration::Seconds(3), 2);
  if (builder.OneIn(2, "the peer is back")) builder.Inject(FaultKind::kLinkUp, kPassiveSide);
  builder.Resolves(kActiveSide);
  builder.PassesAndFetches(Duration::Seconds(3), 1);
  builder.Heal();
  builder.Resolves(kActiveSide);
}

}  // namespace

// The device of a side is removed under ids in many states; then calls on them.
void DeviceRemoved(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const IdRef listener = builder.Listens(kPassiveSide);
  const IdRef bound = builder.NewId(side, builder.ChannelOf(side));
  builder.Call(call::BindAddr{bound, builder.AddressOf(side, builder.Port(1))});
  IdRef other;
  if (builder.OneIn(2, "connected")) {
    other = builder.Connection(kActiveSide).first;
  } else {
    other = builder.Connects(kActiveSide);
    if (builder.OneIn(2, "the request is read")) builder.Accepts(kPassiveSide);
  }
  IdRef resolving;
  if (side == kActiveSide && builder.OneIn(2, "one that has resolved"))
    resolving = builder.Resolves(kActiveSide);
  builder.Inject(FaultKind::kRemoveDevice, side);
  if (!builder.OneIn(3, "at once")) builder.Settle();
  if (side == kPassiveSide && builder.OneIn(2, "a queue pair for the listener"))
    builder.Call(call::CreateQp{listener});
  if (builder.OneIn(2, "what was never connected disconnects")) builder.Disconnects(bound);
  builder.FetchesAll(3);
  builder.Calls({call::Listen{bound, 4},
                 call::BindAddr{bound, builder.AddressOf(side, builder.Port(2))},
                 call::Reject{bound, {}}, call::Establish{bound}, call::ResolveRoute{bound, 2000},
                 call::CreateQp{bound, std::nullopt}, call::Accept{bound, ConnParam{}}});
  if (resolving.valid()) {
    builder.Calls({call::ResolveAddr{resolving, {}, builder.AddressOf(1, builder.Port(0)), 500},
                   call::Connect{resolving, ConnParam{}}});
  }
  builder.Disconnects(other);
  const IdRef late = builder.NewId(side, builder.ChannelOf(side));
  builder.Calls(
      {call::BindAddr{late, builder.AddressOf(side, builder.Port(3))},
       call::ResolveAddr{late, {}, builder.AddressOf(OtherSide(side), builder.Port(0)), 500}});
  if (builder.Inject(FaultKind::kAddDevice, side)) {
    const IdRef again = builder.NewId(side, builder.ChannelOf(side));
    builder.Call(call::BindAddr{again, builder.AddressOf(side, builder.Port(4))});
  }
  builder.Destroys(listener);
  if (builder.Can(Capability::kTime)) builder.Pass(Duration::Seconds(4));
  builder.FetchesAll(2);
}

// The bond under a side moves to another interface while ids use it.
void AddressChanges(ConversationBuilder& builder) {
  builder.Listens(kPassiveSide);
  const IdRef bound = builder.NewId(kActiveSide, builder.ChannelOf(kActiveSide));
  builder.Call(call::BindAddr{bound, builder.AddressOf(kActiveSide, builder.Port(1))});
  const bool connected = builder.OneIn(2, "connected");
  const IdRef active =
      connected ? builder.Connection(kActiveSide).first : builder.Resolves(kActiveSide);
  builder.Inject(FaultKind::kFailOver, kActiveSide);
  builder.SettlesAndFetches(3);
  if (!connected) {
    builder.Calls({call::CreateQp{active}, call::Connect{active, ConnParam{}}});
  }
  if (builder.OneIn(2, "and back")) builder.Inject(FaultKind::kFailOver, kActiveSide);
  builder.Disconnects(active);
  builder.SettlesAndFetches(2);
  const IdRef passive_listener = builder.Listens(kActiveSide, builder.Port(2));
  builder.Inject(FaultKind::kFailOver, kActiveSide);
  builder.FetchesAll(2);
  builder.Destroys(passive_listener);
}

// A bond fails over, and the address that ids send from is removed: under an unanswered request,
// under one whose reply is unread, and under a connection.
void SourceGoes(ConversationBuilder& builder) {
  const bool with_qp = builder.OneIn(2, "with a queue pair");
  IdRef stale;
  switch (builder.Below(6, "in which phase")) {
    case 0:  // a request of the other side is fetched
      builder.Listens(kActiveSide);
      builder.Connects(kPassiveSide);
      stale = builder.Await(kActiveSide);
      break;
    case 1:  // and accepted, and the reply is not fetched
      builder.Listens(kActiveSide);
      builder.Connects(kPassiveSide);
      stale = builder.Accepts(kActiveSide);
      break;
    case 2:  // its own request is outstanding
      builder.Listens(kPassiveSide);
      stale = builder.Connects(kActiveSide, builder.Port(0), with_qp);
      break;
    case 3:  // its own request was accepted
      builder.Listens(kPassiveSide);
      stale = builder.Connects(kActiveSide, builder.Port(0), with_qp);
      builder.Accepts(kPassiveSide);
      break;
    default:
      builder.Listens(kPassiveSide);
      stale = builder.Connection(kActiveSide).first;
      break;
  }
  builder.Inject(FaultKind::kFailOver, kActiveSide);
  builder.SettlesAndFetches(2);
  const ConnParam param = builder.QueuePairFor(stale, with_qp);
  builder.Call(builder.OneOf<Call>({call::Accept{stale, param}, call::Reject{stale, {}},
                                    call::Establish{stale}, call::Disconnect{stale}},
                                   "what is tried"));
  builder.FetchesAll(1);
  builder.PassesAndFetches(Duration::Seconds(20), 2);
  builder.Disconnects(stale);
}

// The hardware address behind the peer's IP address changes, and comes back; or it is forgotten.
void NeighbourChanges(ConversationBuilder& builder) {
  builder.Listens(kPassiveSide);
  if (builder.OneIn(4, "it expires")) return NeighbourExpires(builder);
  const uint64_t when = builder.Below(3, "in which phase");
  IdRef active;
  if (when == 0) active = builder.Resolves(kActiveSide);
  if (when == 1) active = builder.Connects(kActiveSide);
  if (when == 2) active = builder.Connection(kActiveSide).first;
  builder.Inject(FaultKind::kNeighbourChange, kActiveSide);
  builder.SettlesAndFetches(1);
  builder.SpeaksAndHeals(active, when == 0);
}

// The link goes down before a step, and comes up again.
void LinkGoesDown(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  builder.Listens(kPassiveSide);
  const uint64_t when = builder.Below(4, "in which phase");
  IdRef active;
  if (when == 1) active = builder.Resolves(kActiveSide);
  if (when == 2) active = builder.Connects(kActiveSide);
  if (when == 3) active = builder.Connection(kActiveSide).first;
  builder.Inject(FaultKind::kLinkDown, side);
  builder.Settle();
  if (when == 0) active = builder.Resolves(kActiveSide);
  if (when == 1) {
    builder.Calls({call::CreateQp{active}, call::Connect{active, ConnParam{}}});
  }
  if (when == 2) builder.Accepts(kPassiveSide, builder.OneIn(2, "with a queue pair"));
  if (when == 3) builder.Disconnects(active);
  builder.PassesAndFetches(Duration::Seconds(1), 2);
  if (builder.OneIn(2, "comes up")) builder.Inject(FaultKind::kLinkUp, side);
  builder.PassesAndFetches(Duration::Seconds(120), 2);
}

// A process exits without disconnecting; the events of its peer.
void PeerExits(ConversationBuilder& builder) {
  builder.Listens(kPassiveSide);
  const uint64_t when = builder.Below(3, "in which phase");
  if (when < 2) builder.Connects(kActiveSide);
  if (when == 1) builder.Accepts(kPassiveSide);
  if (when == 2) builder.Connection(kActiveSide);
  const uint8_t side = builder.AnySide();
  const uint8_t left = OtherSide(side);
  builder.Inject(FaultKind::kExit, side);
  builder.Settle();
  for (int i = 0; i < 2; ++i) builder.Fetch(left);
  builder.Pass(Duration::Seconds(4));
  builder.Fetch(left);
}

// Unread events when the device is removed, and the library's processing of them.
void RemovedUnread(ConversationBuilder& builder) {
  const ChannelRef channel = builder.ChannelOf(kActiveSide);
  const uint16_t port = builder.Port(0);
  builder.Listens(kPassiveSide, port);
  const uint64_t what = builder.Below(4, "what is unread");
  if (what == 0) {
    builder.ResolvesPeer(builder.NewId(kActiveSide, channel), port);
  } else if (what == 1) {
    const IdRef id = builder.NewId(kActiveSide, channel);
    builder.Calls({call::BindAddr{id, builder.AddressOf(kActiveSide, 0)},
                   call::ResolveAddr{id, {}, builder.AddressOf(kPassiveSide, port), 2000}});
    builder.Settle();
    builder.Fetch(kActiveSide);
    builder.Call(call::ResolveRoute{id, 2000});
  } else {
    builder.Connects(kActiveSide, port, what == 2);
    if (what == 2) builder.Accepts(kPassiveSide);
  }
  builder.Settle();
  const uint8_t side = what == 3 ? kPassiveSide : kActiveSide;
  builder.Inject(FaultKind::kRemoveDevice, side);
  builder.SettlesAndFetches(3);
}

// A host stops without disconnecting. Its peer detects it by timeouts, or by new connections: after
// a restart queue pairs reuse the numbers of those before.
void HostCrashes(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const uint8_t left = OtherSide(side);
  builder.Listens(kPassiveSide);
  const IdRef listener = builder.Listens(left, builder.Port(1));
  const IdRef active = ComesTo(builder, builder.Below(4, "in which phase"), builder.Port(0));
  builder.Inject(FaultKind::kCrash, side);
  if (!builder.OneIn(3, "at once")) builder.Settle();
  if (left == kActiveSide && builder.OneIn(2, "the peer ends it")) builder.Disconnects(active);
  if (builder.OneIn(3, "the address is resolved")) builder.Resolves(left);
  builder.Fetch(left);
  if (builder.OneIn(2, "how long")) builder.Pass(Duration::Seconds(120));
  if (!builder.OneIn(4, "it stays down")) {
    builder.Inject(FaultKind::kRestart, side);
    builder.Listens(side);
    // The previously connected queue pair may have the same number.
    for (int i = 0; i < 2; ++i) {
      builder.Connects(side, builder.Port(1));
      builder.SettlesAndFetches(2);
    }
    builder.Accepts(left);
    builder.FetchesAll(1);
    if (builder.OneIn(2, "and the other way round")) builder.Connects(left);
  }
  builder.Destroys(listener);
  builder.PassesAndFetches(
      builder.OneIn(2, "and then") ? Duration::Seconds(4) : Duration::Seconds(120), 2);
}

// The link flaps: it goes down and comes up repeatedly.
void LinkFlaps(ConversationBuilder& builder) {
  Fault fault{.kind = FaultKind::kFlap, .side = builder.AnySide()};
  fault.by = builder.OneOf(
      {Duration::Milliseconds(1), Duration::Milliseconds(700), Duration::Seconds(7)}, "how often");
  fault.last = static_cast<uint32_t>(1 + builder.Below(4, "how many times"));
  builder.Listens(kPassiveSide);
  const uint64_t phase = builder.Below(4, "in which phase");
  const bool before = builder.OneIn(4, "from the beginning");
  if (before) builder.Inject(fault);
  const IdRef active = ComesTo(builder, phase, builder.Port(0));
  if (!before) builder.Inject(fault);
  if (phase == 0) {
    builder.Calls({call::CreateQp{active}, call::Connect{active, ConnParam{}}});
  }
  if (phase == 1) builder.Accepts(kPassiveSide);
  if (phase >= 2) builder.Disconnects(active);
  builder.PassesAndFetches(fault.by, 2);
  builder.PassesAndFetches(Duration::Seconds(20), 2);
  builder.PassesAndFetches(Duration::Seconds(120), 2);
}

// Another host answers for the address of one side: ids that have resolved it get an event because
// its hardware address has changed, and messages to it are lost.
void AddressDoubled(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  builder.Listens(kPassiveSide);
  const uint64_t phase = builder.Below(4, "in which phase");
  const IdRef active = ComesTo(builder, phase, builder.Port(0));
  builder.Inject(FaultKind::kDuplicateAddress, side);
  builder.SettlesAndFetches(1);
  builder.SpeaksAndHeals(active, phase == 0);
}

}  // namespace cm
