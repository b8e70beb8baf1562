// Acknowledgements, and destroying with unacknowledged events.
#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

// The id whose destroy waits for the acknowledgement: for a request, the listener.
IdRef CreditOf(const HeardEvent& heard) {
  return heard.event.type == EventType::kConnectRequest ? heard.event.listen_id : heard.event.id;
}

// Events of the id that were fetched before the record and not acknowledged before it.
bool Unacked(const HistoryIndex& account, IdRef id, size_t record) {
  return std::ranges::any_of(account.heard(), [&](const HeardEvent& heard) {
    return CreditOf(heard) == id && heard.at < record && (!heard.acked || *heard.acked >= record);
  });
}

void DestroyWaitsForAcks(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kDestroyId || !Unacked(account, call.id(), call.at)) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(account, call), "a call that waits for the acknowledgement");
    if (call.released && Unacked(account, call.id(), *call.released))
      result.Violated(*call.released, "rdma_destroy_id returned",
                      "a call that waits for the acknowledgement");
  }
}

// Only ids without any connection: the destroy of others may wait for an outstanding message.
void AckReleasesDestroy(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kDestroyId || call.reply.kind != ReplyKind::kBlocked) continue;
    const IdRef id = call.id();
    const bool connects = account.FirstSuccess(id, CallKind::kConnect) != nullptr ||
                          account.FirstSuccess(id, CallKind::kAccept) != nullptr;
    if (connects || account.IsRequest(id) || account.EndOf(id) != call.at) continue;
    if (account.SomebodyEnded()) continue;
    const size_t last = account.history().records.size();
    if (Unacked(account, id, last)) continue;
    result.Arose();
    if (!call.released)
      result.Violated(last - 1, "rdma_destroy_id still waits",
                      "a return: every event of the id is acknowledged");
  }
}

void AckReturnsZero(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kAckCmEvent) continue;
    result.Arose();
    if (!call.reply.succeeded()) result.Violated(call.at, Made(account, call), "0");
  }
}

void DestroyWaited(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls())
    if (call.kind() == CallKind::kDestroyId && call.released) result.Arose();
}

constexpr Capabilities kNeedsLanes = Capabilities().With(Capability::kLanes);

constexpr auto kClaims = std::to_array<Property>({
    {"ACK-1",
     "ack/destroy",
     PropertyKind::kAlways,
     "rdma_destroy_id does not return while an event of the id is not acknowledged.",
     "man rdma_destroy_id(3), man rdma_ack_cm_event(3)",
     DestroyWaitsForAcks,
     {}},
    {"ACK-2",
     "ack/destroy",
     PropertyKind::kEventually,
     "The last acknowledgement makes a waiting rdma_destroy_id return.",
     "man rdma_ack_cm_event(3)",
     AckReleasesDestroy,
     {}},
    {"ACK-3",
     "ack/destroy",
     PropertyKind::kAlways,
     "rdma_ack_cm_event returns 0.",
     "man rdma_ack_cm_event(3)",
     AckReturnsZero,
     {}},
    {"ACK-4", "ack/destroy", PropertyKind::kSometimes, "rdma_destroy_id waits, and returns.",
     "man rdma_destroy_id(3)", DestroyWaited, kNeedsLanes},
});

}  // namespace

std::span<const Property> Acknowledgement() { return kClaims; }

}  // namespace cm::claims
