// Device removal.
#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

// The first line that removes the device of the side; past the end if there is none.
size_t RemovalOf(const HistoryIndex& account, uint8_t side) {
  const auto& records = account.history().records;
  const Topology& topology = account.topology();
  for (size_t at = 0; at < records.size(); ++at) {
    const auto* injects =
        std::get_if<line::Injects>(&account.history().conversation.lines[records[at].line]);
    if (injects != nullptr && injects->fault.kind == FaultKind::kRemoveDevice &&
        topology.SameDevice(topology.sides[injects->fault.side].device,
                            topology.sides[side].device)) {
      return at;
    }
  }
  return records.size();
}

void OnlyIfRemoved(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kDeviceRemoval) continue;
    result.Arose();
    if (!account.Before(heard.at, FaultKind::kRemoveDevice))
      result.Violated(heard.at, Heard(account, heard), "nothing: no device was removed");
  }
}

void RemovalOnce(const HistoryIndex& account, PropertyResult& result) {
  AtMostOnce(account, result, EventType::kDeviceRemoval);
}

void OwnersHear(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    const MadeCall* bind = account.FirstSuccess(id, CallKind::kBindAddr);
    if (bind == nullptr) return;
    const Address& address = std::get<call::BindAddr>(*bind->call).address;
    if (address.kind != AddressKind::kSide) return;
    const size_t removed = RemovalOf(account, address.side);
    if (removed < bind->at || removed == account.history().records.size()) return;
    const Silence* silence = account.SilentAfter(id, removed);
    if (silence == nullptr || !account.Settled(removed, silence->at)) return;
    result.Arose();
    const HeardEvent* heard = account.First(id, EventType::kDeviceRemoval);
    if (heard == nullptr || heard->at > silence->at)
      result.Violated(silence->at, "nothing",
                      "RDMA_CM_EVENT_DEVICE_REMOVAL of " + NameOf(account, id));
  });
}

// Calls that the library answers from its own memory do not reach the kernel.
bool AsksTheKernel(CallKind kind) {
  switch (kind) {
    case CallKind::kBindAddr:
    case CallKind::kListen:
    case CallKind::kResolveAddr:
    case CallKind::kResolveRoute:
    case CallKind::kCreateQp:
    case CallKind::kCreateQpEx:
    case CallKind::kConnect:
    case CallKind::kAccept:
    case CallKind::kReject:
    case CallKind::kEstablish:
    case CallKind::kDisconnect:
      return true;
    default:
      return false;
  }
}

void NothingWorksAfterwards(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    const HeardEvent* removed = account.First(id, EventType::kDeviceRemoval);
    if (removed == nullptr) return;
    for (const MadeCall* call : account.CallsOn(id)) {
      if (call->at < removed->at || !AsksTheKernel(call->kind())) continue;
      if (!account.Settled(removed->at, call->at)) continue;
      result.Arose();
      if (call->reply.succeeded())
        result.Violated(call->at, Made(account, *call), "-1 ENXIO: the device is gone");
    }
  });
}

void RemovalIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kDeviceRemoval);
}

constexpr Capabilities kNeedsRemoval = Capabilities().With(Capability::kRemoveDevice);

constexpr auto kClaims = std::to_array<Property>({
    {"REM-1",
     "device removal",
     PropertyKind::kAlways,
     "DEVICE_REMOVAL is reported only after a device was removed.",
     "man rdma_get_cm_event(3)",
     OnlyIfRemoved,
     {}},
    {"REM-2",
     "device removal",
     PropertyKind::kAlways,
     "An id reports DEVICE_REMOVAL at most once.",
     "man rdma_get_cm_event(3)",
     RemovalOnce,
     {}},
    {"REM-3",
     "device removal",
     PropertyKind::kEventually,
     "Every id that is bound to an address of a removed device reports DEVICE_REMOVAL, "
     "listeners too.",
     "man rdma_get_cm_event(3)",
     OwnersHear,
     {}},
    {"REM-4",
     "device removal",
     PropertyKind::kAlways,
     "After DEVICE_REMOVAL no call succeeds but rdma_destroy_id.",
     "man rdma_get_cm_event(3), linux 6.1 ucma.c ucma_get_ctx",
     NothingWorksAfterwards,
     {}},
    {"REM-5", "device removal", PropertyKind::kSometimes, "DEVICE_REMOVAL is reported.",
     "man rdma_get_cm_event(3)", RemovalIsHeard, kNeedsRemoval},
});

}  // namespace

std::span<const Property> DeviceRemoval() { return kClaims; }

}  // namespace cm::claims
