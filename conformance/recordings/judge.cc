#include "conformance/recordings/judge.h"

#include <fmt/format.h>

#include <utility>

#include "conformance/recordings/queue_pair.h"
#include "model/conversation/print.h"

namespace cm {

namespace {

// The reason of a refusal, from which its text is made.
struct Reason {
  size_t record = 0;
  model::Verdict verdict;                      // of the record
  std::optional<Contradiction> contradiction;  // instead
};

std::string ToText(const Reason& reason, const History& history) {
  if (reason.contradiction)
    return fmt::format("  saw        {}\n  permitted  {}   ({})\n", reason.contradiction->saw,
                       reason.contradiction->permitted, reason.contradiction->source);
  const Line& line = history.conversation.lines[history.records[reason.record].line];
  return fmt::format("{}\n{}", ToString(line, history.conversation),
                     model::Explain(reason.verdict));
}

// Leaves the text of the refusal empty.
RecordingResult JudgeLines(const Recording& recording, const Profile& profile,
                           const OnVerdict& each, Reason* reason) {
  const History& history = recording.history;
  model::Oracle oracle(history.conversation, profile);
  oracle.ShowsOnlyTypeAndStatus();
  oracle.NumbersNameQps();
  RecordingResult verdict;
  size_t foreign = 0;
  for (size_t i = 0; i < history.records.size(); ++i) {
    for (; foreign < recording.foreign.size() && recording.foreign[foreign].before_record <= i;
         ++foreign) {
      for (const IdRef id : recording.foreign[foreign].disowns) oracle.MarkOutOfScope(id);
    }
    if (i >= recording.judged_until.value_or(history.records.size())) {
      ++verdict.out_of_scope;
      continue;
    }
    model::Verdict at_record = oracle.Observe(history.records[i]);
    if (each) each(i, at_record);
    if (at_record.kind == model::VerdictKind::kPermitted) ++verdict.judged;
    if (at_record.kind == model::VerdictKind::kOutOfScope) ++verdict.out_of_scope;
    if (at_record.kind == model::VerdictKind::kInconclusive) {
      verdict.inconclusive = true;
      break;
    }
    if (at_record.kind == model::VerdictKind::kRefused) {
      verdict.refusal = {recording.line_of[i], {}};
      *reason = {.record = i, .verdict = std::move(at_record), .contradiction = {}};
      break;
    }
  }
  verdict.out_of_scope += recording.foreign.size();
  verdict.reached = oracle.reached();
  verdict.confirmed = oracle.confirmed();
  const auto take = [&](const Contradiction& c) {
    if (verdict.refusal && verdict.refusal->line <= c.line) return;
    verdict.refusal = {c.line, {}};
    reason->contradiction = c;
  };
  for (const Contradiction& c : recording.contradictions) take(c);
  for (const ShownQueuePair& shown : recording.queue_pairs)
    if (const auto wrong = WhatIsWrong(recording, shown, profile)) take(*wrong);
  return verdict;
}

}  // namespace

RecordingResult JudgeRecording(const Recording& recording, const Profile& profile,
                               const OnVerdict& each) {
  Reason reason;
  RecordingResult result = JudgeLines(recording, profile, each, &reason);
  if (result.refusal) result.refusal->text = ToText(reason, recording.history);
  return result;
}

bool IsPermitted(const Recording& recording, const Profile& profile) {
  Reason reason;
  const RecordingResult result = JudgeLines(recording, profile, nullptr, &reason);
  return !result.refusal && !result.inconclusive;
}

}  // namespace cm
