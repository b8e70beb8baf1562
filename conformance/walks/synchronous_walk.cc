// Synchronous ids: calls that wait for their event, on threads that others release.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

// A client and a server, each on synchronous ids or not. Calls that wait for the other side are
// made on a thread of their own.
class Company {
 public:
  explicit Company(Stage& stage)
      : stage_(stage),
        port_(stage.Port(0)),
        client_waits_(!stage.OneIn(4, "an asynchronous client")) {
    server_waits_ = !client_waits_ || !stage.OneIn(4, "an asynchronous server");
  }

  void Meet() {
    Listen();
    const bool early = server_waits_ && stage_.OneIn(2, "the server waits first");
    if (early) passive_ = stage_.GetsRequest(Stage::WaitingLane(kPassiveSide), listener_);
    using enum MadKind;
    if (stage_.OneIn(5, "something is lost")) stage_.LosesOneOf({kReq, kRep, kRtu, kDreq, kRej});
    if (!Ask()) return;
    if (!early) Receive();
    Answer();
    Look();
  }

  void Part() {
    const uint8_t first = stage_.OneIn(2, "who disconnects first") ? kActiveSide : kPassiveSide;
    Disconnect(first);
    if (stage_.OneIn(2, "one after the other")) Look();
    Disconnect(OtherSide(first));
    Look();
    if (stage_.Can(Capability::kTime) && stage_.OneIn(2, "timewait ends")) {
      stage_.Pass(Duration::Seconds(4));
      Disconnect(first);
      Look();
    }
  }

  void Leave() {
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(120));
    Look();
    const bool listener_first = stage_.OneIn(2, "the listener goes first");
    if (listener_first) stage_.Call(Thread::kSpare, call::DestroyId{listener_});
    for (const IdRef id : {active_, passive_})
      if (id.valid()) stage_.Call(call::DestroyId{id});
    if (!listener_first) stage_.Call(Thread::kSpare, call::DestroyId{listener_});
  }

 private:
  void Listen() {
    if (!server_waits_) {
      listener_ = stage_.Listens(kPassiveSide, port_, 4);
      return;
    }
    listener_ = stage_.NewId(kPassiveSide, {});
    stage_.Calls({call::BindAddr{listener_, stage_.AddressOf(kPassiveSide, port_)},
                  call::Listen{listener_, 4}});
  }

  // False when it does not come to a request.
  bool Ask() {
    if (!client_waits_) {
      active_ = stage_.Connects(kActiveSide, port_);
      return true;
    }
    active_ = stage_.NewId(kActiveSide, {});
    const bool silent = stage_.OneIn(10, "nobody has the address");
    const Address nobody{.kind = AddressKind::kSilent, .port = port_};
    const uint16_t port = stage_.OneIn(8, "nobody listens") ? stage_.Port(5) : port_;
    const Address to = silent ? nobody : stage_.AddressOf(kPassiveSide, port);
    stage_.Calls({call::ResolveAddr{active_, stage_.AddressOf(kActiveSide, 0), to, 500},
                  call::ShowEvent{active_}});
    if (stage_.OneIn(8, "out of place")) stage_.Call(call::Connect{active_, ConnParam{}});
    stage_.Calls({call::ResolveRoute{active_, 2000}, call::ShowEvent{active_}});
    if (stage_.OneIn(10, "only looking")) return false;
    has_qp_ = !stage_.OneIn(4, "without a queue pair");
    const PrivateData data = stage_.FreshData();
    ConnParam param = stage_.QueuePairFor(active_, has_qp_);
    param.private_data = data;
    stage_.Call(Thread::kWaiting, call::Connect{active_, param});
    return !silent && port == port_;
  }

  void Receive() {
    passive_ = server_waits_ ? stage_.GetsRequest(Stage::WaitingLane(kPassiveSide), listener_)
                             : stage_.Await(kPassiveSide);
  }

  void Answer() {
    if (server_waits_) stage_.Call(call::ShowEvent{passive_});
    if (stage_.OneIn(8, "the device goes")) stage_.Inject(FaultKind::kRemoveDevice, kPassiveSide);
    if (stage_.OneIn(6, "another waits already"))
      stage_.GetsRequest(Stage::SpareLane(kPassiveSide), listener_);
    const uint64_t answer = stage_.Below(8, "what the server says");
    if (answer == 0) stage_.Call(call::Reject{passive_, PrivateData::Counting(5)});
    if (answer == 1) stage_.Call(call::DestroyId{passive_});
    if (answer > 2) {
      stage_.Call(call::CreateQp{passive_});
      stage_.Call(Thread::kWaiting, call::Accept{passive_, ConnParam{}});
    }
    if (!has_qp_) stage_.Call(call::Establish{active_});
  }

  void Disconnect(uint8_t side) {
    const IdRef id = side == kActiveSide ? active_ : passive_;
    if (id.valid()) stage_.Call(Thread::kWaiting, call::Disconnect{id});
  }

  // What everybody has by now.
  void Look() {
    stage_.Settle();
    for (const uint8_t side : {kActiveSide, kPassiveSide}) {
      const bool waits = side == kActiveSide ? client_waits_ : server_waits_;
      const IdRef id = side == kActiveSide ? active_ : passive_;
      if (!waits)
        stage_.Fetch(side);
      else if (id.valid())
        stage_.Call(call::ShowEvent{id});
    }
  }

  Stage& stage_;
  uint16_t port_;
  bool client_waits_;
  bool server_waits_ = false;
  bool has_qp_ = true;
  IdRef listener_;
  IdRef active_;
  IdRef passive_;
};

}  // namespace

void SynchronousCalls(Stage& stage) {
  Company company(stage);
  company.Meet();
  if (!stage.OneIn(4, "nobody disconnects")) company.Part();
  company.Leave();
}

}  // namespace cm
