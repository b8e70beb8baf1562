#include "model/oracle/judge/lasting_calls.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/call_rows.h"
#include "model/oracle/judge/id_calls.h"
#include "model/oracle/machine/channel_rows.h"

namespace cm::model {
namespace {

const ChannelRule& Row(ChannelGuard guard) {
  return RowOf(ChannelState::kEmpty, CallKind::kDestroyEventChannel, guard);
}

// The row by which a call of the kind waits.
const CallRule& WaitingRow(CallKind kind) {
  return *std::ranges::find(RowsOn(kind), kBlocks, &CallRule::outcome);
}

}  // namespace

Verdict Destructions::Id(const Record& record, const Call& call, const Reply& reply) {
  const Window window = WindowOf(record);
  const IdRef id = IdOf(call);
  const bool possible =
      reply.kind != ReplyKind::kCrashed && (reply.kind != ReplyKind::kReturned || reply.value == 0);
  const bool acknowledged = facts_.id(id).unacked == 0;
  const CallRows rows(context_, call, window.AtBegin());
  Verdict verdict{.saw = ToString(reply)};
  bool unread = false;
  const auto begins = AtId(id, [&](Possibility& p, uint8_t at, JudgedStep& judged) {
    unread |= !p.ids[at].queue.empty();
    rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) {
      judged.Permit(rule, Text(rule.outcome));
      if (possible) judged.Add(rows.After(p, at, rule, guard));
    });
  });
  const auto waits = [&](const Possibility& p) {
    const bool running = p.Find(id) != kNoId;  // its message is still being repeated
    return running || !acknowledged;
  };
  const auto ends = [&](Possibility& p, JudgedStep& judged) {
    if (Unseen(reply) || waits(p) != reply.succeeded()) judged.Add(std::move(p));
  };
  if (!search_.JudgeLasting(id, window, context_.WaitedIn(record), &verdict, begins, waits, ends)) {
    return verdict;
  }
  facts_.id(id).exists = false;
  if (reply.kind == ReplyKind::kBlocked) {
    NoteWaiting(record, {.what = WaitingCall::For::kEndOfId, .id = id});
    // As long as the kernel holds the call up, another thread gets what is queued for the id.
    const auto is_gone = [](const IdState& own) { return own.gone; };
    if (unread && components_.MayBe(id, is_gone)) facts_.LeaveJudgement(id);
  } else {
    facts_.ReleasePortsOf(id);
    facts_.ReleaseRequestOf(id);
  }
  components_.Split(components_.NumberOf(id));
  return verdict;
}

// What becomes of one request does not depend on the others, but that no more than have room were
// in the queue.
Verdict Destructions::EndCrowd(const Record& record, const Call& call, const Reply& reply) {
  const IdRef listener = IdOf(call);
  Verdict verdict{.saw = ToString(reply)};
  const bool returns = reply.succeeded() && !Unseen(reply) && facts_.id(listener).unacked == 0;
  if (!returns || machine_.over_iwarp() || !components_.IsAloneButForCrowd(listener))
    return verdict;
  const Window window = WindowOf(record).AtBegin();
  // An id that has answered one may have ended by now, so that it asks again.
  for (const Components::Number number : components_.ApartFrom(listener))
    if (!search_.Close(number, window, &verdict)) return verdict;
  for (const IdRef asker : components_.AskingApart(listener)) search_.FollowApart(asker, window);
  const CallRows rows(context_, call, window);
  std::vector<Components::Number> ended;
  for (const IdRef asker : components_.AskingApart(listener)) {
    // Those that look the same may share a component, which is ended once.
    if (std::ranges::find(ended, components_.NumberOf(asker)) != ended.end()) continue;
    ended.push_back(components_.NumberOf(asker));
    const bool goes_on = components_.WithCopyOf(listener, asker, [&](Components::Number number) {
      components_.CountAsking(listener);
      const auto destroy = [&](const Possibility& p, uint8_t at, JudgedStep& judged) {
        rows.ForEach(p, at, [&](const CallRule& rule, Guard guard) {
          judged.Add(rows.After(p, at, rule, guard));
        });
      };
      return search_.Close(number, window, &verdict) &&
             search_.Advance(number, &verdict, AtId(listener, destroy));
    });
    if (!goes_on) return verdict;
  }
  components_.EndCrowd(listener);
  return verdict;
}

bool Destructions::IsHeldUp(ChannelRef channel, const Possibility& p) const {
  return std::ranges::any_of(p.ids, [&](const IdState& id) {
    return id.gone && id.name.valid() && facts_.id(id.name).channel == channel;
  });
}

bool Destructions::MayHoldUp(ChannelRef channel, Components::Number number, const Window& waited) {
  PossibilitySet before = components_.Peek(number);
  Verdict lasting;
  const auto waits = [&](const Possibility& p) { return IsHeldUp(channel, p); };
  const bool lasts = search_.Last(number, waited, &lasting, waits);
  components_.Put(number, std::move(before));
  return lasts || lasting.kind == VerdictKind::kInconclusive;
}

bool Destructions::DestroyAllOn(Closing* closing, Components::Number number, Verdict* verdict) {
  const ChannelRef channel = closing->channel;
  const Window begin = closing->window.AtBegin();
  const std::vector<IdRef> ids = components_.IdsOf(number);
  if (!search_.Close(number, begin, verdict)) return false;
  search_.Advance(number, verdict, [&](Possibility& p, JudgedStep& judged) {
    for (const IdRef id : ids) {
      const uint8_t at = p.Find(id);
      if (at == kNoId || facts_.id(id).channel != channel || p.ids[at].gone) continue;
      machine_.Destroy(&p, at, begin.span());
    }
    machine_.DestroyLeftOn(
        &p, [channel](ChannelRef one) { return one == channel; }, begin.span());
    if (IsHeldUp(channel, p)) p.used.set(NumberOf(&Row(ChannelGuard::kMessageOutstanding)));
    judged.Add(std::move(p));
  });
  if (closing->waited && !closing->may_last)
    closing->may_last = MayHoldUp(channel, number, *closing->waited);
  const auto ends = [&](Possibility& p, JudgedStep& judged) {
    const bool running = IsHeldUp(channel, p);
    closing->may_go_on |= running;
    if (closing->blocked || !running) judged.Add(std::move(p));
  };
  if (!search_.Judge(number, closing->window, verdict, ends)) return false;
  // What is called on them from now on reads memory that is not theirs any more.
  for (const IdRef id : ids)
    if (facts_.id(id).channel == channel) facts_.id(id).in_scope = false;
  return true;
}

Verdict Destructions::Channel(const Record& record, const call::DestroyEventChannel& call,
                              const Reply& reply) {
  Verdict verdict{.saw = ToString(reply)};
  const ChannelRule& gone = Row(ChannelGuard::kFine);
  const ChannelRule& held_up = Row(ChannelGuard::kMessageOutstanding);
  for (const ChannelRule* rule : {&gone, &held_up}) Permit(&verdict, *rule, Text(rule->outcome));
  const bool blocked = reply.kind == ReplyKind::kBlocked;
  if (!blocked && !reply.succeeded() && !Unseen(reply)) {
    verdict.kind = VerdictKind::kRefused;
    return verdict;
  }
  for (const IdRef listener : components_.CrowdsOn(call.channel))
    components_.JudgeTogether(listener);
  const bool unjudged = facts_.channel(call.channel).unjudged;
  Closing closing{.channel = call.channel,
                  .window = WindowOf(record),
                  .waited = context_.WaitedIn(record),
                  .blocked = blocked,
                  .may_last = unjudged,
                  .may_go_on = unjudged};
  if (closing.waited) verdict.saw += ", late";
  for (const Components::Number number : components_.On(call.channel))
    if (!DestroyAllOn(&closing, number, &verdict)) return verdict;
  if ((blocked && !closing.may_go_on) || (closing.waited && !closing.may_last))
    verdict.kind = VerdictKind::kRefused;
  verdict.certain.set(NumberOf(blocked ? &held_up : &gone));
  if (blocked) {
    NoteWaiting(record, {.what = WaitingCall::For::kEndOfId, .channel = call.channel});
  } else {
    std::erase_if(facts_.ports, [&](const PortOwner& owner) {
      return facts_.id(owner.id).channel == call.channel;
    });
  }
  facts_.channel(call.channel).exists = false;
  components_.JoinAllAsked();
  return verdict;
}

Verdict Destructions::Returned(const Record& record, const WaitingCall& was, const Reply& reply) {
  Verdict verdict{.saw = "returned " + ToString(reply)};
  const auto refuse = [&](std::string what) {
    verdict.kind = VerdictKind::kRefused;
    verdict.permitted.push_back({.what = std::move(what), .source = "man rdma_destroy_id(3)"});
    return verdict;
  };
  if (!reply.succeeded()) return refuse("0");
  const bool one = was.id.valid();
  if (one && facts_.id(was.id).unacked > 0) return refuse("blocked: an event is not acknowledged");
  for (const Components::Number number : ConcernedBy(was)) {
    if (!search_.Close(number, WindowOf(record), &verdict)) return verdict;
    const bool kept = search_.Keep(number, &verdict, [&](Possibility& p, JudgedStep& judged) {
      if (!IsHeldUp(was, p)) judged.Add(std::move(p));
    });
    if (!kept) return refuse("blocked: a message of the id is still being repeated");
  }
  if (!one) return verdict;
  facts_.ReleasePortsOf(was.id);
  facts_.ReleaseRequestOf(was.id);
  return verdict;
}

bool Destructions::IsHeldUp(const WaitingCall& call, const Possibility& p) const {
  return std::ranges::any_of(p.ids, [&](const IdState& id) {
    if (!id.gone) return false;
    return call.id.valid() ? id.name == call.id : facts_.id(id.name).channel == call.channel;
  });
}

std::vector<Components::Number> Destructions::ConcernedBy(const WaitingCall& call) const {
  if (!call.id.valid()) return components_.All();
  const Components::Number number = components_.NumberOf(call.id);
  return components_.Has(number) ? std::vector{number} : std::vector<Components::Number>();
}

bool Destructions::MayWait(const WaitingCall& call, const Window& window, Verdict* verdict) {
  if (call.id.valid() && facts_.id(call.id).unacked > 0) return true;
  const auto held_up = [&](const Possibility& p) { return IsHeldUp(call, p); };
  return std::ranges::any_of(ConcernedBy(call), [&](Components::Number number) {
    if (!search_.Close(number, window, verdict)) return true;
    const std::vector<Possibility>& all = components_.Peek(number).items();
    return std::ranges::any_of(all, held_up);
  });
}

Verdict Disconnections::Called(const Record& record, const Call& call, const Reply& reply) {
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
  const auto waits = [&](const Possibility& p) {
    const uint8_t at = p.Find(id);
    return at != kNoId && p.ids[at].ending;
  };
  const auto ends = [&](Possibility& p, JudgedStep& judged) {
    const bool answered = reply.kind == ReplyKind::kReturned;
    if (Unseen(reply) || (answered ? !waits(p) : blocked && waits(p))) judged.Add(std::move(p));
  };
  if (!search_.JudgeLasting(id, window, context_.WaitedIn(record), &verdict, begins, waits, ends)) {
    return verdict;
  }
  if (blocked) NoteWaiting(record, {.what = WaitingCall::For::kDisconnection, .id = id});
  components_.Split(components_.NumberOf(id));
  return verdict;
}

Verdict Disconnections::Returned(const Record& record, const WaitingCall& was, const Reply& reply) {
  const CallRule& rule = WaitingRow(CallKind::kDisconnect);
  if (!facts_.id(was.id).in_scope) return OutOfScope();
  Verdict verdict{.saw = "returned " + ToString(reply)};
  Permit(&verdict, rule, "0");
  verdict.by.set(NumberOf(&rule));
  const bool fits = reply.succeeded() || Unseen(reply);
  search_.Judge(components_.NumberOf(was.id), WindowOf(record), &verdict,
                [&](Possibility& p, JudgedStep& judged) {
                  const uint8_t at = p.Find(was.id);
                  if (fits && (at == kNoId || !p.ids[at].ending)) judged.Add(std::move(p));
                });
  return verdict;
}

bool Disconnections::MayWait(const WaitingCall& call, const Window& window, Verdict* verdict) {
  return search_.Last(components_.NumberOf(call.id), window, verdict, [&](const Possibility& p) {
    const uint8_t at = p.Find(call.id);
    return at != kNoId && p.ids[at].ending;
  });
}

Verdict Migrations::Called(const Record& record, const call::MigrateId& call,
                           const seen::Answered& answered) {
  // What was to happen before the call has happened; the call itself may take long.
  Verdict verdict = IdCalls(context_).Called(WindowOf(record).AtBegin(), call, answered);
  const auto moves = [&](const CallRule& rule) {
    return verdict.by.test(NumberOf(&rule)) && rule.effects.front() == Effect::kMovesEvents;
  };
  if (!verdict.IsPermitted() || std::ranges::none_of(RowsOn(CallKind::kMigrateId), moves))
    return verdict;
  IdInfo& info = facts_.id(call.id);
  if (info.synchronous()) facts_.ReleaseRequestOf(call.id);
  // An event of it that a fetch may have dropped is not on the new channel either.
  const bool between_channels = !info.synchronous() && call.channel.valid();
  if (between_channels && !facts_.channel(call.channel).fetched)
    facts_.channel(call.channel).fetched = facts_.channel(info.channel).fetched;
  info.channel = call.channel;
  const int events = info.acked + info.unacked;
  if (answered.reply.kind == ReplyKind::kBlocked)
    NoteWaiting(record, {.what = WaitingCall::For::kMigration, .id = call.id, .count = events});
  return verdict;
}

// The library counts: it waits for as many acknowledgements as there were events in hand, of
// whichever events. One that it drops itself counts as well.
bool Migrations::MayWait(const WaitingCall& call) const {
  return facts_.id(call.id).acked < call.count;
}

Verdict Migrations::Returned(const WaitingCall& was, const Reply& reply) const {
  const CallRule& rule = WaitingRow(CallKind::kMigrateId);
  Verdict verdict{.saw = "returned " + ToString(reply)};
  verdict.by.set(NumberOf(&rule));
  const bool waits = MayWait(was) && !facts_.id(was.id).left_requests;
  Permit(&verdict, rule, waits ? "blocked: an event is not acknowledged" : "0");
  if (waits || (!reply.succeeded() && !Unseen(reply))) verdict.kind = VerdictKind::kRefused;
  return verdict;
}

Verdict Memberships::Leave(const Record& record, const call::LeaveMulticast& leave,
                           const seen::Answered& answered) {
  const uint16_t left = facts_.id(leave.id).JoinedAs(leave.address);
  Verdict verdict = IdCalls(context_).Called(WindowOf(record), leave, answered);
  const bool waits = answered.reply.kind == ReplyKind::kBlocked;
  if (left != 0 && waits && verdict.IsPermitted())
    NoteWaiting(record, {.what = WaitingCall::For::kLeaving, .id = leave.id, .count = left});
  return verdict;
}

// The last event of the membership has been acknowledged, by another thread.
Verdict Memberships::Left(const WaitingCall& was, const Reply& reply) const {
  if (!facts_.id(was.id).in_scope) return OutOfScope();
  const Membership& left = facts_.id(was.id).memberships[static_cast<size_t>(was.count) - 1];
  const bool unacked = left.unacked > 0 && !left.blurred;
  const std::string saw = "returned " + ToString(reply);
  if (!unacked && (reply.succeeded() || Unseen(reply))) return {.saw = saw};
  return Refused(saw, unacked ? "blocked: an event of the membership is not acknowledged" : "0",
                 "man rdma_leave_multicast(3)");
}

// Of a membership that looks like another it is open which one was acknowledged, and an id without
// a channel of its own keeps the event.
bool Memberships::MayWait(const WaitingCall& call) const {
  if (facts_.id(call.id).synchronous()) return true;
  const Membership& left = facts_.id(call.id).memberships[static_cast<size_t>(call.count) - 1];
  return left.unacked > 0 || left.blurred;
}

}  // namespace cm::model
