// Acknowledgements, and destroying with unacknowledged events.
#include <algorithm>
#include <array>

#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

// Events of the id that were fetched before the record and not acknowledged before it.
bool Unacked(const HistoryIndex& index, IdRef id, size_t record) {
  return std::ranges::any_of(index.heard(), [&](const HeardEvent& heard) {
    return heard.owner() == id && heard.at < record && (!heard.acked || *heard.acked >= record);
  });
}

void DestroyWaitsForAcks(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kDestroyId || !Unacked(index, call.id(), call.at)) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(index, call), "a call that waits for the acknowledgement");
    if (call.released && Unacked(index, call.id(), *call.released))
      result.Violated(*call.released, "rdma_destroy_id returned",
                      "a call that waits for the acknowledgement");
  }
}

// Only ids without any connection: the destroy of others may wait for an outstanding message, that
// of a synchronous listener for a request that another id holds.
void AckReleasesDestroy(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kDestroyId || call.reply.kind != ReplyKind::kBlocked) continue;
    const IdRef id = call.id();
    const bool connects = index.FirstSuccess(id, CallKind::kConnect) != nullptr ||
                          index.FirstSuccess(id, CallKind::kAccept) != nullptr ||
                          !index.CallsOn(id, CallKind::kGetRequest).empty();
    if (connects || index[id].IsRequest() || index[id].end != call.at) continue;
    if (index.faults().EndedAProcess()) continue;
    const size_t last = index.history().records.size();
    if (Unacked(index, id, last)) continue;
    result.Arose();
    if (!call.released)
      result.Violated(last - 1, "rdma_destroy_id still waits",
                      "a return: every event of the id is acknowledged");
  }
}

void AckReturnsZero(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kAckCmEvent) continue;
    result.Arose();
    if (!call.reply.succeeded()) result.Violated(call.at, Made(index, call), "0");
  }
}

void DestroyWaited(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls())
    if (call.kind() == CallKind::kDestroyId && call.released) result.Arose();
}

constexpr Capabilities kNeedsLanes = Capabilities().With(Capability::kLanes);

constexpr auto kOfAcknowledgement = std::to_array<Property>({
    Always("ACK-1", DestroyWaitsForAcks,
           "rdma_destroy_id does not return while an event of the id is not acknowledged.",
           "man rdma_destroy_id(3), man rdma_ack_cm_event(3)"),
    Eventually("ACK-2", AckReleasesDestroy,
               "The last acknowledgement makes a waiting rdma_destroy_id return.",
               "man rdma_ack_cm_event(3)"),
    Always("ACK-3", AckReturnsZero, "rdma_ack_cm_event returns 0.", "man rdma_ack_cm_event(3)"),
    Sometimes("ACK-4", DestroyWaited, "rdma_destroy_id waits, and returns.",
              "man rdma_destroy_id(3)", kNeedsLanes),
});

}  // namespace

std::span<const Property> Acknowledgement() { return kOfAcknowledgement; }

}  // namespace cm::families
