// Guards of binding and of resolving.
#ifndef MODEL_ORACLE_MACHINE_ADDRESS_GUARDS_H_
#define MODEL_ORACLE_MACHINE_ADDRESS_GUARDS_H_

#include <array>
#include <optional>
#include <variant>

#include "model/oracle/machine/guard_row.h"
#include "model/oracle/machine/guards.h"

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

inline Certainty FamilyUnsupported(const Situation& s) {
  if (const Address* address = MemberAddressOf(s.call)) return Of(Unsupported(*address));
  if (const auto* bind = std::get_if<call::BindAddr>(&s.call))
    return Of(Unsupported(bind->address));
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  return Of(Unsupported(resolve.destination) || resolve.source.kind == AddressKind::kBadFamily);
}

// An interface of the kernel has the address, and answers for it.
inline bool IsThere(const Situation& s, const Address& wanted) {
  const uint8_t device = s.facts.LocalDevice(wanted, s.info.kernel);
  return device != kNoDevice && (!wanted.v6 || s.fault_model.carriers().IsUp(device));
}

inline Certainty AddressNotLocal(const Situation& s) {
  const Address wanted = AddressWantedBy(s.call);
  if (wanted.AnyOrLoopback() || s.info.interface != kNoDevice) return Certainty::kNo;
  return Of(!IsThere(s, wanted));
}

inline Certainty InterfaceDiffers(const Situation& s) {
  const Address wanted = AddressWantedBy(s.call);
  if (wanted.AnyOrLoopback() || s.info.interface == kNoDevice) return Certainty::kNo;
  const bool same = s.info.interface == s.facts.LocalDevice(wanted, s.info.kernel);
  return Of(!same || !IsThere(s, wanted));
}

inline Certainty DeviceGone(const Situation& s) {
  const Address wanted = AddressWantedBy(s.call);
  if (wanted.AnyOrLoopback()) return Certainty::kNo;
  const uint8_t device = s.facts.LocalDevice(wanted, s.info.kernel);
  if (device == kNoDevice) return Certainty::kNo;
  const Certainty registered = s.fault_model.Registered(device, s.window);
  return registered == Certainty::kMaybe ? Certainty::kMaybe : Of(registered == Certainty::kNo);
}

inline Certainty FamiliesDiffer(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  if (s.id.state != State::kIdle) return Of(s.info.bound.v6 != resolve.destination.v6);
  return Of(resolve.source.kind != AddressKind::kNone &&
            resolve.source.v6 != resolve.destination.v6);
}

inline Certainty NoRoute(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  if (resolve.destination.AnyOrLoopback()) return Certainty::kNo;
  uint8_t from = s.info.interface;
  if (s.id.state == State::kIdle) {
    const uint8_t device = s.facts.LocalDevice(resolve.source, s.info.kernel);
    if (device != kNoDevice) from = device;
  }
  const std::optional<uint8_t> interface =
      s.facts.RouteTo(s.info.kernel, from, resolve.destination);
  if (!interface) return Certainty::kYes;
  const bool to_itself = s.facts.LocalDevice(resolve.destination, s.info.kernel) == *interface;
  return Of(!to_itself && !s.fault_model.carriers().IsUp(*interface));
}

// IPv4 loopback leads to addresses of the same kernel, and nowhere else.
// source: linux 6.1 route.c ip_route_output_key_hash_rcu
inline Certainty FromLoopback(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  const Address& source = s.id.state == State::kIdle ? resolve.source : s.info.bound;
  if (source.kind != AddressKind::kLoopback || source.v6 || resolve.destination.AnyOrLoopback())
    return Certainty::kNo;
  // What no route leads to is refused for that, unless an interface is known.
  return Of(s.facts.LocalDevice(resolve.destination, s.info.kernel) == kNoDevice &&
            (resolve.destination.kind == AddressKind::kSide ||
             resolve.destination.kind == AddressKind::kSilent || s.info.interface != kNoDevice));
}

inline Certainty NoDeviceAtAll(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddr>(s.call);
  if (!resolve.destination.AnyOrLoopback() || s.id.device != kNoDevice) return Certainty::kNo;
  if (s.id.state == State::kIdle && !AddressWantedBy(s.call).AnyOrLoopback()) return Certainty::kNo;
  Certainty none = Certainty::kYes;
  for (uint8_t device = 0; device < s.facts.topology().devices.size(); ++device) {
    if (s.facts.KernelOf(device) != s.info.kernel) continue;
    const Certainty registered = s.fault_model.Registered(device, s.window);
    if (registered == Certainty::kYes) return Certainty::kNo;
    if (registered == Certainty::kMaybe) none = Certainty::kMaybe;
  }
  return none;
}

inline Certainty NoInterface(const Situation& s) {
  const auto* set = std::get_if<call::SetOption>(&s.call);
  return Of((set == nullptr || set->option == kIbPathOption) && s.info.interface == kNoDevice);
}

inline Certainty NoKeys(const Situation& s) {
  const bool loopback = std::get<call::ResolveAddr>(s.call).destination.AnyOrLoopback();
  const bool binds = s.id.state == State::kIdle && !AddressWantedBy(s.call).AnyOrLoopback();
  return Of(loopback && s.id.device == kNoDevice && !binds);
}

inline Certainty OtherLink(const Situation& s) {
  return Of(s.info.space == PortSpace::kIpoib && !AddressWantedBy(s.call).AnyOrLoopback());
}

inline Certainty TimeoutZero(const Situation& s) {
  return Of(std::get<call::ResolveRoute>(s.call).timeout_ms == 0 &&
            !s.facts.profile().dialect.route_timeout_may_be_zero);
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
    {Guard::kTimeoutZero, TimeoutZero},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_MACHINE_ADDRESS_GUARDS_H_
