// Guards of binding and of resolving.
#ifndef MODEL_ORACLE_ADDRESS_GUARDS_H_
#define MODEL_ORACLE_ADDRESS_GUARDS_H_

#include <array>
#include <optional>
#include <variant>

#include "model/oracle/guard_row.h"
#include "model/oracle/guards.h"

namespace cm::model::guards {

inline bool Unsupported(const Address& address) {
  return address.kind == AddressKind::kNone || address.kind == AddressKind::kBadFamily;
}

// Of the calls on groups.
inline const Address* MemberAddressOf(const Call& call) {
  if (const auto* join = std::get_if<call::JoinMulticast>(&call)) return &join->address;
  if (const auto* join = std::get_if<call::JoinMulticastEx>(&call)) return &join->address;
  if (const auto* leave = std::get_if<call::LeaveMulticast>(&call)) return &leave->address;
  return nullptr;
}

inline Tri FamilyUnsupported(const Situation& s) {
  if (const Address* address = MemberAddressOf(s.call)) return Of(Unsupported(*address));
  if (const auto* bind = std::get_if<call::BindAddr>(&s.call))
    return Of(Unsupported(bind->address));
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  return Of(Unsupported(resolve.destination) || resolve.source.kind == AddressKind::kBadFamily);
}

// An interface of the kernel has the address, and answers for it.
inline bool IsThere(const Situation& s, const Address& wanted) {
  const uint8_t device = s.knowledge.LocalDevice(wanted, s.info.kernel);
  return device != kNoDevice && (!wanted.v6 || s.surroundings.LinkUp(device));
}

inline Tri AddressNotLocal(const Situation& s) {
  const Address wanted = AddressWantedBy(s.call);
  if (wanted.AnyOrLoopback() || s.info.interface != kNoDevice) return Tri::kNo;
  return Of(!IsThere(s, wanted));
}

inline Tri InterfaceDiffers(const Situation& s) {
  const Address wanted = AddressWantedBy(s.call);
  if (wanted.AnyOrLoopback() || s.info.interface == kNoDevice) return Tri::kNo;
  const bool same = s.info.interface == s.knowledge.LocalDevice(wanted, s.info.kernel);
  return Of(!same || !IsThere(s, wanted));
}

inline Tri DeviceGone(const Situation& s) {
  const Address wanted = AddressWantedBy(s.call);
  if (wanted.AnyOrLoopback()) return Tri::kNo;
  const uint8_t device = s.knowledge.LocalDevice(wanted, s.info.kernel);
  if (device == kNoDevice) return Tri::kNo;
  const Tri registered = s.surroundings.Registered(device, s.window);
  return registered == Tri::kMaybe ? Tri::kMaybe : Of(registered == Tri::kNo);
}

inline Tri FamiliesDiffer(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  if (s.id.state != State::kIdle) return Of(s.info.bound.v6 != resolve.destination.v6);
  return Of(resolve.source.kind != AddressKind::kNone &&
            resolve.source.v6 != resolve.destination.v6);
}

inline Tri NoRoute(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  if (resolve.destination.AnyOrLoopback()) return Tri::kNo;
  IdInfo bound = s.info;
  if (s.id.state == State::kIdle) {
    const uint8_t device = s.knowledge.LocalDevice(resolve.source, s.info.kernel);
    if (device != kNoDevice) bound.interface = device;
  }
  const std::optional<uint8_t> interface = s.knowledge.RouteTo(bound, resolve.destination);
  if (!interface) return Tri::kYes;
  const bool to_itself = s.knowledge.LocalDevice(resolve.destination, s.info.kernel) == *interface;
  return Of(!to_itself && !s.surroundings.LinkUp(*interface));
}

// IPv4 loopback leads to addresses of the same kernel, and nowhere else.
// source: linux 6.1 route.c ip_route_output_key_hash_rcu
inline Tri FromLoopback(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  const Address& source = s.id.state == State::kIdle ? resolve.source : s.info.bound;
  if (source.kind != AddressKind::kLoopback || source.v6 || resolve.destination.AnyOrLoopback())
    return Tri::kNo;
  // What no route leads to is refused for that, unless an interface is known.
  return Of(s.knowledge.LocalDevice(resolve.destination, s.info.kernel) == kNoDevice &&
            (resolve.destination.kind == AddressKind::kSide ||
             resolve.destination.kind == AddressKind::kSilent || s.info.interface != kNoDevice));
}

inline Tri NoDeviceAtAll(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  if (!resolve.destination.AnyOrLoopback() || s.id.device != kNoDevice) return Tri::kNo;
  if (s.id.state == State::kIdle && !AddressWantedBy(s.call).AnyOrLoopback()) return Tri::kNo;
  Tri none = Tri::kYes;
  for (uint8_t device = 0; device < s.knowledge.topology().devices.size(); ++device) {
    if (s.knowledge.KernelOf(device) != s.info.kernel) continue;
    const Tri registered = s.surroundings.Registered(device, s.window);
    if (registered == Tri::kYes) return Tri::kNo;
    if (registered == Tri::kMaybe) none = Tri::kMaybe;
  }
  return none;
}

inline Tri NoInterface(const Situation& s) {
  const auto* set = std::get_if<call::SetOption>(&s.call);
  return Of((set == nullptr || set->option == kIbPathOption) && s.info.interface == kNoDevice);
}

inline Tri NoKeys(const Situation& s) {
  const bool loopback = std::get<call::ResolveAddr>(s.call).destination.AnyOrLoopback();
  const bool binds = s.id.state == State::kIdle && !AddressWantedBy(s.call).AnyOrLoopback();
  return Of(loopback && s.id.device == kNoDevice && !binds);
}

inline Tri OtherLink(const Situation& s) {
  return Of(s.info.space == PortSpace::kIpoib && !AddressWantedBy(s.call).AnyOrLoopback());
}

inline constexpr auto kOfAddresses = std::to_array<GuardRow>({
    {Guard::kFamilyUnsupported, FamilyUnsupported},
    {Guard::kAddressNotLocal, AddressNotLocal},
    {Guard::kInterfaceDiffers, InterfaceDiffers},
    {Guard::kDeviceGone, DeviceGone},
    {Guard::kOtherLink, OtherLink},
    {Guard::kPortInUse, [](const Situation& s) { return s.clash.same_address; }},
    {Guard::kPortInUseByWildcard, [](const Situation& s) { return s.clash.wildcard; }},
    {Guard::kFamiliesDiffer, FamiliesDiffer},
    {Guard::kFromLoopback, FromLoopback},
    {Guard::kNoRoute, NoRoute},
    {Guard::kNoDeviceAtAll, NoDeviceAtAll},
    {Guard::kNoInterface, NoInterface},
    {Guard::kNoKeys, NoKeys},
    {Guard::kTimeoutZero,
     [](const Situation& s) { return Of(std::get<call::ResolveRoute>(s.call).timeout_ms == 0); }},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_ADDRESS_GUARDS_H_
