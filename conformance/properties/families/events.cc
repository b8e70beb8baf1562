// The fields of events, and their order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

// The range of the status of an event.
enum class Sign : uint8_t { kZero, kErrno, kZeroOrErrno, kReason, kAnyErrno, kAny };

// Of the other types the status is 0.
constexpr auto kSigns = std::to_array<std::pair<EventType, Sign>>({
    {EventType::kAddrError, Sign::kErrno},
    {EventType::kRouteError, Sign::kErrno},
    {EventType::kConnectError, Sign::kErrno},
    {EventType::kUnreachable, Sign::kErrno},
    {EventType::kMulticastError, Sign::kZeroOrErrno},  // 0: the path to the group is not found
    {EventType::kDisconnected, Sign::kZeroOrErrno},
    {EventType::kRejected, Sign::kReason},
    {EventType::kAddrInfoError, Sign::kAnyErrno},  // the library's is positive
    {EventType::kUser, Sign::kAny},
});

Sign SignOf(EventType type) {
  const auto found = std::ranges::find(kSigns, type, &std::pair<EventType, Sign>::first);
  return found != kSigns.end() ? found->second : Sign::kZero;
}

// What is permitted in place of the status; empty if it is of its sign.
std::string_view Refuted(Sign sign, int32_t status, bool over_iwarp) {
  switch (sign) {
    case Sign::kZero:
      return status == 0 ? "" : "status 0";
    case Sign::kErrno:
      return status < 0 ? "" : "a negative errno";
    case Sign::kZeroOrErrno:
      return status <= 0 ? "" : "0 or a negative errno";
    case Sign::kReason:
      if (!over_iwarp) return status > 0 ? "" : "the reason of a REJ, from 1";
      return status == -static_cast<int>(Errno::kConnReset) ||
                     status == -static_cast<int>(Errno::kConnRefused)
                 ? ""
                 : "-104 or -111";
    case Sign::kAnyErrno:
      return status != 0 ? "" : "an errno";
    case Sign::kAny:
      break;
  }
  return "";
}

void StatusFitsType(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    result.Arose();
    // UNREACHABLE of a datagram id has the SIDR status of the refusal.
    const bool tcp = !heard.event.id.valid() || index[heard.event.id].tcp;
    const int32_t status = heard.event.status;
    if (!tcp && heard.event.type == EventType::kUnreachable && IsSidrRefusal(index, heard))
      continue;
    const std::string_view permitted = Refuted(SignOf(heard.event.type), status, index.OverIwarp());
    if (!permitted.empty())
      result.Violated(heard.at, Heard(index, heard) + (status == 0 ? " status=0" : ""),
                      std::string(permitted));
  }
}

// The order of events in the life of an id.
constexpr auto kRanks = std::to_array<std::pair<EventType, int>>({
    {EventType::kAddrResolved, 1},
    {EventType::kRouteResolved, 2},
    {EventType::kConnectRequest, 3},
    {EventType::kConnectResponse, 3},
    {EventType::kEstablished, 4},
    {EventType::kDisconnected, 5},
    {EventType::kTimewaitExit, 6},
});

// 0 for events without a place in it.
int RankOf(EventType type) {
  const auto found = std::ranges::find(kRanks, type, &std::pair<EventType, int>::first);
  return found != kRanks.end() ? found->second : 0;
}

void InTheOrderOfLife(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    const HeardEvent* last = nullptr;
    for (const HeardEvent* heard : index.EventsOf(id)) {
      if (RankOf(heard->event.type) == 0) continue;
      if (last != nullptr) {
        result.Arose();
        if (RankOf(heard->event.type) < RankOf(last->event.type))
          result.Violated(heard->at, Heard(index, *heard),
                          fmt::format("nothing of the kind after {}", ToString(last->event.type)));
      }
      last = heard;
    }
  });
}

// Events of two types, at most one for each successful call.
void OneForEach(const HistoryIndex& index, PropertyResult& result, CallKind kind, EventType good,
                EventType bad) {
  ForEachId(index, [&](IdRef id) {
    auto calls = index.CallsOn(id, kind);
    if (kind == CallKind::kResolveRoute) {
      // A path given by the application is a route as well.
      for (const MadeCall* set : index.CallsOn(id, CallKind::kSetOption))
        if (std::get<call::SetOption>(*set->call).option == kIbPathOption) calls.push_back(set);
    }
    std::ptrdiff_t events = 0;
    for (const HeardEvent* heard : index.EventsOf(id)) {
      if (heard->event.type != good && heard->event.type != bad) continue;
      result.Arose();
      const auto so_far = std::ranges::count_if(calls, [heard](const MadeCall* call) {
        return call->reply.succeeded() && call->at < heard->at;
      });
      if (++events > so_far)
        result.Violated(heard->at, Heard(index, *heard),
                        fmt::format("one such event for each {}", FunctionName(kind)));
    }
  });
}

template <CallKind kKind, EventType kGood, EventType kBad>
void OneForEach(const HistoryIndex& index, PropertyResult& result) {
  OneForEach(index, result, kKind, kGood, kBad);
}

void BlockingAsAsked(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    const auto* get = std::get_if<call::GetCmEvent>(call.call);
    if (get == nullptr) continue;
    result.Arose();
    const bool nonblocking = index.Nonblocking(get->channel);
    if (nonblocking && call.reply.kind == ReplyKind::kBlocked)
      result.Violated(call.at, Made(index, call), "-1 EAGAIN: the descriptor is O_NONBLOCK");
    if (!nonblocking && call.Refused(Errno::kAgain))
      result.Violated(call.at, Made(index, call), "a call that waits for an event");
  }
}

// Whether the library may drop events of ids on the channel because it has reported CONNECT_ERROR
// of them. A synchronous id reports it to a call, and may be on the channel by now.
bool DropsAfterConnectError(const HistoryIndex& index, ChannelRef channel, size_t record) {
  for (uint16_t i = 0; i < index.id_count(); ++i) {
    const IdRef id{i};
    if (!index[id].exists || index[id].ChannelAt(record) != channel) continue;
    const bool to_a_call =
        index[id].WasSynchronous() && index.FirstSuccess(id, CallKind::kConnect) != nullptr;
    if (to_a_call || index.First(id, EventType::kConnectError) != nullptr) return true;
  }
  return false;
}

// The library drops some events: those after a CONNECT_ERROR, requests whose device is gone, and
// those that a listener has left on another channel. Then a readable channel may be empty.
void ReadableHasAnEvent(const HistoryIndex& index, PropertyResult& result) {
  const auto& records = index.history().records;
  const auto& lines = index.history().conversation.lines;
  if (index.faults().Injected(FaultKind::kRemoveDevice)) return;
  for (const MadeCall& call : index.calls()) {
    const auto* get = std::get_if<call::GetCmEvent>(call.call);
    if (get == nullptr || call.at == 0) continue;
    const Record& before = records[call.at - 1];
    const auto* waits = std::get_if<line::Waits>(&lines[before.line]);
    const auto* waited = std::get_if<seen::Waited>(&before.seen);
    if (waits == nullptr || waited == nullptr || !waited->readable) continue;
    if (waits->channel != get->channel) continue;
    // Requests that a listener brings along to a channel are lost when they are read there.
    bool keeps = DropsAfterConnectError(index, get->channel, call.at);
    for (const MadeCall& other : index.calls()) {
      const auto* moved = std::get_if<call::MigrateId>(other.call);
      keeps |= moved != nullptr && other.at < call.at && moved->channel == get->channel &&
               !index.CallsOn(moved->id, CallKind::kListen).empty();
    }
    if (keeps) continue;
    result.Arose();
    if (!call.reply.succeeded())
      result.Violated(call.at, Made(index, call), "an event: the channel was readable");
  }
}

void ResolutionIsReported(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  ForEachId(index, [&](IdRef id) {
    const MadeCall* resolve = index.FirstSuccess(id, CallKind::kResolveAddr);
    if (resolve == nullptr) return;
    const auto& arguments = std::get<call::ResolveAddr>(*resolve->call);
    if (arguments.destination.kind != AddressKind::kSide) return;
    const Silence* silence = index.SilentAfter(id, resolve->at);
    if (silence == nullptr || !index.Settled(resolve->at, silence->at)) return;
    result.Arose();
    for (const HeardEvent* heard : index.EventsOf(id))
      if (heard->at < silence->at) return;
    result.Violated(silence->at, "nothing", "RDMA_CM_EVENT_ADDR_RESOLVED of " + NameOf(index, id));
  });
}

constexpr auto kOfEvents = std::to_array<Property>({
    Always("EV-1", StatusFitsType,
           "The status of an event fits its type: 0, a negative errno, the reason of a REJ, or of "
           "ADDRINFO_ERROR any errno; that of USER is the application's.",
           "man rdma_get_cm_event(3)"),
    Always("EV-2", InTheOrderOfLife, "Events of an id are in the order of its life.",
           "man rdma_get_cm_event(3)"),
    Always("EV-3",
           OneForEach<CallKind::kResolveAddr, EventType::kAddrResolved, EventType::kAddrError>,
           "Each rdma_resolve_addr has at most one event.", "man rdma_resolve_addr(3)"),
    Always("EV-4",
           OneForEach<CallKind::kResolveRoute, EventType::kRouteResolved, EventType::kRouteError>,
           "Each rdma_resolve_route has at most one event.", "man rdma_resolve_route(3)"),
    Always("EV-5", BlockingAsAsked,
           "rdma_get_cm_event waits on a blocking descriptor, and on no other.",
           "man rdma_get_cm_event(3)"),
    Always("EV-6", ReadableHasAnEvent, "A readable channel has an event.",
           "man rdma_create_event_channel(3)"),
    Eventually("EV-7", ResolutionIsReported, "The result of rdma_resolve_addr is reported.",
               "man rdma_resolve_addr(3)"),
    Sometimes("EV-8", IsHeard<EventType::kConnectError>, "CONNECT_ERROR is reported.",
              "man rdma_get_cm_event(3)")
        .Over(over::kIbCm),
    Sometimes("EV-9", IsHeard<EventType::kConnectResponse>, "CONNECT_RESPONSE is reported.",
              "man rdma_get_cm_event(3)")
        .Over(over::kIbCm),
});

}  // namespace

std::span<const Property> Events() { return kOfEvents; }

}  // namespace cm::families
