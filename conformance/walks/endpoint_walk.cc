// Endpoints: looked up, created by one call and destroyed by one call.
#include <array>

#include "conformance/walks/arguments.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

void LooksUp(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  const Lane lane = LaneOf(side);
  const HeldRef info = builder.names().NewHeld(side);
  call::GetAddrInfo get{.info = info};
  get.node = SomeNode(builder);
  if (!builder.OneIn(4, "without a service")) get.service = builder.Port(0);
  if (!builder.OneIn(5, "without hints")) get.hints = SomeHints(builder);
  builder.Call(lane, get);
  builder.Call(call::FreeAddrInfo{info});
}

void LooksForDevices(ConversationBuilder& builder, uint8_t side) {
  const HeldRef devices = builder.names().NewHeld(side);
  builder.Calls({call::GetDevices{devices}, call::FreeDevices{devices}});
}

// A client and a server that are endpoints.
class Meeting {
 public:
  explicit Meeting(ConversationBuilder& builder) : builder_(builder), port_(builder.Port(0)) {
    gives_qps_ = !builder.OneIn(4, "no attributes for the requests");
    has_qp_ = !builder.OneIn(4, "no attributes for the client");
    if (builder.OneIn(8, "of datagrams")) space_ = PortSpace::kUdp;
  }

  void Meet() {
    Serve();
    Ask();
    if (builder_.OneIn(6, "no connection")) return;
    Connect();
    Receive();
    Answer();
    // Without a connection the call would wait for ever.
    if (accepted_ && space_ == PortSpace::kTcp) Part();
  }

  void Leave() {
    builder_.Settle();
    const bool listener_first = builder_.OneIn(2, "the listener goes first");
    if (listener_first) Destroy(listener_, Thread::kSpare);
    // Ends the wait of all callers for an answer.
    Destroy(passive_, Thread::kMain);
    builder_.Settle();
    Destroy(active_, Thread::kSpare);
    if (!listener_first) Destroy(listener_, Thread::kSpare);
  }

 private:
  void Serve() {
    listener_ = builder_.names().NewId(kPassiveSide);
    const bool wildcard = builder_.OneIn(6, "everywhere");
    const Address source = wildcard ? Wildcard(port_) : builder_.AddressOf(kPassiveSide, port_);
    builder_.Calls({call::CreateEp{.id = listener_,
                                   .source = source,
                                   .passive = true,
                                   .with_qp = gives_qps_,
                                   .space = space_},
                    call::Show{listener_}, call::Listen{listener_, 4}});
  }

  void Ask() {
    const Lane lane = LaneOf(kActiveSide);
    active_ = builder_.names().NewId(kActiveSide);
    call::CreateEp ep{.id = active_, .with_qp = has_qp_, .space = space_};
    if (builder_.OneIn(2, "a source")) ep.source = builder_.AddressOf(kActiveSide, 0);
    ep.destination = builder_.AddressOf(kPassiveSide, port_);
    builder_.Call(lane, ep);
    builder_.Calls({call::Show{active_}, call::ShowEvent{active_}});
  }

  void Connect() {
    ConnParam param;
    param.private_data = PrivateData::Counting(5);
    if (!has_qp_) param.qp_num = builder_.FreshQpNumber();
    builder_.Call(Thread::kWaiting, call::Connect{active_, param});
  }

  void Receive() {
    passive_ = builder_.GetsRequest(LaneOf(kPassiveSide, Thread::kWaiting), listener_);
    builder_.Call(call::Show{passive_});
  }

  void Answer() {
    ConnParam param;
    if (!gives_qps_) param.qp_num = builder_.FreshQpNumber();
    const uint64_t answer = builder_.Below(6, "what the server says");
    if (answer == 0) builder_.Call(call::Reject{passive_, PrivateData::Counting(5)});
    accepted_ = answer > 1;
    if (accepted_) builder_.Call(Thread::kWaiting, call::Accept{passive_, param});
    if (!has_qp_ && space_ == PortSpace::kTcp) builder_.Call(call::Establish{active_});
  }

  void Part() {
    if (builder_.OneIn(3, "no disconnect")) return;
    const bool active_first = builder_.OneIn(2, "who disconnects first");
    for (const bool active : {active_first, !active_first})
      builder_.Call(Thread::kWaiting, call::Disconnect{active ? active_ : passive_});
    if (builder_.Can(Capability::kTime)) builder_.Pass(Duration::Seconds(120));
  }

  void Destroy(IdRef id, Thread thread) {
    if (!id.valid()) return;
    const bool plain = builder_.OneIn(5, "as a plain id");
    builder_.Call(thread, plain ? Call(call::DestroyId{id}) : call::DestroyEp{id});
  }

  ConversationBuilder& builder_;
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
Address OddAddress(ConversationBuilder& builder, bool passive) {
  const bool v6 = builder.OneIn(4, "of IPv6");
  const uint16_t port = builder.Port(3);
  constexpr std::array kKinds = {AddressKind::kForeign, AddressKind::kUnroutable,
                                 AddressKind::kLoopback, AddressKind::kAny, AddressKind::kSilent};
  const uint64_t which = builder.Below(8, "which odd address");
  if (which == 7) return {};
  if (which >= kKinds.size()) return builder.AddressOf(builder.AnySide(), port, v6);
  Address address{.kind = kKinds[which], .v6 = v6, .port = port};
  // No host has these as source; foreign addresses are for that.
  const bool nowhere =
      address.kind == AddressKind::kUnroutable || address.kind == AddressKind::kSilent;
  if (passive && nowhere) address.kind = AddressKind::kForeign;
  return address;
}

// Endpoints that mostly fail, and calls on those that do not.
void OddEndpoints(ConversationBuilder& builder) {
  const uint8_t side = builder.AnySide();
  for (uint64_t left = 1 + builder.Below(4, "how many odd ones"); left > 0; --left) {
    call::CreateEp ep{.id = builder.names().NewId(side)};
    ep.passive = builder.OneIn(2, "a passive one");
    ep.with_qp = builder.OneIn(2, "with attributes");
    if (ep.passive) {
      ep.source = OddAddress(builder, true);
    } else {
      ep.destination = OddAddress(builder, false);
      if (builder.OneIn(2, "with a source"))
        ep.source = builder.AddressOf(side, builder.Port(3), ep.destination.v6);
      if (ep.with_qp && builder.OneIn(3, "of another type")) ep.type = QpType::kUd;
    }
    builder.Call(LaneOf(side), ep);
    // An endpoint that waits is awaited, so that nothing happens in the middle of it.
    builder.Settle();
    builder.Pass(Duration::Seconds(3));
    if (ep.source.port != 0 && builder.OneIn(2, "its port is asked for"))
      builder.Call(
          call::CreateEp{.id = builder.names().NewId(side), .source = ep.source, .passive = true});
    builder.Call(Thread::kSpare, call::Show{ep.id});
    if (builder.OneIn(2, "it goes")) builder.Call(Thread::kSpare, call::DestroyEp{ep.id});
  }
}

// A plain id that is abandoned with an outstanding request, and destroyed as an endpoint.
void PlainIdGoes(ConversationBuilder& builder) {
  const uint16_t port = builder.Port(0);
  builder.Listens(kPassiveSide, port);
  const bool with_qp = builder.OneIn(2, "with a queue pair");
  const IdRef active = builder.Connects(kActiveSide, port, with_qp);
  if (builder.OneIn(2, "abandoned")) builder.Call(call::Reject{active, {}});
  builder.Call(call::DestroyEp{active});
  builder.FetchesAll(1);
}

// A listener whose requests cannot have their queue pairs. Their ids have no names, so the process
// must exit.
void RequestsWithoutQps(ConversationBuilder& builder) {
  const IdRef listener = builder.names().NewId(kPassiveSide);
  builder.Calls({call::CreateEp{.id = listener,
                                .source = builder.AddressOf(kPassiveSide, builder.Port(1)),
                                .passive = true,
                                .with_qp = true,
                                .type = QpType::kUd},
                 call::Listen{listener, 4}});
  const IdRef active = builder.names().NewId(kActiveSide);
  builder.Call(call::CreateEp{.id = active,
                              .destination = builder.AddressOf(kPassiveSide, builder.Port(1)),
                              .with_qp = true});
  builder.Call(Thread::kWaiting, call::Connect{active, ConnParam{}});
  builder.GetsRequest(LaneOf(kPassiveSide, Thread::kWaiting), listener);
  builder.Settle();
  builder.Inject(FaultKind::kExit, kPassiveSide);
  builder.Settle();
  builder.Call(Thread::kSpare, call::DestroyEp{active});
}

void DevicesGo(ConversationBuilder& builder) {
  for (const uint8_t side : {kActiveSide, kPassiveSide}) LooksForDevices(builder, side);
  const uint8_t side = builder.AnySide();
  if (!builder.Inject(FaultKind::kRemoveDevice, side)) return;
  if (builder.OneIn(2, "the other one goes as well"))
    builder.Inject(FaultKind::kRemoveDevice, OtherSide(side));
  if (!builder.OneIn(3, "looked for at once")) builder.Settle();
  LooksForDevices(builder, side);
  builder.Settle();
  if (builder.OneIn(2, "a passive endpoint without a device")) {
    const IdRef id = builder.names().NewId(side);
    builder.Call(call::CreateEp{
        .id = id, .source = builder.AddressOf(side, builder.Port(2)), .passive = true});
  }
  if (builder.Inject(FaultKind::kAddDevice, side)) {
    builder.Settle();
    LooksForDevices(builder, side);
  }
}

}  // namespace

void EndpointsMeet(ConversationBuilder& builder) {
  while (builder.OneIn(2, "something is looked up")) LooksUp(builder);
  switch (builder.Below(8, "what for")) {
    case 0:
      return OddEndpoints(builder);
    case 1:
      if (builder.Can(Capability::kExit)) return RequestsWithoutQps(builder);
      return OddEndpoints(builder);
    case 2:
      return DevicesGo(builder);
    case 3:
      return PlainIdGoes(builder);
    default: {
      Meeting meeting(builder);
      meeting.Meet();
      return meeting.Leave();
    }
  }
}

}  // namespace cm
