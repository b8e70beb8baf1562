// Device removal.
#include <algorithm>
#include <array>

#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

// The first record that removes the device of the side; past the end if there is none.
size_t RemovalOf(const HistoryIndex& index, uint8_t side) {
  const Topology& topology = index.topology();
  for (const auto& [at, fault] : index.faults().all())
    if (fault.kind == FaultKind::kRemoveDevice &&
        topology.SameDevice(topology.sides[fault.side].device, topology.sides[side].device))
      return at;
  return index.history().records.size();
}

void OnlyIfRemoved(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kDeviceRemoval) continue;
    result.Arose();
    if (!index.faults().Before(heard.at, FaultKind::kRemoveDevice))
      result.Violated(heard.at, Heard(index, heard), "nothing: no device was removed");
  }
}

void OwnersHear(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    const MadeCall* bind = index.FirstSuccess(id, CallKind::kBindAddr);
    if (bind == nullptr) return;
    const Address& address = std::get<call::BindAddr>(*bind->call).address;
    if (address.kind != AddressKind::kSide) return;
    const size_t removed = RemovalOf(index, address.side);
    if (removed < bind->at || removed == index.history().records.size()) return;
    const Silence* silence = index.SilentAfter(id, removed);
    if (silence == nullptr || !index.Settled(removed, silence->at)) return;
    result.Arose();
    const HeardEvent* heard = index.First(id, EventType::kDeviceRemoval);
    if (heard == nullptr || heard->at > silence->at)
      result.Violated(silence->at, "nothing",
                      "RDMA_CM_EVENT_DEVICE_REMOVAL of " + NameOf(index, id));
  });
}

// Calls that the library answers from its own memory do not reach the kernel.
constexpr auto kAskTheKernel = std::to_array<CallKind>(
    {CallKind::kBindAddr, CallKind::kListen, CallKind::kResolveAddr, CallKind::kResolveRoute,
     CallKind::kCreateQp, CallKind::kCreateQpEx, CallKind::kConnect, CallKind::kAccept,
     CallKind::kReject, CallKind::kEstablish, CallKind::kDisconnect});

void NothingWorksAfterwards(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    const HeardEvent* removed = index.First(id, EventType::kDeviceRemoval);
    if (removed == nullptr) return;
    for (const MadeCall* call : index.CallsOn(id)) {
      if (call->at < removed->at || std::ranges::count(kAskTheKernel, call->kind()) == 0) continue;
      if (!index.Settled(removed->at, call->at)) continue;
      result.Arose();
      if (call->reply.succeeded())
        result.Violated(call->at, Made(index, *call), "-1 ENXIO: the device is gone");
    }
  });
}

constexpr Capabilities kNeedsRemoval = Capabilities().With(Capability::kRemoveDevice);

constexpr auto kOfDeviceRemoval = std::to_array<Property>({
    Always("REM-1", OnlyIfRemoved, "DEVICE_REMOVAL is reported only after a device was removed.",
           "man rdma_get_cm_event(3)"),
    Always("REM-2", AtMostOnce<EventType::kDeviceRemoval>,
           "An id reports DEVICE_REMOVAL at most once.", "man rdma_get_cm_event(3)"),
    Eventually("REM-3", OwnersHear,
               "Every id that is bound to an address of a removed device reports DEVICE_REMOVAL, "
               "listeners too.",
               "man rdma_get_cm_event(3)"),
    Always("REM-4", NothingWorksAfterwards,
           "After DEVICE_REMOVAL no call succeeds but rdma_destroy_id.",
           "man rdma_get_cm_event(3), linux 6.1 ucma.c ucma_get_ctx"),
    Sometimes("REM-5", IsHeard<EventType::kDeviceRemoval>, "DEVICE_REMOVAL is reported.",
              "man rdma_get_cm_event(3)", kNeedsRemoval),
});

}  // namespace

std::span<const Property> DeviceRemoval() { return kOfDeviceRemoval; }

}  // namespace cm::families
