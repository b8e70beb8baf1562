// rdma_migrate_id.
#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

namespace cm::model {
// A request that is not read has an id of its own on the channel that it came by. Where that goes
// at once, as the private one of a synchronous id does, the request goes with it.
void Oracle::MoveTo(ChannelRef channel, Possibility* p, uint8_t id, Span when) {
  const IdRef name = p->ids[id].name;
  const ChannelRef from = facts_.id(name).channel;
  std::vector<size_t> lost;
  for (size_t i = 0; i < p->ids[id].queue.size(); ++i) {
    const Pending& pending = p->ids[id].queue[i];
    if (pending.type != EventType::kConnectRequest || pending.child == kNoId) continue;
    IdState& child = p->ids[pending.child];
    if (child.left_on.valid()) {
      if (child.left_on == channel) child.left_on = {};
    } else if (!from.valid()) {
      lost.push_back(i);
      facts_.id(name).left_requests = true;
    } else if (from != channel) {
      child.left_on = from;
      facts_.id(name).left_requests = true;
    }
  }
  if (from.valid()) return;
  p->ids[id].retained.reset();
  for (const size_t i : lost) {
    Pending& pending = p->ids[p->Find(name)].queue[i];
    const uint8_t child = pending.child;
    pending.child = kNoId;
    machine_.Destroy(p, child, when);
  }
}

void Oracle::DestroyLeftOn(Possibility* p, Span when,
                           const std::function<bool(ChannelRef)>& goes) const {
  for (uint8_t i = 0; i < p->ids.size();) {
    const IdState& id = p->ids[i];
    if (id.gone || !id.left_on.valid() || !goes(id.left_on)) {
      ++i;
      continue;
    }
    machine_.Destroy(p, i, when);
    i = 0;  // what was behind it may be before it now
  }
}

bool Oracle::HasLeftOn(const Component& component, ChannelRef channel) {
  return std::ranges::any_of(component.set.items(), [channel](const Possibility& p) {
    return std::ranges::any_of(p.ids, [channel](const IdState& id) {
      return id.left_on.valid() && id.left_on == channel;
    });
  });
}

Judgement Oracle::ObserveMigrate(const Record& record, Lane lane, const call::MigrateId& call,
                                 const Reply& reply) {
  // What was to happen before the call has happened; the call itself may take long.
  const Window whole = WindowOf(record);
  const Window window{whole.begin, whole.begin, whole.settled};
  Judgement judgement{.saw = ToString(reply)};
  Component* component = &ComponentOf(call.id);
  if (!Close(component, window, &judgement)) return judgement;
  const GuardFinder guards(facts_, fault_model_, window, {});
  const bool unseen = reply.kind == ReplyKind::kUnseen;
  PossibilitySet next;
  bool moves = false;
  for (const Possibility& p : component->set.items()) {
    const uint8_t at = p.Find(call.id);
    if (at == kNoId) continue;
    for (const Guard guard : guards.Find(p, at, call)) {
      for (const CallRule& rule : RowsOn(CallKind::kMigrateId)) {
        if (!rule.when.Has(guard)) continue;
        Permit(&judgement.permitted, rule, Text(rule.outcome));
        if (!Fits(rule.outcome, reply) && !unseen) continue;
        moves |= rule.effects.front() == Effect::kMovesEvents;
        judgement.by.set(NumberOf(&rule));
        Possibility after = p;
        Apply(&after, at, rule, call, {window.begin, window.begin});
        next.Add(std::move(after));
      }
    }
  }
  if (!Keep(component, std::move(next), &judgement)) return judgement;
  if (!moves) return judgement;
  IdInfo& info = facts_.id(call.id);
  if (info.synchronous()) LetGo(call.id);
  info.channel = call.channel;
  if (reply.kind == ReplyKind::kBlocked)
    blocked_.push_back({.line = record.line,
                        .lane = lane,
                        .id = call.id,
                        .migrates = true,
                        .acks = info.acked + info.unacked});
  return judgement;
}

// The library counts: it waits for as many acknowledgements as there were events in hand, of
// whichever events. One that it drops itself counts as well.
Judgement Oracle::ObserveMigrated(const Blocked& was, const Reply& reply) const {
  const auto rule = std::ranges::find_if(rules::kCalls, [](const CallRule& r) {
    return r.on == CallKind::kMigrateId && r.outcome == kBlocks;
  });
  Judgement judgement{.saw = "returned " + ToString(reply)};
  judgement.by.set(NumberOf(&*rule));
  const IdInfo& info = facts_.id(was.id);
  const bool waits = info.acked < was.acks && !info.left_requests;
  Permit(&judgement.permitted, *rule, waits ? "blocked: an event is not acknowledged" : "0");
  const bool unseen = reply.kind == ReplyKind::kUnseen;
  if (waits || (!reply.succeeded() && !unseen)) judgement.verdict = Verdict::kRefused;
  return judgement;
}

}  // namespace cm::model
