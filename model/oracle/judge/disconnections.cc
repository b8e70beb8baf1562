#include "model/oracle/judge/disconnections.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/call_rows.h"

namespace cm::model {

Verdict Disconnections::Called(const Record& record, Lane lane, const Call& call,
                               const Reply& reply) {
  const Window window = WindowOf(record);
  const IdRef id = IdOf(call);
  const CallRows rows(context_, call, window.AtBegin());
  const bool blocked = reply.kind == ReplyKind::kBlocked;
  Verdict verdict{.saw = ToString(reply)};
  const auto begins = AtId(id, [&](const Possibility& p, uint8_t at, JudgedStep& judged) {
    rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) {
      judged.Permit(rule, Text(rule.outcome));
      const bool waits = rule.outcome.kind == OutcomeKind::kBlocks;
      const bool fits = waits ? blocked || reply.succeeded() : Fits(rule.outcome, reply);
      if (!fits && !Unseen(reply)) return;
      judged.By(rule);
      judged.Add(rows.After(p, at, rule, guard));
    });
  });
  const auto ends = [&](Possibility& p, JudgedStep& judged) {
    const uint8_t at = p.Find(id);
    const bool waits = at != kNoId && p.ids[at].ending;
    const bool answered = reply.kind == ReplyKind::kReturned;
    if (Unseen(reply) || (answered ? !waits : blocked && waits)) judged.Add(std::move(p));
  };
  if (!components_.JudgeLasting(components_.NumberOf(id), window, &verdict, begins, ends))
    return verdict;
  if (blocked)
    context_.waiting.push_back(
        {.what = WaitingCall::For::kDisconnection, .line = record.line, .lane = lane, .id = id});
  components_.Split(components_.NumberOf(id));
  return verdict;
}

Verdict Disconnections::Returned(const Record& record, const WaitingCall& was, const Reply& reply) {
  const auto rule = std::ranges::find_if(rules::kCalls, [](const CallRule& r) {
    return r.on == CallKind::kDisconnect && r.outcome == kBlocks;
  });
  if (!facts_.id(was.id).in_scope) return OutOfScope();
  Verdict verdict{.saw = "returned " + ToString(reply)};
  Permit(&verdict, *rule, "0");
  verdict.by.set(NumberOf(&*rule));
  const bool fits = reply.succeeded() || Unseen(reply);
  components_.Judge(components_.NumberOf(was.id), WindowOf(record), &verdict,
                    [&](Possibility& p, JudgedStep& judged) {
                      const uint8_t at = p.Find(was.id);
                      if (fits && (at == kNoId || !p.ids[at].ending)) judged.Add(std::move(p));
                    });
  return verdict;
}

}  // namespace cm::model
