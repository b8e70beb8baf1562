// The lines of calls beside the making and ending of plain connections.
#include <fmt/format.h>

#include <limits>

#include "model/conversation/line_parser.h"

namespace cm {
namespace {

uint8_t Byte(Words& words, std::string_view key, int64_t fallback) {
  return static_cast<uint8_t>(words.Number(key, fallback, 0, 255));
}

uint32_t Unsigned(Words& words, std::string_view key, int64_t fallback) {
  return static_cast<uint32_t>(
      words.Number(key, fallback, 0, std::numeric_limits<uint32_t>::max()));
}

EceOptions EceFrom(Words& words) {
  EceOptions ece;
  ece.vendor_id = Unsigned(words, "vendor_id", 0);
  ece.options = Unsigned(words, "options", 0);
  ece.comp_mask = Unsigned(words, "comp_mask", 0);
  return ece;
}

uint16_t ContextFrom(Words& words) {
  return static_cast<uint16_t>(words.Number("context", 0, 0, 65535));
}

}  // namespace

uint8_t LineParser::TypeNumber(Words& words) {
  const std::string_view text = words.Next("the number of an event type");
  uint8_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last)
    words.Complain(fmt::format("\"{}\": a number from 0 to 255 is wanted", text));
  return number;
}

Call LineParser::MakeCreateEp(std::string_view name, Words& words) {
  call::CreateEp ep{.id = NewId(name, words)};
  if (const auto src = words.Take("src")) ep.source = AddressFrom(*src, words);
  if (const auto dst = words.Take("dst")) ep.destination = AddressFrom(*dst, words);
  ep.passive = words.TakeFlag("passive");
  ep.with_qp = words.TakeFlag("qp");
  if (const auto ps = words.Take("ps")) ep.space = PortSpaceFrom(*ps, words);
  if (const auto type = words.Take("type")) ep.type = QpTypeFrom(*type, words);
  return ep;
}

Call LineParser::CallOnGroup(CallKind kind, IdRef id, Words& words) {
  const Address address = AddressFrom(words.Need("addr"), words);
  if (kind == CallKind::kLeaveMulticast) return call::LeaveMulticast{id, address};
  const uint16_t context = ContextFrom(words);
  if (kind == CallKind::kJoinMulticast) return call::JoinMulticast{id, address, context};
  const call::JoinMulticastEx plain;
  const uint32_t flags = Unsigned(words, "flags", plain.flags);
  return call::JoinMulticastEx{id, address, context, flags,
                               Unsigned(words, "comp_mask", plain.comp_mask)};
}

PortSpace LineParser::PortSpaceFrom(std::string_view text, Words& words) {
  const std::optional<PortSpace> space = ParsePortSpace(text);
  if (!space) words.Complain(fmt::format("ps={}: RDMA_PS_TCP is wanted", text));
  return space.value_or(PortSpace::kTcp);
}

QpType LineParser::QpTypeFrom(std::string_view text, Words& words) {
  const std::optional<QpType> type = ParseQpType(text);
  if (!type) words.Complain(fmt::format("type={}: RC, UC or UD is wanted", text));
  return type.value_or(QpType::kRc);
}

Call LineParser::LaterCallOnId(CallKind kind, IdRef id, Words& words) {
  switch (kind) {
    case CallKind::kShowEvent:
      return call::ShowEvent{id};
    case CallKind::kNotify:
      return call::Notify{id, Byte(words, "event", call::Notify::kCommEst)};
    case CallKind::kInitQpAttr:
      return call::InitQpAttr{id, Byte(words, "state", 1)};
    case CallKind::kSetLocalEce:
      return call::SetLocalEce{id, EceFrom(words)};
    case CallKind::kGetRemoteEce:
      return call::GetRemoteEce{id};
    case CallKind::kRejectEce:
      return call::RejectEce{id, PrivateFrom(words)};
    case CallKind::kGetSrcPort:
      return call::GetSrcPort{id};
    case CallKind::kGetDstPort:
      return call::GetDstPort{id};
    case CallKind::kSetOption: {
      const std::string_view text = words.Need("option");
      const std::optional<IdOption> option = ParseIdOption(text);
      if (!option)
        words.Complain(fmt::format(
            "option={}: TOS, REUSEADDR, AFONLY, ACK_TIMEOUT, IB_PATH or LEVEL/NAME is wanted",
            text));
      const uint32_t value = Unsigned(words, "value", 0);
      return call::SetOption{id, option.value_or(IdOption{}), value,
                             Unsigned(words, "length", call::SetOption{}.length)};
    }
    case CallKind::kMigrateId:
      return call::MigrateId{id, ChannelOrNull(words.Need("to"), words)};
    case CallKind::kGetRequest:
      return call::GetRequest{id, NewId(words.Need("id"), words)};
    case CallKind::kJoinMulticast:
    case CallKind::kJoinMulticastEx:
    case CallKind::kLeaveMulticast:
      return CallOnGroup(kind, id, words);
    case CallKind::kResolveAddrInfo:
    case CallKind::kQueryAddrInfo:
    case CallKind::kWriteCmEvent:
      return CallOnInfo(kind, id, words);
    default:
      return call::DestroyEp{id};
  }
}

}  // namespace cm
