// Walks through trouble that the environment makes: devices, links, neighbours, processes and hosts
// that go and come again, and addresses that two hosts answer for.
#include "conformance/walks/walks.h"

namespace cm {
namespace {

// How far the two sides have come; the active id.
IdRef ComesTo(Stage& stage, uint64_t phase, uint16_t port) {
  if (phase == 0) return stage.Resolves(kActiveSide, port);
  if (phase > 2) return stage.Connection(kActiveSide, port).first;
  const bool with_qp = phase == 1 || stage.OneIn(2, "queue pair");
  const IdRef active = stage.Connects(kActiveSide, port, with_qp);
  if (phase == 2) stage.Accepts(kPassiveSide);
  return active;
}

}  // namespace

// The device of a side goes away under ids in many states; the calls afterwards.
void DeviceRemoved(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const IdRef listener = stage.Listens(kPassiveSide);
  const IdRef bound = stage.NewId(side, stage.ChannelOf(side));
  stage.Call(call::BindAddr{bound, stage.AddressOf(side, stage.Port(1))});
  IdRef other;
  if (stage.OneIn(2, "connected")) {
    other = stage.Connection(kActiveSide).first;
  } else {
    other = stage.Connects(kActiveSide);
    if (stage.OneIn(2, "the request is read")) stage.Accepts(kPassiveSide);
  }
  IdRef resolving;
  if (side == kActiveSide && stage.OneIn(2, "one that has resolved"))
    resolving = stage.Resolves(kActiveSide);
  stage.Inject(FaultKind::kRemoveDevice, side);
  if (!stage.OneIn(3, "at once")) stage.Settle();
  if (side == kPassiveSide && stage.OneIn(2, "a queue pair for the listener"))
    stage.Call(call::CreateQp{listener});
  if (stage.OneIn(2, "what was never connected disconnects")) stage.Disconnects(bound);
  stage.FetchesAll(3);
  stage.Calls({call::Listen{bound, 4}, call::BindAddr{bound, stage.AddressOf(side, stage.Port(2))},
               call::Reject{bound, {}}, call::Establish{bound}, call::ResolveRoute{bound, 2000},
               call::CreateQp{bound, std::nullopt}, call::Accept{bound, ConnParam{}}});
  if (resolving.valid()) {
    stage.Calls({call::ResolveAddr{resolving, {}, stage.AddressOf(1, stage.Port(0)), 500},
                 call::Connect{resolving, ConnParam{}}});
  }
  stage.Disconnects(other);
  const IdRef late = stage.NewId(side, stage.ChannelOf(side));
  stage.Calls({call::BindAddr{late, stage.AddressOf(side, stage.Port(3))},
               call::ResolveAddr{late, {}, stage.AddressOf(OtherSide(side), stage.Port(0)), 500}});
  if (stage.Inject(FaultKind::kAddDevice, side)) {
    const IdRef again = stage.NewId(side, stage.ChannelOf(side));
    stage.Call(call::BindAddr{again, stage.AddressOf(side, stage.Port(4))});
  }
  stage.Destroys(listener);
  if (stage.Can(Capability::kTime)) stage.Pass(Duration::Seconds(4));
  stage.FetchesAll(2);
}

// The bond under a side moves to another interface while ids use it.
void AddressChanges(Stage& stage) {
  stage.Listens(kPassiveSide);
  const IdRef bound = stage.NewId(kActiveSide, stage.ChannelOf(kActiveSide));
  stage.Call(call::BindAddr{bound, stage.AddressOf(kActiveSide, stage.Port(1))});
  const bool connected = stage.OneIn(2, "connected");
  const IdRef active =
      connected ? stage.Connection(kActiveSide).first : stage.Resolves(kActiveSide);
  stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.SettlesAndFetches(3);
  if (!connected) {
    stage.Calls({call::CreateQp{active}, call::Connect{active, ConnParam{}}});
  }
  if (stage.OneIn(2, "and back")) stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.Disconnects(active);
  stage.SettlesAndFetches(2);
  const IdRef passive_listener = stage.Listens(kActiveSide, stage.Port(2));
  stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.FetchesAll(2);
  stage.Destroys(passive_listener);
}

// A bond fails over, and with it goes the address that ids send from: under a request that is yet
// to be answered, under one whose answer is yet to be read, and under a connection.
void SourceGoes(Stage& stage) {
  const bool with_qp = stage.OneIn(2, "with a queue pair");
  IdRef stale;
  switch (stage.Below(6, "in which phase")) {
    case 0:  // a request from the other side is read
      stage.Listens(kActiveSide);
      stage.Connects(kPassiveSide);
      stale = stage.Await(kActiveSide);
      break;
    case 1:  // and accepted, and the reply is not read
      stage.Listens(kActiveSide);
      stage.Connects(kPassiveSide);
      stale = stage.Accepts(kActiveSide);
      break;
    case 2:  // its own waits
      stage.Listens(kPassiveSide);
      stale = stage.Connects(kActiveSide, stage.Port(0), with_qp);
      break;
    case 3:  // its own was accepted
      stage.Listens(kPassiveSide);
      stale = stage.Connects(kActiveSide, stage.Port(0), with_qp);
      stage.Accepts(kPassiveSide);
      break;
    default:
      stage.Listens(kPassiveSide);
      stale = stage.Connection(kActiveSide).first;
      break;
  }
  stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.SettlesAndFetches(2);
  const ConnParam param = stage.QueuePairFor(stale, with_qp);
  stage.Call(stage.OneOf<Call>({call::Accept{stale, param}, call::Reject{stale, {}},
                                call::Establish{stale}, call::Disconnect{stale}},
                               "what is tried"));
  stage.FetchesAll(1);
  stage.PassesAndFetches(Duration::Seconds(20), 2);
  stage.Disconnects(stale);
}

// The hardware address behind the peer's IP address changes, and comes back.
void NeighbourChanges(Stage& stage) {
  stage.Listens(kPassiveSide);
  const uint64_t when = stage.Below(3, "in which phase");
  IdRef active;
  if (when == 0) active = stage.Resolves(kActiveSide);
  if (when == 1) active = stage.Connects(kActiveSide);
  if (when == 2) active = stage.Connection(kActiveSide).first;
  stage.Inject(FaultKind::kNeighbourChange, kActiveSide);
  stage.SettlesAndFetches(1);
  stage.SpeaksAndHeals(active, when == 0);
}

// The link goes down before a step, and comes up again.
void LinkGoesDown(Stage& stage) {
  const uint8_t side = stage.AnySide();
  stage.Listens(kPassiveSide);
  const uint64_t when = stage.Below(4, "in which phase");
  IdRef active;
  if (when == 1) active = stage.Resolves(kActiveSide);
  if (when == 2) active = stage.Connects(kActiveSide);
  if (when == 3) active = stage.Connection(kActiveSide).first;
  stage.Inject(FaultKind::kLinkDown, side);
  stage.Settle();
  if (when == 0) active = stage.Resolves(kActiveSide);
  if (when == 1) {
    stage.Calls({call::CreateQp{active}, call::Connect{active, ConnParam{}}});
  }
  if (when == 2) stage.Accepts(kPassiveSide, stage.OneIn(2, "with a queue pair"));
  if (when == 3) stage.Disconnects(active);
  stage.PassesAndFetches(Duration::Seconds(1), 2);
  if (stage.OneIn(2, "comes up")) stage.Inject(FaultKind::kLinkUp, side);
  stage.PassesAndFetches(Duration::Seconds(120), 2);
}

// A process exits without a word; what its peer hears.
void PeerExits(Stage& stage) {
  stage.Listens(kPassiveSide);
  const uint64_t when = stage.Below(3, "in which phase");
  if (when < 2) stage.Connects(kActiveSide);
  if (when == 1) stage.Accepts(kPassiveSide);
  if (when == 2) stage.Connection(kActiveSide);
  const uint8_t side = stage.AnySide();
  const uint8_t left = OtherSide(side);
  stage.Inject(FaultKind::kExit, side);
  stage.Settle();
  for (int i = 0; i < 2; ++i) stage.Fetch(left);
  stage.Pass(Duration::Seconds(4));
  stage.Fetch(left);
}

// What waits unread when the device goes away, and what the library makes of it.
void RemovedUnread(Stage& stage) {
  const ChannelRef channel = stage.ChannelOf(kActiveSide);
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const uint64_t what = stage.Below(4, "what is unread");
  if (what == 0) {
    stage.ResolvesPeer(stage.NewId(kActiveSide, channel), port);
  } else if (what == 1) {
    const IdRef id = stage.NewId(kActiveSide, channel);
    stage.Calls({call::BindAddr{id, stage.AddressOf(kActiveSide, 0)},
                 call::ResolveAddr{id, {}, stage.AddressOf(kPassiveSide, port), 2000}});
    stage.Settle();
    stage.Fetch(kActiveSide);
    stage.Call(call::ResolveRoute{id, 2000});
  } else {
    stage.Connects(kActiveSide, port, what == 2);
    if (what == 2) stage.Accepts(kPassiveSide);
  }
  stage.Settle();
  const uint8_t side = what == 3 ? kPassiveSide : kActiveSide;
  stage.Inject(FaultKind::kRemoveDevice, side);
  stage.SettlesAndFetches(3);
}

// A host stops without a word. Its peer finds out by itself, or hears of it from what is new: after
// a restart queue pairs have the numbers of those before.
void HostCrashes(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const uint8_t left = OtherSide(side);
  stage.Listens(kPassiveSide);
  const IdRef listener = stage.Listens(left, stage.Port(1));
  const IdRef active = ComesTo(stage, stage.Below(4, "in which phase"), stage.Port(0));
  stage.Inject(FaultKind::kCrash, side);
  if (!stage.OneIn(3, "at once")) stage.Settle();
  if (left == kActiveSide && stage.OneIn(2, "the peer ends it")) stage.Disconnects(active);
  if (stage.OneIn(3, "somebody asks for it")) stage.Resolves(left);
  stage.Fetch(left);
  if (stage.OneIn(2, "how long")) stage.Pass(Duration::Seconds(120));
  if (!stage.OneIn(4, "it stays down")) {
    stage.Inject(FaultKind::kRestart, side);
    stage.Listens(side);
    // The one that was connected before may be asked for the same number.
    for (int i = 0; i < 2; ++i) {
      stage.Connects(side, stage.Port(1));
      stage.SettlesAndFetches(2);
    }
    stage.Accepts(left);
    stage.FetchesAll(1);
    if (stage.OneIn(2, "and the other way round")) stage.Connects(left);
  }
  stage.Destroys(listener);
  stage.PassesAndFetches(stage.OneIn(2, "and then") ? Duration::Seconds(4) : Duration::Seconds(120),
                         2);
}

// The link goes down and comes up by itself, again and again.
void LinkFlaps(Stage& stage) {
  Fault fault{.kind = FaultKind::kFlap, .side = stage.AnySide()};
  fault.by = stage.OneOf(
      {Duration::Milliseconds(1), Duration::Milliseconds(700), Duration::Seconds(7)}, "how often");
  fault.last = static_cast<uint32_t>(1 + stage.Below(4, "how many times"));
  stage.Listens(kPassiveSide);
  const uint64_t phase = stage.Below(4, "in which phase");
  const bool before = stage.OneIn(4, "from the beginning");
  if (before) stage.Inject(fault);
  const IdRef active = ComesTo(stage, phase, stage.Port(0));
  if (!before) stage.Inject(fault);
  if (phase == 0) {
    stage.Calls({call::CreateQp{active}, call::Connect{active, ConnParam{}}});
  }
  if (phase == 1) stage.Accepts(kPassiveSide);
  if (phase >= 2) stage.Disconnects(active);
  stage.PassesAndFetches(fault.by, 2);
  stage.PassesAndFetches(Duration::Seconds(20), 2);
  stage.PassesAndFetches(Duration::Seconds(120), 2);
}

// Another host answers for the address of one side: whoever has resolved it hears that its hardware
// address is a different one, and what is sent there is lost.
void AddressDoubled(Stage& stage) {
  const uint8_t side = stage.AnySide();
  stage.Listens(kPassiveSide);
  const uint64_t phase = stage.Below(4, "in which phase");
  const IdRef active = ComesTo(stage, phase, stage.Port(0));
  stage.Inject(FaultKind::kDuplicateAddress, side);
  stage.SettlesAndFetches(1);
  stage.SpeaksAndHeals(active, phase == 0);
}

}  // namespace cm
