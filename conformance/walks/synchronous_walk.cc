// Synchronous ids: calls that wait for their event, on threads that other threads release.

#include "conformance/walks/walks.h"

namespace cm {
namespace {

// A client and a server, each on synchronous ids or not. Calls that wait for the other side are
// made on a thread of their own.
class Company {
 public:
  explicit Company(ConversationBuilder& builder)
      : builder_(builder),
        port_(builder.Port(0)),
        client_waits_(!builder.OneIn(4, "an asynchronous client")) {
    server_waits_ = !client_waits_ || !builder.OneIn(4, "an asynchronous server");
  }

  void Meet() {
    Listen();
    const bool early = server_waits_ && builder_.OneIn(2, "the server waits first");
    if (early) passive_ = builder_.GetsRequest(LaneOf(kPassiveSide, Thread::kWaiting), listener_);
    using enum MadKind;
    if (builder_.OneIn(5, "something is lost"))
      builder_.LosesOneOf({kReq, kRep, kRtu, kDreq, kRej});
    if (!Ask()) return;
    if (!early) Receive();
    Answer();
    Look();
  }

  void Part() {
    const uint8_t first = builder_.OneIn(2, "who disconnects first") ? kActiveSide : kPassiveSide;
    Disconnect(first);
    if (builder_.OneIn(2, "one after the other")) Look();
    Disconnect(OtherSide(first));
    Look();
    if (builder_.Can(Capability::kTime) && builder_.OneIn(2, "timewait ends")) {
      builder_.Pass(Duration::Seconds(4));
      Disconnect(first);
      Look();
    }
  }

  void Leave() {
    if (builder_.Can(Capability::kTime)) builder_.Pass(Duration::Seconds(120));
    Look();
    const bool listener_first = builder_.OneIn(2, "the listener goes first");
    if (listener_first) builder_.Call(Thread::kSpare, call::DestroyId{listener_});
    for (const IdRef id : {active_, passive_})
      if (id.valid()) builder_.Call(call::DestroyId{id});
    if (!listener_first) builder_.Call(Thread::kSpare, call::DestroyId{listener_});
  }

 private:
  void Listen() {
    if (!server_waits_) {
      listener_ = builder_.Listens(kPassiveSide, port_, 4);
      return;
    }
    listener_ = builder_.NewId(kPassiveSide, {});
    builder_.Calls({call::BindAddr{listener_, builder_.AddressOf(kPassiveSide, port_)},
                    call::Listen{listener_, 4}});
  }

  // False when no request arrives.
  bool Ask() {
    if (!client_waits_) {
      active_ = builder_.Connects(kActiveSide, port_);
      return true;
    }
    active_ = builder_.NewId(kActiveSide, {});
    const bool silent = builder_.OneIn(10, "no host has the address");
    const Address silent_address{.kind = AddressKind::kSilent, .port = port_};
    const uint16_t port = builder_.OneIn(8, "no listener") ? builder_.Port(5) : port_;
    const Address to = silent ? silent_address : builder_.AddressOf(kPassiveSide, port);
    builder_.Calls({call::ResolveAddr{active_, builder_.AddressOf(kActiveSide, 0), to, 500},
                    call::ShowEvent{active_}});
    if (builder_.OneIn(8, "out of place")) builder_.Call(call::Connect{active_, ConnParam{}});
    builder_.Calls({call::ResolveRoute{active_, 2000}, call::ShowEvent{active_}});
    if (builder_.OneIn(10, "only looking")) return false;
    has_qp_ = !builder_.OneIn(4, "without a queue pair");
    const PrivateData data = builder_.FreshData();
    ConnParam param = builder_.QueuePairFor(active_, has_qp_);
    param.private_data = data;
    builder_.Call(Thread::kWaiting, call::Connect{active_, param});
    return !silent && port == port_;
  }

  void Receive() {
    passive_ = server_waits_
                   ? builder_.GetsRequest(LaneOf(kPassiveSide, Thread::kWaiting), listener_)
                   : builder_.Await(kPassiveSide);
  }

  void Answer() {
    if (server_waits_) builder_.Call(call::ShowEvent{passive_});
    if (builder_.OneIn(8, "the device goes"))
      builder_.Inject(FaultKind::kRemoveDevice, kPassiveSide);
    if (builder_.OneIn(6, "another waits already"))
      builder_.GetsRequest(LaneOf(kPassiveSide, Thread::kSpare), listener_);
    const uint64_t answer = builder_.Below(8, "what the server says");
    if (answer == 0) builder_.Call(call::Reject{passive_, PrivateData::Counting(5)});
    if (answer == 1) builder_.Call(call::DestroyId{passive_});
    if (answer > 2) {
      builder_.Call(call::CreateQp{passive_});
      builder_.Call(Thread::kWaiting, call::Accept{passive_, ConnParam{}});
    }
    if (!has_qp_) builder_.Call(call::Establish{active_});
  }

  void Disconnect(uint8_t side) {
    const IdRef id = side == kActiveSide ? active_ : passive_;
    if (id.valid()) builder_.Call(Thread::kWaiting, call::Disconnect{id});
  }

  // The ids of all sides by now.
  void Look() {
    builder_.Settle();
    for (const uint8_t side : {kActiveSide, kPassiveSide}) {
      const bool waits = side == kActiveSide ? client_waits_ : server_waits_;
      const IdRef id = side == kActiveSide ? active_ : passive_;
      if (!waits)
        builder_.Fetch(side);
      else if (id.valid())
        builder_.Call(call::ShowEvent{id});
    }
  }

  ConversationBuilder& builder_;
  uint16_t port_;
  bool client_waits_;
  bool server_waits_ = false;
  bool has_qp_ = true;
  IdRef listener_;
  IdRef active_;
  IdRef passive_;
};

}  // namespace

void SynchronousCalls(ConversationBuilder& builder) {
  Company company(builder);
  company.Meet();
  if (!builder.OneIn(4, "no disconnect")) company.Part();
  company.Leave();
}

}  // namespace cm
