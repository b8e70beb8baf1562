#include "conformance/walks/arguments.h"

#include <array>

namespace cm {
namespace {

constexpr std::array kFamilies = {uint8_t{0}, kInetFamily, kInet6Family, uint8_t{99}};
constexpr std::array kTypes = {QpType::kRc, QpType::kUc, QpType::kUd};
constexpr std::array kSpaces = {PortSpace::kTcp, PortSpace::kUdp, PortSpace::kIb,
                                PortSpace::kIpoib};

}  // namespace

int32_t Arguments::Backlog() { return builder_.OneOf<int32_t>({8, 8, 8, 1, 2, 0}, "backlog"); }

int32_t Arguments::ResolveTimeout() {
  return builder_.OneOf<int32_t>({2000, 2000, 500, 1000}, "time-out");
}

uint16_t Arguments::Port() {
  return builder_.Port(static_cast<int>(builder_.Below(3, "which port")));
}

Address Arguments::OddAddress(uint16_t port) {
  Address address{
      .kind = builder_.OneOf(
          {AddressKind::kNone, AddressKind::kAny, AddressKind::kLoopback, AddressKind::kForeign,
           AddressKind::kUnroutable, AddressKind::kSilent, AddressKind::kBadFamily},
          "kind of address"),
      .port = port};
  const bool has_family =
      address.kind != AddressKind::kNone && address.kind != AddressKind::kBadFamily;
  if (has_family && builder_.OneIn(4, "IPv6 address")) address.v6 = true;
  if (address.kind == AddressKind::kBadFamily) {
    address.port = 0;
    address.family = builder_.OneIn(2, "family") ? 0 : 99;
  }
  if (address.kind == AddressKind::kNone) address.port = 0;
  return address;
}

Address Arguments::BindAddress(uint8_t side) {
  const uint16_t port = builder_.OneIn(4, "any port") ? uint16_t{0} : Port();
  if (builder_.OneIn(2, "an odd address")) {
    const Address odd = OddAddress(port);
    const uint8_t other = OtherSide(side);
    return odd.kind == AddressKind::kSilent ? builder_.AddressOf(other, port) : odd;
  }
  return builder_.AddressOf(side, port, v6_);
}

uint8_t Arguments::DataLength(uint8_t limit) {
  const auto one_more = static_cast<uint8_t>(limit + 1);
  return builder_.OneOf<uint8_t>({0, 0, 1, 20, 55, limit, limit, one_more, 255},
                                 "private data length");
}

uint8_t Arguments::Depth() {
  return builder_.OneOf<uint8_t>({1, 1, 1, 2, 16, 0, 128, 255}, "depth");
}

std::optional<ConnParam> Arguments::Param(IdRef id) {
  constexpr uint8_t kTooDeep = 200;
  const bool has_qp = builder_.model().id(id).has_qp;
  if (has_qp && builder_.OneIn(12, "null parameters")) return std::nullopt;
  ConnParam param;
  param.responder_resources = Depth();
  param.initiator_depth = Depth();
  if (builder_.OneIn(16, "a depth too large")) param.responder_resources = kTooDeep;
  if (builder_.OneIn(4, "odd retry counts")) {
    param.retry_count = static_cast<uint8_t>(builder_.Below(10, "retry count"));
    param.rnr_retry_count = static_cast<uint8_t>(builder_.Below(10, "RNR retry count"));
    param.flow_control = static_cast<uint8_t>(builder_.Below(2, "flow control"));
  }
  if (!has_qp) {
    param.srq = static_cast<uint8_t>(builder_.Below(2, "srq"));
    param.qp_num = builder_.FreshQpNumber();
    if (last_qp_number_ != 0 && builder_.OneIn(6, "a QP number again"))
      param.qp_num = last_qp_number_;
    last_qp_number_ = param.qp_num;
  }
  const bool passive = builder_.model().id(id).phase == Phase::kPending;
  const Limits& limits = builder_.profile().limits;
  const uint8_t length = DataLength(passive ? limits.reply_data : limits.request_data);
  param.private_data = PrivateData::Counting(length);
  return param;
}

std::optional<ConnParam> Arguments::AcceptParam(IdRef id, const ExpectedId& expected) {
  std::optional<ConnParam> param = Param(id);
  if (!param && !expected.has_qp && !builder_.Can(Capability::kCrashes)) param = ConnParam{};
  return param;
}

AddrHints SomeHints(ConversationBuilder& builder) {
  AddrHints hints;
  // One draw for each of the four flags.
  hints.flags = static_cast<uint32_t>(builder.Below(16, "which flags"));
  if (builder.OneIn(3, "a family"))
    hints.family = kFamilies[builder.Below(kFamilies.size(), "which family")];
  if (builder.OneIn(3, "a type")) hints.type = kTypes[builder.Below(kTypes.size(), "type")];
  if (builder.OneIn(3, "a port space"))
    hints.space = kSpaces[builder.Below(kSpaces.size(), "which port space")];
  const bool v6 = builder.OneIn(4, "hints of IPv6");
  if (builder.OneIn(3, "a source among the hints"))
    hints.source = builder.AddressOf(kActiveSide, builder.Port(4), v6);
  if (builder.OneIn(4, "a destination among the hints"))
    hints.destination = builder.AddressOf(kPassiveSide, builder.Port(0), v6);
  return hints;
}

Address SomeNode(ConversationBuilder& builder) {
  const bool v6 = builder.OneIn(3, "a node of IPv6");
  const uint64_t what = builder.Below(6, "which node");
  if (what == 0) return {};
  if (what == 1) return {.kind = AddressKind::kAny, .v6 = v6};
  if (what == 2) return {.kind = AddressKind::kLoopback, .v6 = v6};
  return builder.AddressOf(builder.AnySide(), 0, v6);
}

}  // namespace cm
