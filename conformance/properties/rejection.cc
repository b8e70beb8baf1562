// Rejected requests.
#include <fmt/format.h>

#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

constexpr auto kConsumerDefined = static_cast<int32_t>(RejReason::kConsumerDefined);
constexpr auto kInvalidServiceId = static_cast<int32_t>(RejReason::kInvalidServiceId);
constexpr auto kOptionsRefused = static_cast<int32_t>(RejReason::kVendorOptionNotSupported);
constexpr auto kStaleConn = static_cast<int32_t>(RejReason::kStaleConn);

// Whether an id on the kernel may have listened on the port before the record: an ephemeral port
// may be any.
bool SomebodyListened(const HistoryIndex& account, uint8_t kernel, uint16_t port, size_t record) {
  for (const MadeCall& call : account.calls()) {
    if (call.at >= record) return false;
    if (call.kind() != CallKind::kListen || account.KernelOf(call.id()) != kernel) continue;
    for (const MadeCall* earlier : account.CallsOn(call.id())) {
      const auto* bind = std::get_if<call::BindAddr>(earlier->call);
      const auto* resolve = std::get_if<call::ResolveAddr>(earlier->call);
      if (bind != nullptr && bind->address.port == port) return true;
      if (resolve != nullptr && resolve->source.port == port) return true;
    }
  }
  return false;
}

void NobodyListens(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kRejected || !heard.event.id.valid()) continue;
    const MadeCall* resolve = account.FirstSuccess(heard.event.id, CallKind::kResolveAddr);
    if (resolve == nullptr) continue;
    const Address& to = std::get<call::ResolveAddr>(*resolve->call).destination;
    if (to.kind != AddressKind::kSide || to.port >= kFirstEphemeralPort) continue;
    const uint8_t kernel = account.topology().KernelOf(to.side);
    if (SomebodyListened(account, kernel, to.port, heard.at)) continue;
    // The tester chooses the reason.
    if (account.MadeByHand(MadKind::kRej, heard.event.id, heard.at)) continue;
    result.Arose();
    if (heard.event.status != kInvalidServiceId && heard.event.status != kStaleConn)
      result.Violated(heard.at, Heard(account, heard), "status=8: no id listens on the port");
  }
}

// Requests that were rejected by one rdma_reject and by nothing else.
void ReasonsArrive(const HistoryIndex& account, PropertyResult& result) {
  for (const Pair& pair : account.pairs()) {
    const HeardEvent* rejected = account.First(pair.active, EventType::kRejected);
    const int32_t status =
        account.OverIwarp() ? -static_cast<int32_t>(Errno::kConnReset) : kConsumerDefined;
    if (rejected == nullptr || rejected->event.status != status) continue;
    const MadeCall* reject = account.FirstSuccess(pair.passive, CallKind::kReject);
    const bool alone = reject != nullptr && reject->at < rejected->at &&
                       account.CallsOn(pair.passive, CallKind::kReject).front() == reject &&
                       account.CallsOn(pair.passive, CallKind::kAccept).empty();
    if (!alone || account.EndOf(pair.passive) < reject->at) continue;
    if (account.Injected(FaultKind::kRemoveDevice)) continue;
    result.Arose();
    const auto& given = std::get<call::Reject>(*reject->call).private_data;
    const uint8_t size = account.profile().limits.reject_data;
    if (rejected->event.private_data != (account.OverIwarp() ? given : given.Resized(size)))
      result.Violated(rejected->at, Heard(account, *rejected) + " with other private data",
                      "the private data of rdma_reject");
  }
}

void RejectedOnce(const HistoryIndex& account, PropertyResult& result) {
  AtMostOnce(account, result, EventType::kRejected);
}

void RejectedIsFinal(const HistoryIndex& account, PropertyResult& result) {
  ForEachId(account, [&](IdRef id) {
    const HeardEvent* rejected = account.First(id, EventType::kRejected);
    if (rejected == nullptr) return;
    result.Arose();
    for (const HeardEvent* heard : account.EventsOf(id, EventType::kEstablished))
      if (heard->at > rejected->at)
        result.Violated(heard->at, Heard(account, *heard) + " after REJECTED",
                        "no connection that was refused");
  });
}

void EstablishedIsNotRejected(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    for (const IdRef id : {pair.active, pair.passive}) {
      const IdRef peer = id == pair.active ? pair.passive : pair.active;
      const HeardEvent* established = account.First(id, EventType::kEstablished);
      if (established == nullptr) continue;
      for (const MadeCall* reject : account.CallsOn(id, CallKind::kReject)) {
        if (reject->at < established->at) continue;
        const bool quiet = !Touched(account, peer, established->at, reject->at) &&
                           !Touched(account, id, established->at, reject->at) &&
                           account.EndOf(peer) > reject->at;
        if (!quiet) continue;
        result.Arose();
        if (reject->reply.succeeded())
          result.Violated(reject->at, Made(account, *reject),
                          "-1 EINVAL: the connection is established");
      }
    }
  }
}

void RejectIsHeard(const HistoryIndex& account, PropertyResult& result) {
  if (!account.Undisturbed()) return;
  for (const Pair& pair : account.pairs()) {
    const MadeCall* reject = account.FirstSuccess(pair.passive, CallKind::kReject);
    const MadeCall* connect = account.FirstSuccess(pair.active, CallKind::kConnect);
    if (reject == nullptr || !account.CallsOn(pair.passive, CallKind::kAccept).empty()) continue;
    const Silence* silence = account.SilentAfter(pair.active, reject->at);
    if (silence == nullptr || !account.Settled(reject->at, silence->at)) continue;
    if (Touched(account, pair.active, connect->at, silence->at)) continue;
    const Timing timing = TimingOf(account, pair.active);
    const Duration patience = timing.GiveUp(timing.RequestInterval());
    if (MayHaveGivenUp(account, pair.active, connect->begin + patience, reject->end, *silence))
      continue;
    result.Arose();
    const HeardEvent* rejected = account.First(pair.active, EventType::kRejected);
    if (rejected == nullptr || rejected->at > silence->at)
      result.Violated(silence->at, "nothing",
                      "RDMA_CM_EVENT_REJECTED of " + NameOf(account, pair.active));
  }
}

// Rejected by one rdma_reject_ece and by nothing else.
void OptionsAreTheReason(const HistoryIndex& account, PropertyResult& result) {
  for (const FaultKind kind : {FaultKind::kRemoveDevice, FaultKind::kExit, FaultKind::kCrash})
    if (account.Injected(kind)) return;
  for (const Pair& pair : account.pairs()) {
    const HeardEvent* rejected = account.First(pair.active, EventType::kRejected);
    const MadeCall* reject = account.FirstSuccess(pair.passive, CallKind::kRejectEce);
    if (rejected == nullptr || reject == nullptr || rejected->at < reject->at) continue;
    const bool alone = account.CallsOn(pair.passive, CallKind::kAccept).empty() &&
                       account.CallsOn(pair.passive, CallKind::kEstablish).empty() &&
                       account.FirstSuccess(pair.passive, CallKind::kReject) == nullptr;
    if (!alone) continue;
    result.Arose();
    if (rejected->event.status != kOptionsRefused)
      result.Violated(rejected->at, Heard(account, *rejected), "status=35: rdma_reject_ece");
  }
}

void RefusedByApplication(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard())
    if (heard.event.type == EventType::kRejected && heard.event.status == kConsumerDefined &&
        heard.event.private_data.SignificantSize() > 0) {
      result.Arose();
    }
}

void RefusedByNobody(const HistoryIndex& account, PropertyResult& result) {
  for (const HeardEvent& heard : account.heard())
    if (heard.event.type == EventType::kRejected && heard.event.status == kInvalidServiceId)
      result.Arose();
}

constexpr auto kClaims = std::to_array<Property>({
    {"REJ-1",
     "rejection",
     PropertyKind::kAlways,
     "A request for a port that never had a listener is rejected with reason 8.",
     "linux 6.1 cm.c cm_match_req, ibta 1.7 12.6.7.2",
     NobodyListens,
     {}},
    {"REJ-2",
     "rejection",
     PropertyKind::kAlways,
     "REJECTED carries the private data of rdma_reject, padded with zeros.",
     "man rdma_reject(3)",
     ReasonsArrive,
     {}},
    {"REJ-3",
     "rejection",
     PropertyKind::kAlways,
     "An id reports REJECTED at most once.",
     "man rdma_get_cm_event(3)",
     RejectedOnce,
     {}},
    {"REJ-4",
     "rejection",
     PropertyKind::kAlways,
     "After REJECTED there is no ESTABLISHED.",
     "man rdma_get_cm_event(3)",
     RejectedIsFinal,
     {}},
    {"REJ-5",
     "rejection",
     PropertyKind::kAlways,
     "rdma_reject of a connection is refused.",
     "man rdma_reject(3), linux 6.1 cm.c cm_send_rej_locked",
     EstablishedIsNotRejected,
     {}},
    {"REJ-6",
     "rejection",
     PropertyKind::kEventually,
     "A connecting id reports that it was rejected.",
     "man rdma_reject(3)",
     RejectIsHeard,
     {}},
    {"REJ-7",
     "rejection",
     PropertyKind::kSometimes,
     "REJECTED is reported with the reasons of an application.",
     "man rdma_reject(3)",
     RefusedByApplication,
     {}},
    {"REJ-8",
     "rejection",
     PropertyKind::kSometimes,
     "REJECTED is reported for a port without a listener.",
     "man rdma_get_cm_event(3)",
     RefusedByNobody,
     {}},
    {"REJ-9",
     "rejection",
     PropertyKind::kAlways,
     "An id rejected by rdma_reject_ece reports reason 35.",
     "rdma-core 44 cma.c rdma_reject_ece",
     OptionsAreTheReason,
     {}},
});

}  // namespace

std::span<const Property> Rejection() { return kClaims; }

}  // namespace cm::claims
