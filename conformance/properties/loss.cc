// Message loss.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/properties/claims.h"

namespace cm::claims {
namespace {

// The minimum time that the id retransmits its message. For a request that a tester may have sent,
// the time that the request gives.
Duration Patience(const HistoryIndex& account, IdRef id) {
  const Timing& timing = account.profile().timing;
  if (account.OverIwarp()) return timing.mpa_reply;
  Duration patience = timing.GiveUp(timing.ReplyInterval());
  const HeardEvent* request = account.First(id, EventType::kConnectRequest);
  if (request == nullptr) return patience;
  const uint8_t size = account.profile().limits.request_data;
  for (const HandMade& made : account.hand_made()) {
    const TesterMad& mad = *made.mad;
    const bool of_it = mad.kind == MadKind::kReq && made.at < request->at &&
                       mad.data.Resized(size) == request->event.private_data;
    if (of_it)
      patience = std::min(patience, Timing::Exponent(mad.response_timeout) * (mad.max_retries + 1));
  }
  return patience;
}

void NotGivenUpEarly(const HistoryIndex& account, PropertyResult& result) {
  if (ToldAtOnce(account)) return;
  for (const HeardEvent& heard : account.heard()) {
    if (heard.event.type != EventType::kUnreachable || !heard.event.id.valid()) continue;
    if (!account.IsTcp(heard.event.id)) continue;
    const MadeCall* asked = account.FirstSuccess(heard.event.id, CallKind::kConnect);
    if (asked == nullptr) asked = account.FirstSuccess(heard.event.id, CallKind::kAccept);
    // An MRA of the tester may shorten the timeout.
    if (account.MadeByHand(MadKind::kMra, heard.event.id, heard.at)) continue;
    result.Arose();
    const Duration least = Patience(account, heard.event.id);
    if (asked == nullptr)
      result.Violated(heard.at, Heard(account, heard), "nothing: no request was sent");
    else if (heard.time < asked->begin + least)
      result.Violated(heard.at, Heard(account, heard) + " early",
                      fmt::format("not before {} have passed", ToString(least)));
  }
}

void NotAfterEstablished(const HistoryIndex& account, PropertyResult& result) {
  if (ToldAtOnce(account)) return;
  ForEachId(account, [&](IdRef id) {
    const HeardEvent* established = account.First(id, EventType::kEstablished);
    if (established == nullptr) return;
    result.Arose();
    for (const HeardEvent* heard : account.EventsOf(id, EventType::kUnreachable))
      if (heard->at > established->at)
        result.Violated(heard->at, Heard(account, *heard) + " after ESTABLISHED",
                        "no time-out of a request that was answered");
  });
}

void UnreachableIsHeard(const HistoryIndex& account, PropertyResult& result) {
  IsHeard(account, result, EventType::kUnreachable);
}

void MadeUpFor(const HistoryIndex& account, PropertyResult& result) {
  for (const Pair& pair : account.pairs()) {
    const MadeCall* connect = account.FirstSuccess(pair.active, CallKind::kConnect);
    const HeardEvent* established = account.First(pair.active, EventType::kEstablished);
    if (connect == nullptr || established == nullptr) continue;
    const Duration took = established->time - connect->begin;
    if (account.Before(connect->at, FaultKind::kDrop) &&
        took >= account.profile().timing.ReplyInterval()) {
      result.Arose();
    }
  }
}

constexpr Capabilities kNeedsLoss = Capabilities().With(Capability::kDrop).With(Capability::kTime);
constexpr Capabilities kNeedsSomeLoss = kNeedsLoss.With(Capability::kDropNth);

constexpr auto kClaims = std::to_array<Property>({
    {"LOSS-1",
     "loss",
     PropertyKind::kAlways,
     "UNREACHABLE is not reported before every retransmission is over.",
     "linux 6.1 cm.c cm_process_send_error, cma.c CMA_MAX_CM_RETRIES",
     NotGivenUpEarly,
     {}},
    {"LOSS-2",
     "loss",
     PropertyKind::kAlways,
     "After ESTABLISHED no request times out.",
     "linux 6.1 cm.c cm_rep_handler",
     NotAfterEstablished,
     {}},
    {"LOSS-3", "loss", PropertyKind::kSometimes, "UNREACHABLE is reported.",
     "man rdma_get_cm_event(3)", UnreachableIsHeard, kNeedsLoss},
    {"LOSS-4", "loss", PropertyKind::kSometimes, "A lost message is retransmitted.",
     "ibta 1.7 12.9.8", MadeUpFor, kNeedsSomeLoss},
});

}  // namespace

std::span<const Property> Loss() { return kClaims; }

}  // namespace cm::claims
