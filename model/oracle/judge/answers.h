// Compares outcomes of rows with replies, and lists what would have been permitted.
#ifndef MODEL_ORACLE_JUDGE_ANSWERS_H_
#define MODEL_ORACLE_JUDGE_ANSWERS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/errno.h"
#include "model/catalogue/catalogue.h"
#include "model/oracle/judge/verdict.h"
#include "model/rules/rule.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

inline bool Unseen(const Reply& reply) { return reply.kind == ReplyKind::kUnseen; }

// Whether the row's outcome is what was seen.
inline bool Fits(const Outcome& outcome, const Reply& reply) {
  switch (outcome.kind) {
    case OutcomeKind::kReturns:
      return reply.kind == ReplyKind::kReturned && reply.error == outcome.error &&
             reply.value == (outcome.error == Errno::kNone ? 0 : -1);
    case OutcomeKind::kReturnsCode:
      return reply == Reply{.value = outcome.code};
    case OutcomeKind::kBlocks:
      return reply.kind == ReplyKind::kBlocked;
    case OutcomeKind::kCrashes:
      return reply.kind == ReplyKind::kCrashed;
  }
  return false;
}
// The same, or that nothing was seen.
inline bool MayFit(const Outcome& outcome, const Reply& reply) {
  return Fits(outcome, reply) || Unseen(reply);
}

inline std::string Text(const Outcome& outcome) {
  if (outcome.kind == OutcomeKind::kBlocks) return "blocked";
  if (outcome.kind == OutcomeKind::kCrashes) return "crashed (undefined)";
  if (outcome.kind == OutcomeKind::kReturnsCode) return std::to_string(outcome.code);
  return outcome.error == Errno::kNone ? "0" : "-1 " + cm::ToString(outcome.error);
}

// Whether the port is the expected one. The judge writes kFirstEphemeralPort for a port that the
// kernel has drawn, whose value has no meaning.
inline bool SamePort(uint16_t expected, uint16_t seen) {
  return expected == kFirstEphemeralPort ? seen >= kFirstEphemeralPort : seen == expected;
}

// Adds to what is permitted, once.
template <typename Rule>
void Permit(Verdict* verdict, const Rule& rule, std::string what) {
  const RuleInfo& info = InfoOf(NumberOf(&rule));
  for (const Permitted& known : verdict->permitted)
    if (known.rule == info.id && known.what == what) return;
  verdict->permitted.push_back(
      {std::move(what), std::string(info.id), std::string(info.evidence.source)});
}
inline void Permit(Verdict* verdict, std::string what, std::string_view source) {
  if (std::ranges::find(verdict->permitted, what, &Permitted::what) == verdict->permitted.end())
    verdict->permitted.push_back({.what = std::move(what), .source = std::string(source)});
}

// Judges a reply that depends on no state, by one of the rows.
template <typename Rules, typename Holds>
bool JudgeReply(const Rules& rules, const Reply& reply, Verdict* verdict, Holds holds) {
  bool fits = Unseen(reply);
  for (const auto& rule : rules) {
    if (!holds(rule)) continue;
    Permit(verdict, rule, Text(rule.outcome));
    if (!Fits(rule.outcome, reply)) continue;
    fits = true;
    verdict->certain.set(NumberOf(&rule));
  }
  if (!fits) verdict->kind = VerdictKind::kRefused;
  return fits;
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_JUDGE_ANSWERS_H_
