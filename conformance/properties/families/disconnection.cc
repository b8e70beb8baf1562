// From rdma_disconnect to the end of timewait.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

constexpr int32_t kTimedOut = -static_cast<int32_t>(Errno::kTimedOut);

void OnlyConnectionsEnd(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kDisconnected || !heard.event.id.valid()) continue;
    result.Arose();
    if (index.FirstSuccess(heard.event.id, CallKind::kConnect) == nullptr &&
        index.FirstSuccess(heard.event.id, CallKind::kAccept) == nullptr) {
      result.Violated(heard.at, Heard(index, heard),
                      "the end of a connection, after rdma_connect or rdma_accept");
    }
  }
}

// Whether the id gave up its negotiation before the record: later messages for it are answered as
// for an unknown id. A failed rdma_accept or rdma_establish gives up as well, where there is a
// negotiation.
bool GaveUp(const HistoryIndex& index, IdRef id, size_t record) {
  return std::ranges::any_of(index.CallsOn(id), [&](const MadeCall* call) {
    const CallKind kind = call->kind();
    const bool answers = kind == CallKind::kAccept || kind == CallKind::kEstablish;
    const bool rejects = kind == CallKind::kReject || kind == CallKind::kRejectEce;
    // Without its address a reject fails, and still rejects.
    const bool unsaid = rejects && index.faults().Before(call->at, FaultKind::kFailOver);
    const bool gives_up =
        call->reply.succeeded() ? rejects : answers && Negotiates(index, id, call->at);
    return call->at < record && (unsaid || gives_up);
  });
}

// Whether a side could have sent DREQ or DREP for the id before the record.
bool SaidGoodbye(const HistoryIndex& index, IdRef id, size_t record) {
  if (index[id].end < record || GaveUp(index, id, record)) return true;
  for (const FaultKind kind : {FaultKind::kExit, FaultKind::kCrash, FaultKind::kRemoveDevice})
    if (index.faults().Before(record, kind)) return true;
  return Succeeded(index, id, CallKind::kDisconnect, 0, record);
}

void UnansweredIsTimedOut(const HistoryIndex& index, PropertyResult& result) {
  for (const Pair& pair : index.pairs()) {
    // No other connection can make ids with queue pairs of their own stale.
    if (!HasOwnQp(index, pair.active) || !HasOwnQp(index, pair.passive)) continue;
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const HeardEvent* heard = index.First(id, EventType::kDisconnected);
      if (heard == nullptr || SaidGoodbye(index, peer, heard->at)) continue;
      result.Arose();
      if (heard->event.status != kTimedOut)
        result.Violated(
            heard->at, Heard(index, *heard),
            fmt::format("status={}: {} never answered", kTimedOut, NameOf(index, peer)));
    }
  }
}

// The event must have been fetched before this silence.
void BeforeSilence(const HistoryIndex& index, PropertyResult& result, IdRef id, EventType type,
                   const Silence& silence) {
  result.Arose();
  const HeardEvent* heard = index.First(id, type);
  if (heard == nullptr || heard->at > silence.at)
    result.Violated(silence.at, "nothing",
                    fmt::format("{} of {}", ToString(type), NameOf(index, id)));
}

// After another path was reported, a connection has none any more: it sends nothing, and waits for
// nothing.
bool OnAnotherPath(const HistoryIndex& index, IdRef id, IdRef peer, size_t record) {
  return PathMigrated(index, id, record) || PathMigrated(index, peer, record);
}

bool OnAnotherPath(const HistoryIndex& index, const Pair& pair) {
  return OnAnotherPath(index, pair.active, pair.passive, index.history().records.size());
}

// Calls a function for either end of each established connection, with its peer and the record at
// which both ends had reported ESTABLISHED.
template <typename Each>
void ForEachConnectedEnd(const HistoryIndex& index, Each each) {
  for (const Pair& pair : index.pairs()) {
    const HeardEvent* active = index.First(pair.active, EventType::kEstablished);
    const HeardEvent* passive = index.First(pair.passive, EventType::kEstablished);
    if (active == nullptr || passive == nullptr) continue;
    const size_t connected = std::max(active->at, passive->at);
    each(pair.active, pair.passive, connected);
    each(pair.passive, pair.active, connected);
  }
}

void PeerHearsTheEnd(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  ForEachConnectedEnd(index, [&](IdRef id, IdRef peer, size_t connected) {
    const auto calls = index.CallsOn(id, CallKind::kDisconnect);
    const auto ends = std::ranges::find_if(calls, [connected](const MadeCall* call) {
      return call->at > connected && call->reply.succeeded();
    });
    if (ends == calls.end() || Touched(index, id, connected, (*ends)->at)) return;
    if (Touched(index, peer, connected, (*ends)->at)) return;
    if (OnAnotherPath(index, id, peer, (*ends)->at)) return;
    const Silence* silence = index.SilentAfter(peer, (*ends)->at);
    if (silence == nullptr || !index.Settled((*ends)->at, silence->at)) return;
    BeforeSilence(index, result, peer, EventType::kDisconnected, *silence);
  });
}

void TimewaitFollows(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kTimewaitExit || !heard.event.id.valid()) continue;
    // After a CONNECT_ERROR the library drops DISCONNECTED; of a synchronous id a call returns it.
    const HeardEvent* failed = index.First(heard.event.id, EventType::kConnectError);
    if (failed != nullptr && failed->at < heard.at) continue;
    if (index[heard.event.id].WasSynchronous()) continue;
    result.Arose();
    const HeardEvent* ended = index.First(heard.event.id, EventType::kDisconnected);
    if (ended == nullptr || ended->at > heard.at)
      result.Violated(heard.at, Heard(index, heard), "DISCONNECTED before TIMEWAIT_EXIT");
  }
}

// The first call of either side that ends the connection.
std::optional<Instant> FirstEnd(const HistoryIndex& index, const Pair& pair) {
  std::optional<Instant> first;
  for (const MadeCall& call : index.calls()) {
    const bool ours = call.id() == pair.active || call.id() == pair.passive;
    const bool ends = call.kind() == CallKind::kDisconnect || call.kind() == CallKind::kDestroyId;
    if (!ours || !ends || first) continue;
    if (call.reply.succeeded() || call.reply.kind == ReplyKind::kBlocked) first = call.begin;
  }
  return first;
}

void TimewaitLasts(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  for (const Pair& pair : index.pairs()) {
    if (!HasOwnQp(index, pair.active) || !HasOwnQp(index, pair.passive)) continue;
    if (OnAnotherPath(index, pair)) continue;
    const std::optional<Instant> end = FirstEnd(index, pair);
    for (const IdRef id : {pair.active, pair.passive}) {
      const HeardEvent* heard = index.First(id, EventType::kTimewaitExit);
      if (heard == nullptr || !end) continue;
      result.Arose();
      const Duration lasts = TimingOf(index, pair.active).Timewait();
      if (heard->time < *end + lasts)
        result.Violated(heard->at, Heard(index, *heard) + " early",
                        fmt::format("not before {} have passed", ToString(lasts)));
    }
  }
}

// One end disconnects, the other receives the DREQ and answers: then both are in timewait.
void TimewaitEnds(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  for (const Pair& pair : index.pairs()) {
    if (OnAnotherPath(index, pair)) continue;
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const MadeCall* first = index.FirstSuccess(id, CallKind::kDisconnect);
      const HeardEvent* told = index.First(peer, EventType::kDisconnected);
      const MadeCall* answer = index.FirstSuccess(peer, CallKind::kDisconnect);
      const bool in_turn = first != nullptr && told != nullptr && answer != nullptr &&
                           first->at < told->at && told->at < answer->at;
      if (!in_turn || index.First(id, EventType::kDisconnected) == nullptr) continue;
      const Timing timing = TimingOf(index, pair.active);
      const Instant latest = answer->end + timing.prompt + timing.Latest(timing.Timewait());
      for (const IdRef end : {id, peer}) {
        const Silence* silence = index.SilentAfter(end, latest);
        if (silence == nullptr) continue;
        BeforeSilence(index, result, end, EventType::kTimewaitExit, *silence);
      }
    }
  }
}

void ExitEndsConnections(const HistoryIndex& index, PropertyResult& result) {
  for (const FaultRow& row : kFaultKinds)
    if (row.kind != FaultKind::kExit && index.faults().Injected(row.kind)) return;
  ForEachConnectedEnd(index, [&](IdRef id, IdRef peer, size_t connected) {
    const size_t exited = index[peer].end;
    if (exited >= index.history().records.size() ||
        !index.faults().Before(exited + 1, FaultKind::kExit, index[peer].side) ||
        index.faults().Before(exited, FaultKind::kExit, index[peer].side)) {
      return;
    }
    const Silence* silence = index.SilentAfter(id, exited);
    if (silence == nullptr || !index.Settled(exited, silence->at)) return;
    if (Touched(index, id, connected, silence->at)) return;
    if (Touched(index, peer, connected, exited)) return;
    if (OnAnotherPath(index, id, peer, exited)) return;
    BeforeSilence(index, result, id, EventType::kDisconnected, *silence);
  });
}

constexpr Capabilities kNeedsTime = Capabilities().With(Capability::kTime);

constexpr auto kOfDisconnection = std::to_array<Property>({
    Always("DIS-1", AtMostOnce<EventType::kDisconnected>,
           "An id reports DISCONNECTED at most once.", "man rdma_get_cm_event(3)"),
    Always("DIS-2", OnlyConnectionsEnd, "Only a connected id is disconnected.",
           "man rdma_get_cm_event(3)"),
    Always("DIS-3", UnansweredIsTimedOut,
           "A disconnect that the peer never answered reports ETIMEDOUT.",
           "linux 6.1 cma.c cma_ib_handler")
        .Over(over::kIbCm),
    Eventually("DIS-4", PeerHearsTheEnd, "The other end of a connection reports DISCONNECTED.",
               "man rdma_disconnect(3)"),
    Eventually("DIS-5", ExitEndsConnections, "The exit of a process disconnects its connections.",
               "man rdma_disconnect(3)"),
    Sometimes("DIS-6", IsHeard<EventType::kDisconnected>, "DISCONNECTED is reported.",
              "man rdma_get_cm_event(3)"),
    Always("TW-1", TimewaitFollows, "TIMEWAIT_EXIT follows DISCONNECTED.",
           "man rdma_get_cm_event(3)"),
    Always("TW-2", AtMostOnce<EventType::kTimewaitExit>,
           "An id reports TIMEWAIT_EXIT at most once.", "man rdma_get_cm_event(3)"),
    Always("TW-3", TimewaitLasts, "Timewait lasts as long as a packet may be in the network.",
           "linux 6.1 cm.c cm_enter_timewait, ibta 1.7 12.9.8.4"),
    Eventually("TW-4", TimewaitEnds, "Timewait ends, and TIMEWAIT_EXIT reports it.",
               "man rdma_get_cm_event(3)")
        .Over(over::kIbCm),
    Sometimes("TW-5", IsHeard<EventType::kTimewaitExit>, "TIMEWAIT_EXIT is reported.",
              "man rdma_get_cm_event(3)", kNeedsTime)
        .Over(over::kIbCm),
});

}  // namespace

std::span<const Property> Disconnection() { return kOfDisconnection; }

}  // namespace cm::families
