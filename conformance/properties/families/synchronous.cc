// Synchronous ids: the results of calls, and the event that they leave.
#include <fmt/format.h>

#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"
#include "model/conversation/print.h"

namespace cm::families {
namespace {

bool IsSynchronous(const HistoryIndex& index, IdRef id, size_t record) {
  return index[id].exists && !index[id].ChannelAt(record).valid();
}

// The event that show-event prints after the record, if no call was made on the id in between.
const seen::Answered* ShownAfter(const HistoryIndex& index, IdRef id, size_t at, size_t* where) {
  const History& history = index.history();
  for (size_t i = at + 1; i < history.records.size(); ++i) {
    const auto* line =
        std::get_if<line::Calls>(&history.conversation.lines[history.records[i].line]);
    if (line == nullptr || IdOf(line->call) != id) continue;
    const auto* answered = std::get_if<seen::Answered>(&history.records[i].seen);
    if (answered == nullptr) return nullptr;
    if (answered->reply.kind == ReplyKind::kNotApplicable) continue;
    if (!std::holds_alternative<call::ShowEvent>(line->call)) return nullptr;
    *where = i;
    return answered;
  }
  return nullptr;
}

void ValueIsOfTheEvent(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (!CompletesWithEvent(call.kind()) || !IsSynchronous(index, call.id(), call.at)) continue;
    // It does not wait, and leaves no event from some release on.
    if (call.kind() == CallKind::kAccept && IsOfDatagrams(index, call.id())) continue;
    const auto [reply, at] = EndOf(index, call);
    if (reply.kind != ReplyKind::kReturned) continue;
    size_t where = 0;
    const seen::Answered* shown = ShownAfter(index, call.id(), at, &where);
    if (shown == nullptr) continue;
    const bool refused = reply == Reply::Refused(Errno::kConnRefused);
    if (!reply.succeeded() && !refused) continue;  // it may not have started
    if (refused && index.OverIwarp()) continue;    // nor has this one, where TCP was refused
    result.Arose();
    const bool rejected = shown->event && shown->event->type == EventType::kRejected;
    if (refused ? !rejected : !shown->event || shown->event->status != 0)
      result.Violated(
          where,
          fmt::format("{}, in the end {}, and {}", Made(index, call), ToString(reply),
                      shown->event ? ToString(shown->event->type) : std::string_view("no event")),
          "an event with status 0 behind 0, and REJECTED behind ECONNREFUSED");
  }
}

// Only ids without any connection: the destroy of others may wait for an outstanding message, or
// for a request that another id holds.
void RetainedHoldsNothingUp(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const IdRef id = call.id();
    if (call.kind() != CallKind::kDestroyId || !IsSynchronous(index, id, call.at)) continue;
    bool resolved = false;
    // Events fetched while it had a channel of the application do not count.
    bool connects = index[id].IsRequest() || !index.CallsOn(id, CallKind::kMigrateId).empty();
    for (const MadeCall* other : index.CallsOn(id)) {
      resolved |= other->kind() == CallKind::kResolveAddr && other->reply.succeeded();
      connects |= other->kind() == CallKind::kConnect || other->kind() == CallKind::kAccept ||
                  other->kind() == CallKind::kGetRequest;
    }
    if (!resolved || connects) continue;
    result.Arose();
    if (!call.reply.succeeded())
      result.Violated(call.at, Made(index, call), "0: each event was acknowledged");
  }
}

void RequestIsOfItsOwn(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* get = std::get_if<call::GetRequest>(call.call);
    if (get == nullptr) continue;
    const auto [reply, at] = EndOf(index, call);
    if (!reply.succeeded()) continue;
    size_t where = 0;
    const seen::Answered* shown = ShownAfter(index, get->request, at, &where);
    if (shown == nullptr) continue;
    result.Arose();
    const bool own = shown->event && shown->event->type == EventType::kConnectRequest &&
                     shown->event->id == get->request && shown->event->listen_id == get->id;
    if (!own)
      result.Violated(where, shown->event ? "another event" : "no event",
                      "CONNECT_REQUEST of the new id and its listener");
  }
}

constexpr auto kOfSynchronous = std::to_array<Property>({
    Always("SYNC-1", ValueIsOfTheEvent,
           "The result of a call on a synchronous id is that of the event that it leaves.",
           "rdma-core 44 cma.c ucma_complete"),
    Always("SYNC-2", RetainedHoldsNothingUp,
           "At most one event is kept, and rdma_destroy_id does not wait for it.",
           "rdma-core 44 cma.c ucma_complete, rdma_destroy_id"),
    Always("SYNC-3", RequestIsOfItsOwn,
           "rdma_get_request returns an id of its own, with its request as event.",
           "rdma-core 44 cma.c rdma_get_request"),
});

}  // namespace

std::span<const Property> Synchronous() { return kOfSynchronous; }

}  // namespace cm::families
