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
  explicit AttributeWalk(ConversationBuilder& builder)
      : builder_(builder),
        v6_(builder.OneIn(5, "IPv6")),
        arguments_(builder, v6_),
        port_(builder.Port(0)) {
    with_qp_ = builder.OneIn(2, "with queue pairs");
    removed_at_ = builder.StopThatLosesADevice();
  }

  void Run() {
    builder_.DoOneOf(this, "how far it goes",
                     {{1, &AttributeWalk::Alone},
                      {1, &AttributeWalk::Searching},
                      {4, &AttributeWalk::Together}});
  }

 private:
  // Unbound, bound to a wildcard or to an address, listening.
  void Alone() {
    const uint8_t side = builder_.AnySide();
    const IdRef id = builder_.NewId(side, builder_.ChannelOf(side));
    Asks(id);
    Address address = builder_.AddressOf(side, port_, v6_);
    if (builder_.OneIn(3, "wildcard")) address = Wildcard(port_, v6_);
    CallsAndAsks(call::BindAddr{id, address});
    CallsAndAsks(call::Listen{id, 8});
    if (Lost(id)) return;
    if (builder_.OneIn(2, "lost at last")) Loses(id);
  }

  // No host answers for the address, which is resolved from a wildcard or from an address.
  void Searching() {
    const IdRef id = builder_.NewId(kActiveSide, builder_.ChannelOf(kActiveSide));
    const bool bound = builder_.OneIn(2, "from an address");
    const Address source = bound ? builder_.AddressOf(kActiveSide, 0, v6_) : Address{};
    builder_.Call(call::ResolveAddr{
        id, source, {.kind = AddressKind::kSilent, .v6 = v6_, .port = port_}, 500});
    Asks(id);
    if (Lost(id)) return;
    if (builder_.Can(Capability::kTime)) builder_.Pass(Duration::Seconds(2));
    builder_.FetchesAll(1);
    Asks(id);
  }

  // A pair of ids from the first call to the end of timewait.
  void Together() {
    listener_ = builder_.Listens(kPassiveSide, port_, 8, v6_);
    if (Lost(listener_)) return;
    if (!Connects()) return;
    if (builder_.Can(Capability::kFailOver) && builder_.OneIn(3, "its source goes") &&
        builder_.Inject(FaultKind::kFailOver, kActiveSide)) {
      builder_.Settle();
      builder_.Call(call::RejectEce{active_, {}});
    }
    builder_.Settle();
    if (Lost(active_)) return;
    passive_ = builder_.Fetch(kPassiveSide);
    builder_.Call(call::GetRemoteEce{passive_});
    Asks(passive_);
    if (Lost(passive_)) return;
    const uint64_t answer = builder_.Below(6, "the answer");
    if (answer < 2) return Refuses(answer == 0);
    Accepts();
  }

  bool Connects() {
    const ChannelRef channel = builder_.ChannelOf(kActiveSide);
    active_ = builder_.NewId(kActiveSide, channel);
    if (!with_qp_ && builder_.OneIn(2, "with options of a vendor"))
      builder_.Call(call::SetLocalEce{active_, {.vendor_id = 0x2c9, .options = 0x30000}});
    Asks(active_);
    builder_.ResolvesPeer(active_, port_, v6_);
    Asks(active_);
    builder_.Await(kActiveSide);
    Asks(active_);
    if (Lost(active_)) return false;
    CallsAndAsks(call::ResolveRoute{active_, 2000});
    builder_.Await(kActiveSide);
    Asks(active_);
    ConnParam param = builder_.QueuePairFor(active_, with_qp_);
    param.private_data = PrivateData::Counting(5);
    CallsAndAsks(call::Connect{active_, param});
    return true;
  }

  void Refuses(bool for_the_options) {
    const PrivateData data =
        PrivateData::Counting(arguments_.DataLength(builder_.profile().limits.reject_data));
    CallsAndAsks(for_the_options ? Call(call::RejectEce{passive_, data})
                                 : call::Reject{passive_, data});
    builder_.SettlesAndFetches(1);
    Asks(active_);
    builder_.Call(call::RejectEce{passive_, {}});
  }

  void Accepts() {
    const bool unsaid = builder_.OneIn(3, "RTU is lost");
    if (unsaid) builder_.Drop(MadKinds(MadKind::kRtu), kActiveSide);
    ConnParam param = builder_.QueuePairFor(passive_, with_qp_);
    if (!with_qp_ && builder_.OneIn(2, "with options of a vendor"))
      builder_.Call(call::SetLocalEce{passive_, {.vendor_id = 0x1000007, .options = 7}});
    CallsAndAsks(call::Accept{passive_, param});
    builder_.Settle();
    Asks(active_);
    Notices(passive_);
    if (Lost(active_)) return;
    builder_.FetchesAll(1);
    builder_.Call(call::GetRemoteEce{active_});
    if (!with_qp_) builder_.Call(call::Establish{active_});
    builder_.Settle();
    Notices(passive_);
    builder_.FetchesAll(1);
    if (unsaid) builder_.Heal();
    Ends();
  }

  void Ends() {
    Asks(active_);
    Asks(passive_);
    if (Lost(passive_)) return;
    const IdRef first = builder_.OneIn(2, "who disconnects first") ? active_ : passive_;
    const IdRef second = first == active_ ? passive_ : active_;
    builder_.Disconnects(first);
    if (builder_.OneIn(4, "asked before it has ended")) Asks(first);
    builder_.Settle();
    Asks(active_);
    Asks(passive_);
    if (Lost(active_)) return;
    builder_.FetchesAll(1);
    builder_.Disconnects(second);
    builder_.Settle();
    Asks(active_);
    Asks(passive_);
    builder_.FetchesAll(1);
    if (builder_.Can(Capability::kTime)) builder_.Pass(Duration::Seconds(4));
    Asks(active_);
    builder_.FetchesAll(2);
  }

  // True when the device of the side is removed at this stop; then nothing follows.
  bool Lost(IdRef id) {
    if (stops_++ != removed_at_) return false;
    Loses(id);
    return true;
  }

  void Loses(IdRef id) {
    if (!builder_.Inject(FaultKind::kRemoveDevice, builder_.names().SideOf(id))) return;
    Asks(id);  // before its kernel id is destroyed, where lines may race
    builder_.SettlesAndFetches(1);
    for (int i = 0; i < 3; ++i) Asks(id);
  }

  void Notices(IdRef id) {
    if (builder_.OneIn(3, "the application notices first")) builder_.Call(call::Notify{id});
  }

  void CallsAndAsks(const Call& call) {
    builder_.Call(call);
    Asks(IdOf(call));
  }

  // Up to two queries, notices, or refusals.
  void Asks(IdRef id) {
    for (uint64_t i = builder_.Below(3, "how much is asked"); i > 0; --i) Ask(id);
  }

  void Ask(IdRef id) {
    switch (builder_.Below(12, "what is asked")) {
      case 0:
        return builder_.Call(Notice(id));
      case 1:
        return builder_.Call(call::SetLocalEce{id, MalformedEce()});
      case 2:
        return builder_.Call(call::GetRemoteEce{id});
      case 3:
        builder_.Call(call::GetSrcPort{id});
        return builder_.Call(call::Show{id});
      case 4:
        builder_.Call(call::GetDstPort{id});
        return builder_.Call(call::Show{id});
      case 5:
        return builder_.Call(LaneOf(builder_.names().SideOf(id)), EventName());
      case 6:
        if (!builder_.OneIn(4, "refuse")) return builder_.Call(Attributes(id));
        return builder_.Call(call::RejectEce{id, PrivateData::Counting(arguments_.DataLength(
                                                     builder_.profile().limits.reject_data))});
      case 7:
        if (!with_qp_) return builder_.Call(Attributes(id));
        return builder_.Call(call::SetLocalEce{id, {.vendor_id = 0x2c9}});
      default:
        return builder_.Call(Attributes(id));
    }
  }

  // The attributes for RTS without a path are not drawn: kernels before the modelled one crash on
  // them.
  call::InitQpAttr Attributes(IdRef id) {
    const uint8_t state =
        builder_.OneOf<uint8_t>({1, 1, 2, 2, 3, 3, 0, 6, 7, 255}, "state of a queue pair");
    const bool pathless = std::ranges::count(migrated_, id) > 0;
    return {id, pathless && state == 3 ? uint8_t{2} : state};
  }

  call::Notify Notice(IdRef id) {
    uint8_t event = builder_.OneOf<uint8_t>(
        {call::Notify::kCommEst, call::Notify::kCommEst, call::Notify::kPathMig, 0, 1, 200},
        "what is noticed");
    const bool fatal = builder_.profile().dialect.unknown_path_is_fatal;
    if (fatal && event == call::Notify::kPathMig) event = call::Notify::kCommEst;
    if (event == call::Notify::kPathMig) migrated_.push_back(id);
    return {id, event};
  }

  EceOptions MalformedEce() {
    if (builder_.OneIn(2, "no vendor")) return {.vendor_id = 0, .options = 1};
    return {.vendor_id = 0x2c9, .options = 1, .comp_mask = 1};
  }

  // Types that the library may know, and numbers without a name.
  call::EventStr EventName() {
    constexpr std::array<uint8_t, 3> kNameless = {20, 99, 255};
    const bool later = builder_.Can(Capability::kLaterCalls);
    const uint64_t named = later ? kEventTypeCount : kFirstEventTypeCount;
    const uint64_t type = builder_.Below(named + kNameless.size(), "type of event");
    return {type < named ? static_cast<uint8_t>(type) : kNameless[type - named]};
  }

  ConversationBuilder& builder_;
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

void AttributesInEveryState(ConversationBuilder& builder) { AttributeWalk(builder).Run(); }

}  // namespace cm
