// Datagram services: looked up, found, refused; and every call at the wrong time.
#include <array>
#include <optional>
#include <vector>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

class DatagramWalk {
 public:
  explicit DatagramWalk(Stage& stage) : stage_(stage) {}

  void Walk() {
    port_ = stage_.Port(0);
    if (!stage_.OneIn(8, "no listener")) Listens(PortSpace::kUdp);
    if (stage_.OneIn(4, "a port of the same number")) Listens(PortSpace::kTcp);
    if (stage_.OneIn(4, "a space of other links")) AsksOtherLinks();
    if (stage_.OneIn(2, "trouble")) Disturbs();
    const uint64_t askers = 1 + stage_.Below(3, "how many ask");
    for (uint64_t i = 0; i < askers; ++i) Asks();
    // A lookup takes as many calls as a sequence should have: later calls are counted separately.
    const uint64_t steps = 6 + stage_.Below(8, "how many steps");
    for (uint64_t i = 0; i < steps; ++i) Step();
    stage_.FetchesAll(2);
  }

 private:
  // RDMA_PS_IPOIB is for interfaces of InfiniBand, which no side has.
  void AsksOtherLinks() {
    const Lane lane = Stage::MainLane(kActiveSide);
    const ChannelRef channel = stage_.ChannelOf(kActiveSide);
    const IdRef id = stage_.NewIdIn(kActiveSide, channel, PortSpace::kIpoib);
    const Address own = stage_.AddressOf(kActiveSide, stage_.Port(3));
    const Address there = stage_.AddressOf(kPassiveSide, port_);
    if (stage_.OneIn(3, "bound")) return stage_.Call(call::BindAddr{id, own});
    const bool with_source = stage_.OneIn(2, "with a source");
    stage_.Call(call::ResolveAddr{id, with_source ? own : Address{}, there, 2000});
    stage_.Fetch(lane, channel, true);
  }

  void Listens(PortSpace space) {
    const IdRef id = stage_.NewIdIn(kPassiveSide, stage_.ChannelOf(kPassiveSide), space);
    const bool any = stage_.OneIn(4, "on a wildcard");
    Address to = stage_.AddressOf(kPassiveSide, port_);
    if (stage_.OneIn(8, "of the other family"))
      to = stage_.AddressOf(kPassiveSide, port_, true);
    else if (any)
      to = Wildcard(port_);
    stage_.Call(call::BindAddr{id, to});
    const auto backlog = static_cast<int32_t>(1 + stage_.Below(3, "backlog"));
    stage_.Call(call::Listen{id, backlog});
    if (space == PortSpace::kUdp) passive_.push_back(id);
  }

  void Disturbs() {
    Fault fault{.kind = stage_.OneOf({FaultKind::kDrop, FaultKind::kDelay, FaultKind::kDuplicate},
                                     "what becomes of messages")};
    const bool requests = stage_.OneIn(2, "of requests");
    fault.messages = MadKinds(requests ? MadKind::kSidrReq : MadKind::kSidrRep);
    fault.side = requests ? kActiveSide : kPassiveSide;
    if (fault.kind == FaultKind::kDelay) fault.by = Duration::Seconds(5);
    // Delayed or duplicated for ever, each request becomes several, which cannot be distinguished.
    const bool for_ever = stage_.OneIn(4, "for ever") && fault.kind == FaultKind::kDrop;
    if (stage_.Can(Capability::kDropNth) && !for_ever) {
      fault.first = static_cast<uint32_t>(1 + stage_.Below(2, "from which on"));
      fault.last = fault.first;
    }
    stage_.Inject(fault);
  }

  // A queue pair, mostly of the right type.
  void MakesQp(Lane lane, IdRef id) {
    call::CreateQp create{id};
    if (stage_.OneIn(4, "with a type"))
      create.type = stage_.OneIn(2, "which type") ? QpType::kUd : QpType::kRc;
    stage_.Call(lane, create);
  }

  uint8_t Length(uint8_t limit) {
    return stage_.OneOf<uint8_t>({0, 5, limit, static_cast<uint8_t>(limit + 1)},
                                 "how much private data");
  }

  ConnParam Param(uint8_t limit) {
    ConnParam param;
    param.private_data = PrivateData::Counting(Length(limit));
    param.qp_num = stage_.FreshQpNumber();
    return param;
  }

  void Asks() {
    const Lane lane = Stage::MainLane(kActiveSide);
    const ChannelRef channel = stage_.ChannelOf(kActiveSide);
    const IdRef id = stage_.NewIdIn(kActiveSide, channel, PortSpace::kUdp);
    active_.push_back(id);
    stage_.ResolvesPeer(id, port_);
    stage_.Await(kActiveSide);
    if (stage_.OneIn(12, "too early")) Connects(id);
    stage_.Call(call::ResolveRoute{id, 2000});
    stage_.Await(kActiveSide);
    if (stage_.OneIn(2, "with a queue pair")) MakesQp(lane, id);
    const bool fails = stage_.OneIn(12, "over a link that is down");
    if (fails) stage_.Inject(FaultKind::kLinkDown, kActiveSide);
    Connects(id);
    if (fails && stage_.Can(Capability::kLink)) {
      stage_.Settle();
      stage_.Fetch(lane, channel);
      stage_.Heal();
    }
  }

  void Connects(IdRef id) {
    stage_.Call(call::Connect{id, Param(stage_.profile().limits.datagram_request_data)});
  }

  void Step() {
    switch (stage_.Below(6, "what now")) {
      case 0:
      case 1:
        return FetchesRequest();
      case 2:
        return static_cast<void>(stage_.Fetch(kActiveSide));
      case 3:
        return PassesTime();
      case 4:
        return Does(kActiveSide, active_);
      default:
        return Does(kPassiveSide, passive_);
    }
  }

  void FetchesRequest() {
    const Lane lane = Stage::MainLane(kPassiveSide);
    const ChannelRef channel = stage_.ChannelOf(kPassiveSide);
    stage_.Wait(lane, channel, Duration::Milliseconds(100));
    const IdRef id = stage_.Fetch(lane, channel);
    passive_.push_back(id);
    if (!stage_.OneIn(3, "and leaves it")) Answers(id);
  }

  void Rejects(Lane /*lane*/, IdRef id) {
    const PrivateData data =
        PrivateData::Counting(Length(stage_.profile().limits.datagram_reply_data));
    if (stage_.OneIn(3, "for the vendor's options")) return stage_.Call(call::RejectEce{id, data});
    stage_.Call(call::Reject{id, data});
  }

  void Answers(IdRef id) {
    const Lane lane = Stage::MainLane(kPassiveSide);
    const uint8_t room = stage_.profile().limits.datagram_reply_data;
    switch (stage_.Below(6, "how it is answered")) {
      case 0:
        return Rejects(lane, id);
      case 1:
        return stage_.Call(call::Establish{id});
      case 2:
        return stage_.Destroys(id);
      case 3:
        MakesQp(lane, id);
        break;
      default:
        break;
    }
    stage_.Call(call::Accept{id, Param(room)});
  }

  void PassesTime() {
    constexpr std::array<Duration, 3> kSpans = {Duration::Milliseconds(10), Duration::Seconds(5),
                                                Duration::Seconds(75)};
    const uint64_t spans = stage_.Can(Capability::kTime) ? kSpans.size() : 1;
    stage_.Pass(kSpans[stage_.Below(spans, "how long")]);
  }

  // Anything on one of the ids.
  void Does(uint8_t side, const std::vector<IdRef>& ids) {
    if (ids.empty()) return PassesTime();
    const Lane lane = Stage::MainLane(side);
    const IdRef id = ids[stage_.Below(ids.size(), "which id")];
    const uint8_t room = stage_.profile().limits.datagram_reply_data;
    switch (stage_.Below(10, "which call")) {
      case 0: {
        const ConnParam param = Param(room);
        return stage_.Call(call::Accept{id, param});
      }
      case 1:
        return Rejects(lane, id);
      case 2:
        return stage_.Call(call::Establish{id});
      case 3:
        return stage_.Disconnects(id);
      case 4:
        return MakesQp(lane, id);
      case 5:
        return stage_.Call(call::DestroyQp{id});
      case 6: {
        return stage_.Call(call::Connect{id, Param(stage_.profile().limits.datagram_request_data)});
      }
      case 7:
        return stage_.Call(call::Listen{id, 2});
      case 8:
        return stage_.Call(call::Show{id});
      default:
        return stage_.Destroys(id);
    }
  }

  Stage& stage_;
  uint16_t port_ = 0;
  std::vector<IdRef> active_;
  std::vector<IdRef> passive_;  // listeners and requests
};

}  // namespace

void DatagramServices(Stage& stage) { DatagramWalk(stage).Walk(); }

}  // namespace cm
