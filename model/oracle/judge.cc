#include "model/oracle/judge.h"

#include <fmt/format.h>

namespace cm::model {
namespace {

// An errno, an event or a status was observed.
bool IsObservation(const Record& record) {
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    return answered->reply.kind != ReplyKind::kNotApplicable;
  return std::holds_alternative<seen::Released>(record.seen);
}

}  // namespace

HistoryResult JudgeHistory(const History& history, const Profile& profile,
                           const std::function<void(const Record&, const Verdict&)>& each) {
  Oracle oracle(history.conversation, profile);
  HistoryResult verdict;
  for (size_t i = 0; i < history.records.size(); ++i) {
    const Record& record = history.records[i];
    Verdict at_record = oracle.Observe(record);
    if (IsObservation(record)) {
      ++verdict.observations;
      if (at_record.sharp) ++verdict.sharp;
    }
    if (each) each(record, at_record);
    if (at_record.kind == VerdictKind::kOutOfScope) ++verdict.out_of_scope;
    if (at_record.kind == VerdictKind::kRefused || at_record.kind == VerdictKind::kInconclusive) {
      verdict.kind = at_record.kind;
      verdict.record = i;
      verdict.at_record = std::move(at_record);
      break;
    }
  }
  verdict.largest_set = oracle.largest_set();
  verdict.reached = oracle.reached();
  verdict.confirmed = oracle.confirmed();
  return verdict;
}

std::string Explain(const Verdict& verdict) {
  std::string text = fmt::format("  saw        {}\n", verdict.saw);
  for (const Permitted& permitted : verdict.permitted) {
    text += fmt::format("  permitted  {}", permitted.what);
    if (!permitted.rule.empty()) text += fmt::format("   rule {}", permitted.rule);
    if (!permitted.source.empty()) text += fmt::format("   ({})", permitted.source);
    text += "\n";
  }
  if (verdict.permitted.empty()) text += "  permitted  nothing\n";
  return text;
}

}  // namespace cm::model
