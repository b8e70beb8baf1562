#include "model/oracle/belief/work_tracker.h"

namespace cm::model {
namespace {

// More than that it is carried out, or flushed.
bool MayFail(WorkEnds ends) {
  return !ends.Except(WorkEnds(WorkEnd::kDone) | WorkEnd::kFlushed).empty();
}

}  // namespace

// A region that is gone may have gone before or after the request was carried out.
Certainty WorkTracker::Unreachable(const call::Work& work, uint8_t device) const {
  Certainty unreachable = Certainty::kNo;
  for (const Sge& sge : work.sges) {
    const RegionInfo& region = regions_[sge.mr.index];
    if (uint64_t{sge.offset} + sge.length > region.length) return Certainty::kYes;
    if (!region.live || region.device == kNoDevice || region.device != device)
      unreachable = Certainty::kMaybe;
  }
  return unreachable;
}

Certainty WorkTracker::Forbidden(const PostedWork& posted, uint8_t device) const {
  const RegionInfo& region = regions_[posted.work.remote.mr.index];
  const CallKind wanted = IsRead(posted.kind) ? CallKind::kRegRead : CallKind::kRegWrite;
  if (region.by != wanted) return Certainty::kYes;
  if (uint64_t{posted.work.remote.offset} + LengthOf(posted.work.sges) > region.length)
    return Certainty::kYes;
  if (region.device != kNoDevice && device != kNoDevice && region.device != device)
    return Certainty::kYes;
  return region.live && region.device == device ? Certainty::kNo : Certainty::kMaybe;
}

Certainty WorkTracker::QueueFull(const IdState& id, const Call& call) const {
  const QueuesInfo& own = queues_[IdOf(call).index];
  const bool receives = IsReceive(KindOf(call));
  const size_t waiting =
      receives ? own.receives.size() - own.receives_done : own.sends.size() - own.sends_done;
  if (Unknown(IdOf(call))) return Certainty::kMaybe;
  if (waiting < QueueLimits::kWork) return Certainty::kNo;
  // Nothing takes receives from a queue pair that was never connected.
  return receives && id.qp == QpPhase::kInit && !own.shares ? Certainty::kYes : Certainty::kMaybe;
}

const PostedWork* WorkTracker::MessageFor(IdRef id, size_t receive) const {
  const IdRef peer = queues_[id.index].peer;
  if (!peer.valid()) return nullptr;
  for (const PostedWork& posted : queues_[peer.index].sends)
    if (WorkKindOf(posted.kind) == WorkKind::kMessage && posted.message == receive) return &posted;
  return nullptr;
}

WorkEnds WorkTracker::EndsOfMessage(const QueuesInfo& own, const PostedWork& posted) const {
  WorkEnds ends;
  const QueuesInfo& there = queues_[own.peer.index];
  if (!posted.receive_there && there.rnr_retries < 7) ends = ends | WorkEnd::kReceiveMissing;
  if (posted.message >= there.receives.size()) return ends;
  const call::Work& receive = there.receives[posted.message].work;
  if (LengthOf(posted.work.sges) > LengthOf(receive.sges)) return ends | WorkEnd::kReceiveTooShort;
  const Certainty unreachable = Unreachable(receive, there.device);
  if (unreachable != Certainty::kNo) ends = ends | WorkEnd::kReceiveUnreachable;
  if (unreachable != Certainty::kYes) ends = ends | WorkEnd::kDone;
  return ends;
}

// As if nothing else were on its way.
WorkEnds WorkTracker::EndsByItself(IdRef id, size_t at, const Ends& ends) const {
  const QueuesInfo& own = queues_[id.index];
  const PostedWork& posted = own.sends[at];
  WorkEnds all;
  if (ends.own.Has(QpPhase::kErr) || Failed(own)) all = all | WorkEnd::kFlushed;
  if (posted.into_error == Certainty::kYes || own.sends_failed) return all;
  const bool copied = (posted.work.flags & kInline) != 0 && !IsRead(posted.kind);
  const Certainty unreachable = copied ? Certainty::kNo : Unreachable(posted.work, own.device);
  if (unreachable != Certainty::kNo) all = all | WorkEnd::kPieceUnreachable;
  if (unreachable == Certainty::kYes && !IsRead(posted.kind)) return all;
  if (posted.kind == CallKind::kPostUdSend) return all | WorkEnd::kDone;
  const bool there = own.peer.valid() && Only(ends.peers, QpPhase::kRts) && posted.peer_ready;
  if (!there || disturbed_ || Failed(queues_[own.peer.index])) all = all | WorkEnd::kPeerSilent;
  const bool was_there = own.peer.valid() && !ends.peers.Except(QpPhase::kInit).empty();
  if (!was_there) return all;
  if (WorkKindOf(posted.kind) == WorkKind::kMessage) return all | EndsOfMessage(own, posted);
  // No bytes need no key. source: InfiniBand C9-88; linux 6.1 rxe_resp.c check_rkey
  const Certainty forbidden = LengthOf(posted.work.sges) == 0
                                  ? Certainty::kNo
                                  : Forbidden(posted, queues_[own.peer.index].device);
  if (forbidden != Certainty::kNo) all = all | WorkEnd::kRemoteForbidden;
  if (forbidden != Certainty::kYes && unreachable != Certainty::kYes) all = all | WorkEnd::kDone;
  return all;
}

bool WorkTracker::AnyMayFail(IdRef id, const Ends& ends) const {
  const QueuesInfo& own = queues_[id.index];
  if (own.unknown || Failed(own)) return true;
  for (size_t at = own.sends_done; at < own.sends.size(); ++at)
    if (MayFail(EndsByItself(id, at, ends))) return true;
  return false;
}

// Something that was posted at one of the ends may have brought both of them into error.
bool WorkTracker::MayHaveFailed(IdRef id, const Ends& ends) const {
  const IdRef peer = queues_[id.index].peer;
  if (AnyMayFail(id, ends)) return true;
  return peer.valid() && AnyMayFail(peer, {.own = ends.peers, .peers = ends.own});
}

WorkEnds WorkTracker::EndsOfSend(IdRef id, size_t at, const Ends& ends) const {
  WorkEnds all = EndsByItself(id, at, ends);
  const QueuesInfo& own = queues_[id.index];
  if (own.sends_failed || own.sends[at].into_error == Certainty::kYes || !MayHaveFailed(id, ends))
    return all;
  all = all | WorkEnd::kFlushed;
  const bool connected = own.sends[at].kind != CallKind::kPostUdSend;
  return connected ? all | WorkEnd::kPeerSilent : all;
}

WorkEnds WorkTracker::EndsOfReceive(IdRef id, size_t at, const Ends& ends) const {
  const QueuesInfo& own = queues_[id.index];
  const PostedWork& posted = own.receives[at];
  WorkEnds all;
  const bool in_error = ends.own.Has(QpPhase::kErr) || Failed(own) || MayHaveFailed(id, ends);
  if (in_error && !own.shares) all = all | WorkEnd::kFlushed;
  const bool connected = !ends.own.Except(QpPhases(QpPhase::kInit) | QpPhase::kNone).empty();
  if (posted.into_error == Certainty::kYes || own.receives_failed || !connected) return all;
  const PostedWork* const message = MessageFor(id, at);
  if (message == nullptr || message->into_error == Certainty::kYes) return all;
  if (LengthOf(message->work.sges) > LengthOf(posted.work.sges))
    return all | WorkEnd::kReceiveTooShort;
  const Certainty unreachable = Unreachable(posted.work, own.device);
  if (unreachable != Certainty::kNo) all = all | WorkEnd::kReceiveUnreachable;
  if (unreachable != Certainty::kYes) all = all | WorkEnd::kDone;
  return all;
}

void WorkTracker::Post(const Call& call, const Ends& ends) {
  const CallKind kind = KindOf(call);
  QueuesInfo& own = queues_[IdOf(call).index];
  PostedWork posted{.kind = kind, .work = *WorkOf(call)};
  if (Only(ends.own, QpPhase::kErr) || Failed(own))
    posted.into_error = Certainty::kYes;
  else if (ends.own.Has(QpPhase::kErr) || MayHaveFailed(IdOf(call), ends))
    posted.into_error = Certainty::kMaybe;
  posted.peer_ready = Only(ends.peers, QpPhase::kRts);
  std::vector<PostedWork>& queue = IsReceive(kind) ? own.receives : own.sends;
  const size_t done = IsReceive(kind) ? own.receives_done : own.sends_done;
  // What completes beyond that, a completion queue has no room for.
  if (queue.size() - done >= QueueLimits::kWork) own.unknown = true;
  if (WorkKindOf(kind) == WorkKind::kMessage) {
    posted.message = own.messages++;
    posted.receive_there =
        own.peer.valid() && posted.message < queues_[own.peer.index].receives.size();
  }
  queue.push_back(posted);
}

void WorkTracker::NewQueuePair(IdRef id, bool connected) {
  QueuesInfo& own = queues_[id.index];
  // A peer that knows the number of the earlier one does not know this one.
  const bool unknown = own.unknown || (own.had && (connected || own.srq));
  QueuesInfo fresh{.srq = own.srq, .shares = own.srq, .service = own.service};
  fresh.rnr_retries = own.rnr_retries;
  fresh.reads_none = own.reads_none;
  fresh.serves_none = own.serves_none;
  fresh.device = own.device;
  fresh.peer = own.peer;
  fresh.had = true;
  fresh.unknown = unknown;
  if (own.srq) fresh.receives = own.receives;
  if (unknown && own.peer.valid()) queues_[own.peer.index].unknown = true;
  own = fresh;
}

}  // namespace cm::model
