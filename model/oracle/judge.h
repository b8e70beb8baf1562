// Judges a whole history.
#ifndef MODEL_ORACLE_JUDGE_H_
#define MODEL_ORACLE_JUDGE_H_

#include <functional>
#include <string>

#include "model/oracle/oracle.h"

namespace cm::model {

struct HistoryVerdict {
  Verdict verdict = Verdict::kPermitted;
  size_t record = 0;        // the first that is refused or inconclusive
  Judgement judgement;      // of that record
  size_t observations = 0;  // records that could have been refused
  size_t sharp = 0;         // of them, those of which an altered one would have been
  size_t out_of_scope = 0;
  size_t largest_set = 0;
  RuleBits reached;
  RuleBits confirmed;
};

// `each`, if given, hears of every record with its judgement.
HistoryVerdict JudgeHistory(
    const History& history, const Profile& profile,
    const std::function<void(const Record&, const Judgement&)>& each = nullptr);

// What was seen, what was permitted, by which rows, from which sources; several lines.
std::string Explain(const Judgement& judgement);

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_H_
