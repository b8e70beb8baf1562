// Addresses that move to other hardware.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

void OnlyIfMoved(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kAddrChange) continue;
    result.Arose();
    if (!account.Before(heard.at, FaultKind::kFailOver))
      result.Violated(heard.at, Heard(account, heard), "nothing: no bond has failed over");
  }
}

void OneForEachMove(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    int heard_so_far = 0;
    for (const HeardEvent* heard : account.EventsOf(id, EventType::kAddrChange)) {
      result.Arose();
      const int moves = account.CountBefore(heard->at, FaultKind::kFailOver);
      if (++heard_so_far > moves)
        result.Violated(heard->at, Heard(account, *heard),
                        fmt::format("one for each of {} fail-overs", moves));
    }
  });
}

void OwnersHear(const HistoryIndex& account, PropertyResult& result) {
  if (account.Injected(FaultKind::kRemoveDevice)) return;
  const auto& records = account.history().records;
  size_t moved = 0;
  uint8_t side = 0;
  for (; moved < records.size(); ++moved) {
    const auto* injects =
        std::get_if<line::Injects>(&account.history().conversation.lines[records[moved].line]);
    if (injects == nullptr || injects->fault.kind != FaultKind::kFailOver) continue;
    side = injects->fault.side;
    break;
  }
  ForEachId(account, [&](IdRef id) {
    const MadeCall* bind = account.FirstSuccess(id, CallKind::kBindAddr);
    if (bind == nullptr || bind->at > moved) return;
    const Address& address = std::get<call::BindAddr>(*bind->call).address;
    if (address.kind != AddressKind::kSide || address.side != side) return;
    const Silence* silence = account.SilentAfter(id, moved);
    if (silence == nullptr || !account.Settled(moved, silence->at)) return;
    result.Arose();
    const HeardEvent* heard = account.First(id, EventType::kAddrChange);
    if (heard == nullptr || heard->at > silence->at)
      result.Violated(silence->at, "nothing",
                      "RDMA_CM_EVENT_ADDR_CHANGE of " + NameOf(account, id));
  });
}

void ChangeIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kAddrChange);
}

constexpr Capabilities kNeedsFailOver = Capabilities().With(Capability::kFailOver);

constexpr auto kClaims = std::to_array<Property>({
    {"CHG-1",
     "address change",
     PropertyKind::kAlways,
     "ADDR_CHANGE is reported only after a fail-over.",
     "man rdma_get_cm_event(3)",
     OnlyIfMoved,
     {}},
    {"CHG-2",
     "address change",
     PropertyKind::kAlways,
     "Each fail-over is reported to an id at most once.",
     "linux 6.1 cma.c cma_netdev_change",
     OneForEachMove,
     {}},
    {"CHG-3",
     "address change",
     PropertyKind::kEventually,
     "Every id that is bound to an address that moved reports ADDR_CHANGE.",
     "man rdma_get_cm_event(3)",
     OwnersHear,
     {}},
    {"CHG-4", "address change", PropertyKind::kSometimes, "ADDR_CHANGE is reported.",
     "man rdma_get_cm_event(3)", ChangeIsHeard, kNeedsFailOver},
});

}  // namespace

std::span<const Property> AddressChange() { return kClaims; }

}  // namespace cm::claims
