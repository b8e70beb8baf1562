// Judges a whole history.
#ifndef MODEL_ORACLE_JUDGE_H_
#define MODEL_ORACLE_JUDGE_H_

#include <functional>
#include <string>
#include <vector>

#include "model/oracle/oracle.h"

namespace cm::model {

struct Refusal {
  size_t record = 0;  // its index
  Verdict verdict;
};

struct HistoryResult {
  VerdictKind kind = VerdictKind::kPermitted;
  size_t record = 0;              // index of the first refused or inconclusive one
  Verdict at_record;              // of that record
  std::vector<Refusal> refusals;  // of all refused records; the first is `at_record`
  size_t observations = 0;        // records that could be refused
  size_t sharp = 0;               // those for which an altered observation would be refused
  size_t out_of_scope = 0;
  size_t largest_set = 0;
  bool followed_in_part = false;  // see Oracle::FollowsInPart
  RuleBits reached;
  RuleBits confirmed;
};

// `each`, if given, is called for every record with its verdict, in order, once all are judged. An
// inconclusive record ends the judgement.
HistoryResult JudgeHistory(
    const History& history, const Profile& profile,
    const std::function<void(const Record&, const Verdict&)>& each = nullptr);
// The same up to the first refusal.
HistoryResult JudgeUpToRefusal(const History& history, const Profile& profile);

// The observation, the permitted ones, their rules and sources; several lines.
std::string Explain(const Verdict& verdict);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_H_
