// Ids and channels: created, alive, destroyed.

#include <algorithm>
#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

// The record where rdma_destroy_id of the id returned; past the end if it did not.
size_t DestroyedAt(const HistoryIndex& index, IdRef id) {
  for (const MadeCall* call : index.CallsOn(id, CallKind::kDestroyId)) {
    if (call->reply.succeeded()) return call->at;
    if (call->released) return *call->released;
  }
  return index.history().records.size();
}

void DestroyedIsSilent(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    const IdRef owner = heard.owner();
    if (!owner.valid() || !index[owner].exists) continue;
    const size_t destroyed = DestroyedAt(index, owner);
    if (destroyed == index.history().records.size()) continue;
    result.Arose();
    if (heard.at > destroyed)
      result.Violated(heard.at, Heard(index, heard) + " after rdma_destroy_id returned",
                      "no event of an id that is gone");
  }
}

void EventsAreOfTheChannel(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    result.Arose();
    const CmEvent& event = heard.event;
    const bool request = event.type == EventType::kConnectRequest;
    const IdRef owner = heard.owner();
    const bool known = owner.valid() && index[owner].exists && event.id.valid();
    if (!known)
      result.Violated(heard.at, Heard(index, heard), "an event of an id that exists");
    else if (index[owner].ChannelAt(heard.at) != heard.channel)
      result.Violated(heard.at, Heard(index, heard) + " on a channel that is not its own",
                      "an event of an id of this channel");
    else if (!request && event.listen_id.valid())
      result.Violated(heard.at, Heard(index, heard) + " with a listen_id",
                      "a listen_id in connection requests only");
  }
}

void DestroyRefusesNothing(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kDestroyId && call.kind() != CallKind::kDestroyEp) continue;
    result.Arose();
    if (call.reply.kind == ReplyKind::kReturned && !call.reply.succeeded())
      result.Violated(call.at, Made(index, call), "0, or a call that waits");
  }
}

// An address info was found for the id before the call, and no other call has returned it since.
bool FoundBefore(const HistoryIndex& index, const MadeCall& query) {
  size_t since = 0;
  for (const MadeCall* call : index.CallsOn(query.id(), CallKind::kQueryAddrInfo))
    if (call->at < query.at && call->reply.succeeded()) since = call->at;
  return std::ranges::any_of(
      index.EventsOf(query.id(), EventType::kAddrInfoResolved),
      [&](const HeardEvent* heard) { return heard->at > since && heard->at < query.at; });
}

void LiveIsKnown(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (!call.id().valid()) continue;
    // Its errno is the status of the event that it met, of any value.
    if (call.kind() == CallKind::kGetRequest && index.profile().dialect.get_request_sets_status)
      continue;
    result.Arose();
    const bool has_none = call.kind() == CallKind::kQueryAddrInfo && !FoundBefore(index, call);
    const bool is_other = has_none || IsOfOwnPath(index, call);  // the id was found
    for (const Errno unknown : {Errno::kNoEnt, Errno::kBadF}) {
      if (unknown == Errno::kNoEnt && is_other) continue;
      if (call.Refused(unknown))
        result.Violated(call.at, Made(index, call), "an answer about an id that is there");
    }
  }
}

void SilentAtTheEnd(const HistoryIndex& index, PropertyResult& result) {
  const auto& records = index.history().records;
  const auto& lines = index.history().conversation.lines;
  for (size_t at = 0; at < records.size(); ++at) {
    const auto* waits = std::get_if<line::Waits>(&lines[records[at].line]);
    const auto* waited = std::get_if<seen::Waited>(&records[at].seen);
    if (waits == nullptr || waited == nullptr) continue;
    bool all_gone = true;
    for (uint16_t i = 0; i < index.id_count(); ++i) {
      const IdRef id{i};
      if (index[id].exists && index[id].ChannelAt(at) == waits->channel)
        all_gone &= DestroyedAt(index, id) < at;
    }
    if (!all_gone) continue;
    result.Arose();
    if (waited->readable)
      result.Violated(at, "readable", "quiet: every id of the channel is destroyed");
  }
}

void TcpIdsAreMade(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* create = std::get_if<call::CreateId>(call.call);
    if (create == nullptr || create->space != PortSpace::kTcp) continue;
    result.Arose();
    if (!call.reply.succeeded()) result.Violated(call.at, Made(index, call), "0");
  }
}

void DestroyedWhileAsking(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    const MadeCall* connect = index.FirstSuccess(id, CallKind::kConnect);
    if (connect == nullptr || index.FirstSuccess(id, CallKind::kDestroyId) == nullptr) return;
    for (const HeardEvent* heard : index.EventsOf(id))
      if (heard->at > connect->at) return;
    result.Arose();
  });
}

constexpr auto kOfLifecycle = std::to_array<Property>({
    Always("LIFE-1", DestroyedIsSilent,
           "An id reports nothing after its rdma_destroy_id has returned.",
           "man rdma_destroy_id(3)"),
    Always("LIFE-2", EventsAreOfTheChannel,
           "Events are of ids that exist, and arrive on the channel of their id.",
           "man rdma_get_cm_event(3)"),
    Always("LIFE-3", DestroyRefusesNothing, "rdma_destroy_id is never refused.",
           "man rdma_destroy_id(3)"),
    Always("LIFE-4", LiveIsKnown,
           "No call on an existing id returns ENOENT or EBADF, except for an address info that was "
           "not found, and for a path of the application.",
           "linux 6.1 ucma.c ucma_get_ctx"),
    Eventually("LIFE-5", SilentAtTheEnd, "A channel whose ids are all destroyed is quiet.",
               "man rdma_destroy_event_channel(3)"),
    Always("LIFE-6", TcpIdsAreMade, "An id of RDMA_PS_TCP can always be created.",
           "man rdma_create_id(3)"),
    Sometimes("LIFE-7", DestroyedWhileAsking, "An id is destroyed while its request is unanswered.",
              "man rdma_destroy_id(3)"),
});

}  // namespace

std::span<const Property> Lifecycle() { return kOfLifecycle; }

}  // namespace cm::families
