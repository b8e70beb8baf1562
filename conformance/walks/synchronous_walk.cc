// Synchronous ids: calls that wait for their event, on threads that other threads release.
#include <array>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr std::array<MadKind, 5> kLosable = {MadKind::kReq, MadKind::kRep, MadKind::kRtu,
                                             MadKind::kDreq, MadKind::kRej};

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
    if (early) passive_ = stage_.GetsRequest(Thread(kPassiveSide), listener_);
    Lose();
    if (!Ask()) return;
    if (!early) Receive();
    Answer();
    Look();
  }

  void Part() {
    const bool active_first = stage_.OneIn(2, "who disconnects first");
    const uint8_t first = active_first ? kActiveSide : kPassiveSide;
    const uint8_t second = OtherSide(first);
    Disconnect(first, Thread(first));
    if (stage_.OneIn(2, "one after the other")) Look();
    Disconnect(second, Thread(second));
    Look();
    if (stage_.Can(Capability::kTime) && stage_.OneIn(2, "timewait ends")) {
      stage_.Pass(Duration::Seconds(4));
      Disconnect(first, Thread(first));
      Look();
    }
  }

  void Leave() {
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(120));
    Look();
    const bool listener_first = stage_.OneIn(2, "the listener goes first");
    if (listener_first) stage_.Call(Stage::SpareLane(kPassiveSide), call::DestroyId{listener_});
    for (const IdRef id : {active_, passive_}) {
      if (id.valid()) stage_.Call(call::DestroyId{id});
    }
    if (!listener_first) stage_.Call(Stage::SpareLane(kPassiveSide), call::DestroyId{listener_});
  }

 private:
  // The thread of calls that wait, and another one.
  static Lane Thread(uint8_t side) { return {.side = side, .number = 2}; }

  void Listen() {
    if (!server_waits_) {
      listener_ = stage_.Listens(kPassiveSide, port_, 4);
      return;
    }
    listener_ = stage_.NewId(kPassiveSide, {});
    stage_.Call(call::BindAddr{listener_, stage_.AddressOf(kPassiveSide, port_)});
    stage_.Call(call::Listen{listener_, 4});
  }

  void Lose() {
    if (!stage_.OneIn(5, "something is lost")) return;
    stage_.LosesOneOf(kLosable);
  }

  // False when no request arrives.
  bool Ask() {
    if (!client_waits_) {
      active_ = stage_.Connects(kActiveSide, port_);
      return true;
    }
    active_ = stage_.NewId(kActiveSide, {});
    const bool silent = stage_.OneIn(10, "no host has the address");
    const Address silent_address{.kind = AddressKind::kSilent, .port = port_};
    const uint16_t port = stage_.OneIn(8, "no listener") ? stage_.Port(5) : port_;
    const Address to = silent ? silent_address : stage_.AddressOf(kPassiveSide, port);
    stage_.Call(call::ResolveAddr{active_, stage_.AddressOf(kActiveSide, 0), to, 500});
    stage_.Call(call::ShowEvent{active_});
    if (stage_.OneIn(8, "out of place")) stage_.Call(call::Connect{active_, ConnParam{}});
    stage_.Call(call::ResolveRoute{active_, 2000});
    stage_.Call(call::ShowEvent{active_});
    if (stage_.OneIn(10, "only looking")) return false;
    has_qp_ = !stage_.OneIn(4, "without a queue pair");
    const PrivateData data = stage_.FreshData();
    ConnParam param = stage_.QueuePairFor(active_, has_qp_);
    param.private_data = data;
    stage_.Call(Thread(kActiveSide), call::Connect{active_, param});
    return !silent && port == port_;
  }

  void Receive() {
    const Lane lane = Stage::MainLane(kPassiveSide);
    if (server_waits_) {
      passive_ = stage_.GetsRequest(Thread(kPassiveSide), listener_);
      return;
    }
    stage_.Wait(lane, stage_.ChannelOf(kPassiveSide), Duration::Seconds(1));
    passive_ = stage_.Fetch(lane, stage_.ChannelOf(kPassiveSide));
  }

  void Answer() {
    if (server_waits_) stage_.Call(call::ShowEvent{passive_});
    if (stage_.OneIn(8, "the device goes")) stage_.Inject(FaultKind::kRemoveDevice, kPassiveSide);
    if (stage_.OneIn(6, "another waits already"))
      stage_.GetsRequest(Stage::SpareLane(kPassiveSide), listener_);
    switch (stage_.Below(8, "what the server says")) {
      case 0:
        stage_.Call(call::Reject{passive_, PrivateData::Counting(5)});
        break;
      case 1:
        stage_.Call(call::DestroyId{passive_});
        break;
      case 2:
        break;
      default:
        stage_.Call(call::CreateQp{passive_});
        stage_.Call(Thread(kPassiveSide), call::Accept{passive_, ConnParam{}});
        break;
    }
    if (!has_qp_) stage_.Call(call::Establish{active_});
  }

  void Disconnect(uint8_t side, Lane lane) {
    const IdRef id = side == kActiveSide ? active_ : passive_;
    if (id.valid()) stage_.Call(lane, call::Disconnect{id});
  }

  // The ids of all sides by now.
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
  if (!stage.OneIn(4, "no disconnect")) company.Part();
  company.Leave();
}

}  // namespace cm
