// What the library hands out and wants back: address infos and lists of devices.
#include <algorithm>
#include <utility>
#include <vector>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// Whether what the hints want is exchanged by datagrams; empty where they leave that open.
std::optional<bool> DatagramsByType(const AddrHints& hints) {
  if (!hints.type) return std::nullopt;
  return *hints.type == QpType::kUd;
}
std::optional<bool> DatagramsBySpace(const AddrHints& hints) {
  if (!hints.space || *hints.space == PortSpace::kIb) return std::nullopt;
  return IsDatagram(*hints.space);
}

Guard GuardOf(const call::GetAddrInfo& get) {
  const bool node = get.node.kind != AddressKind::kNone;
  if (!node && !get.service) return get.hints ? Guard::kHintsAlone : Guard::kNothingAsked;
  if (!get.hints) return Guard::kFine;
  const uint8_t family = get.hints->family;
  if (family != 0 && family != kInetFamily && family != kInet6Family) return Guard::kFamilyForeign;
  const std::optional<bool> by_type = DatagramsByType(*get.hints);
  const std::optional<bool> by_space = DatagramsBySpace(*get.hints);
  if (by_type && by_space && *by_type != *by_space) return Guard::kTypeAgainstSpace;
  if (node && family != 0 && family != FamilyNumber(get.node.v6)) return Guard::kNodeOfOtherFamily;
  return Guard::kFine;
}

void SetLengths(AddrInfoHanded* info) {
  if (info->source.kind != AddressKind::kNone)
    info->source_length = SockaddrLength(info->source.v6);
  if (info->destination.kind != AddressKind::kNone)
    info->destination_length = SockaddrLength(info->destination.v6);
}

AddrInfoHanded Echo(const AddrHints& hints) {
  AddrInfoHanded info{.flags = hints.flags,
                      .family = hints.family,
                      .type = hints.type,
                      .space = hints.space,
                      .source = hints.source,
                      .destination = hints.destination};
  SetLengths(&info);
  return info;
}

// Without a node the address is any or loopback, of the family that the resolver puts first.
AddrInfoHanded Found(const call::GetAddrInfo& get, bool v6) {
  const AddrHints hints = get.hints.value_or(AddrHints{});
  const bool passive = (hints.flags & kPassiveHint) != 0;
  const bool datagrams = DatagramsByType(hints).value_or(DatagramsBySpace(hints).value_or(false));
  Address address = get.node;
  if (address.kind == AddressKind::kNone)
    address = {.kind = passive ? AddressKind::kAny : AddressKind::kLoopback, .v6 = v6};
  address.port = get.service.value_or(0);
  AddrInfoHanded info{.flags = passive ? kPassiveHint : 0, .family = FamilyNumber(address.v6)};
  info.type = hints.type.value_or(datagrams ? QpType::kUd : QpType::kRc);
  info.space = hints.space.value_or(datagrams ? PortSpace::kUdp : PortSpace::kTcp);
  info.source = passive ? address : hints.source;
  if (!passive) info.destination = address;
  SetLengths(&info);
  return info;
}

std::vector<HandedOut> InfosFor(const call::GetAddrInfo& get) {
  if (GuardOf(get) == Guard::kHintsAlone) return {Echo(*get.hints)};
  const uint8_t family = get.hints ? get.hints->family : uint8_t{0};
  std::vector<HandedOut> infos;
  if (family != kInet6Family) infos.emplace_back(Found(get, false));
  if (family == kInet6Family || (family == 0 && get.node.kind == AddressKind::kNone))
    infos.emplace_back(Found(get, true));
  return infos;
}

}  // namespace

// Devices that are there for certain, and those that may be.
std::pair<uint32_t, uint32_t> Oracle::DevicesOf(uint8_t side, const Window& window) const {
  const Topology& topology = knowledge_.topology();
  uint32_t certain = 0;
  uint32_t possible = 0;
  for (uint8_t device = 0; device < topology.devices.size(); ++device) {
    if (knowledge_.KernelOf(device) != topology.KernelOf(side)) continue;
    const Tri registered = surroundings_.Registered(device, window);
    if (registered == Tri::kYes) certain |= 1U << device;
    if (registered != Tri::kNo) possible |= 1U << device;
  }
  return {certain, possible};
}

// What may be handed out; a list of devices that the topology does not name is nobody's business.
std::vector<HandedOut> Oracle::HandedBy(const Call& call, uint8_t side, const Window& window,
                                        const std::optional<HandedOut>& seen) const {
  if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) return InfosFor(*get);
  const auto [certain, possible] = DevicesOf(side, window);
  const auto* devices = seen ? std::get_if<DevicesHanded>(&*seen) : nullptr;
  if (devices != nullptr) {
    const bool fits = (devices->known & certain) == certain && (devices->known & ~possible) == 0;
    if (devices->unknown > 0 || (fits && devices->known != 0)) return {*seen};
  }
  return {DevicesHanded{.known = possible}};
}

Judgement Oracle::ObserveHeld(const Record& record, Lane lane, const Call& call,
                              const seen::Answered& answered) {
  const Window window = WindowOf(record);
  Judgement judgement{.saw = ToString(answered.reply)};
  if (answered.handed) judgement.saw += " " + ToString(*answered.handed, knowledge_.topology());
  std::vector<Guard> guards{Guard::kFine};
  if (const auto* get = std::get_if<call::GetAddrInfo>(&call)) {
    guards = {GuardOf(*get)};
  } else if (std::holds_alternative<call::GetDevices>(call)) {
    const auto [certain, possible] = DevicesOf(lane.side, window);
    if (certain == 0) guards.push_back(Guard::kNoDeviceAtAll);
    if (possible == 0) guards = {Guard::kNoDeviceAtAll};
  }
  bool fits = answered.reply.kind == ReplyKind::kUnseen;
  for (const CallRule& rule : rules::kCalls) {
    if (rule.on != KindOf(call) ||
        std::ranges::none_of(guards, [&](Guard guard) { return rule.when.Has(guard); }))
      continue;
    Permit(&judgement.permitted, rule, Text(rule.outcome));
    if (!Fits(rule.outcome, answered.reply)) continue;
    fits = true;
    judgement.certain.set(NumberOf(&rule));
  }
  const bool hands = answered.reply.succeeded() && !ReturnsVoid(KindOf(call));
  if (fits && hands) {
    const std::vector<HandedOut> expected = HandedBy(call, lane.side, window, answered.handed);
    fits = answered.handed && std::ranges::find(expected, *answered.handed) != expected.end();
    if (!fits) judgement.permitted.clear();
    for (const HandedOut& one : expected)
      if (!fits)
        judgement.permitted.push_back(
            {.what = "0 " + ToString(one, knowledge_.topology()), .source = "what was asked for"});
  }
  if (!fits) judgement.verdict = Verdict::kRefused;
  return judgement;
}

}  // namespace cm::model
