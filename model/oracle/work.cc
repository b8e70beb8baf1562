// Regions, posted work, and what it completes with.
#include <algorithm>
#include <utility>

#include "model/conversation/print.h"
#include "model/oracle/answers.h"
#include "model/oracle/oracle.h"

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

}  // namespace

QpPhases Oracle::PhasesOf(IdRef id) {
  QpPhases phases;
  for (const Possibility& p : ComponentOf(id).set.items()) {
    const uint8_t at = p.Find(id);
    phases = phases | (at == kNoId || p.ids[at].gone ? QpPhase::kNone : p.ids[at].qp);
  }
  return phases;
}

// Who is at the other end is certain as soon as it is known at all.
void Oracle::MeetPeer(IdRef id) {
  QueuesInfo& own = facts_.ledger.of(id);
  uint8_t device = kNoDevice;
  bool moved = false;
  for (const Possibility& p : ComponentOf(id).set.items()) {
    const uint8_t at = p.Find(id);
    if (at == kNoId) continue;
    const uint8_t ca = facts_.CaOf(p.ids[at].device);
    moved |= device != kNoDevice && device != ca;
    device = ca;
    const uint8_t peer = p.ids[at].peer;
    if (own.peer.valid() || peer == kNoId || !p.ids[peer].name.valid()) continue;
    own.peer = p.ids[peer].name;
    if (!facts_.ledger.of(own.peer).peer.valid()) facts_.ledger.of(own.peer).peer = id;
  }
  own.device = moved ? kNoDevice : device;
}

Ends Oracle::EndsOf(IdRef id) {
  MeetPeer(id);
  const IdRef peer = facts_.ledger.of(id).peer;
  Ends ends{.own = PhasesOf(id)};
  if (!peer.valid()) return ends;
  MeetPeer(peer);
  ends.peers = PhasesOf(peer);
  return ends;
}

// Its queue pair is in error, whatever was thought of it.
void Oracle::QueuePairFailed(IdRef id) {
  Component& component = ComponentOf(id);
  PossibilitySet next;
  for (Possibility& p : component.set.mutable_items()) {
    const uint8_t at = p.Find(id);
    if (at != kNoId && p.ids[at].qp == QpPhase::kRts) p.ids[at].qp = QpPhase::kErr;
    next.Add(std::move(p));
  }
  component.set = std::move(next);
}

// The requests that may complete next, with what they may complete with.
std::vector<Oracle::DueCompletion> Oracle::DueOfSends(IdRef id, const Ends& ends) const {
  const WorkTracker& ledger = facts_.ledger;
  const QueuesInfo& own = ledger.of(id);
  std::vector<DueCompletion> due;
  for (size_t at = own.sends_done; at < own.sends.size(); ++at) {
    const PostedWork& posted = own.sends[at];
    const WorkKind kind = WorkKindOf(posted.kind);
    const WorkEnds all = ledger.EndsOfSend(id, at, ends);
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

std::vector<Oracle::DueCompletion> Oracle::DueOfReceives(IdRef id, const Ends& ends) const {
  const WorkTracker& ledger = facts_.ledger;
  const QueuesInfo& own = ledger.of(id);
  const size_t at = own.receives_done;
  std::vector<DueCompletion> due;
  if (at >= own.receives.size()) return due;
  const bool datagram = IsDatagram(facts_.id(id).space);
  WorkEnds all = ledger.EndsOfReceive(id, at, ends);
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
    if (const PostedWork* message = ledger.MessageFor(id, at)) {
      completion.length = LengthOf(message->work.sges);
      due.push_back({completion, &rule, at});
    }
    if (!datagram) continue;
    for (const uint32_t length : datagram_lengths_) {
      completion.length = length + kDatagramHeader;
      due.push_back({completion, &rule, at});
    }
  }
  return due;
}

// Each of the requests may have been executed without a completion.
bool Oracle::AllMayBeSilent(IdRef id, const Ends& ends) const {
  const QueuesInfo& own = facts_.ledger.of(id);
  for (size_t at = own.sends_done; at < own.sends.size(); ++at)
    if ((own.sends[at].work.flags & kSignaled) != 0 ||
        !facts_.ledger.EndsOfSend(id, at, ends).Has(WorkEnd::kDone))
      return false;
  return true;
}

// Whether the queue may be found empty.
Certainty Oracle::NothingCompleted(IdRef id, bool receives, const Ends& ends) const {
  const QueuesInfo& own = facts_.ledger.of(id);
  if (facts_.ledger.Unknown(id)) return Certainty::kMaybe;
  const std::vector<DueCompletion> due = receives ? DueOfReceives(id, ends) : DueOfSends(id, ends);
  if (due.empty()) return Certainty::kYes;
  if (Only(ends.own, QpPhase::kErr) && !(receives && own.shares)) {
    if (!receives && AllMayBeSilent(id, ends)) return Certainty::kMaybe;
    const bool late = receives && own.receives[own.receives_done].into_error;
    return late ? Certainty::kMaybe : Certainty::kNo;
  }
  // A message may be on its way still where its sender is in error by now.
  const bool up = Only(ends.own, QpPhase::kRts) && Only(ends.peers, QpPhase::kRts);
  if (receives && !up) return Certainty::kMaybe;
  const bool done = std::ranges::all_of(
      due, [](const DueCompletion& d) { return d.rule->when == WorkEnd::kDone; });
  const bool datagram = receives && IsDatagram(facts_.id(id).space);
  return done && !datagram ? Certainty::kNo : Certainty::kMaybe;
}

Judgement Oracle::ObserveCompletion(const Record& record, Lane lane, const Call& call,
                                    const Reply& reply, const std::optional<HandedOut>& handed) {
  const IdRef id = IdOf(call);
  Judgement judgement{.saw = ToString(reply)};
  if (handed) judgement.saw += " " + ToString(*handed, facts_.topology());
  if (!Close(&ComponentOf(id), WindowOf(record), &judgement)) return judgement;
  const Ends ends = EndsOf(id);
  const bool receives = KindOf(call) == CallKind::kGetRecvComp;
  const Certainty nothing = NothingCompleted(id, receives, ends);
  Guards guards;
  if (ends.own.Has(QpPhase::kNone)) guards = guards | Guard::kQpAbsent;
  if (!Only(ends.own, QpPhase::kNone)) {
    if (nothing != Certainty::kNo) guards = guards | Guard::kNothingCompleted;
    if (nothing != Certainty::kYes || facts_.ledger.Unknown(id)) guards = guards | Guard::kFine;
  }
  bool fits = reply.kind == ReplyKind::kUnseen;
  for (const CallRule& rule : RowsOn(KindOf(call))) {
    if (!rule.when.Except(guards).empty()) continue;
    if (rule.when != Guards(Guard::kFine)) Permit(&judgement.permitted, rule, Text(rule.outcome));
    if (!Fits(rule.outcome, reply)) continue;
    fits = true;
    judgement.certain.set(NumberOf(&rule));
  }
  if (reply.kind == ReplyKind::kBlocked && fits)
    blocked_.push_back({.line = record.line, .lane = lane, .work = true});
  if (guards.Has(Guard::kFine)) fits = JudgeWork(id, receives, ends, handed, &judgement) && fits;
  if (reply.succeeded() && !(handed && std::holds_alternative<Completion>(*handed))) fits = false;
  if (!fits) judgement.verdict = Verdict::kRefused;
  return judgement;
}

// Whether the completion is a permitted one; the permitted ones are added to the judgement. True
// where none was returned.
bool Oracle::JudgeWork(IdRef id, bool receives, const Ends& ends,
                       const std::optional<HandedOut>& handed, Judgement* judgement) {
  QueuesInfo& own = facts_.ledger.of(id);
  const auto* seen = handed ? std::get_if<Completion>(&*handed) : nullptr;
  if (facts_.ledger.Unknown(id)) {
    judgement->sharp = false;
    return true;
  }
  const std::vector<DueCompletion> due = receives ? DueOfReceives(id, ends) : DueOfSends(id, ends);
  for (const DueCompletion& one : due)
    Permit(&judgement->permitted, *one.rule, "0 " + ToString(one.completion, facts_.topology()));
  if (seen == nullptr) return true;
  const auto found = std::ranges::find_if(
      due, [&](const DueCompletion& one) { return Fits(one.completion, *seen); });
  if (found == due.end()) return false;
  judgement->certain.set(NumberOf(found->rule));
  (receives ? own.receives_done : own.sends_done) = found->at + 1;
  if (seen->status == WcStatus::kSuccess) return true;
  const IdRef peer = own.peer;
  (receives ? own.receives_failed : own.sends_failed) = true;
  QueuePairFailed(id);
  if (found->rule->peer_fails && peer.valid()) QueuePairFailed(peer);
  return true;
}

Judgement Oracle::ObserveDereg(const call::DeregMr& dereg, const seen::Answered& answered) {
  Judgement judgement{.saw = ToString(answered.reply)};
  bool fits = answered.reply.kind == ReplyKind::kUnseen;
  for (const CallRule& rule : RowsOn(CallKind::kDeregMr)) {
    Permit(&judgement.permitted, rule, Text(rule.outcome));
    if (!Fits(rule.outcome, answered.reply)) continue;
    fits = true;
    judgement.certain.set(NumberOf(&rule));
  }
  if (!fits) judgement.verdict = Verdict::kRefused;
  facts_.ledger.region(dereg.mr).live = false;
  return judgement;
}

// What calls, events and faults say about queues.
void Oracle::LearnWork(const Record& record, const Line& line) {
  WorkTracker& ledger = facts_.ledger;
  if (const auto* injects = std::get_if<line::Injects>(&line))
    if (!injects->fault.OnPackets()) ledger.Disturb();
  const auto* answered = std::get_if<seen::Answered>(&record.seen);
  const auto* calls = std::get_if<line::Calls>(&line);
  if (answered == nullptr || calls == nullptr) return;
  const Call& call = calls->call;
  const IdRef id = IdOf(call);
  LearnDepths(call);
  if (answered->event && answered->event->type == EventType::kEstablished &&
      answered->event->id.valid())
    ledger.of(answered->event->id).service |= IsDatagram(facts_.id(answered->event->id).space);
  // What a synchronous call starts it has started, however long it waits.
  if (const auto* connect = std::get_if<call::Connect>(&call))
    ledger.of(id).rnr_retries = connect->param ? connect->param->rnr_retry_count : kForEver;
  if (const auto* accept = std::get_if<call::Accept>(&call))
    ledger.of(id).rnr_retries = accept->param ? accept->param->rnr_retry_count : kForEver;
  const CallKind kind = KindOf(call);
  // Soft-RoCE keeps what it refuses for the sake of the state, and carries it out later.
  const bool refused = answered->reply == Reply::Refused(Errno::kInval);
  if (refused && IsWork(kind) && !IsReceive(kind) && PhasesOf(id).Has(QpPhase::kInit))
    ledger.of(id).unknown = true;
  if (!answered->reply.succeeded() || !id.valid()) return;
  if (!MovesData(kind) && !QpAskedBy(call)) return;
  if (!facts_.id(id).in_scope) return;
  const auto registered = [&](const auto& reg) {
    MeetPeer(id);
    ledger.region(reg.mr) = {
        .live = true, .by = kind, .device = ledger.of(id).device, .length = reg.length};
  };
  if (QpAskedBy(call)) {
    bool accepted = facts_.id(id).connected;
    for (const Possibility& p : ComponentOf(id).set.items()) {
      const uint8_t at = p.Find(id);
      accepted |= at != kNoId && p.ids[at].origin.valid();
    }
    ledger.NewQueuePair(id, accepted);
  } else if (WorkOf(call) != nullptr) {
    ledger.Post(call, EndsOf(id));
    if (kind == CallKind::kPostUdSend) datagram_lengths_.push_back(LengthOf(WorkOf(call)->sges));
  } else if (const auto* msgs = std::get_if<call::RegMsgs>(&call)) {
    registered(*msgs);
  } else if (const auto* read = std::get_if<call::RegRead>(&call)) {
    registered(*read);
  } else if (const auto* write = std::get_if<call::RegWrite>(&call)) {
    registered(*write);
  } else if (kind == CallKind::kCreateSrq || kind == CallKind::kCreateSrqEx) {
    ledger.of(id).unknown |= ledger.of(id).srq || ledger.of(id).had;
    ledger.of(id).srq = true;
  } else if (kind == CallKind::kDestroySrq) {
    ledger.of(id).unknown |= ledger.of(id).shares;
    ledger.of(id).srq = false;
  }
}

}  // namespace cm::model
