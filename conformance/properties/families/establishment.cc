// From rdma_connect to ESTABLISHED.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

constexpr uint8_t kDeviceMaximum = 255;  // RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH

const std::optional<ConnParam>* ParamOf(const MadeCall& call) {
  if (const auto* connect = std::get_if<call::Connect>(call.call)) return &connect->param;
  if (const auto* accept = std::get_if<call::Accept>(call.call)) return &accept->param;
  return nullptr;
}

PrivateData Sent(const HistoryIndex& index, const MadeCall& call, uint8_t size) {
  const std::optional<ConnParam>& param = *ParamOf(call);
  return Received(index, param ? param->private_data : PrivateData(), size);
}

void AnswersFollowCalls(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    const CmEvent& event = heard.event;
    const size_t now = heard.at;
    const auto made = [&](IdRef id, CallKind kind) {
      const MadeCall* call = id.valid() ? index.FirstSuccess(id, kind) : nullptr;
      return call != nullptr && call->at < now;
    };
    std::string wanted;
    if (event.type == EventType::kConnectRequest) {
      if (!made(event.listen_id, CallKind::kListen)) wanted = "a request for an id that listens";
    } else if (event.type == EventType::kConnectResponse) {
      if (!made(event.id, CallKind::kConnect)) wanted = "an answer to rdma_connect";
    } else if (event.type == EventType::kEstablished) {
      if (!made(event.id, CallKind::kConnect) && !made(event.id, CallKind::kAccept))
        wanted = "ESTABLISHED after rdma_connect or rdma_accept";
    } else {
      continue;
    }
    result.Arose();
    if (!wanted.empty()) result.Violated(now, Heard(index, heard), wanted);
  }
}

// Rejecting on the active side abandons the request: its reply is not awaited any more, and it is
// retransmitted until it is given up. A failed rdma_accept or rdma_establish rejects.
bool Abandoned(const HistoryIndex& index, const MadeCall& connect, size_t record) {
  return std::ranges::any_of(index.CallsOn(connect.id()), [&](const MadeCall* call) {
    const bool answers = call->kind() == CallKind::kAccept || call->kind() == CallKind::kEstablish;
    const bool rejects = call->kind() == CallKind::kReject || call->kind() == CallKind::kRejectEce;
    const bool refuses = call->reply.succeeded() ? rejects : answers;
    return refuses && call->at > connect.at && call->at < record;
  });
}

// A reply names the queue pair of another message of its host, so that it may count as one of a
// stale connection: it is rejected, and its request is still retransmitted.
bool ReplyMayCountAsStale(const HistoryIndex& index, size_t record) {
  std::multiset<std::pair<uint8_t, uint32_t>> named;  // hosts and numbers
  std::set<std::pair<uint8_t, uint32_t>> replied;
  for (const MadeCall& call : index.calls()) {
    const bool names = call.kind() == CallKind::kAccept || call.kind() == CallKind::kConnect;
    if (!names || !call.reply.succeeded() || call.at > record || HasOwnQp(index, call.id()))
      continue;
    const std::optional<ConnParam>& param = *ParamOf(call);
    const uint32_t number = param ? param->qp_num & 0xffffff : 0;
    const uint8_t host = index.KernelOf(call.id());
    named.emplace(host, number);
    if (call.kind() == CallKind::kAccept) replied.emplace(host, number);
  }
  return std::ranges::any_of(replied, [&](const auto& one) { return named.count(one) > 1; });
}

// The possible origin of a request: a rdma_connect, or a message of a tester.
struct Asking {
  size_t at = 0;
  const MadeCall* connect = nullptr;  // null: by the tester
  PrivateData data;
  bool taken = false;
};

// Whether a request with these data was over before the record, so that its retransmission is new.
bool IsOver(const HistoryIndex& index, const PrivateData& data, size_t record) {
  return std::ranges::any_of(index.heard(), [&](const HeardEvent& heard) {
    const IdRef id = heard.event.id;
    if (heard.event.type != EventType::kConnectRequest || !id.valid()) return false;
    if (heard.event.private_data != data || heard.at > record) return false;
    if (index[id].end < record) return true;
    const auto ends = {CallKind::kReject, CallKind::kRejectEce, CallKind::kDisconnect};
    return std::ranges::any_of(
        ends, [&](CallKind kind) { return Succeeded(index, id, kind, heard.at, record); });
  });
}

std::vector<Asking> Askings(const HistoryIndex& index) {
  const uint8_t size = index.profile().limits.request_data;
  std::vector<Asking> all;
  for (const MadeCall& call : index.calls())
    if (call.kind() == CallKind::kConnect && call.reply.succeeded())
      all.push_back({.at = call.at, .connect = &call, .data = Sent(index, call, size)});
  std::vector<const TesterMad*> sent;
  for (const HandMade& made : index.hand_made()) {
    if (made.mad->kind != MadKind::kReq) continue;
    const PrivateData data = made.mad->data.Resized(size);
    const bool again =
        std::ranges::any_of(sent, [&](const TesterMad* earlier) { return *earlier == *made.mad; });
    sent.push_back(made.mad);
    if (!again || IsOver(index, data, made.at)) all.push_back({.at = made.at, .data = data});
  }
  return all;
}

// As a multiset: each request matches one rdma_connect with its data, or one message of a tester.
// Where messages can be lost, or are retransmitted although the answer is not awaited any more, a
// rejected request may arrive once more; so it may where a tester has answered it in another's
// place.
void RequestsAreWhatWasAsked(const HistoryIndex& index, PropertyResult& result) {
  std::vector<Asking> askings = Askings(index);
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kConnectRequest) continue;
    if (heard.event.id.valid() && !index[heard.event.id].tcp) continue;
    result.Arose();
    bool known = false;
    Asking* asked = nullptr;
    bool again = !index.Undisturbed() || ReplyMayCountAsStale(index, heard.at);
    for (const HandMade& made : index.hand_made())
      again |= made.at < heard.at && made.mad->kind != MadKind::kReq;
    for (Asking& asking : askings) {
      if (asking.at > heard.at || asking.data != heard.event.private_data) continue;
      known = true;
      const bool abandoned =
          asking.taken && asking.connect != nullptr && Abandoned(index, *asking.connect, heard.at);
      again |= abandoned;
      if (!asking.taken && asked == nullptr) asked = &asking;
    }
    if (!known)
      result.Violated(heard.at, Heard(index, heard) + " with private data that no call gave",
                      "the private data of a rdma_connect");
    else if (asked == nullptr && !again)
      result.Violated(heard.at, Heard(index, heard) + " once more",
                      "one request for each rdma_connect");
    if (asked != nullptr) asked->taken = true;
  }
}

void RepliesAreWhatWasAnswered(const HistoryIndex& index, PropertyResult& result) {
  for (const Pair& pair : index.pairs()) {
    const MadeCall* accept = index.FirstSuccess(pair.passive, CallKind::kAccept);
    if (accept == nullptr) continue;
    const PrivateData sent = Sent(index, *accept, index.profile().limits.reply_data);
    for (const HeardEvent* heard : index.EventsOf(pair.active)) {
      const EventType type = heard->event.type;
      if (type != EventType::kEstablished && type != EventType::kConnectResponse) continue;
      if (heard->event.private_data.empty()) continue;  // the second of the two carries none
      result.Arose();
      if (heard->event.private_data != sent)
        result.Violated(heard->at, Heard(index, *heard) + " with other private data",
                        "the private data of rdma_accept");
    }
  }
}

void DepthsAreTheReceivers(const HistoryIndex& index, PropertyResult& result) {
  const uint8_t most = index.profile().limits.max_depth;
  for (const Pair& pair : index.pairs()) {
    const MadeCall* connect = index.FirstSuccess(pair.active, CallKind::kConnect);
    const HeardEvent* heard = index.First(pair.passive, EventType::kConnectRequest);
    if (connect == nullptr || heard == nullptr) continue;
    const std::optional<ConnParam>& param = *ParamOf(*connect);
    const auto depth = [&](uint8_t given) {
      return param && given != kDeviceMaximum ? given : most;
    };
    const ConnParam asked = param.value_or(ConnParam{});
    result.Arose();
    const ConnFields& got = heard->event.conn;
    if (got.responder_resources == depth(asked.initiator_depth) &&
        got.initiator_depth == depth(asked.responder_resources)) {
      continue;
    }
    result.Violated(
        heard->at,
        fmt::format("{} responder_resources={} initiator_depth={}", Heard(index, *heard),
                    got.responder_resources, got.initiator_depth),
        fmt::format("responder_resources={} initiator_depth={}: those of the peer, swapped",
                    depth(asked.initiator_depth), depth(asked.responder_resources)));
  }
}

// The protocol has three bits for each; more is cut to the most that they can say.
void RetriesAreTheSenders(const HistoryIndex& index, PropertyResult& result) {
  const uint8_t most = index.profile().limits.max_retry_count;
  for (const Pair& pair : index.pairs()) {
    const MadeCall* connect = index.FirstSuccess(pair.active, CallKind::kConnect);
    const HeardEvent* heard = index.First(pair.passive, EventType::kConnectRequest);
    if (connect == nullptr || heard == nullptr) continue;
    const ConnParam asked = ParamOf(*connect)->value_or(ConnParam{});
    const uint8_t retries = std::min(asked.retry_count, most);
    const uint8_t rnr_retries = std::min(asked.rnr_retry_count, most);
    result.Arose();
    const ConnFields& got = heard->event.conn;
    if (got.retry_count == retries && got.rnr_retry_count == rnr_retries) continue;
    result.Violated(
        heard->at,
        fmt::format("{} retry_count={} rnr_retry_count={}", Heard(index, *heard), got.retry_count,
                    got.rnr_retry_count),
        fmt::format("retry_count={} rnr_retry_count={}: those of rdma_connect, up to {}", retries,
                    rnr_retries, most));
  }
}

void DataFits(const HistoryIndex& index, PropertyResult& result, CallKind kind, uint8_t limit) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != kind || !index[call.id()].tcp) continue;
    const std::optional<ConnParam>& param = *ParamOf(call);
    if (!param || param->private_data.size() <= limit) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(index, call),
                      fmt::format("-1 EINVAL: more than {} bytes do not fit", limit));
  }
}

void RequestDataFits(const HistoryIndex& index, PropertyResult& result) {
  DataFits(index, result, CallKind::kConnect, index.profile().limits.request_data);
}

void ReplyDataFits(const HistoryIndex& index, PropertyResult& result) {
  DataFits(index, result, CallKind::kAccept, index.profile().limits.reply_data);
}

void RouteComesFirst(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kConnect) continue;
    if (!index.CallsOn(call.id(), CallKind::kCreateEp).empty()) continue;  // it resolves
    const MadeCall* route = index.FirstSuccess(call.id(), CallKind::kResolveRoute);
    if (route != nullptr && route->at < call.at) continue;
    // A path given by the application is a route as well.
    const auto options = index.CallsOn(call.id(), CallKind::kSetOption);
    const bool given = std::ranges::any_of(options, [&](const MadeCall* set) {
      return std::get<call::SetOption>(*set->call).option == kIbPathOption && set->at < call.at;
    });
    if (given) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(index, call), "-1 EINVAL: no route is resolved");
  }
}

void RefusalsOfConnect(const HistoryIndex& index, PropertyResult& result) {
  for (const MadeCall& call : index.calls()) {
    if (call.kind() != CallKind::kConnect || call.reply.kind != ReplyKind::kReturned) continue;
    if (call.reply.succeeded()) continue;
    result.Arose();
    // Over iWARP the call itself returns TCP's error.
    const bool by_tcp = call.Refused(Errno::kConnRefused) || call.Refused(Errno::kTimedOut) ||
                        call.Refused(Errno::kHostUnreach);
    if (index.OverIwarp() && by_tcp) continue;
    if (IsOfOwnPath(index, call)) continue;
    if (!call.Refused(Errno::kInval) && !call.Refused(Errno::kNxIo))
      result.Violated(call.at, Made(index, call),
                      "-1 EINVAL, -1 ENXIO once the device is removed, or -1 ENOENT over a path of "
                      "the application");
  }
}

void ActiveHearsTheReply(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  for (const Pair& pair : index.pairs()) {
    const MadeCall* accept = index.FirstSuccess(pair.passive, CallKind::kAccept);
    if (accept == nullptr) continue;
    const MadeCall* connect = index.FirstSuccess(pair.active, CallKind::kConnect);
    const Silence* silence = index.SilentAfter(pair.active, accept->at);
    if (silence == nullptr || !index.Settled(accept->at, silence->at)) continue;
    if (Touched(index, pair.active, connect->at, silence->at)) continue;
    if (Touched(index, pair.passive, accept->at, silence->at)) continue;
    if (ReplyMayCountAsStale(index, silence->at)) continue;
    if (index.CallsOn(pair.passive, CallKind::kAccept).front() != accept) continue;
    if (index.FirstSuccess(pair.passive, CallKind::kReject) != nullptr) continue;
    result.Arose();
    const auto events = index.EventsOf(pair.active);
    const bool told = std::ranges::any_of(events, [&](const HeardEvent* heard) {
      return heard->at > connect->at && heard->at < silence->at;
    });
    if (!told)
      result.Violated(silence->at, "nothing",
                      "the reply to " + NameOf(index, pair.active) + "'s request");
  }
}

void PassiveHearsTheRtu(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  for (const Pair& pair : index.pairs()) {
    const HeardEvent* active = index.First(pair.active, EventType::kEstablished);
    const MadeCall* accept = index.FirstSuccess(pair.passive, CallKind::kAccept);
    if (active == nullptr || accept == nullptr) continue;
    const Silence* silence = index.SilentAfter(pair.passive, active->at);
    if (silence == nullptr || !index.Settled(active->at, silence->at)) continue;
    if (Touched(index, pair.active, active->at, silence->at)) continue;
    if (Touched(index, pair.passive, accept->at, silence->at)) continue;
    const Timing timing = TimingOf(index, pair.active);
    const Instant patient = accept->begin + timing.GiveUp(timing.ReplyInterval());
    if (MayHaveGivenUp(index, pair.passive, patient, active->time, *silence)) continue;
    result.Arose();
    const HeardEvent* passive = index.First(pair.passive, EventType::kEstablished);
    if (passive == nullptr || passive->at > silence->at)
      result.Violated(silence->at, "nothing",
                      "RDMA_CM_EVENT_ESTABLISHED of " + NameOf(index, pair.passive));
  }
}

bool WasRefused(const HistoryIndex& index, IdRef id, CallKind kind) {
  return std::ranges::any_of(index.CallsOn(id, kind),
                             [](const MadeCall* call) { return !call->reply.succeeded(); });
}

// Its request was rejected by the id itself, as refused rdma_accept and rdma_establish do. source:
// linux 6.1 cma.c rdma_accept, ucma.c, cm.c cm_send_rej_locked (L9)
bool TakenBack(const HistoryIndex& index, IdRef id) {
  return index.FirstSuccess(id, CallKind::kReject) != nullptr ||
         index.FirstSuccess(id, CallKind::kRejectEce) != nullptr ||
         WasRefused(index, id, CallKind::kAccept) || WasRefused(index, id, CallKind::kEstablish);
}

// A link that is down may keep a message and never send it: its request has no end then.
bool LinkKeepsRequests(const HistoryIndex& index) {
  const bool down =
      index.faults().Injected(FaultKind::kLinkDown) || index.faults().Injected(FaultKind::kFlap);
  return down && index.profile().dialect.link_down_keeps_sends;
}

// With any losses: a request is answered, or given up when its last retransmission is over.
void ConnectIsAnswered(const HistoryIndex& index, PropertyResult& result) {
  for (const FaultKind kind : {FaultKind::kDelay, FaultKind::kFailOver, FaultKind::kRemoveDevice})
    if (index.faults().Injected(kind)) return;
  if (LinkKeepsRequests(index)) return;
  ForEachId(index, [&](IdRef id) {
    const MadeCall* connect = index.FirstSuccess(id, CallKind::kConnect);
    if (connect == nullptr) return;
    const Timing timing = TimingOf(index, id);
    const Silence* silence = index.SilentAfter(id, connect->end + timing.Longest());
    if (silence == nullptr || TakenBack(index, id)) return;
    result.Arose();
    const auto events = index.EventsOf(id);
    const bool told = std::ranges::any_of(events, [&](const HeardEvent* heard) {
      return heard->at > connect->at && heard->at < silence->at;
    });
    if (!told)
      result.Violated(silence->at, "nothing",
                      "an answer to " + NameOf(index, id) + "'s request, or UNREACHABLE");
  });
}

void BothEstablished(const HistoryIndex& index, PropertyResult& result) {
  for (const Pair& pair : index.pairs())
    if (index.First(pair.active, EventType::kEstablished) != nullptr &&
        index.First(pair.passive, EventType::kEstablished) != nullptr) {
      result.Arose();
    }
}

// Over iWARP there is no observation of data that do not fit.
constexpr auto kOfEstablishment = std::to_array<Property>({
    Always("EST-1", AtMostOnce<EventType::kEstablished>, "An id reports ESTABLISHED at most once.",
           "man rdma_get_cm_event(3)"),
    Always("EST-2", AnswersFollowCalls,
           "Requests arrive at listeners, replies at connecting ids, ESTABLISHED at connecting or "
           "accepting ids.",
           "man rdma_get_cm_event(3)"),
    Always("EST-3", RequestsAreWhatWasAsked,
           "Each rdma_connect sends at most one request, with its private data.",
           "man rdma_connect(3)"),
    Always("EST-4", DepthsAreTheReceivers,
           "A request carries responder resources and initiator depth as the receiver sees them.",
           "man rdma_get_cm_event(3), rdma-core 44 cma.c ucma_copy_conn_event"),
    Always("EST-5", RepliesAreWhatWasAnswered, "A reply carries the private data of rdma_accept.",
           "man rdma_accept(3)"),
    Always("EST-6", RequestDataFits, "Private data that does not fit a request is refused.",
           "man rdma_connect(3)")
        .Over(over::kIbCm),
    Always("EST-7", ReplyDataFits, "Private data that does not fit a reply is refused.",
           "man rdma_accept(3)")
        .Over(over::kIbCm),
    Always("EST-8", RouteComesFirst, "rdma_connect is refused until a route is resolved.",
           "man rdma_connect(3)"),
    Always(
        "EST-9", RefusalsOfConnect,
        "rdma_connect is refused with EINVAL, with ENXIO once the device is gone, or with ENOENT "
        "over a path of the application.",
        "linux 6.1 cma.c rdma_connect_locked, ucma.c ucma_get_ctx, cm.c cm_init_av_by_path"),
    Eventually("EST-10", ActiveHearsTheReply,
               "A connecting id reports the reply of an accepting one.", "man rdma_accept(3)"),
    Eventually("EST-11", PassiveHearsTheRtu,
               "An accepting id reports ESTABLISHED once the connecting one has.",
               "man rdma_get_cm_event(3)"),
    Eventually("EST-12", ConnectIsAnswered,
               "Every request is answered or given up within the time of all its retransmissions.",
               "linux 6.1 cm.c cm_process_send_error, cma.c CMA_MAX_CM_RETRIES"),
    Sometimes("EST-13", BothEstablished, "Both ends report ESTABLISHED.",
              "man rdma_get_cm_event(3)"),
    Always("EST-14", RetriesAreTheSenders,
           "A request carries the retry counts of rdma_connect, and 7 for more than 7.",
           "man rdma_get_cm_event(3), linux 6.1 cma.c cma_connect_ib")
        .Over(over::kIbCm),
});

}  // namespace

std::span<const Property> Establishment() { return kOfEstablishment; }

}  // namespace cm::families
