#include "tools/rules/table.h"

#include <fmt/format.h>

#include <array>

#include "model/base/errno.h"
#include "model/channel/misuse.h"
#include "model/channel/rules.h"
#include "model/cm_id/rules.h"
#include "model/ib_cm/rules.h"
#include "model/iw_cm/rules.h"
#include "model/qp/rules.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/protocol.h"
#include "model/vocabulary/work.h"
#include "model/work_completion/rules.h"

namespace cm::ruledoc {
namespace {

using model::Set;

// The members of a set by name, "any", or "any but A, B" where that is shorter.
template <typename E>
std::string NamesOf(Set<E> set, int count) {
  const auto names = [count](Set<E> some) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      if (!some.Has(static_cast<E>(i))) continue;
      if (!text.empty()) text += ", ";
      text += ToString(static_cast<E>(i));
    }
    return text;
  };
  const Set<E> rest = Set<E>::All(count).Except(set);
  if (rest.empty()) return "any";
  int missing = 0;
  for (int i = 0; i < count; ++i)
    if (rest.Has(static_cast<E>(i))) ++missing;
  return missing * 2 < count ? "any but " + names(rest) : names(set);
}

std::string NamesOf(model::Guards guards) {
  std::string text;
  for (int i = 1; i <= model::kGuardCount; ++i) {
    const auto guard = static_cast<model::Guard>(i % model::kGuardCount);  // kFine last
    if (!guards.Has(guard)) continue;
    if (!text.empty()) text += ", ";
    text += ToString(guard);
  }
  return text;
}

void Join(std::string* text, std::string_view more) {
  if (more.empty()) return;
  if (!text->empty()) *text += "; ";
  *text += more;
}

std::string NamesOf(const model::Effects& effects) {
  std::string text;
  for (const model::Effect effect : effects) Join(&text, ToString(effect));
  return text;
}

// `same` is the text for "unchanged".
template <typename E>
std::string Then(E to, E same) {
  return to == same ? std::string() : std::string(ToString(to));
}

std::string EventText(EventType type, int32_t status) {
  if (status == model::kReason) return fmt::format("{}, the REJ reason", ShortName(type));
  if (status == model::kUnchanged || status == 0) return std::string(ShortName(type));
  return fmt::format("{}, status {}", ShortName(type), status);
}

Row Fill(const model::CallRule& r) {
  return {.from = NamesOf(r.from, model::kStateCount),
          .on = std::string(FunctionName(r.on)),
          .when = NamesOf(r.when),
          .outcome = ToText(r.outcome),
          .then = Then(r.to, model::State::kSame),
          .effects = NamesOf(r.effects)};
}

Row Fill(const model::BelowRule& r) {
  return {.from = NamesOf(r.from, model::kStateCount),
          .on = std::string(ToString(r.on)),
          .then = Then(r.to, model::State::kSame),
          .effects = r.silent ? "reports nothing" : "reports " + EventText(r.reports, r.status)};
}

Row Fill(const model::IbRule& r) {
  constexpr std::array<std::string_view, 3> kAnswers = {"done", "refused", "ignored"};
  Row row{.from = NamesOf(r.from, model::kIbStateCount),
          .on = std::string(ToString(r.on)),
          .outcome = std::string(kAnswers[static_cast<size_t>(r.answer)]),
          .then = Then(r.to, model::IbState::kSame)};
  if (r.sends != model::Sends::kNothing)
    Join(&row.effects, fmt::format("sends {}", ToString(r.sends)));
  if (r.reports != model::Report::kNothing)
    Join(&row.effects, fmt::format("reports {}", ToString(r.reports)));
  if (r.abandons) Join(&row.effects, "its own message goes on being repeated");
  return row;
}

Row Fill(const model::IwRule& r) {
  Row row{.from = NamesOf(r.from, model::kIwStateCount),
          .on = std::string(ToString(r.on)),
          .outcome = std::string(ToString(r.answer)),
          .then = Then(r.to, model::IwState::kSame)};
  if (r.sends != model::Sends::kNothing)
    Join(&row.effects, fmt::format("sends {}", ToString(r.sends)));
  if (r.reports != model::Report::kNothing)
    Join(&row.effects, fmt::format("reports {}", ToString(r.reports)));
  return row;
}

Row Fill(const model::IwRequestRule& r) {
  const bool delivered = r.sends == model::Sends::kNothing;
  Row row{.on = "MPA request",
          .when = std::string(ToString(r.when)),
          .outcome = delivered ? "delivered" : "refused"};
  row.effects =
      delivered ? fmt::format("reports {} to the listener", ShortName(EventType::kConnectRequest))
                : fmt::format("sends {}", ToString(r.sends));
  return row;
}

Row Fill(const model::RequestRule& r) {
  constexpr std::array<std::string_view, 3> kOutcomes = {"delivered", "rejected", "dropped"};
  Row row{.on = "REQ",
          .when = std::string(ToString(r.when)),
          .outcome = std::string(kOutcomes[static_cast<size_t>(r.outcome)])};
  if (r.outcome == model::RequestOutcome::kRejected)
    row.effects = "sends REJ, " + ToString(r.reason);
  if (r.outcome == model::RequestOutcome::kDelivered)
    row.effects = fmt::format("reports {} to the listener", ShortName(EventType::kConnectRequest));
  return row;
}

Row Fill(const model::MadRule& r) {
  constexpr std::array<std::string_view, 3> kOutcomes = {"taken", "dropped", "answered"};
  Row row{.on = "message",
          .when = std::string(ToString(r.when)),
          .outcome = std::string(kOutcomes[static_cast<size_t>(r.outcome)])};
  if (r.outcome == model::MadOutcome::kAnswered) row.effects = "sends GetResp, status 0x000c";
  return row;
}

Row Fill(const model::SidrRequestRule& r) {
  Row row{.on = "SIDR_REQ",
          .when = std::string(ToString(r.when)),
          .outcome = r.delivered ? "delivered" : "refused"};
  row.effects =
      r.delivered ? fmt::format("reports {} to the listener", ShortName(EventType::kConnectRequest))
                  : fmt::format("sends SIDR_REP, status {}", static_cast<int>(r.status));
  return row;
}

Row Fill(const model::ChannelRule& r) {
  const bool empty = r.from.Has(model::ChannelState::kEmpty);
  const bool pending = r.from.Has(model::ChannelState::kPending);
  Row row{.from = empty && pending ? "any" : (empty ? "empty" : "pending"),
          .on = std::string(FunctionName(r.on)),
          .outcome = ToText(r.outcome),
          .effects = r.fetches ? "an event goes to the application" : ""};
  for (const auto guard : {model::ChannelGuard::kNonblocking,
                           model::ChannelGuard::kMessageOutstanding, model::ChannelGuard::kFine}) {
    if (!r.when.Has(guard)) continue;
    if (!row.when.empty()) row.when += ", ";
    row.when += ToString(guard);
  }
  return row;
}

Row Fill(const model::ReportRule& r) {
  return {.from = NamesOf(r.from, model::kStateCount),
          .on = std::string(ToString(r.on)),
          .when = r.accepted ? "" : "not accepted yet",
          .outcome = r.silent ? "nothing" : EventText(r.type, r.status),
          .then = Then(r.to, model::State::kSame)};
}

Row Fill(const model::FetchRule& r) {
  return {.on = std::string(ShortName(r.queued)),
          .when = NamesOf(r.when, model::kFetchGuardCount),
          .outcome = r.swallowed ? "nothing" : EventText(r.delivered, r.status),
          .effects = NamesOf(r.effects)};
}

Row Fill(const model::CompletionRule& r) {
  std::string on = r.on == model::rules::kCompleting ? "any that starts something"
                                                     : "any other that starts something";
  for (const CallKind one : {CallKind::kGetRequest, CallKind::kResolveAddrInfo})
    if (r.on == model::Calls(one)) on = FunctionName(one);
  return {.on = on,
          .when = NamesOf(r.when, model::kFoundCount),
          .outcome = r.errno_of_status ? "-1, the errno of the status" : ToText(r.outcome),
          .effects = r.retained ? "the event is kept as id->event" : ""};
}

Row Fill(const model::EndpointRule& r) {
  return {.from = NamesOf(r.at, model::kEpStepCount),
          .on = std::string(FunctionName(CallKind::kCreateEp)),
          .when = std::string(ToString(r.when)),
          .outcome = r.errno_of_step ? "-1, the errno of that" : ToText(r.outcome),
          .effects = r.destroyed ? "nothing is left of the id" : ""};
}

Row Fill(const model::QpRule& r) {
  return {.from = NamesOf(r.from, model::kQpPhaseCount),
          .on = std::string(ToString(r.on)),
          .outcome = r.possible ? "works" : "fails",
          .then = Then(r.to, model::QpPhase::kSame)};
}

Row Fill(const model::WorkRule& r) {
  return {.on = NamesOf(r.on, model::kWorkKindCount),
          .when = std::string(ToString(r.when)),
          .outcome = std::string(cm::ToString(r.status)),
          .effects = r.peer_fails ? "both queue pairs are in error" : ""};
}

Row Fill(const model::MisuseRule& r) {
  return {.on = std::string(model::ToString(r.on)), .outcome = ToText(r.outcome)};
}

template <typename Rules>
Table Make(std::string_view title, std::string_view says, const Rules& rules) {
  Table table{.title = title, .says = says};
  for (const auto& rule : rules) {
    Row row = Fill(rule);
    row.number = model::NumberOf(&rule);
    row.id = rule.id;
    row.source = rule.evidence.source;
    row.observed = rule.evidence.observed;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string ToText(const model::Outcome& outcome) {
  if (outcome.kind == model::OutcomeKind::kBlocks) return "blocks";
  if (outcome.kind == model::OutcomeKind::kCrashes) return "crashes";
  if (outcome.kind == model::OutcomeKind::kReturnsCode) return std::to_string(outcome.code);
  return outcome.error == Errno::kNone ? "0" : "-1 " + cm::ToString(outcome.error);
}

std::vector<Table> AllTables() {
  namespace rules = model::rules;
  return {
      Make("cm_id: calls",
           "What a call on an `rdma_cm_id` answers and does. \"crashes\" is undefined behaviour: "
           "there the real library dies.",
           rules::kCalls),
      Make("cm_id: from below",
           "What resolution and the environment do to an id. The application sees only the events.",
           rules::kFromBelow),
      Make("ib_cm",
           "What an identifier of the IB CM does at a local call, a message that arrives, or a "
           "timer. `none`: the id has no such identifier, or it is gone.",
           rules::kIbCm),
      Make("Requests",
           "What becomes of a REQ that belongs to no identifier yet. The first guard that holds "
           "decides, in the order of the rows.",
           rules::kRequests),
      Make("Requests for datagrams",
           "What becomes of a SIDR_REQ that does not wait for its answer already, in the same way.",
           rules::kSidrRequests),
      Make("Channel: calls", "What a call on an event channel answers.", rules::kChannels),
      Make("Channel: reports",
           "Which event of the id a report of the IB CM becomes, in the kernel. \"nothing\": the "
           "report is discarded.",
           rules::kReports),
      Make("Channel: fetches",
           "What the library makes of a queued event while `rdma_get_cm_event` fetches it. "
           "\"nothing\": the application does not see it.",
           rules::kFetches),
      Make("qp", "What the library does with the queue pair of an id on its user's behalf.",
           rules::kQps),
      Make("Synchronous ids",
           "What a call on a synchronous id, which would return 0 by its own row, returns when the "
           "next event of the id's own channel is there: whatever it is.",
           rules::kCompletions),
      Make("Misuse",
           "Calls on what is gone. They read or free memory that is not there any more: whatever "
           "comes of them is permitted, and nothing that comes after them is judged.",
           rules::kMisuses),
      Make("Endpoints",
           "What `rdma_create_ep` returns: it takes its steps one after the other on a new "
           "synchronous id, each by the rows of the call of that name, and ends with the first "
           "that does not go on. A passive one is bound, and that is all.",
           rules::kEndpoints),
      Make("Work",
           "With which status a posted request completes. A queue pair of which one has failed is "
           "in error.",
           rules::kWork),
      Make("iw_cm",
           "What an identifier of the iWARP CM does at a local call, at what its provider tells "
           "it, or in time. Over iWARP an id has one of these, and none of the IB CM. `none`: it "
           "has not connected; `lost`: its request's TCP connection is gone.",
           rules::kIwCm),
      Make("MPA requests",
           "What becomes of a request that comes over a new TCP connection. Whether the "
           "port has a listener was decided before, within `rdma_connect`.",
           rules::kIwRequests),
      Make("Messages",
           "What becomes of a message before the id that it is about is looked up. The first guard "
           "that holds decides, in the order of the rows.",
           rules::kMads),
  };
}

}  // namespace cm::ruledoc
