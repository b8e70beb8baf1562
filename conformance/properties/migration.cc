// Ids that move from channel to channel.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

IdRef OwnerOf(const CmEvent& event) {
  return event.type == EventType::kConnectRequest ? event.listen_id : event.id;
}

bool Moves(const MadeCall& call) {
  return call.kind() == CallKind::kMigrateId &&
         (call.reply.succeeded() || call.reply.kind == ReplyKind::kBlocked);
}

void EventsFollow(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    const IdRef owner = OwnerOf(heard.event);
    if (!owner.valid()) continue;
    const MadeCall* moved = nullptr;
    for (const MadeCall* call : account.CallsOn(owner, CallKind::kMigrateId))
      if (Moves(*call) && call->at < heard.at) moved = call;
    if (moved == nullptr) continue;
    result.Arose();
    if (heard.channel != std::get<call::MigrateId>(*moved->call).channel)
      result.Violated(
          heard.at, Heard(account, heard) + " on another channel",
          fmt::format("events of {} on the channel that it has moved to", NameOf(account, owner)));
  }
}

// Whether fewer events of the id were acknowledged between the call and the record than were
// unacknowledged when it was made. The library only counts them.
bool Unacked(const HistoryIndex& account, const MadeCall& call, size_t record) {
  const auto of_id = [&](const HeardEvent& heard) { return OwnerOf(heard.event) == call.id(); };
  const auto in_hand = std::ranges::count_if(account.heard(), [&](const HeardEvent& heard) {
    return of_id(heard) && heard.at < call.at && (!heard.acked || *heard.acked > call.at);
  });
  const auto acked = std::ranges::count_if(account.heard(), [&](const HeardEvent& heard) {
    return of_id(heard) && heard.acked && *heard.acked > call.at && *heard.acked < record;
  });
  return acked < in_hand;
}

bool IsOrWasListener(const HistoryIndex& account, IdRef id) {
  return !account.CallsOn(id, CallKind::kListen).empty();
}

void WaitsForAcks(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (!Moves(call) || !Unacked(account, call, call.at)) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(account, call), "a call that waits for the acknowledgement");
    // A request that the library drops counts as well.
    if (IsOrWasListener(account, call.id())) continue;
    if (call.released && Unacked(account, call, *call.released))
      result.Violated(*call.released, "rdma_migrate_id returned",
                      "a call that waits for the acknowledgement");
  }
}

void AckReleases(const HistoryIndex& account, PropertyResult& result) {
  if (account.SomebodyEnded()) return;
  const size_t last = account.history().records.size();
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kMigrateId || call.reply.kind != ReplyKind::kBlocked) continue;
    // A listener may wait for a request that another id holds.
    if (IsOrWasListener(account, call.id()) || Unacked(account, call, last)) continue;
    result.Arose();
    if (!call.released)
      result.Violated(last - 1, "rdma_migrate_id still waits",
                      "a return: every event of the id is acknowledged");
  }
}

// The result of a resolution is reported on the channel that the id is on by then.
void NothingIsLost(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  ForEachId(account, [&](IdRef id) {
    for (const MadeCall* moved : account.CallsOn(id, CallKind::kMigrateId)) {
      if (!Moves(*moved)) continue;
      const MadeCall* resolve = account.FirstSuccess(id, CallKind::kResolveAddr);
      if (resolve == nullptr || resolve->at > moved->at) continue;
      const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
      if (arguments.destination.kind != AddressKind::kSide) continue;
      const Silence* silence = account.SilentAfter(id, moved->at);
      if (silence == nullptr || !account.Settled(resolve->at, silence->at)) continue;
      result.Arose();
      const auto events = account.EventsOf(id);
      const auto told = std::ranges::count_if(events, [&](const HeardEvent* heard) {
        const EventType type = heard->event.type;
        return heard->at > resolve->at && heard->at < silence->at &&
               (type == EventType::kAddrResolved || type == EventType::kAddrError);
      });
      if (told != 1)
        result.Violated(silence->at, fmt::format("{} such events", told),
                        "one ADDR_RESOLVED of " + NameOf(account, id));
    }
  });
}

constexpr auto kClaims = std::to_array<Property>({
    {"MIG-1",
     "migration",
     PropertyKind::kAlways,
     "Events of an id arrive on the channel that rdma_migrate_id has moved it to.",
     "man rdma_migrate_id(3)",
     EventsFollow,
     {}},
    {"MIG-2",
     "migration",
     PropertyKind::kAlways,
     "rdma_migrate_id does not return while an event of the id is not acknowledged.",
     "man rdma_migrate_id(3)",
     WaitsForAcks,
     {}},
    {"MIG-3",
     "migration",
     PropertyKind::kEventually,
     "The last acknowledgement makes a waiting rdma_migrate_id return.",
     "rdma-core 44 cma.c rdma_migrate_id",
     AckReleases,
     {}},
    {"MIG-4",
     "migration",
     PropertyKind::kEventually,
     "An event that is unread when rdma_migrate_id moves its id is reported once, afterwards.",
     "man rdma_migrate_id(3)",
     NothingIsLost,
     {}},
});

}  // namespace

std::span<const Property> Migration() { return kClaims; }

}  // namespace cm::claims
