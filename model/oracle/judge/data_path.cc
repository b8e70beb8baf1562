#include "model/oracle/judge/data_path.h"

#include <algorithm>

#include "model/conversation/print.h"
#include "model/oracle/judge/answers.h"
#include "model/oracle/machine/guards.h"
#include "model/vocabulary/fault_kinds.h"

namespace cm::model {
namespace {

constexpr uint8_t kForEver = 7;  // as a number of RNR retries
constexpr uint32_t kDatagramHeader = 40;

WcOpcode OpcodeOf(WorkKind kind) {
  switch (kind) {
    case WorkKind::kReceive:
      return WcOpcode::kReceive;
    case WorkKind::kRead:
      return WcOpcode::kRead;
    case WorkKind::kWrite:
      return WcOpcode::kWrite;
    case WorkKind::kMessage:
    case WorkKind::kDatagram:
      break;
  }
  return WcOpcode::kSend;
}

// What the buffers hold is a matter of properties.
bool Fits(const Completion& expected, Completion seen) {
  seen.bytes = 0;
  return expected == seen;
}

QpPhases PhasesOf(IdRef id, Components& components) {
  QpPhases phases;
  for (const Possibility& p : components.PossibilitiesOf(id)) {
    const uint8_t at = p.Find(id);
    phases = phases | (at == kNoId || p.ids[at].gone ? QpPhase::kNone : p.ids[at].qp);
  }
  return phases;
}

// Learns the peer and the device of the id's queue pair, as soon as they are certain: the peer is
// that as soon as it is known at all.
void MeetPeer(IdRef id, ConversationFacts& facts, Components& components) {
  QueuesInfo& own = facts.work.of(id);
  uint8_t device = kNoDevice;
  bool moved = false;
  for (const Possibility& p : components.PossibilitiesOf(id)) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) continue;
    const uint8_t ca = facts.CaOf(p.ids[at].device);
    moved |= device != kNoDevice && device != ca;
    device = ca;
    const uint8_t peer = p.ids[at].peer;
    if (own.peer.valid() || peer == kNoId || !p.ids[peer].name.valid()) continue;
    own.peer = p.ids[peer].name;
    if (!facts.work.of(own.peer).peer.valid()) facts.work.of(own.peer).peer = id;
  }
  own.device = moved ? kNoDevice : device;
}

// A send that was refused may be carried out later.
void KeepSends(QueuesInfo* own) {
  own->keeps_sends |= !own->unknown;
  own->unknown = true;
}

void LoseTrackOf(QueuesInfo* own) {
  own->keeps_sends = false;
  own->unknown = true;
}

}  // namespace

// Its queue pair is in error, whatever was thought of it.
void DataPath::QueuePairFailed(IdRef id) {
  search_.Change(components_.NumberOf(id), [id](Possibility* p) {
    const uint8_t at = p->Find(id);
    if (at != kNoId && p->ids[at].qp == QpPhase::kRts) p->ids[at].qp = QpPhase::kErr;
  });
}

void DataPath::AnswersArrive(Instant now) {
  std::erase_if(context_.failing, [&](const FailingPair& pair) {
    const bool arrived = now >= pair.by;
    if (arrived) QueuePairFailed(pair.id);
    return arrived;
  });
}

// The requests that may complete next, with what they may complete with.
std::vector<DataPath::DueCompletion> DataPath::DueOfSends(IdRef id, const Ends& ends) const {
  const WorkTracker& work = facts_.work;
  const QueuesInfo& own = work.of(id);
  std::vector<DueCompletion> due;
  for (size_t at = own.sends_done; at < own.sends.size(); ++at) {
    const PostedWork& posted = own.sends[at];
    const WorkKind kind = WorkKindOf(posted.kind);
    const WorkEnds all = work.EndsOfSend(id, at, ends);
    const bool silent = (posted.work.flags & kSignaled) == 0;
    for (const WorkRule& rule : rules::kWork) {
      const bool done = rule.status == WcStatus::kSuccess;
      if (!rule.on.Has(kind) || !all.Has(rule.when) || (done && silent)) continue;
      if (!OfDialect(rule.needs, profile_.dialect)) continue;
      Completion completion{.status = rule.status, .context = posted.work.context};
      if (done) completion.opcode = OpcodeOf(kind);
      if (done && kind == WorkKind::kRead) completion.length = LengthOf(posted.work.sges);
      due.push_back({completion, &rule, at});
    }
    if (!silent || !all.Has(WorkEnd::kDone)) break;
  }
  return due;
}

std::vector<DataPath::DueCompletion> DataPath::DueOfReceives(IdRef id, const Ends& ends) const {
  const WorkTracker& work = facts_.work;
  const QueuesInfo& own = work.of(id);
  const size_t at = own.receives_done;
  std::vector<DueCompletion> due;
  if (at >= own.receives.size()) return due;
  const bool datagram = IsDatagram(facts_.id(id).space);
  WorkEnds all = work.EndsOfReceive(id, at, ends);
  if (datagram) all = all | WorkEnd::kDone;
  for (const WorkRule& rule : rules::kWork) {
    if (!rule.on.Has(WorkKind::kReceive) || !all.Has(rule.when)) continue;
    if (!OfDialect(rule.needs, profile_.dialect)) continue;
    Completion completion{.status = rule.status, .context = own.receives[at].work.context};
    if (rule.status != WcStatus::kSuccess) {
      due.push_back({completion, &rule, at});
      continue;
    }
    completion.opcode = WcOpcode::kReceive;
    if (const PostedWork* message = work.MessageFor(id, at)) {
      completion.length = LengthOf(message->work.sges);
      due.push_back({completion, &rule, at});
    }
    if (!datagram) continue;
    for (const uint32_t length : context_.datagram_lengths) {
      completion.length = length + kDatagramHeader;
      due.push_back({completion, &rule, at});
    }
  }
  return due;
}

// A send that is carried out after all can only bring the receives of its own queue pair into
// error, in their order, and as the tracker has it of a queue pair of which something is unknown.
bool DataPath::IsUnknown(IdRef id, bool receives) const {
  const QueuesInfo& own = facts_.work.of(id);
  if (!receives || !own.keeps_sends || own.shares) return facts_.work.Unknown(id);
  return own.peer.valid() && facts_.work.of(own.peer).unknown;
}

// Each of the requests may have been executed without a completion, up to one that never gets any.
bool DataPath::AllMayBeSilent(IdRef id, const Ends& ends) const {
  const QueuesInfo& own = facts_.work.of(id);
  for (size_t at = own.sends_done; at < own.sends.size(); ++at) {
    if (!profile_.dialect.late_sends_are_flushed && own.sends[at].into_error != Certainty::kNo)
      return true;
    if ((own.sends[at].work.flags & kSignaled) != 0 ||
        !facts_.work.EndsOfSend(id, at, ends).Has(WorkEnd::kDone))
      return false;
  }
  return true;
}

// Whether the queue may be found empty.
Certainty DataPath::NothingCompleted(IdRef id, bool receives, const Ends& ends) const {
  const QueuesInfo& own = facts_.work.of(id);
  if (IsUnknown(id, receives)) return Certainty::kMaybe;
  const std::vector<DueCompletion> due = receives ? DueOfReceives(id, ends) : DueOfSends(id, ends);
  if (due.empty()) return Certainty::kYes;
  if (Only(ends.own, QpPhase::kErr) && !(receives && own.shares)) {
    if (!receives && AllMayBeSilent(id, ends)) return Certainty::kMaybe;
    const bool late = receives && own.receives[own.receives_done].into_error != Certainty::kNo;
    return late ? Certainty::kMaybe : Certainty::kNo;
  }
  // Where the queue pair has failed, a shared receive stays in its queue and is not flushed.
  if (receives && own.shares && facts_.work.MayHaveFailed(id, ends)) return Certainty::kMaybe;
  // A message may be on its way still where its sender is in error by now.
  const bool up = Only(ends.own, QpPhase::kRts) && Only(ends.peers, QpPhase::kRts);
  if (receives && !up) return Certainty::kMaybe;
  const bool done = std::ranges::all_of(
      due, [](const DueCompletion& d) { return d.rule->when == WorkEnd::kDone; });
  const bool datagram = receives && IsDatagram(facts_.id(id).space);
  return done && !datagram ? Certainty::kNo : Certainty::kMaybe;
}

Verdict DataPath::Complete(const Record& record, const Call& call, const Reply& reply,
                           const std::optional<Output>& output) {
  const IdRef id = IdOf(call);
  Verdict verdict{.saw = ToString(reply)};
  if (output) verdict.saw += " " + ToString(*output, facts_.topology());
  if (!search_.Close(id, WindowOf(record), &verdict)) return verdict;
  const Ends ends = EndsOf(id, facts_, components_);
  const bool receives = KindOf(call) == CallKind::kGetRecvComp;
  const Certainty nothing = NothingCompleted(id, receives, ends);
  // It arms the queue where it finds none, and reads events while it waits.
  CompletionEvents& events = EventsOf(id, receives, ends);
  if (std::holds_alternative<seen::Released>(record.seen))
    events.Waited();
  else if (nothing != Certainty::kNo || !context_.quiet)
    events.MayHaveWaited();
  Guards guards;
  if (ends.own.Has(QpPhase::kNone)) guards = guards | Guard::kQpAbsent;
  if (!Only(ends.own, QpPhase::kNone)) {
    if (nothing != Certainty::kNo) guards = guards | Guard::kNothingCompleted;
    if (nothing != Certainty::kYes || IsUnknown(id, receives)) guards = guards | Guard::kFine;
  }
  bool fits = Unseen(reply);
  for (const CallRule& rule : RowsOn(KindOf(call))) {
    if (!rule.when.Except(guards).empty()) continue;
    if (rule.when != Guards(Guard::kFine)) Permit(&verdict, rule, Text(rule.outcome));
    if (!Fits(rule.outcome, reply)) continue;
    fits = true;
    verdict.certain.set(NumberOf(&rule));
  }
  if (reply.kind == ReplyKind::kBlocked && fits)
    NoteWaiting(record, {.what = WaitingCall::For::kCq});
  if (guards.Has(Guard::kFine))
    fits = JudgeWork(record, receives, id, ends, output, &verdict) && fits;
  if (reply.succeeded() && !(output && std::holds_alternative<Completion>(*output))) fits = false;
  if (!fits) verdict.kind = VerdictKind::kRefused;
  return verdict;
}

// Whether the completion is a permitted one; the permitted ones are added to the verdict. True
// where none was returned.
bool DataPath::JudgeWork(const Record& record, bool receives, IdRef id, const Ends& ends,
                         const std::optional<Output>& output, Verdict* verdict) {
  QueuesInfo& own = facts_.work.of(id);
  const auto* seen = output ? std::get_if<Completion>(&*output) : nullptr;
  if (IsUnknown(id, receives)) {
    verdict->sharp = false;
    return true;
  }
  const std::vector<DueCompletion> due = receives ? DueOfReceives(id, ends) : DueOfSends(id, ends);
  for (const DueCompletion& one : due)
    Permit(verdict, *one.rule, "0 " + ToString(one.completion, facts_.topology()));
  if (seen == nullptr) return true;
  const auto found = std::ranges::find_if(
      due, [&](const DueCompletion& one) { return Fits(one.completion, *seen); });
  if (found == due.end()) return false;
  verdict->certain.set(NumberOf(found->rule));
  (receives ? own.receives_done : own.sends_done) = found->at + 1;
  if (seen->status == WcStatus::kSuccess) return true;
  const IdRef peer = own.peer;
  (receives ? own.receives_failed : own.sends_failed) = true;
  QueuePairFailed(id);
  if (!found->rule->peer_fails || !peer.valid()) return true;
  if (receives)
    context_.failing.push_back({.id = peer, .by = record.end + profile_.timing.prompt});
  else
    QueuePairFailed(peer);
  return true;
}

Verdict DataPath::Deregister(const call::DeregMr& dereg, const seen::Answered& answered) {
  Verdict verdict{.saw = ToString(answered.reply)};
  JudgeReply(RowsOn(CallKind::kDeregMr), answered.reply, &verdict,
             [](const CallRule& /*any*/) { return true; });
  facts_.work.region(dereg.mr).live = false;
  return verdict;
}

// Either end has named a depth of 0: its reads may never begin.
bool DataPath::MayHaveNoRoomToRead(IdRef id) const {
  const QueuesInfo& own = facts_.work.of(id);
  return own.reads_none || (own.peer.valid() && facts_.work.of(own.peer).serves_none);
}

// What calls, events and faults say about queues.
void DataPath::Learn(const Record& record, const Line& line) {
  WorkTracker& work = facts_.work;
  const auto* calls = std::get_if<line::Calls>(&line);
  const bool starts_nothing = calls != nullptr && TraitsOf(KindOf(calls->call)).on_cq;
  context_.quiet =
      std::holds_alternative<line::Settles>(line) || (context_.quiet && starts_nothing);
  if (const auto* injects = std::get_if<line::Injects>(&line))
    if (!injects->fault.OnPackets() && RowOf(injects->fault.kind).disturbs) work.Disturb();
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  if (answered == nullptr || calls == nullptr) return;
  const Call& call = calls->call;
  const IdRef id = IdOf(call);
  learning_.FromDepths(call);
  if (answered->event && answered->event->type == EventType::kEstablished &&
      answered->event->id.valid())
    work.of(answered->event->id).service |= IsDatagram(facts_.id(answered->event->id).space);
  // What a synchronous call starts it has started, however long it waits.
  if (const auto* connect = std::get_if<call::Connect>(&call))
    work.of(id).rnr_retries = connect->param ? connect->param->rnr_retry_count : kForEver;
  if (const auto* accept = std::get_if<call::Accept>(&call))
    work.of(id).rnr_retries = accept->param ? accept->param->rnr_retry_count : kForEver;
  // A connect that is made names both anew.
  const bool made = answered->reply.kind != ReplyKind::kReturned || answered->reply.succeeded();
  if (made && std::holds_alternative<call::Connect>(call))
    work.of(id).reads_none = work.of(id).serves_none = false;
  if (const std::optional<ConnParam>* param = ParamOf(call); param != nullptr && *param) {
    work.of(id).reads_none |= (*param)->initiator_depth == 0;
    work.of(id).serves_none |= (*param)->responder_resources == 0;
  }
  const CallKind kind = KindOf(call);
  // Soft-RoCE keeps what it refuses for the sake of the state, and carries it out later.
  const bool refused = answered->reply == Reply::Refused(Errno::kInval);
  if (refused && IsWork(kind) && !IsReceive(kind) &&
      !(PhasesOf(id, components_) & kBeforeRts).empty())
    KeepSends(&work.of(id));
  if (TraitsOf(kind).on_cq && Unseen(answered->reply)) work.of(id).keeps_sends = false;
  if (!answered->reply.succeeded() || !id.valid()) return;
  if (!MovesData(kind) && !QpAskedBy(call)) return;
  if (!facts_.id(id).in_scope) return;
  const auto registered = [&](const auto& reg) {
    MeetPeer(id, facts_, components_);
    work.region(reg.mr) = {
        .live = true, .by = kind, .device = work.of(id).device, .length = reg.length};
  };
  if (QpAskedBy(call)) {
    const bool accepts =
        components_.MayBe(id, [](const IdState& own) { return own.origin.valid(); });
    work.NewQueuePair(id, facts_.id(id).connected || accepts);
  } else if (WorkOf(call) != nullptr) {
    work.Post(call, EndsOf(id, facts_, components_));
    const size_t receives = work.of(id).receives.size() - work.of(id).receives_done;
    work.of(id).keeps_sends &= receives <= QueueLimits::kWork;
    if (IsRead(kind) && MayHaveNoRoomToRead(id)) LoseTrackOf(&work.of(id));
    if (kind == CallKind::kPostUdSend)
      context_.datagram_lengths.push_back(LengthOf(WorkOf(call)->sges));
  } else if (const auto* msgs = std::get_if<call::RegMsgs>(&call)) {
    registered(*msgs);
  } else if (const auto* read = std::get_if<call::RegRead>(&call)) {
    registered(*read);
  } else if (const auto* write = std::get_if<call::RegWrite>(&call)) {
    registered(*write);
  } else if (kind == CallKind::kCreateSrq || kind == CallKind::kCreateSrqEx) {
    if (work.of(id).srq || work.of(id).had) LoseTrackOf(&work.of(id));
    work.of(id).srq = true;
  } else if (kind == CallKind::kDestroySrq) {
    if (work.of(id).shares) LoseTrackOf(&work.of(id));
    work.of(id).srq = false;
  }
}

void DataPath::LearnUnjudged(const Call& call) {
  const auto registered = [&](const auto& reg) {
    facts_.work.region(reg.mr) = {.live = true, .by = KindOf(call), .length = reg.length};
  };
  if (const auto* msgs = std::get_if<call::RegMsgs>(&call)) registered(*msgs);
  if (const auto* read = std::get_if<call::RegRead>(&call)) registered(*read);
  if (const auto* write = std::get_if<call::RegWrite>(&call)) registered(*write);
  if (KindOf(call) == CallKind::kPostUdSend)
    context_.datagram_lengths.push_back(LengthOf(WorkOf(call)->sges));
}

Ends EndsOf(IdRef id, ConversationFacts& facts, Components& components) {
  MeetPeer(id, facts, components);
  const IdRef peer = facts.work.of(id).peer;
  Ends ends{.own = PhasesOf(id, components)};
  if (!peer.valid()) return ends;
  MeetPeer(peer, facts, components);
  ends.peers = PhasesOf(peer, components);
  return ends;
}

}  // namespace cm::model
