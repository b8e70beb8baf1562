// Ids and channels: created, alive, destroyed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

// The record where rdma_destroy_id of the id returned; past the end if it did not.
size_t DestroyedAt(const HistoryIndex& account, IdRef id) {
  for (const MadeCall* call : account.CallsOn(id, CallKind::kDestroyId)) {
    if (call->reply.succeeded()) return call->at;
    if (call->released) return *call->released;
  }
  return account.history().records.size();
}

void DestroyedIsSilent(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    const bool request = heard.event.type == EventType::kConnectRequest;
    const IdRef owner = request ? heard.event.listen_id : heard.event.id;
    if (!owner.valid() || !account.Exists(owner)) continue;
    const size_t destroyed = DestroyedAt(account, owner);
    if (destroyed == account.history().records.size()) continue;
    result.Arose();
    if (heard.at > destroyed)
      result.Violated(heard.at, Heard(account, heard) + " after rdma_destroy_id returned",
                      "no event of an id that is gone");
  }
}

void EventsAreOfTheChannel(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    result.Arose();
    const CmEvent& event = heard.event;
    const bool request = event.type == EventType::kConnectRequest;
    const IdRef owner = request ? event.listen_id : event.id;
    const bool known = owner.valid() && account.Exists(owner) && event.id.valid();
    if (!known)
      result.Violated(heard.at, Heard(account, heard), "an event of an id that exists");
    else if (account.ChannelOf(owner, heard.at) != heard.channel)
      result.Violated(heard.at, Heard(account, heard) + " on a channel that is not its own",
                      "an event of an id of this channel");
    else if (!request && event.listen_id.valid())
      result.Violated(heard.at, Heard(account, heard) + " with a listen_id",
                      "a listen_id in connection requests only");
  }
}

void DestroyRefusesNothing(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kDestroyId && call.kind() != CallKind::kDestroyEp) continue;
    result.Arose();
    if (call.reply.kind == ReplyKind::kReturned && !call.reply.succeeded())
      result.Violated(call.at, Made(account, call), "0, or a call that waits");
  }
}

// An address info was found for the id before the call, and no other call has returned it since.
bool FoundBefore(const HistoryIndex& account, const MadeCall& query) {
  size_t since = 0;
  for (const MadeCall* call : account.CallsOn(query.id(), CallKind::kQueryAddrInfo))
    if (call->at < query.at && call->reply.succeeded()) since = call->at;
  return std::ranges::any_of(
      account.EventsOf(query.id(), EventType::kAddrInfoResolved),
      [&](const HeardEvent* heard) { return heard->at > since && heard->at < query.at; });
}

void LiveIsKnown(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (!call.id().valid()) continue;
    result.Arose();
    const bool has_none = call.kind() == CallKind::kQueryAddrInfo && !FoundBefore(account, call);
    for (const Errno unknown : {Errno::kNoEnt, Errno::kBadF}) {
      if (unknown == Errno::kNoEnt && has_none) continue;
      if (call.Refused(unknown))
        result.Violated(call.at, Made(account, call), "an answer about an id that is there");
    }
  }
}

void SilentAtTheEnd(const HistoryIndex& account, PropertyResult& result) {
  const auto& records = account.history().records;
  const auto& lines = account.history().conversation.lines;
  for (size_t at = 0; at < records.size(); ++at) {
    const auto* waits = std::get_if<line::Waits>(&lines[records[at].line]);
    const auto* waited = std::get_if<seen::Waited>(&records[at].seen);
    if (waits == nullptr || waited == nullptr) continue;
    bool all_gone = true;
    for (uint16_t i = 0; i < account.id_count(); ++i) {
      const IdRef id{i};
      if (account.Exists(id) && account.ChannelOf(id, at) == waits->channel)
        all_gone &= DestroyedAt(account, id) < at;
    }
    if (!all_gone) continue;
    result.Arose();
    if (waited->readable)
      result.Violated(at, "readable", "quiet: every id of the channel is destroyed");
  }
}

void TcpIdsAreMade(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    const auto* create = std::get_if<call::CreateId>(call.call);
    if (create == nullptr || create->space != PortSpace::kTcp) continue;
    result.Arose();
    if (!call.reply.succeeded()) result.Violated(call.at, Made(account, call), "0");
  }
}

void DestroyedWhileAsking(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    const MadeCall* connect = account.FirstSuccess(id, CallKind::kConnect);
    if (connect == nullptr || account.FirstSuccess(id, CallKind::kDestroyId) == nullptr) return;
    for (const HeardEvent* heard : account.EventsOf(id))
      if (heard->at > connect->at) return;
    result.Arose();
  });
}

constexpr auto kClaims = std::to_array<Property>({
    {"LIFE-1",
     "lifecycle",
     PropertyKind::kAlways,
     "An id reports nothing after its rdma_destroy_id has returned.",
     "man rdma_destroy_id(3)",
     DestroyedIsSilent,
     {}},
    {"LIFE-2",
     "lifecycle",
     PropertyKind::kAlways,
     "Events are of ids that exist, and arrive on the channel of their id.",
     "man rdma_get_cm_event(3)",
     EventsAreOfTheChannel,
     {}},
    {"LIFE-3",
     "lifecycle",
     PropertyKind::kAlways,
     "rdma_destroy_id is never refused.",
     "man rdma_destroy_id(3)",
     DestroyRefusesNothing,
     {}},
    {"LIFE-4",
     "lifecycle",
     PropertyKind::kAlways,
     "No call on an existing id returns ENOENT or EBADF, except for an address info that was "
     "not found.",
     "linux 6.1 ucma.c ucma_get_ctx",
     LiveIsKnown,
     {}},
    {"LIFE-5",
     "lifecycle",
     PropertyKind::kEventually,
     "A channel whose ids are all destroyed is quiet.",
     "man rdma_destroy_event_channel(3)",
     SilentAtTheEnd,
     {}},
    {"LIFE-6",
     "lifecycle",
     PropertyKind::kAlways,
     "An id of RDMA_PS_TCP can always be created.",
     "man rdma_create_id(3)",
     TcpIdsAreMade,
     {}},
    {"LIFE-7",
     "lifecycle",
     PropertyKind::kSometimes,
     "An id is destroyed while its request is unanswered.",
     "man rdma_destroy_id(3)",
     DestroyedWhileAsking,
     {}},
});

}  // namespace

std::span<const Property> Lifecycle() { return kClaims; }

}  // namespace cm::claims
