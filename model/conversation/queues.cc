// Which calls on memory regions and queues can be made.
#include <algorithm>

#include "model/conversation/liveness.h"

namespace cm {

// Regions that a piece of work lies in are there, and the remote one was: its key and address are
// the application's to remember, as long as it is one process that has registered both.
bool Liveness::QueueCallApplicable(Lane lane, const Call& call) const {
  const auto mine = [&](MrRef mr) {
    return RegionIsLive(mr) && regions_[mr.index].side == lane.side;
  };
  if (const auto* dereg = std::get_if<call::DeregMr>(&call)) return mine(dereg->mr);
  const call::Work* work = WorkOf(call);
  if (work == nullptr) return true;
  if (!std::ranges::all_of(work->sges, [&](const Sge& sge) { return mine(sge.mr); })) return false;
  if (!work->remote.valid()) return true;
  const Name& remote = regions_[work->remote.index];
  return remote.made && (!apart_ || remote.side == lane.side);
}

// source: <rdma/rdma_verbs.h>: rdma_post_recv asserts that its piece lies within the region
bool Liveness::WorkWouldCrash(const Name& id, CallKind kind, const call::Work& work) const {
  if (kind == CallKind::kPostRecv) {
    const Sge& sge = work.sges.front();
    if (uint64_t{sge.offset} + sge.length > regions_[sge.mr.index].length) return true;
  }
  if (IsReceive(kind)) return !id.has_qp && !id.has_srq;
  if (kind == CallKind::kPostUdSend) return !id.has_qp || !id.knows_peer;
  return !id.has_qp || id.datagram;  // of a datagram there is no address
}

bool Liveness::QueueCallWouldCrash(const Name& id, const Call& call) const {
  const CallKind kind = KindOf(call);
  if (const call::Work* work = WorkOf(call)) return WorkWouldCrash(id, kind, *work);
  if (RegistersRegion(kind) || kind == CallKind::kCreateSrq) return !id.device_known;
  if (const auto* create = std::get_if<call::CreateSrqEx>(&call))
    return create->typed && !id.device_known;
  // While a queue pair takes from it, it stays, and nobody hears of that.
  if (kind == CallKind::kDestroySrq) return !id.has_srq || id.has_qp;
  if (IsCompletion(kind)) return !id.has_qp;
  return false;
}

// Another thread waits within the queue that the call takes away, or for the same completion.
bool Liveness::CompletionWaitedFor(IdRef id, const Call& call) const {
  const CallKind kind = KindOf(call);
  const bool destroys = kind == CallKind::kDestroyQp || kind == CallKind::kDestroyId ||
                        kind == CallKind::kDestroyEp || kind == CallKind::kMigrateId;
  return std::ranges::any_of(waiting_, [&](const WaitingCall& w) {
    return w.queues.valid() && w.queues == id && (destroys || w.kind == kind);
  });
}

void Liveness::QueueCallAnswered(Lane lane, const Call& call) {
  const auto registered = [&](const auto& reg) {
    regions_[reg.mr.index] = {.live = true, .made = true, .side = lane.side, .length = reg.length};
  };
  if (const auto* reg = std::get_if<call::RegMsgs>(&call)) return registered(*reg);
  if (const auto* reg = std::get_if<call::RegRead>(&call)) return registered(*reg);
  if (const auto* reg = std::get_if<call::RegWrite>(&call)) return registered(*reg);
  switch (KindOf(call)) {
    case CallKind::kDeregMr:
      regions_[RegionOf(call).index].live = false;
      return;
    case CallKind::kCreateSrq:
    case CallKind::kCreateSrqEx:
      At(IdOf(call)).has_srq = true;
      return;
    case CallKind::kDestroySrq:
      At(IdOf(call)).has_srq = false;
      return;
    default:
      return;
  }
}

}  // namespace cm
