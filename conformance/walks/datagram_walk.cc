// Services of datagrams: asked for, found, refused; and every call at the wrong time.
#include <array>
#include <optional>
#include <vector>

#include "conformance/walks/steps.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class DatagramWalk : public Steps {
 public:
  explicit DatagramWalk(Stage& stage) : Steps(stage) {}

  void Walk() {
    port_ = stage_.Port(0);
    if (!stage_.OneIn(8, "nobody listens")) Serves(PortSpace::kUdp);
    if (stage_.OneIn(4, "a port of the same number")) Serves(PortSpace::kTcp);
    if (stage_.OneIn(4, "a space of other links")) AsksOtherLinks();
    if (stage_.OneIn(2, "trouble")) Disturbs();
    const uint64_t askers = 1 + stage_.Below(3, "how many ask");
    for (uint64_t i = 0; i < askers; ++i) Asks();
    // Asking takes as many calls as a sequence wants: what follows is counted by itself.
    const uint64_t steps = 6 + stage_.Below(8, "how many steps");
    for (uint64_t i = 0; i < steps; ++i) Step();
    stage_.FetchesAll(2);
  }

 private:
  // RDMA_PS_IPOIB is for interfaces of InfiniBand, which no side has.
  void AsksOtherLinks() {
    const IdRef id = stage_.NewIdIn(kActiveSide, stage_.ChannelOf(kActiveSide), PortSpace::kIpoib);
    const Address own = stage_.AddressOf(kActiveSide, stage_.Port(3));
    const Address there = stage_.AddressOf(kPassiveSide, port_);
    if (stage_.OneIn(3, "bound")) return stage_.Call(call::BindAddr{id, own});
    const bool with_source = stage_.OneIn(2, "with a source");
    stage_.Call(call::ResolveAddr{id, with_source ? own : Address{}, there, 2000});
    stage_.Fetch(kActiveSide);
  }

  void Serves(PortSpace space) {
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
    // Late or doubled for ever, each request becomes several, and nobody can tell which is which.
    const bool for_ever = stage_.OneIn(4, "for ever") && fault.kind == FaultKind::kDrop;
    if (stage_.Can(Capability::kDropNth) && !for_ever) {
      fault.first = static_cast<uint32_t>(1 + stage_.Below(2, "from which on"));
      fault.last = fault.first;
    }
    stage_.Inject(fault);
  }

  // A queue pair, mostly of the right type.
  void MakesQp(IdRef id) {
    call::CreateQp create{id};
    if (stage_.OneIn(4, "with a type"))
      create.type = stage_.OneIn(2, "which type") ? QpType::kUd : QpType::kRc;
    stage_.Call(create);
  }

  uint8_t Length(uint8_t limit) {
    return stage_.OneOf<uint8_t>({0, 5, limit, static_cast<uint8_t>(limit + 1)},
                                 "how much private data");
  }

  ConnParam Param(uint8_t limit) {
    const PrivateData data = PrivateData::Counting(Length(limit));
    return {.qp_num = stage_.FreshQpNumber(), .private_data = data};
  }

  void Asks() {
    const IdRef id = stage_.NewIdIn(kActiveSide, stage_.ChannelOf(kActiveSide), PortSpace::kUdp);
    active_.push_back(id);
    stage_.ResolvesPeer(id, port_);
    stage_.Await(kActiveSide);
    if (stage_.OneIn(12, "too early")) Connects(id);
    stage_.Call(call::ResolveRoute{id, 2000});
    stage_.Await(kActiveSide);
    if (stage_.OneIn(2, "with a queue pair")) MakesQp(id);
    const bool fails = stage_.OneIn(12, "over a link that is down");
    if (fails) stage_.Inject(FaultKind::kLinkDown, kActiveSide);
    Connects(id);
    if (fails && stage_.Can(Capability::kLink)) {
      stage_.Settle();
      stage_.Fetch(kActiveSide);
      stage_.Heal();
    }
  }

  void Connects(IdRef id) {
    stage_.Call(call::Connect{id, Param(stage_.profile().limits.datagram_request_data)});
  }

  void Step() {
    stage_.DoOneOf(this, "what now",
                   {{2, &DatagramWalk::FetchesRequest},
                    {1, &DatagramWalk::FetchesAnswer},
                    {1, &DatagramWalk::PassesTime},
                    {1, &DatagramWalk::UsesActive},
                    {1, &DatagramWalk::UsesPassive}});
  }

  void FetchesAnswer() { stage_.Fetch(kActiveSide); }
  void UsesActive() { Does(active_); }
  void UsesPassive() { Does(passive_); }

  void FetchesRequest() {
    const Lane lane = Stage::MainLane(kPassiveSide);
    stage_.Wait(lane, stage_.ChannelOf(kPassiveSide), Duration::Milliseconds(100));
    const IdRef id = stage_.Fetch(kPassiveSide);
    passive_.push_back(id);
    if (!stage_.OneIn(3, "and leaves it")) Answers(id);
  }

  void Rejects(IdRef id) {
    const PrivateData data =
        PrivateData::Counting(Length(stage_.profile().limits.datagram_reply_data));
    if (stage_.OneIn(3, "for the vendor's options")) return stage_.Call(call::RejectEce{id, data});
    stage_.Call(call::Reject{id, data});
  }

  void Answers(IdRef id) {
    stage_.DoOneOf(this, "how it is answered",
                   {{1, &DatagramWalk::Rejects},
                    {1, &DatagramWalk::Establishes},
                    {1, &DatagramWalk::Destroys},
                    {1, &DatagramWalk::AcceptsWithQp},
                    {2, &DatagramWalk::Accepts}},
                   id);
  }

  void AcceptsWithQp(IdRef id) {
    MakesQp(id);
    Accepts(id);
  }

  void Accepts(IdRef id) {
    stage_.Call(call::Accept{id, Param(stage_.profile().limits.datagram_reply_data)});
  }

  void PassesTime() {
    constexpr std::array<Duration, 3> kSpans = {Duration::Milliseconds(10), Duration::Seconds(5),
                                                Duration::Seconds(75)};
    const uint64_t spans = stage_.Can(Capability::kTime) ? kSpans.size() : 1;
    stage_.Pass(kSpans[stage_.Below(spans, "how long")]);
  }

  // Anything on one of the ids.
  void Does(const std::vector<IdRef>& ids) {
    if (ids.empty()) return PassesTime();
    const IdRef id = ids[stage_.Below(ids.size(), "which id")];
    stage_.DoOneOf(this, "which call",
                   {{1, &DatagramWalk::Accepts},
                    {1, &DatagramWalk::Rejects},
                    {1, &DatagramWalk::Establishes},
                    {1, &DatagramWalk::Disconnects},
                    {1, &DatagramWalk::MakesQp},
                    {1, &DatagramWalk::DestroysQp},
                    {1, &DatagramWalk::Connects},
                    {1, &DatagramWalk::Listens},
                    {1, &DatagramWalk::Shows},
                    {1, &DatagramWalk::Destroys}},
                   id);
  }

  uint16_t port_ = 0;
  std::vector<IdRef> active_;
  std::vector<IdRef> passive_;  // listeners and requests
};

}  // namespace

void DatagramServices(Stage& stage) { DatagramWalk(stage).Walk(); }

}  // namespace cm
