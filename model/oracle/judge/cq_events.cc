// Calls on completion queues, and the events of these.

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/judge/data_path.h"
#include "model/oracle/judge/id_calls.h"

namespace cm::model {

Verdict DataPath::OnCq(const Record& record, const Call& call, const Reply& reply,
                       const std::optional<Output>& output) {
  if (HasWaitedForNothing(record, call))
    return Refused(ToString(reply) + ", late", "an earlier return: it was there");
  if (IsCompletion(KindOf(call))) return Complete(record, call, reply, output);
  const IdRef id = IdOf(call);
  if (KindOf(call) == CallKind::kDestroyQp && std::holds_alternative<seen::Released>(record.seen))
    return QueuePairDestroyed(id, reply);
  Verdict verdict{.saw = ToString(reply)};
  if (!search_.Close(id, WindowOf(record), &verdict)) return verdict;
  const Ends ends = EndsOf(id, facts_, components_);
  for (const bool receives : {false, true}) EventsOf(id, receives, ends);
  verdict = IdCalls(context_).Called(WindowOf(record), call, {.reply = reply});
  if (!verdict.IsPermitted()) return verdict;
  if (reply.kind == ReplyKind::kBlocked) NoteWaiting(record, {.what = WaitingCall::For::kCq});
  if (reply.succeeded()) LearnFromCq(call, ends);
  if (Unseen(reply)) facts_.work.of(id).unknown = true;
  return verdict;
}

// What it waits for was there when it was made.
bool DataPath::HasWaitedForNothing(const Record& record, const Call& call) {
  const std::optional<Window> waited = context_.WaitedIn(record);
  if (!waited || waited->end - waited->begin < kComesAgain) return false;
  if (!IsCompletion(KindOf(call)) && KindOf(call) != CallKind::kGetCqEvent) return false;
  Verdict ignored;
  return search_.Close(IdOf(call), waited->AtBegin(), &ignored) && !MayWait(call);
}

// rdma_destroy_qp returns, after it was blocked.
Verdict DataPath::QueuePairDestroyed(IdRef id, const Reply& reply) const {
  const std::string saw = "returned " + ToString(reply);
  const bool held_up = facts_.work.of(id).CqEventsUnacked();
  if (held_up || !reply.succeeded())
    return Refused(saw, held_up ? "blocked: a completion event is not acknowledged" : "0");
  return {.saw = saw};
}

bool DataPath::MayWait(const Call& call) {
  const IdRef id = IdOf(call);
  const QueuesInfo& own = facts_.work.of(id);
  if (own.unknown || KindOf(call) == CallKind::kDestroyQp)
    return own.unknown || own.CqEventsUnacked();
  const Ends ends = EndsOf(id, facts_, components_);
  if (const auto* get = std::get_if<call::GetCqEvent>(&call))
    return EventsOf(id, get->receives, ends).Missing() != Certainty::kNo;
  const bool receives = KindOf(call) == CallKind::kGetRecvComp;
  return NothingCompleted(id, receives, ends) != Certainty::kNo;
}

size_t DataPath::PostedAtBothEnds(IdRef id) const {
  const QueuesInfo& own = facts_.work.of(id);
  const size_t posted = own.sends.size() + own.receives.size();
  if (!own.peer.valid()) return posted;
  const QueuesInfo& peer = facts_.work.of(own.peer);
  return posted + peer.sends.size() + peer.receives.size();
}

CompletionEvents::Arming DataPath::ArmingOf(const call::ReqNotifyCq& call, const Ends& ends) const {
  const QueuesInfo& own = facts_.work.of(call.id);
  return {.solicited_only = call.solicited_only,
          .empty = NothingCompleted(call.id, call.receives, ends) == Certainty::kYes,
          .settled = context_.quiet,
          .done = call.receives ? own.receives_done : own.sends_done,
          .posted = PostedAtBothEnds(call.id),
          .own = ends.own,
          .peers = ends.peers};
}

Certainty DataPath::CompletedSince(IdRef id, bool receives, const Ends& ends,
                                   const CompletionEvents::Arming& arming) const {
  const QueuesInfo& own = facts_.work.of(id);
  if (facts_.work.Unknown(id)) return Certainty::kMaybe;
  const bool unchanged =
      arming.posted == PostedAtBothEnds(id) && arming.own == ends.own && arming.peers == ends.peers;
  if (arming.settled && unchanged) return Certainty::kNo;
  const Certainty nothing = NothingCompleted(id, receives, ends);
  const bool returned = (receives ? own.receives_done : own.sends_done) > arming.done;
  if (!returned && nothing == Certainty::kYes) return Certainty::kNo;
  if (!arming.empty || (!returned && nothing == Certainty::kMaybe)) return Certainty::kMaybe;
  if (!arming.solicited_only) return Certainty::kYes;
  // By the manual an unsuccessful completion is solicited; Soft-RoCE has it so of some.
  const bool failed = Failed(own) || !Only(ends.own, QpPhase::kRts);
  if (!receives) return failed ? Certainty::kMaybe : Certainty::kNo;
  if (failed || IsDatagram(facts_.id(id).space)) return Certainty::kMaybe;
  const auto solicited = [&](size_t receive) {
    const PostedWork* const message = facts_.work.MessageFor(id, receive);
    return message != nullptr && (message->work.flags & kSolicited) != 0;
  };
  if (solicited(arming.done)) return Certainty::kYes;
  for (size_t receive = arming.done; receive < own.receives.size(); ++receive)
    if (solicited(receive)) return Certainty::kMaybe;
  return Certainty::kNo;
}

// With what has completed by now.
CompletionEvents& DataPath::EventsOf(IdRef id, bool receives, const Ends& ends) {
  CompletionEvents& events = facts_.work.of(id).events[receives ? 1 : 0];
  if (events.armed() != Certainty::kNo)
    events.Complete(CompletedSince(id, receives, ends, events.arming()));
  return events;
}

void DataPath::LearnFromCq(const Call& call, const Ends& ends) {
  std::array<CompletionEvents, 2>& events = facts_.work.of(IdOf(call)).events;
  if (const auto* arms = std::get_if<call::ReqNotifyCq>(&call))
    events[arms->receives ? 1 : 0].Arm(ArmingOf(*arms, ends));
  if (const auto* reads = std::get_if<call::GetCqEvent>(&call))
    events[reads->receives ? 1 : 0].Read();
  if (const auto* acks = std::get_if<call::AckCqEvents>(&call))
    events[acks->receives ? 1 : 0].Acknowledge(acks->events);
}

}  // namespace cm::model
