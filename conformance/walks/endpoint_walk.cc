// Endpoints: what is looked up, made by one call and destroyed by one call.
#include <array>
#include <optional>

#include "conformance/walks/arguments.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

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
  stage.Calls({call::GetDevices{devices}, call::FreeDevices{devices}});
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
    if (stage_.OneIn(6, "nobody connects")) return;
    Connect();
    Receive();
    Answer();
    // Where there is nothing to end the call would wait for ever.
    if (accepted_ && space_ == PortSpace::kTcp) Part();
  }

  void Leave() {
    stage_.Settle();
    const bool listener_first = stage_.OneIn(2, "the listener goes first");
    if (listener_first) Destroy(listener_, Thread::kSpare);
    // Whoever still waits for an answer is answered so.
    Destroy(passive_, Thread::kMain);
    stage_.Settle();
    Destroy(active_, Thread::kSpare);
    if (!listener_first) Destroy(listener_, Thread::kSpare);
  }

 private:
  void Serve() {
    listener_ = stage_.NewName(kPassiveSide);
    const bool wildcard = stage_.OneIn(6, "everywhere");
    const Address source = wildcard ? Wildcard(port_) : stage_.AddressOf(kPassiveSide, port_);
    stage_.Calls({call::CreateEp{.id = listener_,
                                 .source = source,
                                 .passive = true,
                                 .with_qp = gives_qps_,
                                 .space = space_},
                  call::Show{listener_}, call::Listen{listener_, 4}});
  }

  void Ask() {
    const Lane lane = Stage::MainLane(kActiveSide);
    active_ = stage_.NewName(kActiveSide);
    call::CreateEp ep{.id = active_, .with_qp = has_qp_, .space = space_};
    if (stage_.OneIn(2, "a source")) ep.source = stage_.AddressOf(kActiveSide, 0);
    ep.destination = stage_.AddressOf(kPassiveSide, port_);
    stage_.Call(lane, ep);
    stage_.Calls({call::Show{active_}, call::ShowEvent{active_}});
  }

  void Connect() {
    ConnParam param;
    param.private_data = PrivateData::Counting(5);
    if (!has_qp_) param.qp_num = stage_.FreshQpNumber();
    stage_.Call(Thread::kWaiting, call::Connect{active_, param});
  }

  void Receive() {
    passive_ = stage_.GetsRequest(Stage::WaitingLane(kPassiveSide), listener_);
    stage_.Call(call::Show{passive_});
  }

  void Answer() {
    ConnParam param;
    if (!gives_qps_) param.qp_num = stage_.FreshQpNumber();
    const uint64_t answer = stage_.Below(6, "what the server says");
    if (answer == 0) stage_.Call(call::Reject{passive_, PrivateData::Counting(5)});
    accepted_ = answer > 1;
    if (accepted_) stage_.Call(Thread::kWaiting, call::Accept{passive_, param});
    if (!has_qp_ && space_ == PortSpace::kTcp) stage_.Call(call::Establish{active_});
  }

  void Part() {
    if (stage_.OneIn(3, "nobody disconnects")) return;
    const bool active_first = stage_.OneIn(2, "who disconnects first");
    for (const bool active : {active_first, !active_first})
      stage_.Call(Thread::kWaiting, call::Disconnect{active ? active_ : passive_});
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(120));
  }

  void Destroy(IdRef id, Thread thread) {
    if (!id.valid()) return;
    const bool plain = stage_.OneIn(5, "as a plain id");
    stage_.Call(thread, plain ? Call(call::DestroyId{id}) : call::DestroyEp{id});
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

// Where an odd endpoint is to lead, or what it is to be bound to.
Address OddAddress(Stage& stage, bool passive) {
  const bool v6 = stage.OneIn(4, "of IPv6");
  const uint16_t port = stage.Port(3);
  constexpr std::array kKinds = {AddressKind::kForeign, AddressKind::kUnroutable,
                                 AddressKind::kLoopback, AddressKind::kAny, AddressKind::kSilent};
  const uint64_t which = stage.Below(8, "which odd address");
  if (which == 7) return {};
  if (which >= kKinds.size()) return stage.AddressOf(stage.AnySide(), port, v6);
  Address address{.kind = kKinds[which], .v6 = v6, .port = port};
  // Nobody has those for a source; that is what foreign ones are for.
  const bool nowhere =
      address.kind == AddressKind::kUnroutable || address.kind == AddressKind::kSilent;
  if (passive && nowhere) address.kind = AddressKind::kForeign;
  return address;
}

// Endpoints that mostly fail, and what is done to those that do not.
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
    // One that waits is waited for, so that nothing happens in the middle of it.
    stage.Settle();
    stage.Pass(Duration::Seconds(3));
    if (ep.source.port != 0 && stage.OneIn(2, "its port is asked for"))
      stage.Call(call::CreateEp{.id = stage.NewName(side), .source = ep.source, .passive = true});
    stage.Call(Thread::kSpare, call::Show{ep.id});
    if (stage.OneIn(2, "it goes")) stage.Call(Thread::kSpare, call::DestroyEp{ep.id});
  }
}

// A plain id that is abandoned in the middle of its request, and destroyed as an endpoint.
void PlainIdGoes(Stage& stage) {
  const uint16_t port = stage.Port(0);
  stage.Listens(kPassiveSide, port);
  const bool with_qp = stage.OneIn(2, "with a queue pair");
  const IdRef active = stage.Connects(kActiveSide, port, with_qp);
  if (stage.OneIn(2, "abandoned")) stage.Call(call::Reject{active, {}});
  stage.Call(call::DestroyEp{active});
  stage.FetchesAll(1);
}

// A listener whose requests cannot have their queue pairs. Nobody has the ids of those, so the
// process has to go.
void RequestsWithoutQps(Stage& stage) {
  const IdRef listener = stage.NewName(kPassiveSide);
  stage.Calls({call::CreateEp{.id = listener,
                              .source = stage.AddressOf(kPassiveSide, stage.Port(1)),
                              .passive = true,
                              .with_qp = true,
                              .type = QpType::kUd},
               call::Listen{listener, 4}});
  const IdRef active = stage.NewName(kActiveSide);
  stage.Call(call::CreateEp{
      .id = active, .destination = stage.AddressOf(kPassiveSide, stage.Port(1)), .with_qp = true});
  stage.Call(Thread::kWaiting, call::Connect{active, ConnParam{}});
  stage.GetsRequest(Stage::WaitingLane(kPassiveSide), listener);
  stage.Settle();
  stage.Inject(FaultKind::kExit, kPassiveSide);
  stage.Settle();
  stage.Call(Thread::kSpare, call::DestroyEp{active});
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
