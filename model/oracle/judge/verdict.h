// What comes of judging a record.
#ifndef MODEL_ORACLE_JUDGE_VERDICT_H_
#define MODEL_ORACLE_JUDGE_VERDICT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/catalogue/catalogue.h"

namespace cm::model {

// A permitted observation, by a row, or a missing one that is overdue.
struct Permitted {
  std::string what;
  std::string rule;  // id of the row; empty for an overdue observation
  std::string source;
};

enum class VerdictKind : uint8_t {
  kPermitted,
  kRefused,
  kInconclusive,  // not all possibilities are followed
  kOutOfScope,    // about an id that the tables do not cover
};

struct Verdict {
  VerdictKind kind = VerdictKind::kPermitted;
  std::string saw;
  std::vector<Permitted> permitted;
  RuleBits by;        // the rows of some explanation
  RuleBits certain;   // of them and of earlier rows, those in every explanation
  bool sharp = true;  // another errno, event or status would have been refused

  bool IsPermitted() const { return kind == VerdictKind::kPermitted; }
};

inline Verdict OutOfScope() { return {.kind = VerdictKind::kOutOfScope}; }

inline Verdict Refused(std::string saw, std::string what, std::string source = "") {
  Verdict verdict{.kind = VerdictKind::kRefused, .saw = std::move(saw)};
  verdict.permitted.push_back({.what = std::move(what), .source = std::move(source)});
  return verdict;
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_VERDICT_H_
