// Datagram services: looked up, found or refused; there is no connection.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

constexpr int32_t kTimedOut = -static_cast<int32_t>(Errno::kTimedOut);

void RefusalsSaySo(const HistoryIndex& index, PropertyResult& result) {
  if (index.faults().DetectedImmediately()) return;
  const Timing& timing = index.profile().timing;
  const uint8_t size = index.profile().limits.datagram_reply_data;
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kUnreachable) continue;
    if (!IsOfDatagrams(index, heard.event.id)) continue;
    const MadeCall* asked = index.FirstSuccess(heard.event.id, CallKind::kConnect);
    result.Arose();
    const Duration least = timing.GiveUp(timing.ReplyInterval());
    const bool late = asked != nullptr && heard.time >= asked->begin + least;
    const bool given_up = late && heard.event.status == kTimedOut;
    const bool refused = IsSidrRefusal(index, heard);
    if (asked == nullptr)
      result.Violated(heard.at, Heard(index, heard), "nothing: no request was sent");
    else if (!refused && !given_up)
      result.Violated(
          heard.at, Heard(index, heard),
          fmt::format("status=1, status=2 or that of a tester's SIDR_REP, or {} once all "
                      "repetitions are over",
                      kTimedOut));
    else if (refused && heard.event.private_data.size() != size)
      result.Violated(heard.at,
                      fmt::format("{} with {} bytes of private data", Heard(index, heard),
                                  heard.event.private_data.size()),
                      fmt::format("{} bytes", size));
  }
}

void AnsweringIsTheEnd(const HistoryIndex& index, PropertyResult& result) {
  for (uint16_t i = 0; i < index.id_count(); ++i) {
    const IdRef id{i};
    if (!index[id].exists || !index[id].IsRequest() || !IsOfDatagrams(index, id)) continue;
    if (index.FirstSuccess(id, CallKind::kAccept) != nullptr) result.Arose();
    if (const HeardEvent* heard = index.First(id, EventType::kEstablished))
      result.Violated(heard->at, Heard(index, *heard),
                      "no such event: who accepts a datagram service hears nothing more");
  }
}

// rdma_get_request has created a queue pair for the request: its listener is an endpoint with
// attributes of one. source: rdma-core 44 cma.c rdma_get_request
bool HasQpOfEndpoint(const HistoryIndex& index, IdRef request) {
  const IdRef listener = index[request].listener;
  const auto gets = [request](const MadeCall* call) {
    return std::get<call::GetRequest>(*call->call).request == request;
  };
  const auto gives = [](const MadeCall* call) {
    return std::get<call::CreateEp>(*call->call).with_qp;
  };
  return std::ranges::any_of(index.CallsOn(listener, CallKind::kGetRequest), gets) &&
         std::ranges::any_of(index.CallsOn(listener, CallKind::kCreateEp), gives);
}

// Whether some datagram id was accepted with this queue pair before the record, or with one of
// unknown number.
bool SomebodyGave(const HistoryIndex& index, uint32_t qp_num, size_t record) {
  for (const MadeCall& call : index.calls()) {
    if (call.at >= record) return false;
    if (!call.reply.succeeded() || !call.id().valid() || !IsOfDatagrams(index, call.id())) continue;
    if (call.kind() == CallKind::kEstablish && qp_num == 0) return true;
    const auto* accept = std::get_if<call::Accept>(call.call);
    if (accept == nullptr) continue;
    if (HasOwnQp(index, accept->id) || HasQpOfEndpoint(index, accept->id)) return true;
    if (accept->param && (accept->param->qp_num & 0xffffff) == qp_num) return true;
  }
  return false;
}

void ServiceIsNamed(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kEstablished) continue;
    if (!IsOfDatagrams(index, heard.event.id) || index[heard.event.id].IsRequest()) continue;
    // The tester's is a service of its own.
    if (MadeByHand(index, MadKind::kSidrRep, heard.event.id, heard.at)) continue;
    result.Arose();
    const uint32_t qkey = QkeyOf(index, heard.event.id);
    if (heard.event.qkey != qkey)
      result.Violated(heard.at,
                      fmt::format("{} qkey={:#010x}", Heard(index, heard), heard.event.qkey),
                      fmt::format("qkey={:#010x}", qkey));
    else if (!SomebodyGave(index, heard.event.qp_num, heard.at))
      result.Violated(heard.at,
                      fmt::format("{} qp_num={}", Heard(index, heard), heard.event.qp_num),
                      "the number of the queue pair that rdma_accept gave");
  }
}

void RequestsCarryTheirData(const HistoryIndex& index, PropertyResult& result) {
  const uint8_t size = index.profile().limits.datagram_request_data;
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kConnectRequest) continue;
    if (!IsOfDatagrams(index, heard.event.id)) continue;
    result.Arose();
    bool given = false;
    for (const MadeCall& call : index.calls()) {
      const auto* connect = std::get_if<call::Connect>(call.call);
      if (connect == nullptr || call.at > heard.at || !call.reply.succeeded()) continue;
      const PrivateData sent = connect->param ? connect->param->private_data : PrivateData();
      given |= sent.Resized(size) == heard.event.private_data;
    }
    for (const HandMade& made : index.hand_made())
      given |= made.at < heard.at && made.mad->kind == MadKind::kSidrReq &&
               made.mad->data.Resized(size) == heard.event.private_data;
    if (!given)
      result.Violated(heard.at, Heard(index, heard) + " with private data that no call gave",
                      fmt::format("the private data of a rdma_connect, {} bytes", size));
  }
}

void ServiceIsFound(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard())
    if (heard.event.type == EventType::kEstablished && IsOfDatagrams(index, heard.event.id))
      result.Arose();
}

constexpr auto kOfDatagrams = std::to_array<Property>({
    Always("UD-1", RefusalsSaySo,
           "A refused request for a datagram service ends in UNREACHABLE with the status of the "
           "refusal and its private data.",
           "linux 6.1 cma.c cma_sidr_rep_handler"),
    Always("UD-2", AnsweringIsTheEnd,
           "An id that accepts a request for a datagram service never reports ESTABLISHED.",
           "linux 6.1 cma.c rdma_accept, cma_send_sidr_rep"),
    Always("UD-3", ServiceIsNamed,
           "ESTABLISHED of a datagram id carries the Q_Key and the queue pair of the service.",
           "man rdma_get_cm_event(3), linux 6.1 cma.c cma_sidr_rep_handler"),
    Always("UD-4", RequestsCarryTheirData,
           "A request for a datagram service carries the private data of rdma_connect.",
           "man rdma_connect(3)"),
    Sometimes("UD-5", ServiceIsFound, "A datagram service is found.", "man rdma_get_cm_event(3)")
        .Over(over::kIbCm),
});

}  // namespace

std::span<const Property> Datagrams() { return kOfDatagrams; }

}  // namespace cm::families
