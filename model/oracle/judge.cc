#include "model/oracle/judge.h"

#include <fmt/format.h>

#include <utility>

namespace cm::model {
namespace {

// An errno, an event or a status was observed.
bool IsObservation(const Record& record) {
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    return answered->reply.kind != ReplyKind::kNotApplicable;
  return std::holds_alternative<seen::Released>(record.seen);
}

using OnRecord = std::function<void(const Record&, const Verdict&)>;

HistoryResult Judge(const History& history, const Profile& profile, const OnRecord& each,
                    bool up_to_refusal) {
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
    const bool refused = at_record.kind == VerdictKind::kRefused;
    const bool inconclusive = at_record.kind == VerdictKind::kInconclusive;
    if (!refused && !inconclusive) continue;
    if (refused) verdict.refusals.push_back({i, at_record});
    if (verdict.kind == VerdictKind::kPermitted) {
      verdict.kind = at_record.kind;
      verdict.record = i;
      verdict.at_record = std::move(at_record);
    }
    if (inconclusive || up_to_refusal) break;
  }
  verdict.largest_set = oracle.largest_set();
  verdict.followed_in_part = oracle.FollowsInPart();
  verdict.reached = oracle.reached();
  verdict.confirmed = oracle.confirmed();
  return verdict;
}

}  // namespace

HistoryResult JudgeHistory(const History& history, const Profile& profile, const OnRecord& each) {
  return Judge(history, profile, each, false);
}

HistoryResult JudgeUpToRefusal(const History& history, const Profile& profile) {
  return Judge(history, profile, nullptr, true);
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
