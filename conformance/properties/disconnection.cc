// From rdma_disconnect to the end of timewait.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

constexpr int32_t kTimedOut = -static_cast<int32_t>(Errno::kTimedOut);

void DisconnectedOnce(const HistoryIndex& account, PropertyResult& result) {
  AtMostOnce(account, result, EventType::kDisconnected);
}

void OnlyConnectionsEnd(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kDisconnected || !heard.event.id.valid()) continue;
    result.Arose();
    if (account.FirstSuccess(heard.event.id, CallKind::kConnect) == nullptr &&
        account.FirstSuccess(heard.event.id, CallKind::kAccept) == nullptr) {
      result.Violated(heard.at, Heard(account, heard),
                      "the end of a connection, after rdma_connect or rdma_accept");
    }
  }
}

// Whether the id gave up its negotiation before the record: later messages for it are answered as
// for an unknown id. A failed rdma_accept or rdma_establish gives up as well, where there is a
// negotiation.
bool GaveUp(const HistoryIndex& account, IdRef id, size_t record) {
  return std::ranges::any_of(account.CallsOn(id), [&](const MadeCall* call) {
    const CallKind kind = call->kind();
    const bool answers = kind == CallKind::kAccept || kind == CallKind::kEstablish;
    const bool rejects = kind == CallKind::kReject || kind == CallKind::kRejectEce;
    // Without its address a reject fails, and still rejects.
    const bool unsaid = rejects && account.Before(call->at, FaultKind::kFailOver);
    const bool gives_up =
        call->reply.succeeded() ? rejects : answers && Negotiates(account, id, call->at);
    return call->at < record && (unsaid || gives_up);
  });
}

// Whether a side could have sent DREQ or DREP for the id before the record.
bool SaidGoodbye(const HistoryIndex& account, IdRef id, size_t record) {
  if (account.EndOf(id) < record || GaveUp(account, id, record)) return true;
  for (const FaultKind kind : {FaultKind::kExit, FaultKind::kCrash, FaultKind::kRemoveDevice})
    if (account.Before(record, kind)) return true;
  return Succeeded(account, id, CallKind::kDisconnect, 0, record);
}

void UnansweredIsTimedOut(const HistoryIndex& account, PropertyResult& result) {
  for (const Pair& pair : account.pairs()) {
    // No other connection can make ids with queue pairs of their own stale.
    if (!HasOwnQp(account, pair.active) || !HasOwnQp(account, pair.passive)) continue;
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const HeardEvent* heard = account.First(id, EventType::kDisconnected);
      if (heard == nullptr || SaidGoodbye(account, peer, heard->at)) continue;
      result.Arose();
      if (heard->event.status != kTimedOut)
        result.Violated(
            heard->at, Heard(account, *heard),
            fmt::format("status={}: {} never answered", kTimedOut, NameOf(account, peer)));
    }
  }
}

// The event must have been fetched before this silence.
void BeforeSilence(const HistoryIndex& account, PropertyResult& result, IdRef id, EventType type,
                   const Silence& silence) {
  result.Arose();
  const HeardEvent* heard = account.First(id, type);
  if (heard == nullptr || heard->at > silence.at)
    result.Violated(silence.at, "nothing",
                    fmt::format("{} of {}", ToString(type), NameOf(account, id)));
}

// After another path was reported, a connection has none any more: it sends nothing, and waits for
// nothing.
bool OnAnotherPath(const HistoryIndex& account, const Pair& pair) {
  const size_t end_of_all = account.history().records.size();
  return PathMigrated(account, pair.active, end_of_all) ||
         PathMigrated(account, pair.passive, end_of_all);
}

void PeerHearsTheEnd(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    const HeardEvent* active = account.First(pair.active, EventType::kEstablished);
    const HeardEvent* passive = account.First(pair.passive, EventType::kEstablished);
    if (active == nullptr || passive == nullptr) continue;
    const size_t connected = std::max(active->at, passive->at);
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const auto calls = account.CallsOn(id, CallKind::kDisconnect);
      const auto ends = std::ranges::find_if(calls, [connected](const MadeCall* call) {
        return call->at > connected && call->reply.succeeded();
      });
      if (ends == calls.end() || Touched(account, id, connected, (*ends)->at)) continue;
      if (Touched(account, peer, connected, (*ends)->at)) continue;
      const Silence* silence = account.SilentAfter(peer, (*ends)->at);
      if (silence == nullptr || !account.Settled((*ends)->at, silence->at)) continue;
      BeforeSilence(account, result, peer, EventType::kDisconnected, *silence);
    }
  }
}

void DisconnectedIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kDisconnected);
}

void TimewaitFollows(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kTimewaitExit || !heard.event.id.valid()) continue;
    result.Arose();
    const HeardEvent* ended = account.First(heard.event.id, EventType::kDisconnected);
    if (ended == nullptr || ended->at > heard.at)
      result.Violated(heard.at, Heard(account, heard), "DISCONNECTED before TIMEWAIT_EXIT");
  }
}

void TimewaitOnce(const HistoryIndex& account, PropertyResult& result) {
  AtMostOnce(account, result, EventType::kTimewaitExit);
}

// The first call of either side that ends the connection.
std::optional<Instant> FirstEnd(const HistoryIndex& account, const Pair& pair) {
  std::optional<Instant> first;
  for (const MadeCall& call : account.calls()) {
    const bool ours = call.id() == pair.active || call.id() == pair.passive;
    const bool ends = call.kind() == CallKind::kDisconnect || call.kind() == CallKind::kDestroyId;
    if (!ours || !ends || first) continue;
    if (call.reply.succeeded() || call.reply.kind == ReplyKind::kBlocked) first = call.begin;
  }
  return first;
}

void TimewaitLasts(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    if (!HasOwnQp(account, pair.active) || !HasOwnQp(account, pair.passive)) continue;
    if (OnAnotherPath(account, pair)) continue;
    const std::optional<Instant> end = FirstEnd(account, pair);
    for (const IdRef id : {pair.active, pair.passive}) {
      const HeardEvent* heard = account.First(id, EventType::kTimewaitExit);
      if (heard == nullptr || !end) continue;
      result.Arose();
      const Duration lasts = TimingOf(account, pair.active).Timewait();
      if (heard->time < *end + lasts)
        result.Violated(heard->at, Heard(account, *heard) + " early",
                        fmt::format("not before {} have passed", ToString(lasts)));
    }
  }
}

// One end disconnects, the other receives the DREQ and answers: then both are in timewait.
void TimewaitEnds(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    if (OnAnotherPath(account, pair)) continue;
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const MadeCall* first = account.FirstSuccess(id, CallKind::kDisconnect);
      const HeardEvent* told = account.First(peer, EventType::kDisconnected);
      const MadeCall* answer = account.FirstSuccess(peer, CallKind::kDisconnect);
      const bool in_turn = first != nullptr && told != nullptr && answer != nullptr &&
                           first->at < told->at && told->at < answer->at;
      if (!in_turn || account.First(id, EventType::kDisconnected) == nullptr) continue;
      const Timing timing = TimingOf(account, pair.active);
      const Instant latest = answer->end + timing.prompt + timing.Latest(timing.Timewait());
      for (const IdRef end : {id, peer}) {
        const Silence* silence = account.SilentAfter(end, latest);
        if (silence == nullptr) continue;
        BeforeSilence(account, result, end, EventType::kTimewaitExit, *silence);
      }
    }
  }
}

void TimewaitExitIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kTimewaitExit);
}

void ExitEndsConnections(const HistoryIndex& account, PropertyResult& result) {
  for (const FaultRow& row : kFaultKinds)
    if (row.kind != FaultKind::kExit && account.Injected(row.kind)) return;
  for (const Pair& pair : account.pairs()) {
    const HeardEvent* active = account.First(pair.active, EventType::kEstablished);
    const HeardEvent* passive = account.First(pair.passive, EventType::kEstablished);
    if (active == nullptr || passive == nullptr) continue;
    const size_t connected = std::max(active->at, passive->at);
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const size_t exited = account.EndOf(peer);
      if (exited >= account.history().records.size() ||
          !account.Before(exited + 1, FaultKind::kExit, account.SideOf(peer)) ||
          account.Before(exited, FaultKind::kExit, account.SideOf(peer))) {
        continue;
      }
      const Silence* silence = account.SilentAfter(id, exited);
      if (silence == nullptr || !account.Settled(exited, silence->at)) continue;
      if (Touched(account, id, connected, silence->at) || Touched(account, peer, connected, exited))
        continue;
      result.Arose();
      const HeardEvent* heard = account.First(id, EventType::kDisconnected);
      if (heard == nullptr || heard->at > silence->at)
        result.Violated(silence->at, "nothing",
                        "RDMA_CM_EVENT_DISCONNECTED of " + NameOf(account, id));
    }
  }
}

constexpr Capabilities kNeedsTime = Capabilities().With(Capability::kTime);

constexpr auto kClaims = std::to_array<Property>({
    {"DIS-1",
     "disconnect/timewait",
     PropertyKind::kAlways,
     "An id reports DISCONNECTED at most once.",
     "man rdma_get_cm_event(3)",
     DisconnectedOnce,
     {}},
    {"DIS-2",
     "disconnect/timewait",
     PropertyKind::kAlways,
     "Only a connected id is disconnected.",
     "man rdma_get_cm_event(3)",
     OnlyConnectionsEnd,
     {}},
    {"DIS-3",
     "disconnect/timewait",
     PropertyKind::kAlways,
     "A disconnect that the peer never answered reports ETIMEDOUT.",
     "linux 6.1 cma.c cma_ib_handler",
     UnansweredIsTimedOut,
     {}},
    {"DIS-4",
     "disconnect/timewait",
     PropertyKind::kEventually,
     "The other end of a connection reports DISCONNECTED.",
     "man rdma_disconnect(3)",
     PeerHearsTheEnd,
     {}},
    {"DIS-5",
     "disconnect/timewait",
     PropertyKind::kEventually,
     "The exit of a process disconnects its connections.",
     "man rdma_disconnect(3)",
     ExitEndsConnections,
     {}},
    {"DIS-6",
     "disconnect/timewait",
     PropertyKind::kSometimes,
     "DISCONNECTED is reported.",
     "man rdma_get_cm_event(3)",
     DisconnectedIsHeard,
     {}},
    {"TW-1",
     "disconnect/timewait",
     PropertyKind::kAlways,
     "TIMEWAIT_EXIT follows DISCONNECTED.",
     "man rdma_get_cm_event(3)",
     TimewaitFollows,
     {}},
    {"TW-2",
     "disconnect/timewait",
     PropertyKind::kAlways,
     "An id reports TIMEWAIT_EXIT at most once.",
     "man rdma_get_cm_event(3)",
     TimewaitOnce,
     {}},
    {"TW-3",
     "disconnect/timewait",
     PropertyKind::kAlways,
     "Timewait lasts as long as a packet may be in the network.",
     "linux 6.1 cm.c cm_enter_timewait, ibta 1.7 12.9.8.4",
     TimewaitLasts,
     {}},
    {"TW-4",
     "disconnect/timewait",
     PropertyKind::kEventually,
     "Timewait ends, and TIMEWAIT_EXIT reports it.",
     "man rdma_get_cm_event(3)",
     TimewaitEnds,
     {}},
    {"TW-5", "disconnect/timewait", PropertyKind::kSometimes, "TIMEWAIT_EXIT is reported.",
     "man rdma_get_cm_event(3)", TimewaitExitIsHeard, kNeedsTime},
});

}  // namespace

std::span<const Property> Disconnection() { return kClaims; }

}  // namespace cm::claims
