// Walks with faults of the environment: devices, links, neighbours and peers disappear.
#include "conformance/walks/walks.h"

namespace cm {

// The device of a side is removed under ids in many states; then calls on them.
void DeviceRemoved(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const uint16_t port = stage.Port(0);
  const IdRef listener = stage.Listens(kPassiveSide, port);
  const IdRef bound = stage.NewId(side, stage.ChannelOf(side));
  stage.Call(call::BindAddr{bound, stage.AddressOf(side, stage.Port(1))});
  IdRef other;
  if (stage.OneIn(2, "connected")) {
    other = stage.Connection(kActiveSide, port).first;
  } else {
    other = stage.Connects(kActiveSide, port);
    if (stage.OneIn(2, "the request is read")) stage.Accepts(kPassiveSide);
  }
  IdRef resolving;
  if (side == kActiveSide && stage.OneIn(2, "one that has resolved"))
    resolving = stage.Resolves(kActiveSide, port);
  stage.Inject(FaultKind::kRemoveDevice, side);
  if (!stage.OneIn(3, "at once")) stage.Settle();
  if (side == kPassiveSide && stage.OneIn(2, "a queue pair for the listener"))
    stage.Call(call::CreateQp{listener});
  if (stage.OneIn(2, "what was never connected disconnects")) stage.Disconnects(bound);
  stage.FetchesAll(3);
  stage.Call(call::Listen{bound, 4});
  stage.Call(call::BindAddr{bound, stage.AddressOf(side, stage.Port(2))});
  stage.Call(call::Reject{bound, {}});
  stage.Call(call::Establish{bound});
  stage.Call(call::ResolveRoute{bound, 2000});
  stage.Call(call::CreateQp{bound, std::nullopt});
  stage.Call(call::Accept{bound, ConnParam{}});
  if (resolving.valid()) {
    stage.Call(call::ResolveAddr{resolving, {}, stage.AddressOf(1, port), 500});
    stage.Call(call::Connect{resolving, ConnParam{}});
  }
  stage.Disconnects(other);
  const IdRef late = stage.NewId(side, stage.ChannelOf(side));
  stage.Call(call::BindAddr{late, stage.AddressOf(side, stage.Port(3))});
  stage.Call(call::ResolveAddr{late, {}, stage.AddressOf(OtherSide(side), port), 500});
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
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const IdRef bound = stage.NewId(kActiveSide, stage.ChannelOf(kActiveSide));
  stage.Call(call::BindAddr{bound, stage.AddressOf(kActiveSide, stage.Port(1))});
  const bool connected = stage.OneIn(2, "connected");
  const IdRef active =
      connected ? stage.Connection(kActiveSide, port).first : stage.Resolves(kActiveSide, port);
  stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.SettlesAndFetches(3);
  if (!connected) {
    stage.Call(call::CreateQp{active});
    stage.Call(call::Connect{active, ConnParam{}});
  }
  if (stage.OneIn(2, "and back")) stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.Disconnects(active);
  stage.SettlesAndFetches(2);
  const IdRef passive_listener = stage.Listens(kActiveSide, stage.Port(2));
  stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.FetchesAll(2);
  stage.Destroys(passive_listener);
}

// A bond fails over, and the address that ids send from is removed: under an unanswered request,
// under one whose reply is unread, and under a connection.
void SourceGoes(Stage& stage) {
  const uint16_t port = stage.Port(0);
  const Lane lane = Stage::MainLane(kActiveSide);
  const bool with_qp = stage.OneIn(2, "with a queue pair");
  IdRef stale;
  switch (stage.Below(6, "in which phase")) {
    case 0:  // a request of the other side is fetched
      stage.Listens(kActiveSide, port);
      stage.Connects(kPassiveSide, port);
      stage.Wait(lane, stage.ChannelOf(kActiveSide), Duration::Seconds(1));
      stale = stage.Fetch(lane, stage.ChannelOf(kActiveSide));
      break;
    case 1:  // and accepted, and the reply is not fetched
      stage.Listens(kActiveSide, port);
      stage.Connects(kPassiveSide, port);
      stale = stage.Accepts(kActiveSide);
      break;
    case 2:  // its own request is outstanding
      stage.Listens(kPassiveSide, port);
      stale = stage.Connects(kActiveSide, port, with_qp);
      break;
    case 3:  // its own request was accepted
      stage.Listens(kPassiveSide, port);
      stale = stage.Connects(kActiveSide, port, with_qp);
      stage.Accepts(kPassiveSide);
      break;
    default:
      stage.Listens(kPassiveSide, port);
      stale = stage.Connection(kActiveSide, port).first;
      break;
  }
  stage.Inject(FaultKind::kFailOver, kActiveSide);
  stage.SettlesAndFetches(2);
  ConnParam param = stage.QueuePairFor(stale, with_qp);
  switch (stage.Below(4, "what is tried")) {
    case 0:
      stage.Call(call::Accept{stale, param});
      break;
    case 1:
      stage.Call(call::Reject{stale, {}});
      break;
    case 2:
      stage.Call(call::Establish{stale});
      break;
    default:
      stage.Disconnects(stale);
      break;
  }
  stage.FetchesAll(1);
  stage.Pass(Duration::Seconds(20));
  stage.FetchesAll(2);
  stage.Disconnects(stale);
}

// The hardware address behind the peer's IP address changes, and comes back.
void NeighbourChanges(Stage& stage) {
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const uint64_t when = stage.Below(3, "in which phase");
  IdRef active;
  if (when == 0) active = stage.Resolves(kActiveSide, port);
  if (when == 1) active = stage.Connects(kActiveSide, port);
  if (when == 2) active = stage.Connection(kActiveSide, port).first;
  stage.Inject(FaultKind::kNeighbourChange, kActiveSide);
  stage.SettlesAndFetches(1);
  stage.SpeaksAndHeals(active, when == 0);
}

// The link goes down before a step, and comes up again.
void LinkGoesDown(Stage& stage) {
  const uint16_t port = stage.Port(0);
  const uint8_t side = stage.AnySide();
  stage.Listens(kPassiveSide, port);
  const uint64_t when = stage.Below(4, "in which phase");
  IdRef active;
  if (when == 1) active = stage.Resolves(kActiveSide, port);
  if (when == 2) active = stage.Connects(kActiveSide, port);
  if (when == 3) active = stage.Connection(kActiveSide, port).first;
  stage.Inject(FaultKind::kLinkDown, side);
  stage.Settle();
  if (when == 0) active = stage.Resolves(kActiveSide, port);
  if (when == 1) {
    stage.Call(call::CreateQp{active});
    stage.Call(call::Connect{active, ConnParam{}});
  }
  if (when == 2) stage.Accepts(kPassiveSide, stage.OneIn(2, "with a queue pair"));
  if (when == 3) stage.Disconnects(active);
  stage.Pass(Duration::Seconds(1));
  stage.FetchesAll(2);
  if (stage.OneIn(2, "comes up")) stage.Inject(FaultKind::kLinkUp, side);
  stage.Pass(Duration::Seconds(120));
  stage.FetchesAll(2);
}

// A process exits without disconnecting; the events of its peer.
void PeerExits(Stage& stage) {
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const uint64_t when = stage.Below(3, "in which phase");
  if (when == 0) stage.Connects(kActiveSide, port);
  if (when == 1) {
    stage.Connects(kActiveSide, port);
    stage.Accepts(kPassiveSide);
  }
  if (when == 2) stage.Connection(kActiveSide, port);
  const uint8_t side = stage.AnySide();
  const uint8_t left = OtherSide(side);
  stage.Inject(FaultKind::kExit, side);
  stage.Settle();
  for (int i = 0; i < 2; ++i) stage.Fetch(left);
  stage.Pass(Duration::Seconds(4));
  stage.Fetch(left);
}

// Unread events when the device is removed, and the library's processing of them.
void RemovedUnread(Stage& stage) {
  const Lane lane = Stage::MainLane(kActiveSide);
  const ChannelRef channel = stage.ChannelOf(kActiveSide);
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const uint64_t what = stage.Below(4, "what is unread");
  if (what == 0) {
    const IdRef id = stage.NewId(kActiveSide, channel);
    stage.ResolvesPeer(id, port);
  } else if (what == 1) {
    const IdRef id = stage.NewId(kActiveSide, channel);
    stage.Call(call::BindAddr{id, stage.AddressOf(kActiveSide, 0)});
    stage.Call(call::ResolveAddr{id, {}, stage.AddressOf(kPassiveSide, port), 2000});
    stage.Settle();
    stage.Fetch(lane, channel);
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

}  // namespace cm
