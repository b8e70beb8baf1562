#include "model/oracle/machine/lookups.h"

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

// AF_IB leaves it open. source: rdma-core 44 addrinfo.c ucma_convert_to_ai
uint8_t AskedFamily(const AddrHints& hints) {
  return hints.family == kIbFamily ? uint8_t{0} : hints.family;
}

void SetLengths(AddrInfoOutput* info) {
  if (info->source.kind != AddressKind::kNone)
    info->source_length = SockaddrLength(info->source.v6);
  if (info->destination.kind != AddressKind::kNone)
    info->destination_length = SockaddrLength(info->destination.v6);
}

AddrInfoOutput Echo(const AddrHints& hints) {
  AddrInfoOutput info{.flags = hints.flags,
                      .family = hints.family,
                      .type = hints.type,
                      .space = hints.space,
                      .source = hints.source,
                      .destination = hints.destination};
  SetLengths(&info);
  return info;
}

// Without a node the address is any or loopback, of the family that the resolver puts first.
AddrInfoOutput InfoFor(const call::GetAddrInfo& get, bool v6) {
  const AddrHints hints = get.hints.value_or(AddrHints{});
  const bool passive = (hints.flags & kPassiveHint) != 0;
  const bool datagrams = DatagramsByType(hints).value_or(DatagramsBySpace(hints).value_or(false));
  Address address = get.node;
  if (address.kind == AddressKind::kNone)
    address = {.kind = passive ? AddressKind::kAny : AddressKind::kLoopback, .v6 = v6};
  address.port = get.service.value_or(0);
  AddrInfoOutput info{.flags = passive ? kPassiveHint : 0, .family = FamilyNumber(address.v6)};
  info.type = hints.type.value_or(datagrams ? QpType::kUd : QpType::kRc);
  info.space = hints.space.value_or(datagrams ? PortSpace::kUdp : PortSpace::kTcp);
  info.source = passive ? address : hints.source;
  if (!passive) info.destination = address;
  SetLengths(&info);
  return info;
}

}  // namespace

call::GetAddrInfo LookupOf(const call::ResolveAddrInfo& resolve) {
  return {.info = {}, .node = resolve.node, .service = resolve.service, .hints = resolve.hints};
}

Guard LookupGuard(const call::GetAddrInfo& get) {
  const bool node = get.node.kind != AddressKind::kNone;
  if (!node && !get.service) return get.hints ? Guard::kHintsAlone : Guard::kNothingAsked;
  if (!get.hints) return Guard::kFine;
  const uint8_t family = AskedFamily(*get.hints);
  if (family != 0 && family != kInetFamily && family != kInet6Family) return Guard::kFamilyForeign;
  const std::optional<bool> by_type = DatagramsByType(*get.hints);
  const std::optional<bool> by_space = DatagramsBySpace(*get.hints);
  if (by_type && by_space && *by_type != *by_space) return Guard::kTypeAgainstSpace;
  if (node && family != 0 && family != FamilyNumber(get.node.v6)) return Guard::kNodeOfOtherFamily;
  return Guard::kFine;
}

std::vector<Output> LookedUp(const call::GetAddrInfo& get) {
  if (LookupGuard(get) == Guard::kHintsAlone) return {Echo(*get.hints)};
  const uint8_t family = get.hints ? AskedFamily(*get.hints) : uint8_t{0};
  std::vector<Output> infos;
  if (family != kInet6Family) infos.emplace_back(InfoFor(get, false));
  if (family == kInet6Family || (family == 0 && get.node.kind == AddressKind::kNone))
    infos.emplace_back(InfoFor(get, true));
  return infos;
}

}  // namespace cm::model
