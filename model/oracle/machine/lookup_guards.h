// Guards of looking addresses up, and of the other calls of the library's map 1.4.
#ifndef MODEL_ORACLE_MACHINE_LOOKUP_GUARDS_H_
#define MODEL_ORACLE_MACHINE_LOOKUP_GUARDS_H_

#include <array>
#include <variant>

#include "model/oracle/machine/guard_row.h"
#include "model/oracle/machine/lookups.h"

namespace cm::model::guards {

inline uint32_t HintsOf(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddrInfo>(s.call);
  return resolve.hints ? resolve.hints->flags : 0;
}

inline Certainty TwoWaysAsked(const Situation& s) {
  const auto& resolve = std::get<call::ResolveAddrInfo>(s.call);
  const bool other = resolve.node.kind != AddressKind::kNone || (HintsOf(s) & kResolverHint) != 0;
  return Of((HintsOf(s) & kServiceRecordsHint) != 0 && other);
}

template <Guard kGuard>
Certainty StopsLookup(const Situation& s) {
  const auto* get = std::get_if<call::GetAddrInfo>(&s.call);
  const Guard stops =
      LookupGuard(get != nullptr ? *get : LookupOf(std::get<call::ResolveAddrInfo>(s.call)));
  return Of(stops == kGuard);
}

inline Certainty NotUserEvent(const Situation& s) {
  const auto& write = std::get<call::WriteCmEvent>(s.call);
  return Of(write.type != static_cast<uint8_t>(EventType::kUser));
}

inline constexpr auto kOfLookups = std::to_array<GuardRow>({
    {Guard::kInfoUnderWay, [](const Situation& s) { return Of(s.id.looks_up); }},
    {Guard::kTwoWaysAsked, TwoWaysAsked},
    {Guard::kServiceRecords,
     [](const Situation& s) { return Of((HintsOf(s) & kServiceRecordsHint) != 0); }},
    {Guard::kNothingAsked, StopsLookup<Guard::kNothingAsked>},
    {Guard::kHintsAlone, StopsLookup<Guard::kHintsAlone>},
    {Guard::kFamilyForeign, StopsLookup<Guard::kFamilyForeign>},
    {Guard::kTypeAgainstSpace, StopsLookup<Guard::kTypeAgainstSpace>},
    {Guard::kNodeOfOtherFamily, StopsLookup<Guard::kNodeOfOtherFamily>},
    {Guard::kNotServed,
     [](const Situation& s) {
       return Of(!s.facts.profile().capabilities.Has(Capability::kLaterCalls));
     }},
    {Guard::kNoInfo, [](const Situation& s) { return Of(!s.id.looks_up || !s.id.has_info); }},
    {Guard::kNotUserEvent, NotUserEvent},
});

}  // namespace cm::model::guards

#endif  // MODEL_ORACLE_MACHINE_LOOKUP_GUARDS_H_
