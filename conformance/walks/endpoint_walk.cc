// Endpoints: looked up, created by one call and destroyed by one call.
#include <array>
#include <optional>

#include "conformance/walks/arguments.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

// The thread of calls that wait, and another one.
Lane Thread(uint8_t side) { return {.side = side, .number = 2}; }

void LooksUp(Stage& stage) {
  const uint8_t side = stage.AnySide();
  const Lane lane = Stage::MainLane(side);
  const HeldRef info = stage.NewHeld(side);
  call::GetAddrInfo get{.info = info};
  get.node = SomeNode(stage);
  if (!stage.OneIn(4, "without a service")) get.service = stage.Port(0);
  if (!stage.OneIn(5, "without hints")) get.hints = SomeHints(stage);
  stage.Call(lane, get);
  stage.Call(call::FreeAddrInfo{info});
}

void LooksForDevices(Stage& stage, uint8_t side) {
  const HeldRef devices = stage.NewHeld(side);
  stage.Call(call::GetDevices{devices});
  stage.Call(call::FreeDevices{devices});
}

// A client and a server that are endpoints.
class Meeting {
 public:
  explicit Meeting(Stage& stage) : stage_(stage), port_(stage.Port(0)) {
    gives_qps_ = !stage.OneIn(4, "no attributes for the requests");
    has_qp_ = !stage.OneIn(4, "no attributes for the client");
    if (stage.OneIn(8, "of datagrams")) space_ = PortSpace::kUdp;
  }

  void Meet() {
    Serve();
    Ask();
    if (stage_.OneIn(6, "no connection")) return;
    Connect();
    Receive();
    Answer();
    // Without a connection the call would wait for ever.
    if (accepted_ && space_ == PortSpace::kTcp) Part();
  }

  void Leave() {
    stage_.Settle();
    const bool listener_first = stage_.OneIn(2, "the listener goes first");
    if (listener_first) Destroy(listener_, Stage::SpareLane(kPassiveSide));
    // Ends the wait of all callers for an answer.
    Destroy(passive_, Stage::MainLane(kPassiveSide));
    stage_.Settle();
    Destroy(active_, Stage::SpareLane(kActiveSide));
    if (!listener_first) Destroy(listener_, Stage::SpareLane(kPassiveSide));
  }

 private:
  void Serve() {
    listener_ = stage_.NewName(kPassiveSide);
    const bool wildcard = stage_.OneIn(6, "everywhere");
    const Address source = wildcard ? Wildcard(port_) : stage_.AddressOf(kPassiveSide, port_);
    stage_.Call(call::CreateEp{.id = listener_,
                               .source = source,
                               .passive = true,
                               .with_qp = gives_qps_,
                               .space = space_});
    stage_.Call(call::Show{listener_});
    stage_.Call(call::Listen{listener_, 4});
  }

  void Ask() {
    const Lane lane = Stage::MainLane(kActiveSide);
    active_ = stage_.NewName(kActiveSide);
    call::CreateEp ep{.id = active_, .with_qp = has_qp_, .space = space_};
    if (stage_.OneIn(2, "a source")) ep.source = stage_.AddressOf(kActiveSide, 0);
    ep.destination = stage_.AddressOf(kPassiveSide, port_);
    stage_.Call(lane, ep);
    stage_.Call(call::Show{active_});
    stage_.Call(call::ShowEvent{active_});
  }

  void Connect() {
    ConnParam param;
    param.private_data = PrivateData::Counting(5);
    if (!has_qp_) param.qp_num = stage_.FreshQpNumber();
    stage_.Call(Thread(kActiveSide), call::Connect{active_, param});
  }

  void Receive() {
    passive_ = stage_.GetsRequest(Thread(kPassiveSide), listener_);
    stage_.Call(call::Show{passive_});
  }

  void Answer() {
    ConnParam param;
    if (!gives_qps_) param.qp_num = stage_.FreshQpNumber();
    switch (stage_.Below(6, "what the server says")) {
      case 0:
        stage_.Call(call::Reject{passive_, PrivateData::Counting(5)});
        break;
      case 1:
        break;
      default:
        stage_.Call(Thread(kPassiveSide), call::Accept{passive_, param});
        accepted_ = true;
        break;
    }
    if (!has_qp_ && space_ == PortSpace::kTcp) stage_.Call(call::Establish{active_});
  }

  void Part() {
    if (stage_.OneIn(3, "no disconnect")) return;
    const bool active_first = stage_.OneIn(2, "who disconnects first");
    for (const bool active : {active_first, !active_first}) {
      const uint8_t side = active ? kActiveSide : kPassiveSide;
      stage_.Call(Thread(side), call::Disconnect{active ? active_ : passive_});
    }
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(120));
  }

  void Destroy(IdRef id, Lane lane) {
    if (!id.valid()) return;
    if (stage_.OneIn(5, "as a plain id"))
      stage_.Call(lane, call::DestroyId{id});
    else
      stage_.Call(lane, call::DestroyEp{id});
  }

  Stage& stage_;
  uint16_t port_;
  bool gives_qps_ = false;
  bool has_qp_ = false;
  bool accepted_ = false;
  PortSpace space_ = PortSpace::kTcp;
  IdRef listener_;
  IdRef active_;
  IdRef passive_;
};

// Destination of an odd endpoint, or its source.
Address OddAddress(Stage& stage, bool passive) {
  const bool v6 = stage.OneIn(4, "of IPv6");
  const uint16_t port = stage.Port(3);
  constexpr std::array kKinds = {AddressKind::kForeign, AddressKind::kUnroutable,
                                 AddressKind::kLoopback, AddressKind::kAny, AddressKind::kSilent};
  const uint64_t which = stage.Below(8, "which odd address");
  if (which == 7) return {};
  if (which >= kKinds.size()) return stage.AddressOf(stage.AnySide(), port, v6);
  Address address{.kind = kKinds[which], .v6 = v6, .port = port};
  // No host has these as source; foreign addresses are for that.
  const bool nowhere =
      address.kind == AddressKind::kUnroutable || address.kind == AddressKind::kSilent;
  if (passive && nowhere) address.kind = AddressKind::kForeign;
  return address;
}

// Endpoints that mostly fail, and calls on those that do not.
void OddEndpoints(Stage& stage) {
  const uint8_t side = stage.AnySide();
  for (uint64_t left = 1 + stage.Below(4, "how many odd ones"); left > 0; --left) {
    call::CreateEp ep{.id = stage.NewName(side)};
    ep.passive = stage.OneIn(2, "a passive one");
    ep.with_qp = stage.OneIn(2, "with attributes");
    if (ep.passive) {
      ep.source = OddAddress(stage, true);
    } else {
      ep.destination = OddAddress(stage, false);
      if (stage.OneIn(2, "with a source"))
        ep.source = stage.AddressOf(side, stage.Port(3), ep.destination.v6);
      if (ep.with_qp && stage.OneIn(3, "of another type")) ep.type = QpType::kUd;
    }
    stage.Call(Stage::MainLane(side), ep);
    // An endpoint that waits is awaited, so that nothing happens in the middle of it.
    stage.Settle();
    stage.Pass(Duration::Seconds(3));
    if (ep.source.port != 0 && stage.OneIn(2, "its port is asked for"))
      stage.Call(call::CreateEp{.id = stage.NewName(side), .source = ep.source, .passive = true});
    stage.Call(Stage::SpareLane(side), call::Show{ep.id});
    if (stage.OneIn(2, "it goes")) stage.Call(Stage::SpareLane(side), call::DestroyEp{ep.id});
  }
}

// A plain id that is abandoned with an outstanding request, and destroyed as an endpoint.
void PlainIdGoes(Stage& stage) {
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const bool with_qp = stage.OneIn(2, "with a queue pair");
  const IdRef active = stage.Connects(kActiveSide, port, with_qp);
  if (stage.OneIn(2, "abandoned")) stage.Call(call::Reject{active, {}});
  stage.Call(call::DestroyEp{active});
  stage.FetchesAll(1);
}

// A listener whose requests cannot have their queue pairs. Their ids have no names, so the process
// must exit.
void RequestsWithoutQps(Stage& stage) {
  const IdRef listener = stage.NewName(kPassiveSide);
  stage.Call(call::CreateEp{.id = listener,
                            .source = stage.AddressOf(kPassiveSide, stage.Port(1)),
                            .passive = true,
                            .with_qp = true,
                            .type = QpType::kUd});
  stage.Call(call::Listen{listener, 4});
  const IdRef active = stage.NewName(kActiveSide);
  stage.Call(call::CreateEp{
      .id = active, .destination = stage.AddressOf(kPassiveSide, stage.Port(1)), .with_qp = true});
  stage.Call(Thread(kActiveSide), call::Connect{active, ConnParam{}});
  stage.GetsRequest(Thread(kPassiveSide), listener);
  stage.Settle();
  stage.Inject(FaultKind::kExit, kPassiveSide);
  stage.Settle();
  stage.Call(Stage::SpareLane(kActiveSide), call::DestroyEp{active});
}

void DevicesGo(Stage& stage) {
  for (const uint8_t side : {kActiveSide, kPassiveSide}) LooksForDevices(stage, side);
  const uint8_t side = stage.AnySide();
  if (!stage.Inject(FaultKind::kRemoveDevice, side)) return;
  if (stage.OneIn(2, "the other one goes as well"))
    stage.Inject(FaultKind::kRemoveDevice, OtherSide(side));
  if (!stage.OneIn(3, "looked for at once")) stage.Settle();
  LooksForDevices(stage, side);
  stage.Settle();
  if (stage.OneIn(2, "a passive endpoint without a device")) {
    const IdRef id = stage.NewName(side);
    stage.Call(
        call::CreateEp{.id = id, .source = stage.AddressOf(side, stage.Port(2)), .passive = true});
  }
  if (stage.Inject(FaultKind::kAddDevice, side)) {
    stage.Settle();
    LooksForDevices(stage, side);
  }
}

}  // namespace

void EndpointsMeet(Stage& stage) {
  while (stage.OneIn(2, "something is looked up")) LooksUp(stage);
  switch (stage.Below(8, "what for")) {
    case 0:
      return OddEndpoints(stage);
    case 1:
      if (stage.Can(Capability::kExit)) return RequestsWithoutQps(stage);
      return OddEndpoints(stage);
    case 2:
      return DevicesGo(stage);
    case 3:
      return PlainIdGoes(stage);
    default: {
      Meeting meeting(stage);
      meeting.Meet();
      return meeting.Leave();
    }
  }
}

}  // namespace cm
