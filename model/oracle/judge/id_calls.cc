#include "model/oracle/judge/id_calls.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/call_rows.h"
#include "model/oracle/judge/outputs.h"
#include "model/oracle/judge/port_clash.h"

namespace cm::model {
namespace {

// Whether another errno would have been refused: some of a handful is not among the permitted.
bool IsSharp(const std::vector<Permitted>& permitted) {
  for (const std::string_view other : {"0", "-1 EINVAL", "-1 ENXIO", "-1 EBADF"}) {
    const bool allowed =
        std::ranges::any_of(permitted, [other](const Permitted& p) { return p.what == other; });
    if (!allowed) return true;
  }
  return false;
}

}  // namespace

Verdict IdCalls::Create(Lane lane, const call::CreateId& call, const Reply& reply) {
  Verdict verdict{.saw = ToString(reply)};
  const Guard guard = SpaceKnown(call.space) ? Guard::kFine : Guard::kSpaceUnknown;
  const bool fits = JudgeReply(RowsOn(CallKind::kCreateId), reply, &verdict,
                               [guard](const CallRule& rule) { return rule.when.Has(guard); });
  if (fits && (reply.succeeded() || Unseen(reply)))
    learning_.NewId(lane, call.id, call.channel, call.space);
  return verdict;
}

Verdict IdCalls::Called(const Record& record, const Call& call, const seen::Answered& answered) {
  const Window window = WindowOf(record);
  const IdRef id = IdOf(call);
  const bool has_output = answered.reply.succeeded() && HasOutput(KindOf(call));
  Verdict verdict{.saw = ToString(answered.reply)};
  const CallRows rows(context_, call, window, ClashFor(id, call, window, facts_, components_));
  if (!components_.Close(components_.NumberOf(id), window, &verdict)) return verdict;
  if (has_output && answered.handed)
    verdict.saw += " " + ToString(*answered.handed, facts_.topology());
  Verdict outputs;  // those that are permitted
  const auto has_it = [&](const Possibility& p) {
    if (!has_output) return true;
    const std::vector<HandedOut> expected = OutputsOf(facts_, p, call);
    const bool same = answered.handed && std::ranges::any_of(expected, [&](const HandedOut& one) {
                        return SameOutput(one, *answered.handed);
                      });
    for (const HandedOut& one : expected)
      if (!same)
        Permit(&outputs, "0 " + ToString(one, facts_.topology()),
               "what was asked for, in this state");
    return same;
  };
  std::vector<const CallRule*> fitting;
  const bool kept =
      components_.Keep(components_.NumberOf(id), &verdict,
                       AtId(id, [&](const Possibility& p, uint8_t at, JudgedStep& judged) {
                         rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) {
                           judged.Permit(rule, Text(rule.outcome));
                           if (!MayFit(rule.outcome, answered.reply)) return;
                           if (std::ranges::find(fitting, &rule) == fitting.end())
                             fitting.push_back(&rule);
                           judged.By(rule);
                           learning_.FromQpNumber(rule, call, p.ids[at]);
                           rows.ForEachAfter(p, at, rule, guard, [&](Possibility after) {
                             if (has_it(after)) judged.Add(std::move(after));
                           });
                         });
                       }));
  verdict.sharp = IsSharp(verdict.permitted);
  if (!kept && !outputs.permitted.empty()) verdict.permitted = std::move(outputs.permitted);
  if (!kept) return verdict;
  for (const CallRule* rule : fitting) learning_.FromRow(id, call, *rule, window.span());
  components_.Split(components_.NumberOf(id));
  return verdict;
}

}  // namespace cm::model
