#include "conformance/runner/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/properties/history_index.h"
#include "conformance/properties/registry.h"
#include "conformance/runner/frames.h"
#include "model/conversation/name_scope.h"
#include "model/conversation/print.h"
#include "model/oracle/difference.h"
#include "model/oracle/judge.h"
#include "model/oracle/orders.h"
#include "model/vocabulary/call.h"

namespace cm {
namespace {

constexpr auto kVerdictNames = std::to_array<std::string_view>(
    {"passed", "failed", "inconclusive", "unsupported", "known deviation"});

std::string WhereOf(const History& history, const Record& record) {
  return ToString(history.conversation.lines[record.line], history.conversation);
}

std::string AboutOf(const History& history, const Record& record) {
  const Line& line = history.conversation.lines[record.line];
  if (const CmEvent* event = EventOf(record.seen)) return std::string(ToString(event->type));
  if (const auto* calls = std::get_if<line::Calls>(&line))
    return std::string(FunctionName(KindOf(calls->call)));
  return "environment";
}

// The conversation chooses its values, so that they do not tell causes apart.
bool IsDrawn(std::string_view field) {
  constexpr auto kDrawn = std::to_array<std::string_view>(
      {"argument", "bytes", "context", "dst", "group", "id", "initiator_depth", "listen", "port",
       "private_data", "qkey", "qp_num", "responder_resources", "src"});
  return std::ranges::find(kDrawn, field) != kDrawn.end();
}

void AddUnique(std::vector<std::string>* all, std::string one) {
  if (!one.empty() && std::find(all->begin(), all->end(), one) == all->end())
    all->push_back(std::move(one));
}

Finding RowsFinding(const History& history, const model::Refusal& refusal) {
  const Record& record = history.records[refusal.record];
  model::Difference differs = model::DifferenceOf(refusal.verdict);
  std::vector<std::string> permitted;
  std::vector<std::string> sources;
  for (const model::Permitted& p : refusal.verdict.permitted) {
    AddUnique(&permitted, p.what);
    AddUnique(&sources, p.rule.empty() ? p.source : fmt::format("{} ({})", p.rule, p.source));
  }
  return {
      .id = std::string(kRowsId),
      .about = AboutOf(history, record),
      .rule = std::move(differs.rule),
      .field = std::move(differs.field),
      .value = std::move(differs.saw),
      .saw = refusal.verdict.saw,
      .permitted = permitted.empty() ? "nothing" : fmt::format("{}", fmt::join(permitted, "; ")),
      .source = fmt::format("{}", fmt::join(sources, "; ")),
      .record = refusal.record,
      .where = WhereOf(history, record)};
}

// Of one cause the first of the sequence is kept.
void AddFinding(Finding finding, SequenceResult* result) {
  const bool known = std::ranges::any_of(result->findings,
                                         [&](const Finding& other) { return other.Same(finding); });
  if (!known) result->findings.push_back(std::move(finding));
}

void AddVerdict(const History& history, const model::HistoryResult& verdict,
                SequenceResult* result) {
  result->observations = verdict.observations;
  result->sharp = verdict.sharp;
  result->largest_set = verdict.largest_set;
  result->followed_in_part = verdict.followed_in_part;
  result->reached = verdict.reached;
  result->confirmed = verdict.confirmed;
  for (const model::Refusal& refusal : verdict.refusals)
    AddFinding(RowsFinding(history, refusal), result);
  if (verdict.kind == model::VerdictKind::kInconclusive) {
    result->verdict = Verdict::kInconclusive;
    result->reason = "not all that could explain it was followed";
  }
}

bool KeepsProperties(const History& history, const Profile& profile) {
  const HistoryIndex index(history, profile);
  return std::ranges::all_of(Properties(), [&](const Property& property) {
    PropertyResult result;
    if (Concerns(property, profile)) property.check(index, result);
    return result.violations().empty();
  });
}

void JudgeByProperties(const History& history, const Profile& profile, std::string_view only,
                       SequenceResult* result) {
  if (!only.empty() && FindProperty(only) == nullptr) return;
  const HistoryIndex index(history, profile);
  result->arose.reserve(Properties().size());
  for (const Property& property : Properties()) {
    PropertyResult property_result;
    const bool wanted = only.empty() || only == property.id;
    if (wanted && Concerns(property, index.profile())) property.check(index, property_result);
    result->arose.push_back(static_cast<uint32_t>(property_result.arose()));
    for (const Violation& violation : property_result.violations()) {
      const Record& record = history.records[violation.record];
      AddFinding({.id = std::string(property.id),
                  .about = AboutOf(history, record),
                  .saw = violation.saw,
                  .permitted = violation.permitted,
                  .source = std::string(property.source),
                  .record = violation.record,
                  .where = WhereOf(history, record)},
                 result);
    }
  }
}

void JudgeByClaims(const History& history, const model::HistoryResult& verdict,
                   const Profile& profile, std::string_view only, SequenceResult* result) {
  AddVerdict(history, verdict, result);
  if (!only.empty() && only != kRowsId) result->findings.clear();
  JudgeByProperties(history, profile, only, result);
}

void JudgeByFrames(const History& history, const Profile& profile, std::string_view only,
                   SequenceResult* result) {
  if (!only.empty() && only != kWireId) return;
  const JudgedFrames judged = JudgeFrames(history, profile);
  result->frames = judged.frames;
  for (const FrameViolation& found : judged.violations) {
    const WireRecord& message = history.wire[found.message];
    const wire::Violation& violation = found.violation;
    AddFinding(
        {.id = std::string(kWireId),
         .about = std::string(ToString(message.kind)),
         .rule = violation.rule,
         .saw = violation.saw,
         .permitted = violation.permitted,
         .source = fmt::format("{}: {} ({})", violation.rule, violation.says, violation.source),
         .record = message.record,
         .where = WhereOf(history, history.records[message.record])},
        result);
  }
}

// The record destroys a channel that still has ids: the library leaks their memory.
bool Orphans(const History& history, const Record& record, const NameScope& scope) {
  const auto* calls = std::get_if<line::Calls>(&history.conversation.lines[record.line]);
  if (calls == nullptr) return false;
  const auto* destroy = std::get_if<call::DestroyEventChannel>(&calls->call);
  if (destroy == nullptr) return false;
  for (uint16_t i = 0; i < history.conversation.names.ids.size(); ++i)
    if (scope.IdIsLive(IdRef{i}) && scope.ChannelOf(IdRef{i}) == destroy->channel) return true;
  return false;
}

// The record ends a process before it could release its objects.
bool NeverReturns(const History& history, const Record& record) {
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    if (answered->reply.kind == ReplyKind::kCrashed) return true;
  // rdma_get_request leaks a request whose queue pair cannot be created.
  const auto* calls = std::get_if<line::Calls>(&history.conversation.lines[record.line]);
  if (calls != nullptr && std::holds_alternative<call::GetRequest>(calls->call)) {
    const auto* answer = std::get_if<seen::Answered>(&record.seen);
    const auto* released = std::get_if<seen::Released>(&record.seen);
    if (answer != nullptr && answer->reply == Reply::Refused(Errno::kInval)) return true;
    if (released != nullptr && released->reply == Reply::Refused(Errno::kInval)) return true;
  }
  const auto* injects = std::get_if<line::Injects>(&history.conversation.lines[record.line]);
  return injects != nullptr &&
         (injects->fault.kind == FaultKind::kExit || injects->fault.kind == FaultKind::kCrash);
}

// Whether the application has released everything: only then is a remaining object a leak.
bool EverythingReturned(const History& history) {
  NameScope scope(history.conversation);
  for (const Record& record : history.records) {
    if (NeverReturns(history, record) || Orphans(history, record, scope)) return false;
    scope.Observe(record);
  }
  for (const Line& line : history.conversation.lines) {
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls != nullptr && scope.LaneWaits(calls->lane)) return false;
  }
  const Names& names = history.conversation.names;
  for (uint16_t id = 0; id < names.ids.size(); ++id)
    if (scope.IdIsLive(IdRef{id})) return false;
  for (uint16_t channel = 0; channel < names.channels.size(); ++channel)
    if (scope.ChannelIsLive(ChannelRef{channel})) return false;
  for (uint16_t held = 0; held < names.held.size(); ++held)
    if (scope.HeldIsLive(HeldRef{held})) return false;
  return true;
}

void Count(const History& history, SequenceResult* result) {
  for (const Record& record : history.records) {
    const auto* answered = std::get_if<seen::Answered>(&record.seen);
    if (answered != nullptr && answered->reply.kind != ReplyKind::kNotApplicable) ++result->calls;
    const CmEvent* event = EventOf(record.seen);
    if (event == nullptr) continue;
    ++result->events;
    ++result->heard[static_cast<size_t>(event->type)];
  }
}

}  // namespace

std::string_view ToString(Verdict verdict) { return kVerdictNames[static_cast<size_t>(verdict)]; }

std::optional<Verdict> ParseVerdict(std::string_view name) {
  for (size_t i = 0; i < kVerdictNames.size(); ++i)
    if (kVerdictNames[i] == name) return static_cast<Verdict>(i);
  return std::nullopt;
}

std::string Finding::Cause() const {
  // What leaks shows at the end, whatever the last line is.
  if (id == kLeakId) return id;
  std::string cause = id + " " + about;
  if (!rule.empty()) cause += " " + rule;
  if (!field.empty()) cause += " " + field + " " + (IsDrawn(field) ? "another" : value);
  return cause;
}

std::string WhatObjects(const std::vector<Finding>& findings) {
  std::vector<std::string> clauses;
  std::vector<std::string> properties;
  for (const Finding& finding : findings) {
    if (finding.id == kRowsId)
      AddUnique(&clauses, "rows refuse");
    else
      AddUnique(&properties, finding.id);
  }
  if (properties.size() == 1)
    clauses.push_back(fmt::format("property {} objects", properties.front()));
  else if (!properties.empty())
    clauses.push_back(fmt::format("properties {} object", fmt::join(properties, ", ")));
  return fmt::format("{}", fmt::join(clauses, "; "));
}

bool Declared(const Finding& finding, const Profile& profile) {
  return std::any_of(profile.deviations.begin(), profile.deviations.end(),
                     [&](const Deviation& deviation) {
                       return deviation.id == finding.id &&
                              (deviation.cause.empty() || deviation.cause == finding.Cause());
                     });
}

SequenceResult Judge(const History& history, const Ending& ending, const Profile& profile,
                     std::string_view only) {
  SequenceResult result;
  if (history.conversation.origin) {
    result.index = history.conversation.origin->index;
    result.walk = history.conversation.origin->walk;
  }
  result.topology = history.conversation.topology->name;
  if (!ending.unsupported.empty()) {
    result.verdict = Verdict::kUnsupported;
    result.reason = ending.unsupported;
    return result;
  }
  result.digest = DigestOf(history, result.index);
  result.wire_digest = WireDigestOf(history, result.index);
  Count(history, &result);
  if (model::HasTogether(history.conversation)) {
    const model::InOrder in_order = model::FindOrder(history, profile, [&](const History& ordered) {
      return KeepsProperties(ordered, profile);
    });
    JudgeByClaims(in_order.history, in_order.verdict, profile, only, &result);
  } else {
    JudgeByClaims(history, model::JudgeHistory(history, profile), profile, only, &result);
  }
  JudgeByFrames(history, profile, only, &result);
  if (!ending.leaks.empty() && (only.empty() || only == kLeakId) && EverythingReturned(history))
    result.findings.push_back(
        {.id = std::string(kLeakId),
         .about = "end",
         .saw = ending.leaks,
         .permitted = "nothing in use",
         .source = "man rdma_destroy_id(3), man rdma_destroy_event_channel(3)",
         .record = history.records.empty() ? 0 : history.records.size() - 1,
         .where = "after the last line"});
  for (Finding& finding : result.findings) finding.index = result.index;
  if (!ending.inconclusive.empty()) {
    result.verdict = Verdict::kInconclusive;
    result.reason = ending.inconclusive;
    result.findings.clear();
    result.confirmed.reset();
  } else if (!result.findings.empty()) {
    const bool declared = std::all_of(result.findings.begin(), result.findings.end(),
                                      [&](const Finding& f) { return Declared(f, profile); });
    result.verdict = declared ? Verdict::kKnownDeviation : Verdict::kFailed;
    result.reason.clear();  // a property has decided what the rows left open
  }
  return result;
}

}  // namespace cm
