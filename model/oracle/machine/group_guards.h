// Guards of joining groups and of leaving them.
#ifndef MODEL_ORACLE_MACHINE_GROUP_GUARDS_H_
#define MODEL_ORACLE_MACHINE_GROUP_GUARDS_H_

#include <array>
#include <variant>

#include "model/oracle/machine/address_guards.h"
#include "model/oracle/machine/guard_row.h"

namespace cm::model::guards {

inline Certainty MaskIncomplete(const Situation& s) {
  const auto& join = std::get<call::JoinMulticastEx>(s.call);
  constexpr uint32_t kBoth = call::JoinMulticastEx::kHasAddress | call::JoinMulticastEx::kHasFlags;
  return Of((join.comp_mask & kBoth) != kBoth || join.flags > call::JoinMulticastEx::kSendOnly);
}

inline Certainty GroupUnacked(const Situation& s) {
  const uint16_t membership = s.info.JoinedAs(*MemberAddressOf(s.call));
  const bool retained = s.id.retained && s.id.retained->payload != kNoPayload &&
                        s.facts.payloads[s.id.retained->payload].membership == membership;
  const Membership& left = s.info.memberships[membership - 1];
  if (left.blurred && s.info.unacked > 0) return Certainty::kMaybe;
  return Of(retained || left.unacked > 0);
}

inline constexpr auto kOfGroups = std::to_array<GuardRow>({
    {Guard::kMaskUnknown,
     [](const Situation& s) { return Of(std::get<call::JoinMulticastEx>(s.call).comp_mask > 3); }},
    {Guard::kMaskIncomplete, MaskIncomplete},
    {Guard::kNotDatagram, [](const Situation& s) { return Of(!s.datagram()); }},
    {Guard::kAddressZero,
     [](const Situation& s) { return Of(MemberAddressOf(s.call)->kind == AddressKind::kAny); }},
    {Guard::kGroupV6, [](const Situation& s) { return Of(MemberAddressOf(s.call)->v6); }},
    // No fault takes an address away; with a link that is down its GID stays.
    {Guard::kGidGone, [](const Situation& /*any*/) { return Certainty::kNo; }},
    {Guard::kNotJoined,
     [](const Situation& s) { return Of(s.info.JoinedAs(*MemberAddressOf(s.call)) == 0); }},
    {Guard::kGroupUnacked, GroupUnacked},
    {Guard::kNoBroadcast, [](const Situation& s) { return Of(s.info.interface == kNoDevice); }},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_MACHINE_GROUP_GUARDS_H_
