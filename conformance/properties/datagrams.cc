// Datagram services: looked up, found or refused; there is no connection.
#include <fmt/format.h>

#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

constexpr int32_t kTimedOut = -static_cast<int32_t>(Errno::kTimedOut);

void RefusalsSaySo(const HistoryIndex& account, PropertyResult& result) {
  if (ToldAtOnce(account)) return;
  const Timing& timing = account.profile().timing;
  const uint8_t size = account.profile().limits.datagram_reply_data;
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kUnreachable) continue;
    if (!IsOfDatagrams(account, heard.event.id)) continue;
    const MadeCall* asked = account.FirstSuccess(heard.event.id, CallKind::kConnect);
    result.Arose();
    const Duration least = timing.GiveUp(timing.ReplyInterval());
    const bool late = asked != nullptr && heard.time >= asked->begin + least;
    const bool given_up = late && heard.event.status == kTimedOut;
    if (asked == nullptr)
      result.Violated(heard.at, Heard(account, heard), "nothing: no request was sent");
    else if (!IsSidrRefusal(heard.event.status) && !given_up)
      result.Violated(
          heard.at, Heard(account, heard),
          fmt::format("status=1 or status=2, or {} once all repetitions are over", kTimedOut));
    else if (IsSidrRefusal(heard.event.status) && heard.event.private_data.size() != size)
      result.Violated(heard.at,
                      fmt::format("{} with {} bytes of private data", Heard(account, heard),
                                  heard.event.private_data.size()),
                      fmt::format("{} bytes", size));
  }
}

void AnsweringIsTheEnd(const HistoryIndex& account, PropertyResult& result) {
  for (uint16_t i = 0; i < account.id_count(); ++i) {
    const IdRef id{i};
    if (!account.Exists(id) || !account.IsRequest(id) || !IsOfDatagrams(account, id)) continue;
    if (account.FirstSuccess(id, CallKind::kAccept) != nullptr) result.Arose();
    if (const HeardEvent* heard = account.First(id, EventType::kEstablished))
      result.Violated(heard->at, Heard(account, *heard),
                      "no such event: who accepts a datagram service hears nothing more");
  }
}

// Whether some datagram id was accepted with this queue pair before the record, or with one of
// unknown number.
bool SomebodyGave(const HistoryIndex& account, uint32_t qp_num, size_t record) {
  for (const MadeCall& call : account.calls()) {
    if (call.at >= record) return false;
    if (!call.reply.succeeded() || !call.id().valid() || !IsOfDatagrams(account, call.id()))
      continue;
    if (call.kind() == CallKind::kEstablish && qp_num == 0) return true;
    const auto* accept = std::get_if<call::Accept>(call.call);
    if (accept == nullptr) continue;
    if (HasOwnQp(account, accept->id)) return true;
    if (accept->param && (accept->param->qp_num & 0xffffff) == qp_num) return true;
  }
  return false;
}

void ServiceIsNamed(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kEstablished) continue;
    if (!IsOfDatagrams(account, heard.event.id) || account.IsRequest(heard.event.id)) continue;
    // The tester's is a service of its own.
    if (account.MadeByHand(MadKind::kSidrRep, heard.event.id, heard.at)) continue;
    result.Arose();
    const uint32_t qkey = QkeyOf(account, heard.event.id);
    if (heard.event.qkey != qkey)
      result.Violated(heard.at,
                      fmt::format("{} qkey={:#010x}", Heard(account, heard), heard.event.qkey),
                      fmt::format("qkey={:#010x}", qkey));
    else if (!SomebodyGave(account, heard.event.qp_num, heard.at))
      result.Violated(heard.at,
                      fmt::format("{} qp_num={}", Heard(account, heard), heard.event.qp_num),
                      "the number of the queue pair that rdma_accept gave");
  }
}

void RequestsCarryTheirData(const HistoryIndex& account, PropertyResult& result) {
  const uint8_t size = account.profile().limits.datagram_request_data;
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kConnectRequest) continue;
    if (!IsOfDatagrams(account, heard.event.id)) continue;
    result.Arose();
    bool given = false;
    for (const MadeCall& call : account.calls()) {
      const auto* connect = std::get_if<call::Connect>(call.call);
      if (connect == nullptr || call.at > heard.at || !call.reply.succeeded()) continue;
      const PrivateData sent = connect->param ? connect->param->private_data : PrivateData();
      given |= sent.Resized(size) == heard.event.private_data;
    }
    for (const HandMade& made : account.hand_made())
      given |= made.at < heard.at && made.mad->kind == MadKind::kSidrReq &&
               made.mad->data.Resized(size) == heard.event.private_data;
    if (!given)
      result.Violated(heard.at, Heard(account, heard) + " with private data that no call gave",
                      fmt::format("the private data of a rdma_connect, {} bytes", size));
  }
}

void ServiceIsFound(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard())
    if (heard.event.type == EventType::kEstablished && IsOfDatagrams(account, heard.event.id))
      result.Arose();
}

constexpr auto kClaims = std::to_array<Property>({
    {"UD-1",
     "datagrams",
     PropertyKind::kAlways,
     "A refused request for a datagram service ends in UNREACHABLE with the status of the refusal "
     "and its private data.",
     "linux 6.1 cma.c cma_sidr_rep_handler",
     RefusalsSaySo,
     {}},
    {"UD-2",
     "datagrams",
     PropertyKind::kAlways,
     "An id that accepts a request for a datagram service never reports ESTABLISHED.",
     "linux 6.1 cma.c rdma_accept, cma_send_sidr_rep",
     AnsweringIsTheEnd,
     {}},
    {"UD-3",
     "datagrams",
     PropertyKind::kAlways,
     "ESTABLISHED of a datagram id carries the Q_Key and the queue pair of the service.",
     "man rdma_get_cm_event(3), linux 6.1 cma.c cma_sidr_rep_handler",
     ServiceIsNamed,
     {}},
    {"UD-4",
     "datagrams",
     PropertyKind::kAlways,
     "A request for a datagram service carries the private data of rdma_connect.",
     "man rdma_connect(3)",
     RequestsCarryTheirData,
     {}},
    {"UD-5",
     "datagrams",
     PropertyKind::kSometimes,
     "A datagram service is found.",
     "man rdma_get_cm_event(3)",
     ServiceIsFound,
     {}},
});

}  // namespace

bool IsOfDatagrams(const HistoryIndex& account, IdRef id) {
  if (!id.valid() || !account.Exists(id)) return false;
  if (account.IsRequest(id)) return IsOfDatagrams(account, account.ListenerOf(id));
  for (const MadeCall* call : account.CallsOn(id, CallKind::kCreateId))
    if (IsDatagram(std::get<call::CreateId>(*call->call).space)) return true;
  for (const MadeCall* call : account.CallsOn(id, CallKind::kCreateEp))
    if (IsDatagram(std::get<call::CreateEp>(*call->call).space)) return true;
  return false;
}

std::span<const Property> Datagrams() { return kClaims; }

}  // namespace cm::claims
