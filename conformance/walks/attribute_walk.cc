// An id is brought through its states, and asked at every stop for what it has beside states:
// attributes of queue pairs, options of vendors, ports; and told of connections, rightly or not.
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
    stage_.DoOneOf(this, "how far it goes",
                   {{1, &AttributeWalk::Alone},
                    {1, &AttributeWalk::Searching},
                    {4, &AttributeWalk::Together}});
  }

 private:
  // Unbound, bound to a wildcard or to an address, listening.
  void Alone() {
    const uint8_t side = stage_.AnySide();
    const IdRef id = stage_.NewId(side, stage_.ChannelOf(side));
    Asks(id);
    Address address = stage_.AddressOf(side, port_, v6_);
    if (stage_.OneIn(3, "wildcard")) address = Wildcard(port_, v6_);
    CallsAndAsks(call::BindAddr{id, address});
    CallsAndAsks(call::Listen{id, 8});
    if (Lost(id)) return;
    if (stage_.OneIn(2, "lost at last")) Loses(id);
  }

  // Nobody answers for the address, which is looked for from a wildcard or from an address.
  void Searching() {
    const IdRef id = stage_.NewId(kActiveSide, stage_.ChannelOf(kActiveSide));
    const bool bound = stage_.OneIn(2, "from an address");
    const Address source = bound ? stage_.AddressOf(kActiveSide, 0, v6_) : Address{};
    stage_.Call(call::ResolveAddr{
        id, source, {.kind = AddressKind::kSilent, .v6 = v6_, .port = port_}, 500});
    Asks(id);
    if (Lost(id)) return;
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(2));
    stage_.FetchesAll(1);
    Asks(id);
  }

  // A pair of ids from the first call to the end of timewait.
  void Together() {
    listener_ = stage_.Listens(kPassiveSide, port_, 8, v6_);
    if (Lost(listener_)) return;
    if (!Connects()) return;
    if (stage_.Can(Capability::kFailOver) && stage_.OneIn(3, "its source goes") &&
        stage_.Inject(FaultKind::kFailOver, kActiveSide)) {
      stage_.Settle();
      stage_.Call(call::RejectEce{active_, {}});
    }
    stage_.Settle();
    if (Lost(active_)) return;
    passive_ = stage_.Fetch(kPassiveSide);
    stage_.Call(call::GetRemoteEce{passive_});
    Asks(passive_);
    if (Lost(passive_)) return;
    const uint64_t answer = stage_.Below(6, "the answer");
    if (answer < 2) return Refuses(answer == 0);
    Accepts();
  }

  bool Connects() {
    const ChannelRef channel = stage_.ChannelOf(kActiveSide);
    active_ = stage_.NewId(kActiveSide, channel);
    if (!with_qp_ && stage_.OneIn(2, "with options of a vendor"))
      stage_.Call(call::SetLocalEce{active_, {.vendor_id = 0x2c9, .options = 0x30000}});
    Asks(active_);
    stage_.ResolvesPeer(active_, port_, v6_);
    Asks(active_);
    stage_.Await(kActiveSide);
    Asks(active_);
    if (Lost(active_)) return false;
    CallsAndAsks(call::ResolveRoute{active_, 2000});
    stage_.Await(kActiveSide);
    Asks(active_);
    ConnParam param = stage_.QueuePairFor(active_, with_qp_);
    param.private_data = PrivateData::Counting(5);
    CallsAndAsks(call::Connect{active_, param});
    return true;
  }

  void Refuses(bool for_the_options) {
    const PrivateData data =
        PrivateData::Counting(arguments_.DataLength(stage_.profile().limits.reject_data));
    CallsAndAsks(for_the_options ? Call(call::RejectEce{passive_, data})
                                 : call::Reject{passive_, data});
    stage_.SettlesAndFetches(1);
    Asks(active_);
    stage_.Call(call::RejectEce{passive_, {}});
  }

  void Accepts() {
    const bool unsaid = stage_.OneIn(3, "RTU is lost");
    if (unsaid) stage_.Drop(MadKinds(MadKind::kRtu), kActiveSide);
    ConnParam param = stage_.QueuePairFor(passive_, with_qp_);
    if (!with_qp_ && stage_.OneIn(2, "with options of a vendor"))
      stage_.Call(call::SetLocalEce{passive_, {.vendor_id = 0x1000007, .options = 7}});
    CallsAndAsks(call::Accept{passive_, param});
    stage_.Settle();
    Asks(active_);
    Notices(passive_);
    if (Lost(active_)) return;
    stage_.FetchesAll(1);
    stage_.Call(call::GetRemoteEce{active_});
    if (!with_qp_) stage_.Call(call::Establish{active_});
    stage_.Settle();
    Notices(passive_);
    stage_.FetchesAll(1);
    if (unsaid) stage_.Heal();
    Ends();
  }

  void Ends() {
    Asks(active_);
    Asks(passive_);
    if (Lost(passive_)) return;
    const IdRef first = stage_.OneIn(2, "who disconnects first") ? active_ : passive_;
    const IdRef second = first == active_ ? passive_ : active_;
    stage_.Disconnects(first);
    if (stage_.OneIn(4, "asked before it has ended")) Asks(first);
    stage_.Settle();
    Asks(active_);
    Asks(passive_);
    if (Lost(active_)) return;
    stage_.FetchesAll(1);
    stage_.Disconnects(second);
    stage_.Settle();
    Asks(active_);
    Asks(passive_);
    stage_.FetchesAll(1);
    if (stage_.Can(Capability::kTime)) stage_.Pass(Duration::Seconds(4));
    Asks(active_);
    stage_.FetchesAll(2);
  }

  // True when the device of the side goes at this stop; then that was all.
  bool Lost(IdRef id) {
    if (stops_++ != removed_at_) return false;
    Loses(id);
    return true;
  }

  void Loses(IdRef id) {
    if (!stage_.Inject(FaultKind::kRemoveDevice, stage_.SideOf(id))) return;
    Asks(id);  // before its kernel id is gone, where lines are not kept apart
    stage_.SettlesAndFetches(1);
    for (int i = 0; i < 3; ++i) Asks(id);
  }

  void Notices(IdRef id) {
    if (stage_.OneIn(3, "the application notices first")) stage_.Call(call::Notify{id});
  }

  void CallsAndAsks(const Call& call) {
    stage_.Call(call);
    Asks(IdOf(call));
  }

  // Up to two questions, or notices, or refusals.
  void Asks(IdRef id) {
    for (uint64_t i = stage_.Below(3, "how much is asked"); i > 0; --i) Ask(id);
  }

  void Ask(IdRef id) {
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
        return stage_.Call(Stage::MainLane(stage_.SideOf(id)), EventName());
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

  // Nobody tells what becomes of the attributes for RTS without a path: kernels before the one
  // that is modelled die of it.
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

  // The types that the library may know, and numbers that none has a name for.
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
