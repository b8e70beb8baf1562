// From rdma_connect to ESTABLISHED.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

constexpr uint8_t kDeviceMaximum = 255;  // RDMA_MAX_RESP_RES, RDMA_MAX_INIT_DEPTH

const std::optional<ConnParam>* ParamOf(const MadeCall& call) {
  if (const auto* connect = std::get_if<call::Connect>(call.call)) return &connect->param;
  if (const auto* accept = std::get_if<call::Accept>(call.call)) return &accept->param;
  return nullptr;
}

// The depths that the other side receives; over iWARP nothing is added to them.
PrivateData Sent(const HistoryIndex& account, const MadeCall& call, uint8_t size) {
  const std::optional<ConnParam>& param = *ParamOf(call);
  if (account.OverIwarp()) return param ? param->private_data : PrivateData();
  return (param ? param->private_data : PrivateData()).Resized(size);
}

void EstablishedOnce(const HistoryIndex& account, PropertyResult& result) {
  AtMostOnce(account, result, EventType::kEstablished);
}

void AnswersFollowCalls(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    const CmEvent& event = heard.event;
    const size_t now = heard.at;
    const auto made = [&](IdRef id, CallKind kind) {
      const MadeCall* call = id.valid() ? account.FirstSuccess(id, kind) : nullptr;
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
    if (!wanted.empty()) result.Violated(now, Heard(account, heard), wanted);
  }
}

// Rejecting on the active side abandons the request: its reply is not awaited any more, and it is
// retransmitted until it is given up. A failed rdma_accept or rdma_establish rejects.
bool Abandoned(const HistoryIndex& account, const MadeCall& connect, size_t record) {
  return std::ranges::any_of(account.CallsOn(connect.id()), [&](const MadeCall* call) {
    const bool answers = call->kind() == CallKind::kAccept || call->kind() == CallKind::kEstablish;
    const bool rejects = call->kind() == CallKind::kReject || call->kind() == CallKind::kRejectEce;
    const bool refuses = call->reply.succeeded() ? rejects : answers;
    return refuses && call->at > connect.at && call->at < record;
  });
}

// Two replies have the same queue pair, so that the second counts as one of a stale connection: it
// is rejected, and its request is still retransmitted.
bool RepliesShareQp(const HistoryIndex& account, size_t record) {
  std::vector<uint32_t> numbers;
  for (const MadeCall& call : account.calls()) {
    const bool replies = call.kind() == CallKind::kAccept && call.reply.succeeded();
    if (!replies || call.at > record || HasOwnQp(account, call.id())) continue;
    const std::optional<ConnParam>& param = *ParamOf(call);
    const uint32_t number = param ? param->qp_num & 0xffffff : 0;
    if (std::ranges::find(numbers, number) != numbers.end()) return true;
    numbers.push_back(number);
  }
  return false;
}

// The possible origin of a request: a rdma_connect, or a message of a tester.
struct Asking {
  size_t at = 0;
  const MadeCall* connect = nullptr;  // null: by the tester
  PrivateData data;
  bool taken = false;
};

// Whether a request with these data was over before the record, so that its retransmission is new.
bool IsOver(const HistoryIndex& account, const PrivateData& data, size_t record) {
  return std::ranges::any_of(account.heard(), [&](const HeardEvent& heard) {
    const IdRef id = heard.event.id;
    if (heard.event.type != EventType::kConnectRequest || !id.valid()) return false;
    if (heard.event.private_data != data || heard.at > record) return false;
    if (account.EndOf(id) < record) return true;
    const auto ends = {CallKind::kReject, CallKind::kRejectEce, CallKind::kDisconnect};
    return std::ranges::any_of(
        ends, [&](CallKind kind) { return Succeeded(account, id, kind, heard.at, record); });
  });
}

std::vector<Asking> Askings(const HistoryIndex& account) {
  const uint8_t size = account.profile().limits.request_data;
  std::vector<Asking> all;
  for (const MadeCall& call : account.calls())
    if (call.kind() == CallKind::kConnect && call.reply.succeeded())
      all.push_back({.at = call.at, .connect = &call, .data = Sent(account, call, size)});
  std::vector<const TesterMad*> sent;
  for (const HandMade& made : account.hand_made()) {
    if (made.mad->kind != MadKind::kReq) continue;
    const PrivateData data = made.mad->data.Resized(size);
    const bool again =
        std::ranges::any_of(sent, [&](const TesterMad* earlier) { return *earlier == *made.mad; });
    sent.push_back(made.mad);
    if (!again || IsOver(account, data, made.at)) all.push_back({.at = made.at, .data = data});
  }
  return all;
}

// As a multiset: each request matches one rdma_connect with its data, or one message of a tester.
// Where messages can be lost, or are retransmitted although the answer is not awaited any more, a
// rejected request may arrive once more; so it may where a tester has answered it in another's
// place.
void RequestsAreWhatWasAsked(const HistoryIndex& account, PropertyResult& result) {
  std::vector<Asking> askings = Askings(account);
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kConnectRequest) continue;
    if (heard.event.id.valid() && !account.IsTcp(heard.event.id)) continue;
    result.Arose();
    bool known = false;
    Asking* asked = nullptr;
    bool again = !account.Undisturbed() || RepliesShareQp(account, heard.at);
    for (const HandMade& made : account.hand_made())
      again |= made.at < heard.at && made.mad->kind != MadKind::kReq;
    for (Asking& asking : askings) {
      if (asking.at > heard.at || asking.data != heard.event.private_data) continue;
      known = true;
      const bool abandoned = asking.taken && asking.connect != nullptr &&
                             Abandoned(account, *asking.connect, heard.at);
      again |= abandoned;
      if (!asking.taken && asked == nullptr) asked = &asking;
    }
    if (!known)
      result.Violated(heard.at, Heard(account, heard) + " with private data that no call gave",
                      "the private data of a rdma_connect");
    else if (asked == nullptr && !again)
      result.Violated(heard.at, Heard(account, heard) + " once more",
                      "one request for each rdma_connect");
    if (asked != nullptr) asked->taken = true;
  }
}

void RepliesAreWhatWasAnswered(const HistoryIndex& account, PropertyResult& result) {
  for (const Pair& pair : account.pairs()) {
    const MadeCall* accept = account.FirstSuccess(pair.passive, CallKind::kAccept);
    if (accept == nullptr) continue;
    const PrivateData sent = Sent(account, *accept, account.profile().limits.reply_data);
    for (const HeardEvent* heard : account.EventsOf(pair.active)) {
      const EventType type = heard->event.type;
      if (type != EventType::kEstablished && type != EventType::kConnectResponse) continue;
      if (heard->event.private_data.empty()) continue;  // the second of the two carries none
      result.Arose();
      if (heard->event.private_data != sent)
        result.Violated(heard->at, Heard(account, *heard) + " with other private data",
                        "the private data of rdma_accept");
    }
  }
}

void DepthsAreTheReceivers(const HistoryIndex& account, PropertyResult& result) {
  const uint8_t most = account.profile().limits.max_depth;
  for (const Pair& pair : account.pairs()) {
    const MadeCall* connect = account.FirstSuccess(pair.active, CallKind::kConnect);
    const HeardEvent* heard = account.First(pair.passive, EventType::kConnectRequest);
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
        fmt::format("{} responder_resources={} initiator_depth={}", Heard(account, *heard),
                    got.responder_resources, got.initiator_depth),
        fmt::format("responder_resources={} initiator_depth={}: those of the peer, swapped",
                    depth(asked.initiator_depth), depth(asked.responder_resources)));
  }
}

// Over iWARP there is no observation of data that does not fit.
void DataFits(const HistoryIndex& account, PropertyResult& result, CallKind kind, uint8_t limit) {
  if (account.OverIwarp()) return;
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != kind || !account.IsTcp(call.id())) continue;
    const std::optional<ConnParam>& param = *ParamOf(call);
    if (!param || param->private_data.size() <= limit) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(account, call),
                      fmt::format("-1 EINVAL: more than {} bytes do not fit", limit));
  }
}

void RequestDataFits(const HistoryIndex& account, PropertyResult& result) {
  DataFits(account, result, CallKind::kConnect, account.profile().limits.request_data);
}

void ReplyDataFits(const HistoryIndex& account, PropertyResult& result) {
  DataFits(account, result, CallKind::kAccept, account.profile().limits.reply_data);
}

void RouteComesFirst(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kConnect) continue;
    if (!account.CallsOn(call.id(), CallKind::kCreateEp).empty()) continue;  // it resolves
    const MadeCall* route = account.FirstSuccess(call.id(), CallKind::kResolveRoute);
    if (route != nullptr && route->at < call.at) continue;
    result.Arose();
    if (call.reply.succeeded())
      result.Violated(call.at, Made(account, call), "-1 EINVAL: no route is resolved");
  }
}

void RefusalsOfConnect(const HistoryIndex& account, PropertyResult& result) {
  for (const MadeCall& call : account.calls()) {
    if (call.kind() != CallKind::kConnect || call.reply.kind != ReplyKind::kReturned) continue;
    if (call.reply.succeeded()) continue;
    result.Arose();
    // Over iWARP the call itself returns TCP's error.
    const bool by_tcp = call.Refused(Errno::kConnRefused) || call.Refused(Errno::kTimedOut) ||
                        call.Refused(Errno::kHostUnreach);
    if (account.OverIwarp() && by_tcp) continue;
    if (!call.Refused(Errno::kInval) && !call.Refused(Errno::kNxIo))
      result.Violated(call.at, Made(account, call),
                      "-1 EINVAL, or -1 ENXIO once the device is removed");
  }
}

void ActiveHearsTheReply(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    const MadeCall* accept = account.FirstSuccess(pair.passive, CallKind::kAccept);
    if (accept == nullptr) continue;
    const MadeCall* connect = account.FirstSuccess(pair.active, CallKind::kConnect);
    const Silence* silence = account.SilentAfter(pair.active, accept->at);
    if (silence == nullptr || !account.Settled(accept->at, silence->at)) continue;
    if (Touched(account, pair.active, connect->at, silence->at)) continue;
    if (Touched(account, pair.passive, accept->at, silence->at)) continue;
    if (account.CallsOn(pair.passive, CallKind::kAccept).front() != accept) continue;
    if (account.FirstSuccess(pair.passive, CallKind::kReject) != nullptr) continue;
    result.Arose();
    const auto events = account.EventsOf(pair.active);
    const bool told = std::ranges::any_of(events, [&](const HeardEvent* heard) {
      return heard->at > connect->at && heard->at < silence->at;
    });
    if (!told)
      result.Violated(silence->at, "nothing",
                      "the reply to " + NameOf(account, pair.active) + "'s request");
  }
}

void PassiveHearsTheRtu(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    const HeardEvent* active = account.First(pair.active, EventType::kEstablished);
    const MadeCall* accept = account.FirstSuccess(pair.passive, CallKind::kAccept);
    if (active == nullptr || accept == nullptr) continue;
    const Silence* silence = account.SilentAfter(pair.passive, active->at);
    if (silence == nullptr || !account.Settled(active->at, silence->at)) continue;
    if (Touched(account, pair.active, active->at, silence->at)) continue;
    if (Touched(account, pair.passive, accept->at, silence->at)) continue;
    const Timing timing = TimingOf(account, pair.active);
    const Instant patient = accept->begin + timing.GiveUp(timing.ReplyInterval());
    if (MayHaveGivenUp(account, pair.passive, patient, active->time, *silence)) continue;
    result.Arose();
    const HeardEvent* passive = account.First(pair.passive, EventType::kEstablished);
    if (passive == nullptr || passive->at > silence->at)
      result.Violated(silence->at, "nothing",
                      "RDMA_CM_EVENT_ESTABLISHED of " + NameOf(account, pair.passive));
  }
}

bool WasRefused(const HistoryIndex& account, IdRef id, CallKind kind) {
  return std::ranges::any_of(account.CallsOn(id, kind),
                             [](const MadeCall* call) { return !call->reply.succeeded(); });
}

// Its request was rejected by the id itself, as refused rdma_accept and rdma_establish do. source:
// linux 6.1 cma.c rdma_accept, ucma.c, cm.c cm_send_rej_locked (L9)
bool TakenBack(const HistoryIndex& account, IdRef id) {
  return account.FirstSuccess(id, CallKind::kReject) != nullptr ||
         account.FirstSuccess(id, CallKind::kRejectEce) != nullptr ||
         WasRefused(account, id, CallKind::kAccept) ||
         WasRefused(account, id, CallKind::kEstablish);
}

// With any losses: a request is answered, or given up when its last retransmission is over.
void ConnectIsAnswered(const HistoryIndex& account, PropertyResult& result) {
  for (const FaultKind kind : {FaultKind::kDelay, FaultKind::kFailOver, FaultKind::kRemoveDevice})
    if (account.Injected(kind)) return;
  ForEachId(account, [&](IdRef id) {
    const MadeCall* connect = account.FirstSuccess(id, CallKind::kConnect);
    if (connect == nullptr) return;
    const Timing timing = TimingOf(account, id);
    const Silence* silence = account.SilentAfter(id, connect->end + timing.Longest());
    if (silence == nullptr || TakenBack(account, id)) return;
    result.Arose();
    const auto events = account.EventsOf(id);
    const bool told = std::ranges::any_of(events, [&](const HeardEvent* heard) {
      return heard->at > connect->at && heard->at < silence->at;
    });
    if (!told)
      result.Violated(silence->at, "nothing",
                      "an answer to " + NameOf(account, id) + "'s request, or UNREACHABLE");
  });
}

void BothEstablished(const HistoryIndex& account, PropertyResult& result) {
  for (const Pair& pair : account.pairs())
    if (account.First(pair.active, EventType::kEstablished) != nullptr &&
        account.First(pair.passive, EventType::kEstablished) != nullptr) {
      result.Arose();
    }
}

constexpr auto kClaims = std::to_array<Property>({
    {"EST-1",
     "establishment",
     PropertyKind::kAlways,
     "An id reports ESTABLISHED at most once.",
     "man rdma_get_cm_event(3)",
     EstablishedOnce,
     {}},
    {"EST-2",
     "establishment",
     PropertyKind::kAlways,
     "Requests arrive at listeners, replies at connecting ids, ESTABLISHED at connecting or "
     "accepting ids.",
     "man rdma_get_cm_event(3)",
     AnswersFollowCalls,
     {}},
    {"EST-3",
     "establishment",
     PropertyKind::kAlways,
     "Each rdma_connect sends at most one request, with its private data.",
     "man rdma_connect(3)",
     RequestsAreWhatWasAsked,
     {}},
    {"EST-4",
     "establishment",
     PropertyKind::kAlways,
     "A request carries responder resources and initiator depth as the receiver sees them.",
     "man rdma_get_cm_event(3), rdma-core 44 cma.c ucma_copy_conn_event",
     DepthsAreTheReceivers,
     {}},
    {"EST-5",
     "establishment",
     PropertyKind::kAlways,
     "A reply carries the private data of rdma_accept.",
     "man rdma_accept(3)",
     RepliesAreWhatWasAnswered,
     {}},
    {"EST-6",
     "establishment",
     PropertyKind::kAlways,
     "Private data that does not fit a request is refused.",
     "man rdma_connect(3)",
     RequestDataFits,
     {}},
    {"EST-7",
     "establishment",
     PropertyKind::kAlways,
     "Private data that does not fit a reply is refused.",
     "man rdma_accept(3)",
     ReplyDataFits,
     {}},
    {"EST-8",
     "establishment",
     PropertyKind::kAlways,
     "rdma_connect is refused until a route is resolved.",
     "man rdma_connect(3)",
     RouteComesFirst,
     {}},
    {"EST-9",
     "establishment",
     PropertyKind::kAlways,
     "rdma_connect is refused with EINVAL, or with ENXIO once the device is gone.",
     "linux 6.1 cma.c rdma_connect_locked, ucma.c ucma_get_ctx",
     RefusalsOfConnect,
     {}},
    {"EST-10",
     "establishment",
     PropertyKind::kEventually,
     "A connecting id reports the reply of an accepting one.",
     "man rdma_accept(3)",
     ActiveHearsTheReply,
     {}},
    {"EST-11",
     "establishment",
     PropertyKind::kEventually,
     "An accepting id reports ESTABLISHED once the connecting one has.",
     "man rdma_get_cm_event(3)",
     PassiveHearsTheRtu,
     {}},
    {"EST-12",
     "establishment",
     PropertyKind::kEventually,
     "Every request is answered or given up within the time of all its retransmissions.",
     "linux 6.1 cm.c cm_process_send_error, cma.c CMA_MAX_CM_RETRIES",
     ConnectIsAnswered,
     {}},
    {"EST-13",
     "establishment",
     PropertyKind::kSometimes,
     "Both ends report ESTABLISHED.",
     "man rdma_get_cm_event(3)",
     BothEstablished,
     {}},
});

}  // namespace

std::span<const Property> Establishment() { return kClaims; }

}  // namespace cm::claims
