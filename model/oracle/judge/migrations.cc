#include "model/oracle/judge/migrations.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/call_rows.h"

namespace cm::model {

Verdict Migrations::Called(const Record& record, Lane lane, const call::MigrateId& call,
                           const Reply& reply) {
  // What was to happen before the call has happened; the call itself may take long.
  const Window window = WindowOf(record).AtBegin();
  const Call as_call = call;
  const CallRows rows(context_, as_call, window);
  Verdict verdict{.saw = ToString(reply)};
  bool moves = false;
  const bool kept =
      components_.Judge(components_.NumberOf(call.id), window, &verdict,
                        AtId(call.id, [&](const Possibility& p, uint8_t at, JudgedStep& judged) {
                          rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) {
                            judged.Permit(rule, Text(rule.outcome));
                            if (!MayFit(rule.outcome, reply)) return;
                            moves |= rule.effects.front() == Effect::kMovesEvents;
                            judged.By(rule);
                            judged.Add(rows.After(p, at, rule, guard));
                          });
                        }));
  if (!kept || !moves) return verdict;
  IdInfo& info = facts_.id(call.id);
  if (info.synchronous()) facts_.ReleaseRequestOf(call.id);
  info.channel = call.channel;
  if (reply.kind == ReplyKind::kBlocked)
    context_.waiting.push_back({.what = WaitingCall::For::kMigration,
                                .line = record.line,
                                .lane = lane,
                                .id = call.id,
                                .count = info.acked + info.unacked});
  return verdict;
}

// The library counts: it waits for as many acknowledgements as there were events in hand, of
// whichever events. One that it drops itself counts as well.
Verdict Migrations::Returned(const WaitingCall& was, const Reply& reply) const {
  const auto rule = std::ranges::find_if(rules::kCalls, [](const CallRule& r) {
    return r.on == CallKind::kMigrateId && r.outcome == kBlocks;
  });
  Verdict verdict{.saw = "returned " + ToString(reply)};
  verdict.by.set(NumberOf(&*rule));
  const IdInfo& info = facts_.id(was.id);
  const bool waits = info.acked < was.count && !info.left_requests;
  Permit(&verdict, *rule, waits ? "blocked: an event is not acknowledged" : "0");
  if (waits || (!reply.succeeded() && !Unseen(reply))) verdict.kind = VerdictKind::kRefused;
  return verdict;
}

}  // namespace cm::model
