// Rejected requests.

#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

constexpr auto kConsumerDefined = static_cast<int32_t>(RejReason::kConsumerDefined);
constexpr auto kInvalidServiceId = static_cast<int32_t>(RejReason::kInvalidServiceId);
constexpr auto kOptionsRefused = static_cast<int32_t>(RejReason::kVendorOptionNotSupported);
constexpr auto kStaleConn = static_cast<int32_t>(RejReason::kStaleConn);

// Whether an id on the kernel may have listened on the port before the record: an ephemeral port
// may be any.
bool MayHaveListened(const HistoryIndex& index, uint8_t kernel, uint16_t port, size_t record) {
  for (const MadeCall& call : index.calls()) {
    if (call.at >= record) return false;
    if (call.kind() != CallKind::kListen || index.KernelOf(call.id()) != kernel) continue;
    for (const MadeCall* earlier : index.CallsOn(call.id()))
      if (AsksForPort(*earlier, port)) return true;
  }
  return false;
}

// The last resolution of the id that succeeded before the record; null if there is none. An earlier
// one ended with ADDR_ERROR.
const MadeCall* LastResolution(const HistoryIndex& index, IdRef id, size_t record) {
  const MadeCall* last = nullptr;
  for (const MadeCall* call : index.CallsOn(id, CallKind::kResolveAddr))
    if (call->reply.succeeded() && call->at < record) last = call;
  return last;
}

void UnservedAreRefused(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kRejected || !heard.event.id.valid()) continue;
    const MadeCall* resolve = LastResolution(index, heard.event.id, heard.at);
    if (resolve == nullptr) continue;
    const Address& to = std::get<call::ResolveAddr>(*resolve->call).destination;
    if (to.kind != AddressKind::kSide || to.port >= kFirstEphemeralPort) continue;
    const uint8_t kernel = index.topology().KernelOf(to.side);
    if (MayHaveListened(index, kernel, to.port, heard.at)) continue;
    // The tester chooses the reason.
    if (MadeByHand(index, MadKind::kRej, heard.event.id, heard.at)) continue;
    result.Arose();
    if (heard.event.status != kInvalidServiceId && heard.event.status != kStaleConn)
      result.Violated(heard.at, Heard(index, heard), "status=8: no id listens on the port");
  }
}

// Requests that were rejected by one rdma_reject and by nothing else.
void ReasonsArrive(const HistoryIndex& index, PropertyResult& result) {
  for (const Pair& pair : index.pairs()) {
    const HeardEvent* rejected = index.First(pair.active, EventType::kRejected);
    const int32_t status =
        index.OverIwarp() ? -static_cast<int32_t>(Errno::kConnReset) : kConsumerDefined;
    if (rejected == nullptr || rejected->event.status != status) continue;
    const MadeCall* reject = index.FirstSuccess(pair.passive, CallKind::kReject);
    const bool alone = reject != nullptr && reject->at < rejected->at &&
                       index.CallsOn(pair.passive, CallKind::kReject).front() == reject &&
                       index.CallsOn(pair.passive, CallKind::kAccept).empty();
    if (!alone || index[pair.passive].end < reject->at) continue;
    if (index.faults().Injected(FaultKind::kRemoveDevice)) continue;
    result.Arose();
    const auto& given = std::get<call::Reject>(*reject->call).private_data;
    const uint8_t size = index.profile().limits.reject_data;
    if (rejected->event.private_data != Received(index, given, size))
      result.Violated(rejected->at, Heard(index, *rejected) + " with other private data",
                      "the private data of rdma_reject");
  }
}

void RejectedIsFinal(const HistoryIndex& index, PropertyResult& result) {
  ForEachId(index, [&](IdRef id) {
    const HeardEvent* rejected = index.First(id, EventType::kRejected);
    if (rejected == nullptr) return;
    result.Arose();
    for (const HeardEvent* heard : index.EventsOf(id, EventType::kEstablished))
      if (heard->at > rejected->at)
        result.Violated(heard->at, Heard(index, *heard) + " after REJECTED",
                        "no connection that was refused");
  });
}

void EstablishedIsNotRejected(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  for (const Pair& pair : index.pairs()) {
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const HeardEvent* established = index.First(id, EventType::kEstablished);
      if (established == nullptr) continue;
      for (const MadeCall* reject : index.CallsOn(id, CallKind::kReject)) {
        if (reject->at < established->at) continue;
        const bool quiet = !Touched(index, peer, established->at, reject->at) &&
                           !Touched(index, id, established->at, reject->at) &&
                           index[peer].end > reject->at;
        if (!quiet) continue;
        result.Arose();
        if (reject->reply.succeeded())
          result.Violated(reject->at, Made(index, *reject),
                          "-1 EINVAL: the connection is established");
      }
    }
  }
}

void RejectIsHeard(const HistoryIndex& index, PropertyResult& result) {
  if (!index.Undisturbed()) return;
  for (const Pair& pair : index.pairs()) {
    const MadeCall* reject = index.FirstSuccess(pair.passive, CallKind::kReject);
    const MadeCall* connect = index.FirstSuccess(pair.active, CallKind::kConnect);
    if (reject == nullptr || !index.CallsOn(pair.passive, CallKind::kAccept).empty()) continue;
    const Silence* silence = index.SilentAfter(pair.active, reject->at);
    if (silence == nullptr || !index.Settled(reject->at, silence->at)) continue;
    if (Touched(index, pair.active, connect->at, silence->at)) continue;
    const Timing timing = TimingOf(index, pair.active);
    const Duration patience =
        index.OverIwarp() ? timing.mpa_reply : timing.GiveUp(timing.RequestInterval());
    if (MayHaveGivenUp(index, pair.active, connect->begin + patience, reject->end, *silence))
      continue;
    result.Arose();
    const HeardEvent* rejected = index.First(pair.active, EventType::kRejected);
    if (rejected == nullptr || rejected->at > silence->at)
      result.Violated(silence->at, "nothing",
                      "RDMA_CM_EVENT_REJECTED of " + NameOf(index, pair.active));
  }
}

// Rejected by one rdma_reject_ece and by nothing else.
void OptionsAreTheReason(const HistoryIndex& index, PropertyResult& result) {
  for (const FaultKind kind : {FaultKind::kRemoveDevice, FaultKind::kExit, FaultKind::kCrash})
    if (index.faults().Injected(kind)) return;
  for (const Pair& pair : index.pairs()) {
    const HeardEvent* rejected = index.First(pair.active, EventType::kRejected);
    const MadeCall* reject = index.FirstSuccess(pair.passive, CallKind::kRejectEce);
    if (rejected == nullptr || reject == nullptr || rejected->at < reject->at) continue;
    const bool alone = index.CallsOn(pair.passive, CallKind::kAccept).empty() &&
                       index.CallsOn(pair.passive, CallKind::kEstablish).empty() &&
                       index.FirstSuccess(pair.passive, CallKind::kReject) == nullptr;
    if (!alone) continue;
    result.Arose();
    if (rejected->event.status != kOptionsRefused)
      result.Violated(rejected->at, Heard(index, *rejected), "status=35: rdma_reject_ece");
  }
}

void RefusedByApplication(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard())
    if (heard.event.type == EventType::kRejected && heard.event.status == kConsumerDefined &&
        heard.event.private_data.SignificantSize() > 0) {
      result.Arose();
    }
}

void RefusedByNobody(const HistoryIndex& index, PropertyResult& result) {
  for (const HeardEvent& heard : index.heard())
    if (heard.event.type == EventType::kRejected && heard.event.status == kInvalidServiceId)
      result.Arose();
}

constexpr auto kOfRejection = std::to_array<Property>({
    Always("REJ-1", UnservedAreRefused,
           "A request for a port that never had a listener is rejected with reason 8.",
           "linux 6.1 cm.c cm_match_req, ibta 1.7 12.6.7.2"),
    Always("REJ-2", ReasonsArrive,
           "REJECTED carries the private data of rdma_reject, padded with zeros.",
           "man rdma_reject(3)"),
    Always("REJ-3", AtMostOnce<EventType::kRejected>, "An id reports REJECTED at most once.",
           "man rdma_get_cm_event(3)"),
    Always("REJ-4", RejectedIsFinal, "After REJECTED there is no ESTABLISHED.",
           "man rdma_get_cm_event(3)"),
    Always("REJ-5", EstablishedIsNotRejected, "rdma_reject of a connection is refused.",
           "man rdma_reject(3), linux 6.1 cm.c cm_send_rej_locked"),
    Eventually("REJ-6", RejectIsHeard, "A connecting id reports that it was rejected.",
               "man rdma_reject(3)"),
    Sometimes("REJ-7", RefusedByApplication,
              "REJECTED is reported with the reasons of an application.", "man rdma_reject(3)")
        .Over(over::kIbCm),
    Sometimes("REJ-8", RefusedByNobody, "REJECTED is reported for a port without a listener.",
              "man rdma_get_cm_event(3)")
        .Over(over::kIbCm),
    Always("REJ-9", OptionsAreTheReason, "An id rejected by rdma_reject_ece reports reason 35.",
           "rdma-core 44 cma.c rdma_reject_ece")
        .Over(over::kIbCm),
});

}  // namespace

std::span<const Property> Rejection() { return kOfRejection; }

}  // namespace cm::families
