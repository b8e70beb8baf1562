// Walks with hosts that stop and start, links that flap, and addresses of two hosts.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

// The progress of the two sides; the active id.
IdRef ComesTo(Stage& stage, uint64_t phase, uint16_t port) {
  switch (phase) {
    case 0:
      return stage.Resolves(kActiveSide, port);
    case 1:
      return stage.Connects(kActiveSide, port);
    case 2: {
      const IdRef active = stage.Connects(kActiveSide, port, stage.OneIn(2, "queue pair"));
      stage.Accepts(kPassiveSide);
      return active;
    }
    default:
      return stage.Connection(kActiveSide, port).first;
  }
}

}  // namespace

// A host stops without disconnecting. Its peer detects it by timeouts, or by new connections: after
// a restart queue pairs reuse the numbers of those before.
void HostCrashes(Stage& stage) {
  const uint16_t port = stage.Port(0);
  const uint8_t side = stage.AnySide();
  const uint8_t left = OtherSide(side);
  stage.Listens(kPassiveSide, port);
  const IdRef listener = stage.Listens(left, stage.Port(1));
  const IdRef active = ComesTo(stage, stage.Below(4, "in which phase"), port);
  stage.Inject(FaultKind::kCrash, side);
  if (!stage.OneIn(3, "at once")) stage.Settle();
  if (left == kActiveSide && stage.OneIn(2, "the peer ends it")) stage.Disconnects(active);
  if (stage.OneIn(3, "the address is resolved")) stage.Resolves(left, port);
  stage.Fetch(left);
  if (stage.OneIn(2, "how long")) stage.Pass(Duration::Seconds(120));
  if (!stage.OneIn(4, "it stays down")) {
    stage.Inject(FaultKind::kRestart, side);
    stage.Listens(side, port);
    // The previously connected queue pair may have the same number.
    for (int i = 0; i < 2; ++i) {
      stage.Connects(side, stage.Port(1));
      stage.SettlesAndFetches(2);
    }
    stage.Accepts(left);
    stage.FetchesAll(1);
    if (stage.OneIn(2, "and the other way round")) stage.Connects(left, port);
  }
  stage.Destroys(listener);
  stage.Pass(stage.OneIn(2, "and then") ? Duration::Seconds(4) : Duration::Seconds(120));
  stage.FetchesAll(2);
}

// The link flaps: it goes down and comes up repeatedly.
void LinkFlaps(Stage& stage) {
  const uint16_t port = stage.Port(0);
  Fault fault{.kind = FaultKind::kFlap, .side = stage.AnySide()};
  fault.by = stage.OneOf(
      {Duration::Milliseconds(1), Duration::Milliseconds(700), Duration::Seconds(7)}, "how often");
  fault.last = static_cast<uint32_t>(1 + stage.Below(4, "how many times"));
  stage.Listens(kPassiveSide, port);
  const uint64_t phase = stage.Below(4, "in which phase");
  const bool before = stage.OneIn(4, "from the beginning");
  if (before) stage.Inject(fault);
  const IdRef active = ComesTo(stage, phase, port);
  if (!before) stage.Inject(fault);
  if (phase == 0) {
    stage.Call(call::CreateQp{active});
    stage.Call(call::Connect{active, ConnParam{}});
  }
  if (phase == 1) stage.Accepts(kPassiveSide);
  if (phase >= 2) stage.Disconnects(active);
  stage.Pass(fault.by);
  stage.FetchesAll(2);
  stage.Pass(Duration::Seconds(20));
  stage.FetchesAll(2);
  stage.Pass(Duration::Seconds(120));
  stage.FetchesAll(2);
}

// Another host answers for the address of one side: ids that have resolved it get an event because
// its hardware address has changed, and messages to it are lost.
void AddressDoubled(Stage& stage) {
  const uint16_t port = stage.Port(0);
  const uint8_t side = stage.AnySide();
  stage.Listens(kPassiveSide, port);
  const uint64_t phase = stage.Below(4, "in which phase");
  const IdRef active = ComesTo(stage, phase, port);
  stage.Inject(FaultKind::kDuplicateAddress, side);
  stage.SettlesAndFetches(1);
  stage.SpeaksAndHeals(active, phase == 0);
}

}  // namespace cm
