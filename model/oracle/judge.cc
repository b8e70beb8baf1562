#include "model/oracle/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cm::model {
namespace {

// An errno, an event or a status was observed.
bool IsObservation(const Record& record) {
  if (const auto* answered = std::get_if<seen::Answered>(&record.seen))
    return answered->reply.kind != ReplyKind::kNotApplicable;
  return std::holds_alternative<seen::Released>(record.seen);
}

using OnRecord = std::function<void(const Record&, const Verdict&)>;

enum class Followed : uint8_t { kApart, kTogether };

HistoryResult Judge(const History& history, const Profile& profile, Followed followed,
                    bool up_to_refusal, std::vector<Verdict>* each) {
  Oracle oracle(history.conversation, profile);
  if (followed == Followed::kTogether) oracle.FollowsTogether();
  HistoryResult verdict;
  for (size_t i = 0; i < history.records.size(); ++i) {
    const Record& record = history.records[i];
    Verdict at_record = oracle.Observe(record);
    if (IsObservation(record)) {
      ++verdict.observations;
      if (at_record.sharp) ++verdict.sharp;
    }
    if (each != nullptr) each->push_back(at_record);
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

// So many that ask are few enough to be followed together.
constexpr int kMostTogether = 12;

bool AskFew(const Conversation& conversation) {
  return std::ranges::count_if(conversation.lines, [](const Line& line) {
           const auto* calls = std::get_if<line::Calls>(&line);
           return calls != nullptr && KindOf(calls->call) == CallKind::kConnect;
         }) <= kMostTogether;
}

// What was not decided, since not all that could explain it was followed, is judged once more.
HistoryResult Judge(const History& history, const Profile& profile, bool up_to_refusal,
                    std::vector<Verdict>* each) {
  HistoryResult first = Judge(history, profile, Followed::kApart, up_to_refusal, each);
  const bool decided = first.kind != VerdictKind::kInconclusive;
  if (decided || !first.followed_in_part || !AskFew(history.conversation)) return first;
  std::vector<Verdict> verdicts;
  HistoryResult second = Judge(history, profile, Followed::kTogether, up_to_refusal, &verdicts);
  if (second.kind == VerdictKind::kInconclusive) return first;
  if (each != nullptr) *each = std::move(verdicts);
  return second;
}

}  // namespace

HistoryResult JudgeHistory(const History& history, const Profile& profile, const OnRecord& each) {
  std::vector<Verdict> verdicts;
  HistoryResult result = Judge(history, profile, false, each ? &verdicts : nullptr);
  for (size_t i = 0; i < verdicts.size(); ++i) each(history.records[i], verdicts[i]);
  return result;
}

HistoryResult JudgeUpToRefusal(const History& history, const Profile& profile) {
  return Judge(history, profile, true, nullptr);
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
