// The lines of calls that hand out what is to be given back.
#include <fmt/format.h>

#include <algorithm>

#include "model/conversation/line_parser.h"

namespace cm {

Call LineParser::CallOnHeld(CallKind kind, Words& words) {
  const bool info = kind == CallKind::kGetAddrInfo || kind == CallKind::kFreeAddrInfo;
  const std::string_view name = words.Next(info ? "an address info" : "a list of devices");
  if (kind == CallKind::kFreeAddrInfo)
    return call::FreeAddrInfo{KnownHeld(CallKind::kGetAddrInfo, name, words)};
  if (kind == CallKind::kFreeDevices)
    return call::FreeDevices{KnownHeld(CallKind::kGetDevices, name, words)};
  const HeldRef held = NewHeld(name, words);
  if (kind == CallKind::kGetDevices) return call::GetDevices{held};
  return MakeGetAddrInfo(held, words);
}

HeldRef LineParser::NewHeld(std::string_view name, Words& words) {
  if (conversation_->names.held.Find(name))
    words.Complain(fmt::format("{} is handed out twice", name));
  return conversation_->names.held.Intern(name);
}

// What another function has handed out is no name for it; rdma_query_addrinfo hands out the same as
// rdma_getaddrinfo.
HeldRef LineParser::KnownHeld(CallKind maker, std::string_view name, Words& words) {
  const auto held = conversation_->names.held.Find(name);
  const bool made = held && std::ranges::any_of(conversation_->lines, [&](const Line& line) {
                      const auto* calls = std::get_if<line::Calls>(&line);
                      if (calls == nullptr || HeldOf(calls->call) != *held) return false;
                      const CallKind made_by = KindOf(calls->call);
                      const bool queried =
                          made_by == CallKind::kQueryAddrInfo && maker == CallKind::kGetAddrInfo;
                      return made_by == maker || queried;
                    });
  if (!made) words.Complain(fmt::format("{} hands out no {}", FunctionName(maker), name));
  return held.value_or(HeldRef{});
}

call::GetAddrInfo LineParser::MakeGetAddrInfo(HeldRef info, Words& words) {
  call::GetAddrInfo get{.info = info};
  if (const auto node = words.Take("node"))
    get.node = AddressFrom(std::string(*node) + ":0", words);
  const int64_t service = words.Number("service", -1, -1, 65535);
  if (service >= 0) get.service = static_cast<uint16_t>(service);
  if (!words.TakeFlag("nohints")) get.hints = HintsFrom(words);
  return get;
}

Call LineParser::CallOnInfo(CallKind kind, IdRef id, Words& words) {
  if (kind == CallKind::kQueryAddrInfo)
    return call::QueryAddrInfo{id, NewHeld(words.Need("info"), words)};
  if (kind == CallKind::kResolveAddrInfo) {
    const call::GetAddrInfo get = MakeGetAddrInfo({}, words);
    return call::ResolveAddrInfo{id, get.node, get.service, get.hints};
  }
  call::WriteCmEvent write{.id = id};
  write.type = static_cast<uint8_t>(words.Number("event", write.type, 0, 255));
  write.status = words.Signed("status");
  write.argument = words.Bits("argument", ~uint64_t{0});
  return write;
}

AddrHints LineParser::HintsFrom(Words& words) {
  AddrHints hints;
  hints.flags = static_cast<uint32_t>(words.Number("flags", 0, 0, 255));
  hints.family = static_cast<uint8_t>(words.Number("family", 0, 0, 255));
  if (const auto type = words.Take("type")) hints.type = QpTypeFrom(*type, words);
  if (const auto ps = words.Take("ps")) hints.space = PortSpaceFrom(*ps, words);
  if (const auto src = words.Take("src")) hints.source = AddressFrom(*src, words);
  if (const auto dst = words.Take("dst")) hints.destination = AddressFrom(*dst, words);
  return hints;
}

}  // namespace cm
