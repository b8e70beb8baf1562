// Addresses, ports, listening.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

const call::BindAddr* AsBind(const MadeCall& call) {
  return std::get_if<call::BindAddr>(call.call);
}

// Whether the id may own the port at the record: it was bound to it, or requested it in an address
// resolution, and it may still exist.
bool MayOwn(const HistoryIndex& account, IdRef id, uint16_t port, size_t record) {
  for (const MadeCall* destroy : account.CallsOn(id)) {
    if (destroy->kind() != CallKind::kDestroyId && destroy->kind() != CallKind::kDestroyEp)
      continue;
    const bool gone = destroy->reply.succeeded() && destroy->at < record;
    const bool released = destroy->released && *destroy->released < record;
    if (gone || released) return false;
  }
  return std::ranges::any_of(account.CallsOn(id), [&](const MadeCall* call) {
    if (call->at >= record) return false;
    const auto* bind = AsBind(*call);
    const auto* resolve = std::get_if<call::ResolveAddr>(call->call);
    const auto* ep = std::get_if<call::CreateEp>(call->call);
    if (ep != nullptr) return ep->source.port == port;
    return (bind != nullptr && bind->address.port == port) ||
           (resolve != nullptr && resolve->source.port == port);
  });
}

// Two successful rdma_bind_addr to one port of one kernel, by ids that exist at the same time.
template <typename Clash>
void NoTwoOn(const HistoryIndex& account, PropertyResult& result, Clash clash) {
  if (account.Injected(FaultKind::kRemoveDevice)) return;
  const auto& calls = account.calls();
  for (size_t second = 0; second < calls.size(); ++second) {
    const auto* late = AsBind(calls[second]);
    if (late == nullptr || late->address.port == 0 || !account.IsTcp(late->id)) continue;
    for (size_t first = 0; first < second; ++first) {
      const auto* early = AsBind(calls[first]);
      const bool both =
          early != nullptr && early->id != late->id && calls[first].reply.succeeded() &&
          account.IsTcp(early->id) && early->address.port == late->address.port &&
          account.KernelOf(early->id) == account.KernelOf(late->id) &&
          account.EndOf(early->id) > calls[second].at && clash(early->address, late->address);
      if (!both) continue;
      const bool shared = HasSet(account, early->id, kReuseAddrOption, calls[second].at) &&
                          HasSet(account, late->id, kReuseAddrOption, calls[second].at);
      if (shared) continue;
      // Resolving a destination replaces a wildcard by an address of the interface.
      const MadeCall* resolved = account.FirstSuccess(early->id, CallKind::kResolveAddr);
      if (early->address.AnyOrLoopback() && resolved != nullptr && resolved->at < calls[second].at)
        continue;
      result.Arose();
      if (calls[second].reply.succeeded())
        result.Violated(calls[second].at, Made(account, calls[second]),
                        fmt::format("a refusal: {} has the port", NameOf(account, early->id)));
    }
  }
}

void NoTwoOnOneAddress(const HistoryIndex& account, PropertyResult& result) {
  NoTwoOn(account, result, [](const Address& a, const Address& b) { return a == b; });
}

void NoneBesideAWildcard(const HistoryIndex& account, PropertyResult& result) {
  NoTwoOn(account, result, [](const Address& a, const Address& b) {
    return a.v6 == b.v6 && (a.kind == AddressKind::kAny) != (b.kind == AddressKind::kAny);
  });
}

void FreeAfterDestroy(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    const auto* bind = AsBind(call);
    if (bind == nullptr || bind->address.port == 0) continue;
    const bool wildcard = bind->address.kind == AddressKind::kAny;
    const bool taken =
        call.Refused(Errno::kAddrInUse) || (wildcard && call.Refused(Errno::kAddrNotAvail));
    if (bind->address.kind != AddressKind::kSide && !wildcard) continue;
    bool owned = false;
    bool was_owned = false;
    for (uint16_t i = 0; i < account.id_count(); ++i) {
      const IdRef other{i};
      if (other == bind->id || !account.Exists(other)) continue;
      owned |= MayOwn(account, other, bind->address.port, call.at);
      was_owned |= account.EndOf(other) < call.at;
    }
    if (owned) continue;
    if (was_owned) result.Arose();
    if (taken) result.Violated(call.at, Made(account, call), "0: no id owns the port");
  }
}

void BoundOnce(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    const MadeCall* first = account.FirstSuccess(id, CallKind::kBindAddr);
    if (first == nullptr) return;
    for (const MadeCall* again : account.CallsOn(id, CallKind::kBindAddr)) {
      if (again->at <= first->at) continue;
      result.Arose();
      if (!again->Refused(Errno::kInval) && !again->Refused(Errno::kNxIo))
        result.Violated(again->at, Made(account, *again), "-1 EINVAL: the id is bound");
    }
  });
}

void NoListenerThatResolves(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    const HeardEvent* resolved = account.First(id, EventType::kAddrResolved);
    if (resolved == nullptr) return;
    for (const MadeCall* listen : account.CallsOn(id, CallKind::kListen)) {
      if (listen->at < resolved->at) continue;
      result.Arose();
      if (!listen->Refused(Errno::kInval) && !listen->Refused(Errno::kNxIo))
        result.Violated(listen->at, Made(account, *listen), "-1 EINVAL: the id has a destination");
    }
  });
}

// The successful call whose result the event reports; null when it may belong to an earlier one,
// whose own event was not fetched.
const MadeCall* EndedBy(const HistoryIndex& account, const HeardEvent& heard, CallKind kind,
                        EventType found, EventType failed) {
  const MadeCall* last = nullptr;
  int open = 0;
  for (const MadeCall* call : account.CallsOn(heard.event.id, kind)) {
    if (!call->reply.succeeded() || call->at > heard.at) continue;
    last = call;
    ++open;
  }
  for (const HeardEvent* other : account.EventsOf(heard.event.id)) {
    const bool ends = other->event.type == found || other->event.type == failed;
    if (ends && other->at < heard.at) --open;
  }
  return open <= 1 ? last : nullptr;
}

void SilentAddressesTimeOut(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    const EventType type = heard.event.type;
    if (type != EventType::kAddrResolved && type != EventType::kAddrError) continue;
    if (!heard.event.id.valid()) continue;
    const MadeCall* resolve = EndedBy(account, heard, CallKind::kResolveAddr,
                                      EventType::kAddrResolved, EventType::kAddrError);
    if (resolve == nullptr) continue;
    const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
    if (arguments.destination.kind != AddressKind::kSilent) continue;
    result.Arose();
    const Duration patience = Duration::Milliseconds(std::max(arguments.timeout_ms, 0));
    if (type == EventType::kAddrResolved || arguments.timeout_ms < 0)
      result.Violated(heard.at, Heard(account, heard), "no answer from an address without a host");
    else if (heard.time < resolve->begin + patience)
      result.Violated(heard.at, Heard(account, heard) + " early",
                      fmt::format("not before {} have passed", ToString(patience)));
  }
}

void TimeOutsAreKept(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  ForEachId(account, [&](IdRef id) {
    for (const MadeCall* resolve : account.CallsOn(id, CallKind::kResolveAddr)) {
      const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
      const bool waits = resolve->reply.succeeded() && arguments.timeout_ms >= 0 &&
                         arguments.destination.kind == AddressKind::kSilent;
      if (!waits) continue;
      const Duration nominal = Duration::Milliseconds(arguments.timeout_ms);
      const Instant latest = resolve->end + account.profile().timing.Latest(nominal);
      const Silence* silence = account.SilentAfter(id, latest);
      if (silence == nullptr) continue;
      result.Arose();
      const auto events = account.EventsOf(id, EventType::kAddrError);
      const bool told = std::ranges::any_of(events, [&](const HeardEvent* heard) {
        return heard->at > resolve->at && heard->at < silence->at;
      });
      if (!told)
        result.Violated(silence->at, "nothing",
                        "RDMA_CM_EVENT_ADDR_ERROR of " + NameOf(account, id));
    }
  });
}

void SilentSubnetsTimeOut(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    const bool timed_out = heard.event.type == EventType::kRouteError &&
                           heard.event.status == -static_cast<int32_t>(Errno::kTimedOut);
    if (!timed_out || !heard.event.id.valid()) continue;
    const MadeCall* last = EndedBy(account, heard, CallKind::kResolveRoute,
                                   EventType::kRouteResolved, EventType::kRouteError);
    if (last == nullptr) continue;  // EV-4
    result.Arose();
    const auto given = static_cast<uint32_t>(std::get<call::ResolveRoute>(*last->call).timeout_ms);
    const Duration patience = Timing::AskPatience(Duration::Milliseconds(given));
    if (heard.time < last->begin + patience)
      result.Violated(heard.at, Heard(account, heard) + " early",
                      fmt::format("not before {} have passed", ToString(patience)));
    else if (!account.Before(heard.at, FaultKind::kSilenceSm))
      result.Violated(heard.at, Heard(account, heard), "an answer: the SA was not silent");
  }
}

// Whether, by this call or an earlier one, the id may have an interface: that of a side's address,
// or that of an earlier destination's route.
bool MayKnowInterface(const HistoryIndex& account, const MadeCall& now) {
  return std::ranges::any_of(account.CallsOn(now.id()), [&](const MadeCall* call) {
    if (call->at > now.at) return false;
    if (const auto* bind = AsBind(*call)) return bind->address.kind == AddressKind::kSide;
    const auto* resolve = std::get_if<call::ResolveAddr>(call->call);
    if (resolve == nullptr) return false;
    return resolve->source.kind == AddressKind::kSide ||
           (call->at < now.at && call->reply.succeeded());
  });
}

void NowhereIsNotFound(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    const auto* resolve = std::get_if<call::ResolveAddr>(call.call);
    if (resolve == nullptr || resolve->destination.kind != AddressKind::kUnroutable) continue;
    // IPv4 treats it as a neighbour once the interface is known; IPv6 does not.
    if (!resolve->destination.v6 && MayKnowInterface(account, call)) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(account, call), "a refusal: no route leads there");
  }
}

void AddrErrorIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kAddrError);
}

void FoundTaken(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls())
    if (AsBind(call) != nullptr && call.Refused(Errno::kAddrInUse)) result.Arose();
}

// Whether a request may have been retransmitted since: it finds room that a fetch has made.
bool SomebodyAskedAgain(const HistoryIndex& account, Instant from, Instant until) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kConnect || !call.reply.succeeded()) continue;
    const Timing timing = TimingOf(account, call.id());
    for (int n = 1; n <= timing.max_retries; ++n) {
      const Duration nominal = timing.RequestInterval() * n;
      if (call.begin + nominal <= until && from <= call.end + timing.Latest(nominal)) return true;
    }
  }
  return false;
}

// Consecutive fetches with nothing but acknowledgements in between.
void BacklogHolds(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  ForEachId(account, [&](IdRef listener) {
    const auto listens = account.CallsOn(listener, CallKind::kListen);
    if (listens.size() != 1 || !listens.front()->reply.succeeded()) return;
    const int backlog = std::get<call::Listen>(*listens.front()->call).backlog;
    if (backlog <= 0) return;
    int in_a_row = 0;
    size_t last = 0;
    Instant since;
    for (const MadeCall& call : account.calls()) {
      const bool looks =
          call.kind() == CallKind::kGetCmEvent || call.kind() == CallKind::kAckCmEvent;
      if (!looks || call.at != last + 1) in_a_row = 0;
      if (in_a_row == 0) since = call.begin;
      last = call.at;
      const auto heard = std::ranges::find(account.heard(), call.at, &HeardEvent::at);
      if (heard == account.heard().end() || heard->event.listen_id != listener) continue;
      result.Arose();
      if (++in_a_row > backlog && !SomebodyAskedAgain(account, since, call.end))
        result.Violated(call.at, fmt::format("request {} in a row", in_a_row),
                        fmt::format("{} waiting requests: the backlog", backlog));
    }
  });
}

constexpr Capabilities kNeedsTime = Capabilities().With(Capability::kTime);

constexpr auto kClaims = std::to_array<Property>({
    {"PORT-1",
     "addressing/ports",
     PropertyKind::kAlways,
     "No two ids of a kernel are bound to one address and port.",
     "man rdma_bind_addr(3)",
     NoTwoOnOneAddress,
     {}},
    {"PORT-2",
     "addressing/ports",
     PropertyKind::kAlways,
     "A port that a wildcard address owns is not bound to another address.",
     "linux 6.1 cma.c cma_check_port",
     NoneBesideAWildcard,
     {}},
    {"PORT-3",
     "addressing/ports",
     PropertyKind::kEventually,
     "A port is free again once its owner is destroyed.",
     "man rdma_destroy_id(3)",
     FreeAfterDestroy,
     {}},
    {"PORT-4",
     "addressing/ports",
     PropertyKind::kAlways,
     "An id is bound once.",
     "linux 6.1 cma.c rdma_bind_addr_dst",
     BoundOnce,
     {}},
    {"PORT-5",
     "addressing/ports",
     PropertyKind::kAlways,
     "An id that has resolved a destination cannot listen.",
     "man rdma_listen(3)",
     NoListenerThatResolves,
     {}},
    {"PORT-6",
     "addressing/ports",
     PropertyKind::kSometimes,
     "EADDRINUSE is returned.",
     "man rdma_bind_addr(3)",
     FoundTaken,
     {}},
    {"ADDR-1",
     "addressing/ports",
     PropertyKind::kAlways,
     "An address without a host is never resolved, and not given up early.",
     "man rdma_resolve_addr(3)",
     SilentAddressesTimeOut,
     {}},
    {"ADDR-2",
     "addressing/ports",
     PropertyKind::kEventually,
     "rdma_resolve_addr gives up when its timeout is over.",
     "man rdma_resolve_addr(3)",
     TimeOutsAreKept,
     {}},
    {"ADDR-3",
     "addressing/ports",
     PropertyKind::kAlways,
     "A destination without a route is refused, unless it may be a neighbour.",
     "linux 6.1 addr.c addr_resolve",
     NowhereIsNotFound,
     {}},
    {"ADDR-4", "addressing/ports", PropertyKind::kSometimes, "ADDR_ERROR is reported.",
     "man rdma_get_cm_event(3)", AddrErrorIsHeard, kNeedsTime},
    {"ADDR-5",
     "addressing/ports",
     PropertyKind::kAlways,
     "A route is given up once the queries to the SA have taken its timeout and a tenth more "
     "without a response.",
     "linux 6.1 sa_query.c send_mad, send_handler",
     SilentSubnetsTimeOut,
     {}},
    {"LIS-1",
     "addressing/ports",
     PropertyKind::kAlways,
     "No more requests wait on a listener than its backlog.",
     "man rdma_listen(3)",
     BacklogHolds,
     {}},
});

}  // namespace

std::span<const Property> Addressing() { return kClaims; }

}  // namespace cm::claims
