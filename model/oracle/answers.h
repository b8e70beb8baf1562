// Compares outcomes of rows with replies, and describes differences.
#ifndef MODEL_ORACLE_ANSWERS_H_
#define MODEL_ORACLE_ANSWERS_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/base/errno.h"
#include "model/catalogue/catalogue.h"
#include "model/channel/rules.h"
#include "model/oracle/oracle.h"
#include "model/rules/rule.h"
#include "model/vocabulary/call.h"
#include "model/vocabulary/reply.h"

namespace cm::model {

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

inline std::string Text(const Outcome& outcome) {
  if (outcome.kind == OutcomeKind::kBlocks) return "blocked";
  if (outcome.kind == OutcomeKind::kCrashes) return "crashed (undefined)";
  if (outcome.kind == OutcomeKind::kReturnsCode) return std::to_string(outcome.code);
  return outcome.error == Errno::kNone ? "0" : "-1 " + cm::ToString(outcome.error);
}

inline const ChannelRule& RowOf(ChannelState from, CallKind on, ChannelGuard when) {
  return *std::ranges::find_if(rules::kChannels, [&](const ChannelRule& rule) {
    return rule.from.Has(from) && rule.on == on && rule.when.Has(when);
  });
}

template <typename Rule>
void Permit(std::vector<Permitted>* permitted, const Rule& rule, std::string what) {
  const RuleInfo& info = InfoOf(NumberOf(&rule));
  for (const Permitted& known : *permitted)
    if (known.rule == info.id && known.what == what) return;
  permitted->push_back({std::move(what), std::string(info.id), std::string(info.evidence.source)});
}

}  // namespace cm::model

#endif  // MODEL_ORACLE_ANSWERS_H_
