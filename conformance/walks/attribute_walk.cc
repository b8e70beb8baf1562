// An id passes through its states, with queries of its attributes at every stop: queue pair
// attributes, ECE options, ports; and with rdma_notify, justified or not.
#include <algorithm>
#include <array>

#include "conformance/walks/arguments.h"
#include "conformance/walks/walks.h"

namespace cm {
namespace {

class AttributeWalk {
 public:
  explicit AttributeWalk(Stage& stage)
      : stage_(stage), v6_(stage.OneIn(5, "IPv6")), arguments_(stage, v6_), port_(stage.Port(0)) {
    with_qp_ = stage.OneIn(2, "with queue pairs");
    removed_at_ = stage.StopThatLosesADevice();
  }

  void Run() {
    switch (stage_.Below(6, "how far it goes")) {
      case 0:
        return Alone();
      case 1:
        return Searching();
      default:
        return Together();
    }
  }

 private:
  // Unbound, bound to a wildcard or to an address, listening.
  void Alone() {
    const uint8_t side = stage_.AnySide();
    const IdRef id = stage_.NewId(side, stage_.ChannelOf(side));
    Asks(id, side);
    Address address = stage_.AddressOf(side, port_, v6_);
    if (stage_.OneIn(3, "wildcard")) address = Wildcard(port_, v6_);
    stage_.Call(call::BindAddr{id, address});
    Asks(id, side);
    stage_.Call(call::Listen{id, 8});
    Asks(id, side);
    if (Lost(id, side)) return;
    if (stage_.OneIn(2, "lost at last")) Loses(id, side);
  }

  // No host answers for the address, which is resolved from a wildcard or from an address.
  void Searching() {
    const IdRef id = stage_.NewId(kActiveSide, stage_.ChannelOf(kActiveSide));
    const bool bound = stage_.OneIn(2, "from an address");
    const Address source = bound ? stage_.AddressOf(kActiveSide, 0, v6_) : Address{};
    stage_.Call(call::ResolveAddr{
        id, source, {.kind = AddressKind::kSilent, .v6 = v6_, .port = port_}, 500});
    Asks(id, kActiveSide);
    if (Lost(id, kActiveSide)) return;
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(2));
    stage_.FetchesAll(1);
    Asks(id, kActiveSide);
  }

  // A pair of ids from the first call to the end of timewait.
  void Together() {
    listener_ = stage_.Listens(kPassiveSide, port_, 8, v6_);
    if (Lost(listener_, kPassiveSide)) return;
    if (!Connects()) return;
    if (stage_.Can(Capability::kFailOver) && stage_.OneIn(3, "its source goes") &&
        stage_.Inject(FaultKind::kFailOver, kActiveSide)) {
      stage_.Settle();
      stage_.Call(call::RejectEce{active_, {}});
    }
    stage_.Settle();
    if (Lost(active_, kActiveSide)) return;
    passive_ = stage_.Fetch(kPassiveSide);
    stage_.Call(call::GetRemoteEce{passive_});
    Asks(passive_, kPassiveSide);
    if (Lost(passive_, kPassiveSide)) return;
    const uint64_t answer = stage_.Below(6, "the answer");
    if (answer < 2) return Refuses(answer == 0);
    Accepts();
  }

  bool Connects() {
    const ChannelRef channel = stage_.ChannelOf(kActiveSide);
    active_ = stage_.NewId(kActiveSide, channel);
    if (!with_qp_ && stage_.OneIn(2, "with options of a vendor"))
      stage_.Call(call::SetLocalEce{active_, {.vendor_id = 0x2c9, .options = 0x30000}});
    Asks(active_, kActiveSide);
    stage_.ResolvesPeer(active_, port_, v6_);
    Asks(active_, kActiveSide);
    Hears(kActiveSide);
    Asks(active_, kActiveSide);
    if (Lost(active_, kActiveSide)) return false;
    stage_.Call(call::ResolveRoute{active_, 2000});
    Asks(active_, kActiveSide);
    Hears(kActiveSide);
    Asks(active_, kActiveSide);
    ConnParam param = stage_.QueuePairFor(active_, with_qp_);
    param.private_data = PrivateData::Counting(5);
    stage_.Call(call::Connect{active_, param});
    Asks(active_, kActiveSide);
    return true;
  }

  void Refuses(bool for_the_options) {
    const PrivateData data =
        PrivateData::Counting(arguments_.DataLength(stage_.profile().limits.reject_data));
    if (for_the_options)
      stage_.Call(call::RejectEce{passive_, data});
    else
      stage_.Call(call::Reject{passive_, data});
    Asks(passive_, kPassiveSide);
    stage_.SettlesAndFetches(1);
    Asks(active_, kActiveSide);
    stage_.Call(call::RejectEce{passive_, {}});
  }

  void Accepts() {
    const bool unsaid = stage_.OneIn(3, "RTU is lost");
    if (unsaid) stage_.Drop(MadKinds(MadKind::kRtu), kActiveSide);
    ConnParam param = stage_.QueuePairFor(passive_, with_qp_);
    if (!with_qp_ && stage_.OneIn(2, "with options of a vendor"))
      stage_.Call(call::SetLocalEce{passive_, {.vendor_id = 0x1000007, .options = 7}});
    stage_.Call(call::Accept{passive_, param});
    Asks(passive_, kPassiveSide);
    stage_.Settle();
    Asks(active_, kActiveSide);
    Notices(passive_, kPassiveSide);
    if (Lost(active_, kActiveSide)) return;
    stage_.FetchesAll(1);
    stage_.Call(call::GetRemoteEce{active_});
    if (!with_qp_) stage_.Call(call::Establish{active_});
    stage_.Settle();
    Notices(passive_, kPassiveSide);
    stage_.FetchesAll(1);
    if (unsaid) stage_.Heal();
    Ends();
  }

  void Ends() {
    Asks(active_, kActiveSide);
    Asks(passive_, kPassiveSide);
    if (Lost(passive_, kPassiveSide)) return;
    const bool by_active = stage_.OneIn(2, "who disconnects first");
    const IdRef first = by_active ? active_ : passive_;
    const IdRef second = by_active ? passive_ : active_;
    stage_.Disconnects(first);
    if (stage_.OneIn(4, "asked before it has ended"))
      Asks(first, by_active ? kActiveSide : kPassiveSide);
    stage_.Settle();
    Asks(active_, kActiveSide);
    Asks(passive_, kPassiveSide);
    if (Lost(active_, kActiveSide)) return;
    stage_.FetchesAll(1);
    stage_.Disconnects(second);
    stage_.Settle();
    Asks(active_, kActiveSide);
    Asks(passive_, kPassiveSide);
    stage_.FetchesAll(1);
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(4));
    Asks(active_, kActiveSide);
    stage_.FetchesAll(2);
  }

  // True when the device of the side is removed at this stop; then nothing follows.
  bool Lost(IdRef id, uint8_t side) {
    if (stops_++ != removed_at_) return false;
    Loses(id, side);
    return true;
  }

  void Loses(IdRef id, uint8_t side) {
    if (!stage_.Inject(FaultKind::kRemoveDevice, side)) return;
    Asks(id, side);  // before its kernel id is destroyed, where lines may race
    stage_.SettlesAndFetches(1);
    for (int i = 0; i < 3; ++i) Asks(id, side);
  }

  void Hears(uint8_t side) {
    const Lane lane = Stage::MainLane(side);
    stage_.Wait(lane, stage_.ChannelOf(side), Duration::Seconds(1));
    stage_.Fetch(lane, stage_.ChannelOf(side));
  }

  void Notices(IdRef id, uint8_t /*side*/) {
    if (stage_.OneIn(3, "the application notices first")) stage_.Call(call::Notify{id});
  }

  // Up to two queries, notices, or refusals.
  void Asks(IdRef id, uint8_t side) {
    for (uint64_t i = stage_.Below(3, "how much is asked"); i > 0; --i) Ask(id, side);
  }

  void Ask(IdRef id, uint8_t side) {
    switch (stage_.Below(12, "what is asked")) {
      case 0:
        return stage_.Call(Notice(id));
      case 1:
        return stage_.Call(call::SetLocalEce{id, MalformedEce()});
      case 2:
        return stage_.Call(call::GetRemoteEce{id});
      case 3:
        stage_.Call(call::GetSrcPort{id});
        return stage_.Call(call::Show{id});
      case 4:
        stage_.Call(call::GetDstPort{id});
        return stage_.Call(call::Show{id});
      case 5:
        return stage_.Call(Stage::MainLane(side), EventName());
      case 6:
        if (!stage_.OneIn(4, "refuse")) return stage_.Call(Attributes(id));
        return stage_.Call(call::RejectEce{
            id, PrivateData::Counting(arguments_.DataLength(stage_.profile().limits.reject_data))});
      case 7:
        if (!with_qp_) return stage_.Call(Attributes(id));
        return stage_.Call(call::SetLocalEce{id, {.vendor_id = 0x2c9}});
      default:
        return stage_.Call(Attributes(id));
    }
  }

  // The attributes for RTS without a path are not drawn: kernels before the modelled one crash on
  // them.
  call::InitQpAttr Attributes(IdRef id) {
    const uint8_t state =
        stage_.OneOf<uint8_t>({1, 1, 2, 2, 3, 3, 0, 6, 7, 255}, "state of a queue pair");
    const bool pathless = std::ranges::count(migrated_, id) > 0;
    return {id, pathless && state == 3 ? uint8_t{2} : state};
  }

  call::Notify Notice(IdRef id) {
    const uint8_t event = stage_.OneOf<uint8_t>(
        {call::Notify::kCommEst, call::Notify::kCommEst, call::Notify::kPathMig, 0, 1, 200},
        "what is noticed");
    if (event == call::Notify::kPathMig) migrated_.push_back(id);
    return {id, event};
  }

  EceOptions MalformedEce() {
    if (stage_.OneIn(2, "no vendor")) return {.vendor_id = 0, .options = 1};
    return {.vendor_id = 0x2c9, .options = 1, .comp_mask = 1};
  }

  // Types that the library may know, and numbers without a name.
  call::EventStr EventName() {
    constexpr std::array<uint8_t, 3> kNameless = {20, 99, 255};
    const bool later = stage_.Can(Capability::kLaterCalls);
    const uint64_t named = later ? kEventTypeCount : kFirstEventTypeCount;
    const uint64_t type = stage_.Below(named + kNameless.size(), "type of event");
    return {type < named ? static_cast<uint8_t>(type) : kNameless[type - named]};
  }

  Stage& stage_;
  const bool v6_;
  bool with_qp_ = false;
  Arguments arguments_;
  const uint16_t port_;
  uint64_t removed_at_ = 0;
  uint64_t stops_ = 0;
  IdRef listener_;
  IdRef active_;
  IdRef passive_;
  std::vector<IdRef> migrated_;
};

}  // namespace

void AttributesInEveryState(Stage& stage) { AttributeWalk(stage).Run(); }

}  // namespace cm
