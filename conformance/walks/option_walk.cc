// Options of ids, set in every state; shared ports; unusual timers.
#include <array>
#include <string_view>

#include "conformance/walks/walks.h"

namespace cm {
namespace {

constexpr uint32_t kOwnPath = 0x2b;   // flags of the path that the kernel requires
constexpr uint32_t kPathRecord = 72;  // struct ib_path_rec_data
constexpr uint32_t kTooLong = (4u << 20) + 1;
constexpr std::array<uint32_t, 5> kTimeouts = {0, 1, 14, 17, 20};

class OptionWalk {
 public:
  explicit OptionWalk(ConversationBuilder& builder)
      : builder_(builder), v6_(builder.OneIn(5, "IPv6")), port_(builder.Port(0)) {}

  void Run() {
    builder_.DoOneOf(this, "what options are about",
                     {{1, &OptionWalk::Alone},
                      {1, &OptionWalk::Searching},
                      {2, &OptionWalk::Sharing},
                      {1, &OptionWalk::Families},
                      {1, &OptionWalk::Path},
                      {4, &OptionWalk::Together}});
  }

 private:
  // Unbound, bound, listening, and without its device.
  void Alone() {
    const uint8_t side = builder_.AnySide();
    const bool datagrams = builder_.OneIn(3, "datagrams");
    const IdRef id = builder_.NewId(side, builder_.ChannelOf(side),
                                    datagrams ? PortSpace::kUdp : PortSpace::kTcp);
    Tries(id);
    builder_.Call(call::BindAddr{id, Somewhere(side)});
    Tries(id);
    builder_.Call(call::Listen{id, 8});
    Tries(id);
    if (!builder_.OneIn(3, "its device goes")) return;
    if (!builder_.Inject(FaultKind::kRemoveDevice, side)) return;
    builder_.SettlesAndFetches(1);
    for (int i = 0; i < 3; ++i) Tries(id);
  }

  // No host answers for the address.
  void Searching() {
    const IdRef id = builder_.NewId(kActiveSide, builder_.ChannelOf(kActiveSide));
    const bool bound = builder_.OneIn(2, "from an address");
    const Address source = bound ? builder_.AddressOf(kActiveSide, 0, v6_) : Address{};
    builder_.Call(call::ResolveAddr{
        id, source, {.kind = AddressKind::kSilent, .v6 = v6_, .port = port_}, 500});
    Tries(id);
    if (builder_.Can(Capability::kTime)) builder_.Pass(Duration::Seconds(2));
    builder_.FetchesAll(1);
    Tries(id);
  }

  // Several ids of a side on one port, some of which share it.
  void Sharing() {
    const uint8_t side = builder_.AnySide();
    std::array<IdRef, 3> ids;
    for (IdRef& id : ids) {
      id = builder_.NewId(side, builder_.ChannelOf(side));
      Reuse(id, 4);
      if (builder_.OneIn(4, "on the way")) {
        const Address source = builder_.AddressOf(side, port_, v6_);
        const Address there = builder_.AddressOf(OtherSide(side), port_, v6_);
        builder_.Call(call::ResolveAddr{id, source, there, 2000});
      } else {
        builder_.Call(call::BindAddr{id, Somewhere(side)});
      }
      if (builder_.OneIn(3, "on second thoughts")) Reuse(id, 2);
      if (builder_.OneIn(4, "listens at once")) builder_.Call(call::Listen{id, 4});
    }
    builder_.Call(call::Listen{ids[builder_.Below(3, "who listens")], 4});
    const uint64_t gone = builder_.Below(3, "who goes");
    builder_.SettlesAndFetches(1);
    builder_.Call(call::DestroyId{ids[gone]});
    builder_.Call(call::Listen{ids[builder_.Below(3, "who listens now")], 4});
    builder_.Calls({call::DestroyId{ids[(gone + 1) % 3]}, call::Listen{ids[(gone + 2) % 3], 4}});
    if (!builder_.OneIn(2, "a connection")) return;
    builder_.Connects(OtherSide(side), port_, true, v6_);
    builder_.SettlesAndFetches(2);
  }

  void Reuse(IdRef id, uint64_t of) {
    if (builder_.OneIn(of, "does not share")) return;
    const uint32_t value = builder_.OneIn(6, "off") ? 0 : 1;
    builder_.Call(call::SetOption{id, kReuseAddrOption, value});
  }

  // Wildcards of both address families on one port, and connections to them.
  void Families() {
    const std::array<bool, 2> order = builder_.OneIn(2, "IPv6 first")
                                          ? std::array<bool, 2>{true, false}
                                          : std::array<bool, 2>{false, true};
    std::array<IdRef, 2> ids;
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = builder_.NewId(kPassiveSide, builder_.ChannelOf(kPassiveSide));
      Only(ids[i]);
      Address address = builder_.AddressOf(kPassiveSide, port_, order[i]);
      if (!builder_.OneIn(4, "an address")) address = Wildcard(port_, order[i]);
      builder_.Call(call::BindAddr{ids[i], address});
      if (builder_.OneIn(3, "on second thoughts")) Only(ids[i]);
    }
    for (const IdRef id : ids)
      if (!builder_.OneIn(4, "does not listen")) builder_.Call(call::Listen{id, 4});
    for (const bool v6 : {false, true}) {
      if (builder_.OneIn(3, "no connection")) continue;
      builder_.Connects(kActiveSide, port_, true, v6);
      builder_.SettlesAndFetches(1);
    }
  }

  void Only(IdRef id) {
    if (builder_.OneIn(3, "as usual")) return;
    const auto value = static_cast<uint32_t>(builder_.Below(2, "its own family alone"));
    builder_.Call(call::SetOption{id, kAfOnlyOption, value});
  }

  // A path set by the application. Its destination is unknown: no connection follows.
  void Path() {
    const ChannelRef channel = builder_.ChannelOf(kActiveSide);
    const IdRef id = builder_.NewId(kActiveSide, channel);
    const bool inside = builder_.OneIn(4, "loopback");
    Address there = builder_.AddressOf(kPassiveSide, port_, v6_);
    if (inside) there = {.kind = AddressKind::kLoopback, .v6 = v6_, .port = port_};
    const call::SetOption path{id, kIbPathOption, kOwnPath,
                               builder_.OneIn(3, "two") ? 2 * kPathRecord : kPathRecord};
    if (builder_.OneIn(4, "too early")) builder_.Call(path);
    builder_.Call(call::ResolveAddr{id, {}, there, 2000});
    if (builder_.OneIn(4, "at once")) builder_.Call(path);
    builder_.Await(kActiveSide);
    Tries(id);
    builder_.Call(path);
    builder_.Await(kActiveSide);
    builder_.Call(call::Show{id});
    builder_.Call(builder_.OneIn(2, "again") ? Call(path) : call::ResolveRoute{id, 2000});
    Tries(id);
  }

  // A connection, perhaps with timers set by options, from the first call to the end of timewait.
  void Together() {
    const IdRef listener = builder_.Listens(kPassiveSide, port_, 8, v6_);
    Tries(listener);
    const ChannelRef channel = builder_.ChannelOf(kActiveSide);
    const IdRef active = builder_.NewId(kActiveSide, channel);
    Patience(active);
    builder_.ResolvesPeer(active, port_, v6_);
    Patience(active);
    builder_.Await(kActiveSide);
    Patience(active);
    builder_.Call(call::ResolveRoute{active, 2000});
    builder_.Await(kActiveSide);
    if (builder_.OneIn(3, "too late")) Patience(active);
    Lose();
    ConnParam param;
    param.private_data = PrivateData::Counting(7);
    builder_.Calls({call::CreateQp{active}, call::Connect{active, param}});
    if (!builder_.OneIn(4, "no answer")) {
      const IdRef passive = builder_.Accepts(kPassiveSide);
      builder_.Settle();
      Tries(passive);
      builder_.FetchesAll(2);
      builder_.Disconnects(active);
      builder_.Settle();
      Tries(active);
      builder_.FetchesAll(1);
      builder_.Disconnects(passive);
    }
    for (int i = 0; i < 3; ++i) {
      builder_.SettlesAndFetches(1);
      if (builder_.Can(Capability::kTime))
        builder_.Pass(builder_.OneIn(2, "long") ? Duration::Seconds(150)
                                                : Duration::Milliseconds(700));
    }
    builder_.FetchesAll(1);
  }

  void Patience(IdRef id) {
    if (builder_.OneIn(2, "as it is")) return;
    const uint32_t value = kTimeouts[builder_.Below(kTimeouts.size(), "how patient")];
    builder_.Call(call::SetOption{id, kAckTimeoutOption, value, 1});
  }

  void Lose() {
    if (!builder_.Can(Capability::kTime) || !builder_.OneIn(4, "something is lost")) return;
    builder_.LosesOneOf({MadKind::kReq, MadKind::kRep, MadKind::kDreq});
  }

  Address Somewhere(uint8_t side) {
    if (builder_.OneIn(4, "wildcard")) return Wildcard(port_, v6_);
    return builder_.AddressOf(side, port_, v6_);
  }

  // Up to two options, without effect on a connection.
  void Tries(IdRef id) {
    for (uint64_t i = builder_.Below(3, "how many options"); i > 0; --i) builder_.Call(Option(id));
  }

  call::SetOption Option(IdRef id) {
    constexpr std::array<IdOption, 5> kUnknown = {{{0, 4}, {0, -1}, {1, 2}, {1, 0}, {7, 3}}};
    const auto drawn = [this](uint64_t bound, std::string_view what) {
      return static_cast<uint32_t>(builder_.Below(bound, what));
    };
    const uint64_t which = builder_.Below(9, "which option");
    const uint32_t value = drawn(256, "its value");
    if (which == 0) return {id, kTosOption, value, 1};
    if (which == 1) return {id, kReuseAddrOption, value % 2};
    if (which == 2) return {id, kAfOnlyOption, value % 2};
    if (which == 3) return {id, kAckTimeoutOption, kTimeouts[value % kTimeouts.size()], 1};
    if (which == 4) return {id, kUnknown[value % kUnknown.size()], 1, drawn(9, "length")};
    if (which == 5) return {id, kIbPathOption, kOwnPath - value % 2, Around(kPathRecord)};
    if (which == 6) return {id, kReuseAddrOption, 1, kTooLong};
    if (which == 7) return {id, value % 2 == 0 ? kTosOption : kAckTimeoutOption, 14, Around(1)};
    return {id, value % 2 == 0 ? kAfOnlyOption : kReuseAddrOption, 1, Around(4)};
  }

  // A length other than the option's.
  uint32_t Around(uint32_t length) {
    return builder_.OneOf<uint32_t>({0, length - 1, length + 1, 8}, "length");
  }

  ConversationBuilder& builder_;
  const bool v6_;
  const uint16_t port_;
};

}  // namespace

void OptionsInEveryState(ConversationBuilder& builder) { OptionWalk(builder).Run(); }

}  // namespace cm
