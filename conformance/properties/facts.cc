#include "conformance/properties/facts.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <variant>

namespace cm::families {
const std::optional<Output>& OutputOf(const HistoryIndex& index, const MadeCall& call) {
  return std::get<seen::Answered>(index.history().records[call.at].seen).output;
}

std::pair<Reply, size_t> EndOf(const HistoryIndex& index, const MadeCall& call) {
  const std::vector<Record>& records = index.history().records;
  if (!call.released) return {std::get<seen::Answered>(records[call.at].seen).reply, call.at};
  return {std::get<seen::Released>(records[*call.released].seen).reply, *call.released};
}

namespace {

// The port that the call asks for, 0 for one that the kernel draws; empty for other calls.
std::optional<uint16_t> AskedPort(const MadeCall& call) {
  if (const auto* bind = std::get_if<call::BindAddr>(call.call)) return bind->address.port;
  if (const auto* resolve = std::get_if<call::ResolveAddr>(call.call)) return resolve->source.port;
  if (const auto* ep = std::get_if<call::CreateEp>(call.call)) return ep->source.port;
  return std::nullopt;
}

// rdma_destroy_id or rdma_destroy_ep of the id has returned before the record.
bool IsGone(const HistoryIndex& index, IdRef id, size_t record) {
  return std::ranges::any_of(index.CallsOn(id), [record](const MadeCall* call) {
    if (call->kind() != CallKind::kDestroyId && call->kind() != CallKind::kDestroyEp) return false;
    const bool gone = call->reply.succeeded() && call->at < record;
    const bool released = call->released && *call->released < record;
    return gone || released;
  });
}

}  // namespace

bool AsksForPort(const MadeCall& call, uint16_t port) { return AskedPort(call) == port; }

bool Succeeded(const HistoryIndex& index, IdRef id, CallKind kind, size_t from, size_t until) {
  for (const MadeCall* call : index.CallsOn(id, kind))
    if (call->reply.succeeded() && call->at > from && call->at < until) return true;
  return false;
}

bool MayOwn(const HistoryIndex& index, IdRef id, uint16_t port, size_t record) {
  if (IsGone(index, id, record)) return false;
  return std::ranges::any_of(index.CallsOn(id), [&](const MadeCall* call) {
    return call->at < record && AsksForPort(*call, port);
  });
}

// A resolution or listen binds the id even where it fails after that. source: linux 6.1 cma.c
// resolve_prepare_src, rdma_listen
bool MayOwnDrawnPort(const HistoryIndex& index, IdRef id, size_t record) {
  if (IsGone(index, id, record)) return false;
  for (const MadeCall* call : index.CallsOn(id)) {
    if (call->at >= record) return false;
    const CallKind kind = call->kind();
    if (kind == CallKind::kListen) return true;
    const std::optional<uint16_t> port = AskedPort(*call);
    const bool binds = call->reply.succeeded() || call->reply.kind == ReplyKind::kBlocked;
    if (!port || (!binds && kind != CallKind::kResolveAddr)) continue;
    if (*port == 0) return true;
    if (binds) return false;
  }
  return false;
}

std::optional<PortSpace> SpaceOf(const HistoryIndex& index, IdRef id) {
  for (const MadeCall* call : index.CallsOn(id)) {
    if (const auto* create = std::get_if<call::CreateId>(call->call)) return create->space;
    if (const auto* ep = std::get_if<call::CreateEp>(call->call)) return ep->space;
  }
  return std::nullopt;
}

bool Touched(const HistoryIndex& index, IdRef id, size_t from, size_t until) {
  for (const MadeCall* call : index.CallsOn(id))
    if (IsFunction(call->kind()) && call->at > from && call->at < until) return true;
  return false;
}

bool IsOfDatagrams(const HistoryIndex& index, IdRef id) {
  if (!id.valid() || !index[id].exists) return false;
  if (index[id].IsRequest()) return IsOfDatagrams(index, index[id].listener);
  for (const MadeCall* call : index.CallsOn(id, CallKind::kCreateId))
    if (IsDatagram(std::get<call::CreateId>(*call->call).space)) return true;
  for (const MadeCall* call : index.CallsOn(id, CallKind::kCreateEp))
    if (IsDatagram(std::get<call::CreateEp>(*call->call).space)) return true;
  return false;
}

uint32_t QkeyOf(const HistoryIndex& index, IdRef id) {
  for (const MadeCall* call : index.CallsOn(id, CallKind::kCreateId))
    return cm::QkeyOf(std::get<call::CreateId>(*call->call).space);
  return kDatagramQkey;
}

bool IsSidrRefusal(const HistoryIndex& index, const HeardEvent& heard) {
  const int32_t status = heard.event.status;
  if (status == static_cast<int32_t>(SidrStatus::kUnsupported) ||
      status == static_cast<int32_t>(SidrStatus::kReject))
    return true;
  return status > 0 && heard.event.id.valid() &&
         std::ranges::any_of(index.hand_made(), [&](const HandMade& made) {
           return made.at < heard.at && made.mad->kind == MadKind::kSidrRep &&
                  made.mad->remote.of == heard.event.id &&
                  static_cast<int32_t>(made.mad->status) == status;
         });
}

PrivateData Received(const HistoryIndex& index, const PrivateData& given, uint8_t size) {
  return index.OverIwarp() ? given : given.Resized(size);
}

bool Negotiates(const HistoryIndex& index, IdRef id, size_t record) {
  const MadeCall* connect = index.FirstSuccess(id, CallKind::kConnect);
  return index[id].IsRequest() || (connect != nullptr && connect->at < record);
}

bool HasOwnQp(const HistoryIndex& index, IdRef id) {
  const auto first = [&](std::initializer_list<CallKind> kinds) {
    size_t at = std::numeric_limits<size_t>::max();
    for (const CallKind kind : kinds)
      if (const MadeCall* call = index.FirstSuccess(id, kind)) at = std::min(at, call->at);
    return at;
  };
  return first({CallKind::kCreateQp, CallKind::kCreateQpEx}) <
         first({CallKind::kConnect, CallKind::kAccept});
}

bool PathMigrated(const HistoryIndex& index, IdRef id, size_t record) {
  return std::ranges::any_of(index.CallsOn(id, CallKind::kNotify), [&](const MadeCall* call) {
    return call->at < record && call->reply.succeeded() &&
           std::get<call::Notify>(*call->call).what == call::Notify::kPathMig;
  });
}

bool HasSet(const HistoryIndex& index, IdRef id, IdOption option, size_t record) {
  return std::ranges::any_of(index.CallsOn(id, CallKind::kSetOption), [&](const MadeCall* call) {
    return call->at < record && call->reply.succeeded() &&
           std::get<call::SetOption>(*call->call).option == option &&
           std::get<call::SetOption>(*call->call).value != 0;
  });
}

// source: linux 6.1 cm.c cm_init_av_by_path, cache.c ib_find_cached_pkey
bool IsOfOwnPath(const HistoryIndex& index, const MadeCall& call) {
  return call.kind() == CallKind::kConnect && call.Refused(Errno::kNoEnt) && !index.OverIwarp() &&
         HasSet(index, call.id(), kIbPathOption, call.at);
}

std::optional<uint8_t> AckTimeoutOf(const HistoryIndex& index, IdRef active) {
  const MadeCall* route = index.FirstSuccess(active, CallKind::kResolveRoute);
  std::optional<uint8_t> found;
  if (route == nullptr || index.profile().transport == Transport::kInfiniband) return found;
  for (const MadeCall* call : index.CallsOn(active, CallKind::kSetOption)) {
    const auto& set = std::get<call::SetOption>(*call->call);
    if (set.option == kAckTimeoutOption && call->reply.succeeded() && call->at < route->at)
      found = static_cast<uint8_t>(set.value);
  }
  return found == uint8_t{0} ? std::nullopt : found;
}

Timing TimingOf(const HistoryIndex& index, IdRef active) {
  Timing timing = index.profile().timing;
  if (const std::optional<uint8_t> set = AckTimeoutOf(index, active))
    timing.packet_lifetime = *set - 1;
  return timing;
}

bool MadeByHand(const HistoryIndex& index, MadKind kind, IdRef to, size_t before) {
  return std::ranges::any_of(index.hand_made(), [&](const HandMade& made) {
    const TesterMad& mad = *made.mad;
    const bool by_guid = mad.kind == MadKind::kRej && mad.reason == RejReason::kTimeout;
    return made.at < before && mad.kind == kind && (mad.remote.of == to || by_guid);
  });
}

bool MayHaveGivenUp(const HistoryIndex& index, IdRef id, Instant patient_until, Instant sent,
                    const Silence& silence) {
  const HeardEvent* gave_up = index.First(id, EventType::kUnreachable);
  const Instant arrives_by = sent + index.profile().timing.prompt;
  return arrives_by >= patient_until && gave_up != nullptr && gave_up->at < silence.at;
}

}  // namespace cm::families
