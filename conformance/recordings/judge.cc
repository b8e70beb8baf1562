#include "conformance/recordings/judge.h"

#include <fmt/format.h>

#include "conformance/recordings/queue_pair.h"
#include "model/conversation/print.h"

namespace cm {

RecordingResult JudgeRecording(const Recording& recording, const Profile& profile,
                               const std::function<void(size_t, const model::Verdict&)>& each) {
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
    const Record& record = history.records[i];
    const model::Verdict at_record = oracle.Observe(record);
    if (each) each(i, at_record);
    if (at_record.kind == model::VerdictKind::kPermitted) ++verdict.judged;
    if (at_record.kind == model::VerdictKind::kOutOfScope) ++verdict.out_of_scope;
    if (at_record.kind == model::VerdictKind::kInconclusive) {
      verdict.inconclusive = true;
      break;
    }
    if (at_record.kind == model::VerdictKind::kRefused) {
      verdict.refusal = {
          recording.line_of[i],
          fmt::format("{}\n{}",
                      ToString(history.conversation.lines[record.line], history.conversation),
                      model::Explain(at_record))};
      break;
    }
  }
  verdict.out_of_scope += recording.foreign.size();
  verdict.reached = oracle.reached();
  verdict.confirmed = oracle.confirmed();
  const auto take = [&](const Contradiction& c) {
    if (verdict.refusal && verdict.refusal->line <= c.line) return;
    verdict.refusal = {c.line, fmt::format("  saw        {}\n  permitted  {}   ({})\n", c.saw,
                                           c.permitted, c.source)};
  };
  for (const Contradiction& c : recording.contradictions) take(c);
  for (const ShownQueuePair& shown : recording.queue_pairs)
    if (const auto wrong = WhatIsWrong(recording, shown, profile)) take(*wrong);
  return verdict;
}

}  // namespace cm
