// Message loss.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/facts.h"
#include "conformance/properties/family.h"
#include "conformance/properties/registry.h"

namespace cm::families {
namespace {

// The minimum time that the id retransmits its message. For a request that a tester may have sent,
// the time that the request gives.
Duration Patience(const HistoryIndex& index, IdRef id) {
  const Timing& timing = index.profile().timing;
  if (index.OverIwarp()) return timing.mpa_reply;
  Duration patience = timing.GiveUp(timing.ReplyInterval());
  const HeardEvent* request = index.First(id, EventType::kConnectRequest);
  if (request == nullptr) return patience;
  const uint8_t size = index.profile().limits.request_data;
  for (const HandMade& made : index.hand_made()) {
    const TesterMad& mad = *made.mad;
    const bool of_it = mad.kind == MadKind::kReq && made.at < request->at &&
                       mad.data.Resized(size) == request->event.private_data;
    if (of_it)
      patience = std::min(patience, Timing::Exponent(mad.response_timeout) * (mad.max_retries + 1));
  }
  return patience;
}

void NotGivenUpEarly(const HistoryIndex& index, PropertyResult& result) {
  if (index.faults().DetectedImmediately()) return;
  for (const HeardEvent& heard : index.heard()) {
    if (heard.event.type != EventType::kUnreachable || !heard.event.id.valid()) continue;
    if (!index[heard.event.id].tcp) continue;
    const MadeCall* asked = index.FirstSuccess(heard.event.id, CallKind::kConnect);
    if (asked == nullptr) asked = index.FirstSuccess(heard.event.id, CallKind::kAccept);
    // An MRA of the tester may shorten the timeout.
    if (MadeByHand(index, MadKind::kMra, heard.event.id, heard.at)) continue;
    result.Arose();
    const Duration least = Patience(index, heard.event.id);
    if (asked == nullptr)
      result.Violated(heard.at, Heard(index, heard), "nothing: no request was sent");
    else if (heard.time < asked->begin + least)
      result.Violated(heard.at, Heard(index, heard) + " early",
                      fmt::format("not before {} have passed", ToString(least)));
  }
}

void NotAfterEstablished(const HistoryIndex& index, PropertyResult& result) {
  if (index.faults().DetectedImmediately()) return;
  ForEachId(index, [&](IdRef id) {
    const HeardEvent* established = index.First(id, EventType::kEstablished);
    if (established == nullptr) return;
    result.Arose();
    for (const HeardEvent* heard : index.EventsOf(id, EventType::kUnreachable))
      if (heard->at > established->at)
        result.Violated(heard->at, Heard(index, *heard) + " after ESTABLISHED",
                        "no time-out of a request that was answered");
  });
}

void MadeUpFor(const HistoryIndex& index, PropertyResult& result) {
  for (const Pair& pair : index.pairs()) {
    const MadeCall* connect = index.FirstSuccess(pair.active, CallKind::kConnect);
    const HeardEvent* established = index.First(pair.active, EventType::kEstablished);
    if (connect == nullptr || established == nullptr) continue;
    const Duration took = established->time - connect->begin;
    if (index.faults().Before(connect->at, FaultKind::kDrop) &&
        took >= index.profile().timing.ReplyInterval()) {
      result.Arose();
    }
  }
}

constexpr Capabilities kNeedsLoss = Capabilities().With(Capability::kDrop).With(Capability::kTime);
constexpr Capabilities kNeedsSomeLoss = kNeedsLoss.With(Capability::kDropNth);

constexpr auto kOfLoss = std::to_array<Property>({
    Always("LOSS-1", NotGivenUpEarly,
           "UNREACHABLE is not reported before every retransmission is over.",
           "linux 6.1 cm.c cm_process_send_error, cma.c CMA_MAX_CM_RETRIES"),
    Always("LOSS-2", NotAfterEstablished, "After ESTABLISHED no request times out.",
           "linux 6.1 cm.c cm_rep_handler"),
    Sometimes("LOSS-3", IsHeard<EventType::kUnreachable>, "UNREACHABLE is reported.",
              "man rdma_get_cm_event(3)", kNeedsLoss),
    Sometimes("LOSS-4", MadeUpFor, "A lost message is retransmitted.", "ibta 1.7 12.9.8",
              kNeedsSomeLoss),
});

}  // namespace

std::span<const Property> Loss() { return kOfLoss; }

}  // namespace cm::families
