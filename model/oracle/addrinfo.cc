// The calls of the library's map 1.4: address infos that ids look up, and events of the
// application's own.
#include <algorithm>

#include "model/oracle/lookups.h"
#include "model/oracle/oracle.h"

namespace cm::model {
namespace {

// A possibility has room for a few more than these.
constexpr size_t kMostUnread = 5;

call::GetAddrInfo LookupOf(const call::ResolveAddrInfo& resolve) {
  return {.info = {}, .node = resolve.node, .service = resolve.service, .hints = resolve.hints};
}

uint32_t FlagsOf(const call::ResolveAddrInfo& resolve) {
  return resolve.hints ? resolve.hints->flags : 0;
}

bool TwoWaysAsked(const call::ResolveAddrInfo& resolve) {
  const uint32_t flags = FlagsOf(resolve);
  const bool other = resolve.node.kind != AddressKind::kNone || (flags & kResolverHint) != 0;
  return (flags & kServiceRecordsHint) != 0 && other;
}

}  // namespace

std::optional<Tri> GuardFinder::HoldsForInfo(Guard guard, const IdState& id,
                                             const Call& call) const {
  const auto* resolve = std::get_if<call::ResolveAddrInfo>(&call);
  switch (guard) {
    case Guard::kInfoUnderWay:
      return Of(id.looks_up);
    case Guard::kTwoWaysAsked:
      return Of(TwoWaysAsked(*resolve));
    case Guard::kServiceRecords:
      return Of((FlagsOf(*resolve) & kServiceRecordsHint) != 0);
    case Guard::kNothingAsked:
    case Guard::kFamilyForeign:
    case Guard::kTypeAgainstSpace:
    case Guard::kNodeOfOtherFamily:
      return Of(LookupGuard(LookupOf(*resolve)) == guard);
    case Guard::kNotServed:
      return Of(!knowledge_.profile().capabilities.Has(Capability::kLaterCalls));
    case Guard::kNotAccepted:
      return Of(!id.accepted);
    case Guard::kNoInfo:
      return Of(!id.looks_up || !id.has_info);
    case Guard::kNotUserEvent:
      return Of(std::get<call::WriteCmEvent>(call).type != static_cast<uint8_t>(EventType::kUser));
    default:
      return std::nullopt;
  }
}

bool Oracle::TooManyUnread(IdRef id) {
  return MayBe(
      id, [](const IdState& own) { return own.queue.size() + own.joining.size() > kMostUnread; });
}

bool Oracle::CarryInfo(Possibility* p, uint8_t id, Effect effect, const Call& call) {
  IdState& own = p->ids[id];
  switch (effect) {
    case Effect::kLooksUp:
      own.looks_up = own.has_info = true;
      own.queue.push_back({.type = EventType::kInternal});
      return true;
    case Effect::kHandsInfo:
      own.looks_up = own.has_info = false;
      return true;
    case Effect::kForgetsInfo:
      own.looks_up = false;
      return true;
    case Effect::kWritesEvent: {
      const auto& write = std::get<call::WriteCmEvent>(call);
      own.queue.push_back({.type = EventType::kUser,
                           .payload = knowledge_.payloads.Intern({.argument = write.argument}),
                           .status = write.status});
      return true;
    }
    default:
      return false;
  }
}

void Oracle::LearnLookup(const Call& call) {
  const auto& resolve = std::get<call::ResolveAddrInfo>(call);
  knowledge_.id(resolve.id).looked_up = LookupOf(resolve);
}

}  // namespace cm::model
