// Addresses, ports, listening.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

const call::BindAddr* AsBind(const MadeCall& call) {
  return std::get_if<call::BindAddr>(call.call);
}

// Two successful rdma_bind_addr to one port of one kernel, by ids that exist at the same time.
template <typename Clash>
void NoTwoOn(const HistoryIndex& index, PropertyResult& result, Clash clash) {
  if (index.faults().Injected(FaultKind::kRemoveDevice)) return;
  const auto& calls = index.calls();
  for (size_t second = 0; second < calls.size(); ++second) {
    const auto* late = AsBind(calls[second]);
    if (late == nullptr || late->address.port == 0 || !index[late->id].tcp) continue;
    for (size_t first = 0; first < second; ++first) {
      const auto* early = AsBind(calls[first]);
      const bool both =
          early != nullptr && early->id != late->id && calls[first].reply.succeeded() &&
          index[early->id].tcp && early->address.port == late->address.port &&
          index.KernelOf(early->id) == index.KernelOf(late->id) &&
          index[early->id].end > calls[second].at && clash(early->address, late->address);
      if (!both) continue;
      const bool shared = HasSet(index, early->id, kReuseAddrOption, calls[second].at) &&
                          HasSet(index, late->id, kReuseAddrOption, calls[second].at);
      if (shared) continue;
      // Resolving a destination replaces a wildcard by an address of the interface.
      const MadeCall* resolved = index.FirstSuccess(early->id, CallKind::kResolveAddr);
      if (early->address.AnyOrLoopback() && resolved != nullptr && resolved->at < calls[second].at)
        continue;
      result.Arose();
      if (calls[second].reply.succeeded())
        result.Violated(calls[second].at, Made(index, calls[second]),
                        fmt::format("a refusal: {} has the port", NameOf(index, early->id)));
    }
  }
}

void NoTwoOnOneAddress(const HistoryIndex& index, PropertyResult& result) {
  NoTwoOn(index, result, [](const Address& a, const Address& b) { return a == b; });
}

void NoneBesideAWildcard(const HistoryIndex& index, PropertyResult& result) {
  NoTwoOn(index, result, [](const Address& a, const Address& b) {
    return a.v6 == b.v6 && (a.kind == AddressKind::kAny) != (b.kind == AddressKind::kAny);
  });
}

// Whether another id of the kernel and port space may own the port because the kernel has drawn it.
bool MayBeDrawn(const HistoryIndex& index, IdRef other, const call::BindAddr& bind, size_t record) {
  return bind.address.port >= kFirstEphemeralPort &&
         index.KernelOf(other) == index.KernelOf(bind.id) &&
         SpaceOf(index, other) == SpaceOf(index, bind.id) && MayOwnDrawnPort(index, other, record);
}

void FreeAfterDestroy(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* bind = AsBind(call);
    if (bind == nullptr || bind->address.port == 0) continue;
    const bool wildcard = bind->address.kind == AddressKind::kAny;
    const bool taken =
        call.Refused(Errno::kAddrInUse) || (wildcard && call.Refused(Errno::kAddrNotAvail));
    if (bind->address.kind != AddressKind::kSide && !wildcard) continue;
    bool owned = false;
    bool was_owned = false;
    for (uint16_t i = 0; i < index.id_count(); ++i) {
      const IdRef other{i};
      if (other == bind->id || !index[other].exists) continue;
      owned |= MayOwn(index, other, bind->address.port, call.at) ||
               MayBeDrawn(index, other, *bind, call.at);
      was_owned |= index[other].end < call.at;
    }
    if (owned) continue;
    if (was_owned) result.Arose();
    if (taken) result.Violated(call.at, Made(index, call), "0: no id owns the port");
  }
}

void BoundOnce(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    const MadeCall* first = index.FirstSuccess(id, CallKind::kBindAddr);
    if (first == nullptr) return;
    for (const MadeCall* again : index.CallsOn(id, CallKind::kBindAddr)) {
      if (again->at <= first->at) continue;
      result.Arose();
      if (!again->Refused(Errno::kInval) && !again->Refused(Errno::kNxIo))
        result.Violated(again->at, Made(index, *again), "-1 EINVAL: the id is bound");
    }
  });
}

void NoListenerThatResolves(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    const HeardEvent* resolved = index.First(id, EventType::kAddrResolved);
    if (resolved == nullptr) return;
    for (const MadeCall* listen : index.CallsOn(id, CallKind::kListen)) {
      if (listen->at < resolved->at) continue;
      result.Arose();
      if (!listen->Refused(Errno::kInval) && !listen->Refused(Errno::kNxIo))
        result.Violated(listen->at, Made(index, *listen), "-1 EINVAL: the id has a destination");
    }
  });
}

// The successful call whose result the event reports; null when it may belong to an earlier one,
// whose own event was not fetched.
const MadeCall* EndedBy(const HistoryIndex& index, const HeardEvent& heard, CallKind kind,
                        EventType found, EventType failed) {
  const MadeCall* last = nullptr;
  int open = 0;
  for (const MadeCall* call : index.CallsOn(heard.event.id, kind)) {
    if (!call->reply.succeeded() || call->at > heard.at) continue;
    last = call;
    ++open;
  }
  for (const HeardEvent* other : index.EventsOf(heard.event.id)) {
    const bool ends = other->event.type == found || other->event.type == failed;
    if (ends && other->at < heard.at) --open;
  }
  return open <= 1 ? last : nullptr;
}

void SilentAddressesTimeOut(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    const EventType type = heard.event.type;
    if (type != EventType::kAddrResolved && type != EventType::kAddrError) continue;
    if (!heard.event.id.valid()) continue;
    const MadeCall* resolve = EndedBy(index, heard, CallKind::kResolveAddr,
                                      EventType::kAddrResolved, EventType::kAddrError);
    if (resolve == nullptr) continue;
    const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
    if (arguments.destination.kind != AddressKind::kSilent) continue;
    result.Arose();
    const Duration patience = Duration::Milliseconds(std::max(arguments.timeout_ms, 0));
    if (type == EventType::kAddrResolved || arguments.timeout_ms < 0)
      result.Violated(heard.at, Heard(index, heard), "no answer from an address without a host");
    else if (heard.time < resolve->begin + patience)
      result.Violated(heard.at, Heard(index, heard) + " early",
                      fmt::format("not before {} have passed", ToString(patience)));
  }
}

void TimeOutsAreKept(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  ForEachId(index, [&](IdRef id) {
    for (const MadeCall* resolve : index.CallsOn(id, CallKind::kResolveAddr)) {
      const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
      const bool waits = resolve->reply.succeeded() && arguments.timeout_ms >= 0 &&
                         arguments.destination.kind == AddressKind::kSilent;
      if (!waits) continue;
      const Duration nominal = Duration::Milliseconds(arguments.timeout_ms);
      const Instant latest = resolve->end + index.profile().timing.Latest(nominal);
      const Silence* silence = index.SilentAfter(id, latest);
      if (silence == nullptr) continue;
      result.Arose();
      const auto events = index.EventsOf(id, EventType::kAddrError);
      const bool told = std::ranges::any_of(events, [&](const HeardEvent* heard) {
        return heard->at > resolve->at && heard->at < silence->at;
      });
      if (!told)
        result.Violated(silence->at, "nothing", "RDMA_CM_EVENT_ADDR_ERROR of " + NameOf(index, id));
    }
  });
}

void SilentSubnetsTimeOut(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    const bool timed_out = heard.event.type == EventType::kRouteError &&
                           heard.event.status == -static_cast<int32_t>(Errno::kTimedOut);
    if (!timed_out || !heard.event.id.valid()) continue;
    const MadeCall* last = EndedBy(index, heard, CallKind::kResolveRoute, EventType::kRouteResolved,
                                   EventType::kRouteError);
    if (last == nullptr) continue;  // EV-4
    result.Arose();
    const auto given = static_cast<uint32_t>(std::get<call::ResolveRoute>(*last->call).timeout_ms);
    const Duration patience = Timing::AskPatience(Duration::Milliseconds(given));
    if (heard.time < last->begin + patience)
      result.Violated(heard.at, Heard(index, heard) + " early",
                      fmt::format("not before {} have passed", ToString(patience)));
    else if (!index.faults().Before(heard.at, FaultKind::kSilenceSm))
      result.Violated(heard.at, Heard(index, heard), "an answer: the SA was not silent");
  }
}

// Whether, by this call or an earlier one, the id may have an interface: that of a side's address,
// or that of an earlier destination's route.
bool MayKnowInterface(const HistoryIndex& index, const MadeCall& now) {
  return std::ranges::any_of(index.CallsOn(now.id()), [&](const MadeCall* call) {
    if (call->at > now.at) return false;
    if (const auto* bind = AsBind(*call)) return bind->address.kind == AddressKind::kSide;
    if (const auto* ep = std::get_if<call::CreateEp>(call->call))
      return ep->source.kind == AddressKind::kSide;
    const auto* resolve = std::get_if<call::ResolveAddr>(call->call);
    if (resolve == nullptr) return false;
    return resolve->source.kind == AddressKind::kSide ||
           (call->at < now.at && call->reply.succeeded());
  });
}

void NowhereIsNotFound(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* resolve = std::get_if<call::ResolveAddr>(call.call);
    if (resolve == nullptr || resolve->destination.kind != AddressKind::kUnroutable) continue;
    // IPv4 treats it as a neighbour once the interface is known; IPv6 does not.
    if (!resolve->destination.v6 && MayKnowInterface(index, call)) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(index, call), "a refusal: no route leads there");
  }
}

void FoundTaken(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls())
    if (AsBind(call) != nullptr && call.Refused(Errno::kAddrInUse)) result.Arose();
}

// Whether a request may have been retransmitted since: it finds room that a fetch has made.
bool SomebodyAskedAgain(const HistoryIndex& index, Instant from, Instant until) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kConnect || !call.reply.succeeded()) continue;
    const Timing timing = TimingOf(index, call.id());
    for (int n = 1; n <= timing.max_retries; ++n) {
      const Duration nominal = timing.RequestInterval() * n;
      if (call.begin + nominal <= until && from <= call.end + timing.Latest(nominal)) return true;
    }
  }
  return false;
}

// Whether the fetch waited, and for a request that was under way: none waited on the listener then.
bool WaitedForRequest(const HistoryIndex& index, const MadeCall& fetch) {
  if (fetch.begin == fetch.end) return false;
  const Duration prompt = index.profile().timing.prompt;
  const bool asked = std::ranges::any_of(index.calls(), [&](const MadeCall& call) {
    return call.kind() == CallKind::kConnect && call.begin <= fetch.end &&
           fetch.begin < call.end + prompt;
  });
  return asked || std::ranges::any_of(index.hand_made(), [&](const HandMade& made) {
           return made.at < fetch.at && made.mad->kind == MadKind::kReq &&
                  fetch.begin < index.history().records[made.at].end + prompt;
         });
}

// Consecutive fetches with nothing but acknowledgements in between.
void BacklogHolds(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  ForEachId(index, [&](IdRef listener) {
    const auto listens = index.CallsOn(listener, CallKind::kListen);
    if (listens.size() != 1 || !listens.front()->reply.succeeded()) return;
    const int backlog = std::get<call::Listen>(*listens.front()->call).backlog;
    if (backlog <= 0) return;
    int in_a_row = 0;
    size_t last = 0;
    Instant since;
    for (const MadeCall& call : index.calls()) {
      const bool looks =
          call.kind() == CallKind::kGetCmEvent || call.kind() == CallKind::kAckCmEvent;
      if (!looks || call.at != last + 1 || WaitedForRequest(index, call)) in_a_row = 0;
      if (in_a_row == 0) since = call.begin;
      last = call.at;
      const auto heard = std::ranges::find(index.heard(), call.at, &HeardEvent::at);
      if (heard == index.heard().end() || heard->event.listen_id != listener) continue;
      result.Arose();
      if (++in_a_row > backlog && !SomebodyAskedAgain(index, since, call.end))
        result.Violated(call.at, fmt::format("request {} in a row", in_a_row),
                        fmt::format("{} waiting requests: the backlog", backlog));
    }
  });
}

constexpr Capabilities kNeedsTime = Capabilities().With(Capability::kTime);

constexpr auto kOfAddressing = std::to_array<Property>({
    Always("PORT-1", NoTwoOnOneAddress, "No two ids of a kernel are bound to one address and port.",
           "man rdma_bind_addr(3)"),
    Always("PORT-2", NoneBesideAWildcard,
           "A port that a wildcard address owns is not bound to another address.",
           "linux 6.1 cma.c cma_check_port"),
    Eventually("PORT-3", FreeAfterDestroy, "A port is free again once its owner is destroyed.",
               "man rdma_destroy_id(3)"),
    Always("PORT-4", BoundOnce, "An id is bound once.", "linux 6.1 cma.c rdma_bind_addr_dst"),
    Always("PORT-5", NoListenerThatResolves, "An id that has resolved a destination cannot listen.",
           "man rdma_listen(3)"),
    Sometimes("PORT-6", FoundTaken, "EADDRINUSE is returned.", "man rdma_bind_addr(3)"),
    Always("ADDR-1", SilentAddressesTimeOut,
           "An address without a host is never resolved, and not given up early.",
           "man rdma_resolve_addr(3)"),
    Eventually("ADDR-2", TimeOutsAreKept, "rdma_resolve_addr gives up when its timeout is over.",
               "man rdma_resolve_addr(3)"),
    Always("ADDR-3", NowhereIsNotFound,
           "A destination without a route is refused, unless it may be a neighbour.",
           "linux 6.1 addr.c addr_resolve"),
    Sometimes("ADDR-4", IsHeard<EventType::kAddrError>, "ADDR_ERROR is reported.",
              "man rdma_get_cm_event(3)", kNeedsTime),
    Always("ADDR-5", SilentSubnetsTimeOut,
           "A route is given up once the queries to the SA have taken its timeout and a tenth more "
           "without a response.",
           "linux 6.1 sa_query.c send_mad, send_handler"),
    Always("LIS-1", BacklogHolds, "No more requests wait on a listener than its backlog.",
           "man rdma_listen(3)"),
});

}  // namespace

std::span<const Property> Addressing() { return kOfAddressing; }

}  // namespace cm::families
