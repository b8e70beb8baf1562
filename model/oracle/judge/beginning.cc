#include "model/oracle/judge/beginning.h"

#include <algorithm>

#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/call_rows.h"
#include "model/oracle/judge/port_clash.h"

namespace cm::model {
namespace {

bool FitsRefusal(const Outcome& outcome, const Reply& reply) {
  if (outcome.kind == OutcomeKind::kCrashes) return reply.kind == ReplyKind::kCrashed;
  return outcome.kind == OutcomeKind::kReturns && outcome != Returns() &&
         reply == Reply::Refused(outcome.error);
}

}  // namespace

Beginning Begin(JudgeContext& context, const Call& call, const Reply& reply, const Window& window,
                Verdict* verdict) {
  const IdRef id = IdOf(call);
  const bool request = std::holds_alternative<call::GetRequest>(call);
  const bool waits = request || rules::kCompleting.Has(KindOf(call));
  const CallRows rows(context, call, window,
                      ClashFor(id, call, window, context.facts, context.components));
  Beginning beginning;
  const auto visit = [&](const Possibility& p, uint8_t at, const CallRule& rule, Guard guard) {
    const bool starts = rule.outcome == Returns();
    if (!starts) Permit(verdict, rule, "-1 " + cm::ToString(rule.outcome.error));
    if (!starts && !FitsRefusal(rule.outcome, reply) && !Unseen(reply)) return;
    verdict->by.set(NumberOf(&rule));
    context.learning.FromQpNumber(rule, call, p.ids[at]);
    if (!starts) {
      beginning.refused.Add(rows.After(p, at, rule, guard));
      return;
    }
    if (std::ranges::find(beginning.starting, &rule) == beginning.starting.end())
      beginning.starting.push_back(&rule);
    rows.ForEachAfter(p, at, rule, guard, [&](Possibility after) {
      if (waits) {
        after.ids[at].awaits = request ? Awaits::kRequest : Awaits::kEvent;
        after.ids[at].awaited = window.span();
        after.ids[at].retained.reset();
      }
      beginning.begun.Add(std::move(after));
    });
  };
  for (const Possibility& p : context.components.PossibilitiesOf(id)) {
    const uint8_t at = p.Find(id);
    if (at != kNoId)
      rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) { visit(p, at, rule, guard); });
  }
  return beginning;
}

}  // namespace cm::model
