// Ids that move from channel to channel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

bool Moves(const MadeCall& call) {
  return call.kind() == CallKind::kMigrateId &&
         (call.reply.succeeded() || call.reply.kind == ReplyKind::kBlocked);
}

void EventsFollow(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    const IdRef owner = heard.owner();
    if (!owner.valid()) continue;
    const MadeCall* moved = nullptr;
    for (const MadeCall* call : index.CallsOn(owner, CallKind::kMigrateId))
      if (Moves(*call) && call->at < heard.at) moved = call;
    if (moved == nullptr) continue;
    result.Arose();
    if (heard.channel != std::get<call::MigrateId>(*moved->call).channel)
      result.Violated(
          heard.at, Heard(index, heard) + " on another channel",
          fmt::format("events of {} on the channel that it has moved to", NameOf(index, owner)));
  }
}

// Whether fewer events of the id were acknowledged between the call and the record than were
// unacknowledged when it was made. The library only counts them.
bool Unacked(const HistoryIndex& index, const MadeCall& call, size_t record) {
  const auto of_id = [&](const HeardEvent& heard) { return heard.owner() == call.id(); };
  const auto in_hand = std::ranges::count_if(index.heard(), [&](const HeardEvent& heard) {
    return of_id(heard) && heard.at < call.at && (!heard.acked || *heard.acked > call.at);
  });
  const auto acked = std::ranges::count_if(index.heard(), [&](const HeardEvent& heard) {
    return of_id(heard) && heard.acked && *heard.acked > call.at && *heard.acked < record;
  });
  return acked < in_hand;
}

bool IsOrWasListener(const HistoryIndex& index, IdRef id) {
  return !index.CallsOn(id, CallKind::kListen).empty();
}

void WaitsForAcks(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (!Moves(call) || !Unacked(index, call, call.at)) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(index, call), "a call that waits for the acknowledgement");
    // A request that the library drops counts as well.
    if (IsOrWasListener(index, call.id())) continue;
    if (call.released && Unacked(index, call, *call.released))
      result.Violated(*call.released, "rdma_migrate_id returned",
                      "a call that waits for the acknowledgement");
  }
}

void AckReleases(const HistoryIndex& index, PropertyResult& result) {
  if (index.faults().EndedAProcess()) return;
  const size_t last = index.history().records.size();
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kMigrateId || call.reply.kind != ReplyKind::kBlocked) continue;
    // A listener may wait for a request that another id holds.
    if (IsOrWasListener(index, call.id()) || Unacked(index, call, last)) continue;
    result.Arose();
    if (!call.released)
      result.Violated(last - 1, "rdma_migrate_id still waits",
                      "a return: every event of the id is acknowledged");
  }
}

// Of the id's successful rdma_resolve_addr before the record: those that have been reported by
// then, and all. Each has one event; after an ADDR_ERROR the id may be resolved again.
struct Resolutions {
  std::ptrdiff_t reported = 0;
  std::ptrdiff_t all = 0;
};

Resolutions ResolutionsBefore(const HistoryIndex& index, IdRef id, size_t record) {
  Resolutions found;
  for (const MadeCall* call : index.CallsOn(id, CallKind::kResolveAddr)) {
    if (!call->reply.succeeded() || call->at > record) continue;
    ++found.all;
    const auto& arguments = std::get<call::ResolveAddr>(*call->call);
    const bool prompt = arguments.destination.kind == AddressKind::kSide;
    if (prompt && index.Settled(call->at, record)) ++found.reported;
  }
  return found;
}

// The result of a resolution is reported on the channel that the id is on by then.
void NothingIsLost(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  ForEachId(index, [&](IdRef id) {
    for (const MadeCall* moved : index.CallsOn(id, CallKind::kMigrateId)) {
      if (!Moves(*moved)) continue;
      const MadeCall* resolve = index.FirstSuccess(id, CallKind::kResolveAddr);
      if (resolve == nullptr || resolve->at > moved->at) continue;
      const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
      if (arguments.destination.kind != AddressKind::kSide) continue;
      const Silence* silence = index.SilentAfter(id, moved->at);
      if (silence == nullptr || !index.Settled(resolve->at, silence->at)) continue;
      result.Arose();
      const auto events = index.EventsOf(id);
      const auto told = std::ranges::count_if(events, [&](const HeardEvent* heard) {
        const EventType type = heard->event.type;
        return heard->at > resolve->at && heard->at < silence->at &&
               (type == EventType::kAddrResolved || type == EventType::kAddrError);
      });
      const Resolutions resolutions = ResolutionsBefore(index, id, silence->at);
      if (told < resolutions.reported || told > resolutions.all)
        result.Violated(silence->at, fmt::format("{} such events", told),
                        "one event for each rdma_resolve_addr of " + NameOf(index, id));
    }
  });
}

constexpr auto kOfMigration = std::to_array<Property>({
    Always("MIG-1", EventsFollow,
           "Events of an id arrive on the channel that rdma_migrate_id has moved it to.",
           "man rdma_migrate_id(3)"),
    Always("MIG-2", WaitsForAcks,
           "rdma_migrate_id does not return while an event of the id is not acknowledged.",
           "man rdma_migrate_id(3)"),
    Eventually("MIG-3", AckReleases,
               "The last acknowledgement makes a waiting rdma_migrate_id return.",
               "rdma-core 44 cma.c rdma_migrate_id"),
    Eventually(
        "MIG-4", NothingIsLost,
        "An event that is unread when rdma_migrate_id moves its id is reported once, afterwards.",
        "man rdma_migrate_id(3)"),
});

}  // namespace

std::span<const Property> Migration() { return kOfMigration; }

}  // namespace cm::families
