// Addresses that move to other hardware.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

void OnlyIfMoved(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kAddrChange) continue;
    result.Arose();
    if (!index.faults().Before(heard.at, FaultKind::kFailOver))
      result.Violated(heard.at, Heard(index, heard), "nothing: no bond has failed over");
  }
}

void OneForEachMove(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    int heard_so_far = 0;
    for (const HeardEvent* heard : index.EventsOf(id, EventType::kAddrChange)) {
      result.Arose();
      const int moves = index.faults().CountBefore(heard->at, FaultKind::kFailOver);
      if (++heard_so_far > moves)
        result.Violated(heard->at, Heard(index, *heard),
                        fmt::format("one for each of {} fail-overs", moves));
    }
  });
}

void OwnersHear(const HistoryIndex& index, PropertyResult& result) {
  if (index.faults().Injected(FaultKind::kRemoveDevice)) return;
  const auto& faults = index.faults().all();
  const auto first =
      std::ranges::find(faults, FaultKind::kFailOver,
                        [](const InjectedFault& injected) { return injected.fault.kind; });
  if (first == faults.end()) return;
  const size_t moved = first->at;
  const uint8_t side = first->fault.side;
  ForEachId(index, [&](IdRef id) {
    const MadeCall* bind = index.FirstSuccess(id, CallKind::kBindAddr);
    if (bind == nullptr || bind->at > moved) return;
    const Address& address = std::get<call::BindAddr>(*bind->call).address;
    if (address.kind != AddressKind::kSide || address.side != side) return;
    const Silence* silence = index.SilentAfter(id, moved);
    if (silence == nullptr || !index.Settled(moved, silence->at)) return;
    result.Arose();
    const HeardEvent* heard = index.First(id, EventType::kAddrChange);
    if (heard == nullptr || heard->at > silence->at)
      result.Violated(silence->at, "nothing", "RDMA_CM_EVENT_ADDR_CHANGE of " + NameOf(index, id));
  });
}

constexpr Capabilities kNeedsFailOver = Capabilities().With(Capability::kFailOver);

constexpr auto kOfAddressChange = std::to_array<Property>({
    Always("CHG-1", OnlyIfMoved, "ADDR_CHANGE is reported only after a fail-over.",
           "man rdma_get_cm_event(3)"),
    Always("CHG-2", OneForEachMove, "Each fail-over is reported to an id at most once.",
           "linux 6.1 cma.c cma_netdev_change"),
    Eventually("CHG-3", OwnersHear,
               "Every id that is bound to an address that moved reports ADDR_CHANGE.",
               "man rdma_get_cm_event(3)"),
    Sometimes("CHG-4", IsHeard<EventType::kAddrChange>, "ADDR_CHANGE is reported.",
              "man rdma_get_cm_event(3)", kNeedsFailOver),
});

}  // namespace

std::span<const Property> AddressChange() { return kOfAddressChange; }

}  // namespace cm::families
