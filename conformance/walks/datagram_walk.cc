// Datagram services: looked up, found, refused; and every call at the wrong time.
#include <array>
#include <vector>

#include "conformance/walks/steps.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class DatagramWalk : public Steps {
 public:
  explicit DatagramWalk(ConversationBuilder& builder) : Steps(builder) {}

  void Walk() {
    port_ = builder_.Port(0);
    if (!builder_.OneIn(8, "no listener")) Serves(PortSpace::kUdp);
    if (builder_.OneIn(4, "a port of the same number")) Serves(PortSpace::kTcp);
    if (builder_.OneIn(4, "a space of other links")) AsksOtherLinks();
    if (builder_.OneIn(2, "trouble")) Disturbs();
    const uint64_t askers = 1 + builder_.Below(3, "how many ask");
    for (uint64_t i = 0; i < askers; ++i) Asks();
    // A lookup takes as many calls as a sequence should have: later calls are counted separately.
    const uint64_t steps = 6 + builder_.Below(8, "how many steps");
    for (uint64_t i = 0; i < steps; ++i) Step();
    builder_.FetchesAll(2);
  }

 private:
  // RDMA_PS_IPOIB is for interfaces of InfiniBand, which no side has.
  void AsksOtherLinks() {
    const IdRef id =
        builder_.NewId(kActiveSide, builder_.ChannelOf(kActiveSide), PortSpace::kIpoib);
    const Address own = builder_.AddressOf(kActiveSide, builder_.Port(3));
    const Address there = builder_.AddressOf(kPassiveSide, port_);
    if (builder_.OneIn(3, "bound")) return builder_.Call(call::BindAddr{id, own});
    const bool with_source = builder_.OneIn(2, "with a source");
    builder_.Call(call::ResolveAddr{id, with_source ? own : Address{}, there, 2000});
    builder_.Fetch(kActiveSide);
  }

  void Serves(PortSpace space) {
    const IdRef id = builder_.NewId(kPassiveSide, builder_.ChannelOf(kPassiveSide), space);
    const bool any = builder_.OneIn(4, "on a wildcard");
    Address to = builder_.AddressOf(kPassiveSide, port_);
    if (builder_.OneIn(8, "of the other family"))
      to = builder_.AddressOf(kPassiveSide, port_, true);
    else if (any)
      to = Wildcard(port_);
    builder_.Call(call::BindAddr{id, to});
    const auto backlog = static_cast<int32_t>(1 + builder_.Below(3, "backlog"));
    builder_.Call(call::Listen{id, backlog});
    if (space == PortSpace::kUdp) passive_.push_back(id);
  }

  void Disturbs() {
    Fault fault{.kind = builder_.OneOf({FaultKind::kDrop, FaultKind::kDelay, FaultKind::kDuplicate},
                                       "what becomes of messages")};
    const bool requests = builder_.OneIn(2, "of requests");
    fault.messages = MadKinds(requests ? MadKind::kSidrReq : MadKind::kSidrRep);
    fault.side = requests ? kActiveSide : kPassiveSide;
    if (fault.kind == FaultKind::kDelay) fault.by = Duration::Seconds(5);
    // Delayed or duplicated for ever, each request becomes several, which cannot be distinguished.
    const bool for_ever = builder_.OneIn(4, "for ever") && fault.kind == FaultKind::kDrop;
    if (builder_.Can(Capability::kDropNth) && !for_ever) {
      fault.first = static_cast<uint32_t>(1 + builder_.Below(2, "from which on"));
      fault.last = fault.first;
    }
    builder_.Inject(fault);
  }

  // A queue pair, mostly of the right type.
  void MakesQp(IdRef id) {
    call::CreateQp create{id};
    if (builder_.OneIn(4, "with a type"))
      create.type = builder_.OneIn(2, "which type") ? QpType::kUd : QpType::kRc;
    builder_.Call(create);
  }

  uint8_t Length(uint8_t limit) {
    return builder_.OneOf<uint8_t>({0, 5, limit, static_cast<uint8_t>(limit + 1)},
                                   "how much private data");
  }

  ConnParam Param(uint8_t limit) {
    const PrivateData data = PrivateData::Counting(Length(limit));
    return {.qp_num = builder_.FreshQpNumber(), .private_data = data};
  }

  void Asks() {
    const IdRef id = builder_.NewId(kActiveSide, builder_.ChannelOf(kActiveSide), PortSpace::kUdp);
    active_.push_back(id);
    builder_.ResolvesPeer(id, port_);
    builder_.Await(kActiveSide);
    if (builder_.OneIn(12, "too early")) Connects(id);
    builder_.Call(call::ResolveRoute{id, 2000});
    builder_.Await(kActiveSide);
    if (builder_.OneIn(2, "with a queue pair")) MakesQp(id);
    const bool fails = builder_.OneIn(12, "over a link that is down");
    if (fails) builder_.Inject(FaultKind::kLinkDown, kActiveSide);
    Connects(id);
    if (fails && builder_.Can(Capability::kLink)) {
      builder_.Settle();
      builder_.Fetch(kActiveSide);
      builder_.Heal();
    }
  }

  void Connects(IdRef id) {
    builder_.Call(call::Connect{id, Param(builder_.profile().limits.datagram_request_data)});
  }

  void Step() {
    builder_.DoOneOf(this, "what now",
                     {{2, &DatagramWalk::FetchesRequest},
                      {1, &DatagramWalk::FetchesAnswer},
                      {1, &DatagramWalk::PassesTime},
                      {1, &DatagramWalk::UsesActive},
                      {1, &DatagramWalk::UsesPassive}});
  }

  void FetchesAnswer() { builder_.Fetch(kActiveSide); }
  void UsesActive() { Does(active_); }
  void UsesPassive() { Does(passive_); }

  void FetchesRequest() {
    const Lane lane = LaneOf(kPassiveSide);
    builder_.Wait(lane, builder_.ChannelOf(kPassiveSide), Duration::Milliseconds(100));
    const IdRef id = builder_.Fetch(kPassiveSide);
    passive_.push_back(id);
    if (!builder_.OneIn(3, "and leaves it")) Answers(id);
  }

  void Rejects(IdRef id) {
    const PrivateData data =
        PrivateData::Counting(Length(builder_.profile().limits.datagram_reply_data));
    if (builder_.OneIn(3, "for the vendor's options"))
      return builder_.Call(call::RejectEce{id, data});
    builder_.Call(call::Reject{id, data});
  }

  void Answers(IdRef id) {
    builder_.DoOneOf(this, "how it is answered",
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
    builder_.Call(call::Accept{id, Param(builder_.profile().limits.datagram_reply_data)});
  }

  void PassesTime() {
    constexpr std::array<Duration, 3> kSpans = {Duration::Milliseconds(10), Duration::Seconds(5),
                                                Duration::Seconds(75)};
    const uint64_t spans = builder_.Can(Capability::kTime) ? kSpans.size() : 1;
    builder_.Pass(kSpans[builder_.Below(spans, "how long")]);
  }

  // Anything on one of the ids.
  void Does(const std::vector<IdRef>& ids) {
    if (ids.empty()) return PassesTime();
    const IdRef id = ids[builder_.Below(ids.size(), "which id")];
    builder_.DoOneOf(this, "which call",
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

void DatagramServices(ConversationBuilder& builder) { DatagramWalk(builder).Walk(); }

}  // namespace cm
