// The fields of events, and their order.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

enum class Sign : uint8_t { kZero, kErrno, kAny };

Sign SignOf(EventType type) {
  switch (type) {
    case EventType::kAddrError:
    case EventType::kRouteError:
    case EventType::kConnectError:
    case EventType::kUnreachable:
      return Sign::kErrno;
    case EventType::kMulticastError:  // 0 where the path to the group is not found
    case EventType::kRejected:
    case EventType::kDisconnected:
    case EventType::kAddrInfoError:  // the kernel's is negative, the library's is not
    case EventType::kUser:
      return Sign::kAny;
    default:
      return Sign::kZero;
  }
}

bool NeverPositive(EventType type) {
  return type == EventType::kDisconnected || type == EventType::kMulticastError;
}

void StatusFitsType(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    result.Arose();
    const int32_t status = heard.event.status;
    const Sign sign = SignOf(heard.event.type);
    // UNREACHABLE of a datagram id has the SIDR status of the refusal.
    const bool tcp = !heard.event.id.valid() || account.IsTcp(heard.event.id);
    const bool refusal =
        !tcp && heard.event.type == EventType::kUnreachable && IsSidrRefusal(status);
    if (sign == Sign::kZero && status != 0)
      result.Violated(heard.at, Heard(account, heard), "status 0");
    else if (sign == Sign::kErrno && status >= 0 && !refusal)
      result.Violated(heard.at, Heard(account, heard) + " without a negative status",
                      "a negative errno");
    else if (NeverPositive(heard.event.type) && status > 0)
      result.Violated(heard.at, Heard(account, heard), "0 or a negative errno");
    else if (heard.event.type == EventType::kAddrInfoError && status == 0)
      result.Violated(heard.at, Heard(account, heard), "an errno");
    else if (heard.event.type == EventType::kRejected && account.OverIwarp() &&
             status != -static_cast<int>(Errno::kConnReset) &&
             status != -static_cast<int>(Errno::kConnRefused))
      result.Violated(heard.at, Heard(account, heard), "-104 or -111");
    else if (heard.event.type == EventType::kRejected && !account.OverIwarp() && status <= 0)
      result.Violated(heard.at, Heard(account, heard), "the reason of a REJ, from 1");
  }
}

// The stage in the life of an id that an event shows; 0 for events without one.
int RankOf(EventType type) {
  switch (type) {
    case EventType::kAddrResolved:
      return 1;
    case EventType::kRouteResolved:
      return 2;
    case EventType::kConnectRequest:
    case EventType::kConnectResponse:
      return 3;
    case EventType::kEstablished:
      return 4;
    case EventType::kDisconnected:
      return 5;
    case EventType::kTimewaitExit:
      return 6;
    default:
      return 0;
  }
}

void InTheOrderOfLife(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    const HeardEvent* last = nullptr;
    for (const HeardEvent* heard : account.EventsOf(id)) {
      if (RankOf(heard->event.type) == 0) continue;
      if (last != nullptr) {
        result.Arose();
        if (RankOf(heard->event.type) < RankOf(last->event.type))
          result.Violated(heard->at, Heard(account, *heard),
                          fmt::format("nothing of the kind after {}", ToString(last->event.type)));
      }
      last = heard;
    }
  });
}

// Events of two types, at most one for each successful call.
void OneForEach(const HistoryIndex& account, PropertyResult& result, CallKind kind, EventType good,
                EventType bad) {
  ForEachId(account, [&](IdRef id) {
    auto calls = account.CallsOn(id, kind);
    if (kind == CallKind::kResolveRoute) {
      // A path given by the application is a route as well.
      for (const MadeCall* set : account.CallsOn(id, CallKind::kSetOption))
        if (std::get<call::SetOption>(*set->call).option == kIbPathOption) calls.push_back(set);
    }
    std::ptrdiff_t events = 0;
    for (const HeardEvent* heard : account.EventsOf(id)) {
      if (heard->event.type != good && heard->event.type != bad) continue;
      result.Arose();
      const auto so_far = std::ranges::count_if(calls, [heard](const MadeCall* call) {
        return call->reply.succeeded() && call->at < heard->at;
      });
      if (++events > so_far)
        result.Violated(heard->at, Heard(account, *heard),
                        fmt::format("one such event for each {}", FunctionName(kind)));
    }
  });
}

void OneAddressEach(const HistoryIndex& account, PropertyResult& result) {
  OneForEach(account, result, CallKind::kResolveAddr, EventType::kAddrResolved,
             EventType::kAddrError);
}

void OneRouteEach(const HistoryIndex& account, PropertyResult& result) {
  OneForEach(account, result, CallKind::kResolveRoute, EventType::kRouteResolved,
             EventType::kRouteError);
}

void BlockingAsAsked(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    const auto* get = std::get_if<call::GetCmEvent>(call.call);
    if (get == nullptr) continue;
    result.Arose();
    const bool nonblocking = account.Nonblocking(get->channel);
    if (nonblocking && call.reply.kind == ReplyKind::kBlocked)
      result.Violated(call.at, Made(account, call), "-1 EAGAIN: the descriptor is O_NONBLOCK");
    if (!nonblocking && call.Refused(Errno::kAgain))
      result.Violated(call.at, Made(account, call), "a call that waits for an event");
  }
}

// The library drops some events: those after a CONNECT_ERROR, requests whose device is gone, and
// those that a listener has left on another channel. Then a readable channel may be empty.
void ReadableHasAnEvent(const HistoryIndex& account, PropertyResult& result) {
  const auto& records = account.history().records;
  const auto& lines = account.history().conversation.lines;
  if (account.Injected(FaultKind::kRemoveDevice)) return;
  for (const MadeCall& call : account.calls()) {
    const auto* get = std::get_if<call::GetCmEvent>(call.call);
    if (get == nullptr || call.at == 0) continue;
    const Record& before = records[call.at - 1];
    const auto* waits = std::get_if<line::Waits>(&lines[before.line]);
    const auto* waited = std::get_if<seen::Waited>(&before.seen);
    if (waits == nullptr || waited == nullptr || !waited->readable) continue;
    if (waits->channel != get->channel) continue;
    // Requests that a listener brings along to a channel are lost when they are read there.
    bool keeps = false;
    for (const MadeCall& other : account.calls()) {
      const auto* moved = std::get_if<call::MigrateId>(other.call);
      keeps |= moved != nullptr && other.at < call.at && moved->channel == get->channel &&
               !account.CallsOn(moved->id, CallKind::kListen).empty();
    }
    for (const HeardEvent& heard : account.heard())
      keeps |= heard.event.type == EventType::kConnectError && heard.channel == get->channel;
    if (keeps) continue;
    result.Arose();
    if (!call.reply.succeeded())
      result.Violated(call.at, Made(account, call), "an event: the channel was readable");
  }
}

void ResolutionIsReported(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  ForEachId(account, [&](IdRef id) {
    const MadeCall* resolve = account.FirstSuccess(id, CallKind::kResolveAddr);
    if (resolve == nullptr) return;
    const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
    if (arguments.destination.kind != AddressKind::kSide) return;
    const Silence* silence = account.SilentAfter(id, resolve->at);
    if (silence == nullptr || !account.Settled(resolve->at, silence->at)) return;
    result.Arose();
    for (const HeardEvent* heard : account.EventsOf(id))
      if (heard->at < silence->at) return;
    result.Violated(silence->at, "nothing",
                    "RDMA_CM_EVENT_ADDR_RESOLVED of " + NameOf(account, id));
  });
}

void ConnectErrorIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kConnectError);
}

void ConnectResponseIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kConnectResponse);
}

constexpr auto kClaims = std::to_array<Property>({
    {"EV-1",
     "events",
     PropertyKind::kAlways,
     "The status of an event fits its type: 0, a negative errno, the reason of a REJ, or of "
     "ADDRINFO_ERROR any errno; that of USER is the application's.",
     "man rdma_get_cm_event(3)",
     StatusFitsType,
     {}},
    {"EV-2",
     "events",
     PropertyKind::kAlways,
     "Events of an id are in the order of its life.",
     "man rdma_get_cm_event(3)",
     InTheOrderOfLife,
     {}},
    {"EV-3",
     "events",
     PropertyKind::kAlways,
     "Each rdma_resolve_addr has at most one event.",
     "man rdma_resolve_addr(3)",
     OneAddressEach,
     {}},
    {"EV-4",
     "events",
     PropertyKind::kAlways,
     "Each rdma_resolve_route has at most one event.",
     "man rdma_resolve_route(3)",
     OneRouteEach,
     {}},
    {"EV-5",
     "events",
     PropertyKind::kAlways,
     "rdma_get_cm_event waits on a blocking descriptor, and on no other.",
     "man rdma_get_cm_event(3)",
     BlockingAsAsked,
     {}},
    {"EV-6",
     "events",
     PropertyKind::kAlways,
     "A readable channel has an event.",
     "man rdma_create_event_channel(3)",
     ReadableHasAnEvent,
     {}},
    {"EV-7",
     "events",
     PropertyKind::kEventually,
     "The result of rdma_resolve_addr is reported.",
     "man rdma_resolve_addr(3)",
     ResolutionIsReported,
     {}},
    {"EV-8",
     "events",
     PropertyKind::kSometimes,
     "CONNECT_ERROR is reported.",
     "man rdma_get_cm_event(3)",
     ConnectErrorIsHeard,
     {}},
    {"EV-9",
     "events",
     PropertyKind::kSometimes,
     "CONNECT_RESPONSE is reported.",
     "man rdma_get_cm_event(3)",
     ConnectResponseIsHeard,
     {}},
});

}  // namespace

std::span<const Property> Events() { return kClaims; }

}  // namespace cm::claims
