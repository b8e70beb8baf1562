// Posting, polling and flushing of queues. source: linux 6.1 rxe_verbs.c rxe_post_send, rdma-core
// 44 providers/rxe/rxe.c
#include <algorithm>
#include <span>
#include <utility>

#include "sim/verbs/verbs.h"

namespace cm::sim {

Errno Verbs::PostReceive(uint32_t qp, WorkRequest work) {
  // source: rdma-core 44 providers/rxe/rxe.c rxe_post_recv
  if (qps_[qp].srq != kNobody || qps_[qp].state == QpState::kReset) return Errno::kInval;
  // The kernel is not notified: a request posted in ERR stays until the queue pair is moved to ERR
  // once more.
  return Post(&qps_[qp].receives, qps_[qp].room.receives, std::move(work));
}

Errno Verbs::CheckSend(uint32_t qp, const WorkRequest& work, uint64_t behind) const {
  const Qp& own = qps_[qp];
  if (work.pieces.size() + work.empty_pieces > own.room.sends.pieces) return Errno::kInval;
  if (work.is_inline && work.length() > own.room.inlined) return Errno::kInval;
  const uint64_t room =
      own.room.sends.work - std::min<size_t>(own.sends.size(), own.room.sends.work);
  return room <= behind ? Errno::kNoMem : Errno::kNone;
}

Errno Verbs::PostSend(const Context& c, uint32_t qp, WorkRequest work, uint64_t behind) {
  Qp& own = qps_[qp];
  if (const Errno error = CheckSend(qp, work, behind); error != Errno::kNone) return error;
  const bool takes = own.state == QpState::kRts || own.state == QpState::kErr;
  if (!takes && own.state != QpState::kSqd) return Errno::kInval;
  if (work.is_inline && !work.pieces.empty()) regions_.Gather(c.memory, work.pieces, &work.data);
  own.sends.push_back(std::move(work));
  if (own.state == QpState::kErr && c.profile->dialect.late_sends_are_flushed)
    Flush(qp);
  else if (own.state == QpState::kRts)
    SendNext(c, qp);
  return Errno::kNone;
}

std::optional<Completion> Verbs::TakeFrom(uint32_t qp, Fifo<Finished>* done) const {
  if (done->empty()) return std::nullopt;
  const Finished finished = done->front();
  done->pop_front();
  Completion completion = finished.completion;
  const bool fills =
      completion.opcode == WcOpcode::kReceive || completion.opcode == WcOpcode::kRead;
  if (completion.status != WcStatus::kSuccess || !fills) return completion;
  std::vector<uint8_t> bytes;
  regions_.Gather(nullptr, finished.pieces, &bytes);
  if (bytes.size() > completion.length) bytes.resize(completion.length);
  // The GRH of a datagram has the addresses of its path.
  const size_t from = qps_[qp].datagram && bytes.size() > kDatagramHeader ? kDatagramHeader : 0;
  BytesDigest digest;
  digest.Add(std::span<const uint8_t>(bytes).subspan(from));
  completion.bytes = digest.value();
  return completion;
}

// No completion of a send is solicited. source: linux 6.1 rxe_comp.c do_complete
Finished* Verbs::FinishSend(uint32_t qp, const WorkRequest& work, WcStatus status) {
  Qp& own = qps_[qp];
  const bool counts = work.opcode == WcOpcode::kRead || IsAtomic(work.opcode);
  return Finish(own, own.send_cq, &own.sent, work,
                {.status = status, .length = counts ? work.length() : 0}, false);
}

Finished* Verbs::FinishReceive(uint32_t qp, const WorkRequest& work, WcStatus status,
                               bool solicited, uint32_t length) {
  Qp& own = qps_[qp];
  const uint32_t named = own.xrc.srq;
  const uint32_t cq = named == kNobody ? own.receive_cq : srqs_[named].xrc.cq;
  return Finish(own, cq, &own.received, work, {.status = status, .length = length}, solicited);
}

// A full completion queue loses completions. source: linux 6.1 rxe_cq.c rxe_cq_post
Finished* Verbs::Finish(const Qp& qp, uint32_t cq, OwnCq* own, const WorkRequest& work,
                        Completion completion, bool solicited) {
  const bool shared = cq != kNobody;
  if (shared ? cqs_.Full(cq) : own->done.size() >= QueueLimits::kWork) {
    if (shared) Report(ObjectEvent::kCqErr, cq);
    return nullptr;
  }
  completion.context = work.context;
  if (completion.status == WcStatus::kSuccess)
    completion.opcode = work.opcode;
  else
    completion.length = 0;
  (shared ? cqs_.EventsOf(cq) : own->events).Completed(solicited);
  Finished finished{.completion = completion, .pieces = work.pieces, .wr_id = work.wr_id};
  if (shared) {
    return cqs_.Add(
        cq, {.finished = std::move(finished), .qp_number = qp.number, .datagram = qp.datagram});
  }
  own->done.push_back(std::move(finished));
  return &own->done.back();
}

// Each request once, in the order of posting. Receives of a shared queue stay there. A flushed
// receive is solicited. source: linux 6.1 rxe_resp.c do_complete
void Verbs::Flush(uint32_t qp) {
  Qp& own = qps_[qp];
  if (!own.flights.empty()) own.ForgetFlights();
  for (const WorkRequest& work : own.sends) FinishSend(qp, work, WcStatus::kWrFlush);
  own.sends.clear();
  for (const WorkRequest& work : own.receives) FinishReceive(qp, work, WcStatus::kWrFlush, true);
  own.receives.clear();
}

Fifo<WorkRequest>* Verbs::ReceivesOf(uint32_t qp) {
  const uint32_t srq = qps_[qp].TakesFrom();
  return srq == kNobody ? &qps_[qp].receives : srqs_.receives(srq);
}

// The next receive of a queue pair; there must be one.
WorkRequest Verbs::TakeReceive(uint32_t qp) {
  Fifo<WorkRequest>* const receives = ReceivesOf(qp);
  WorkRequest first = std::move(receives->front());
  receives->pop_front();
  const uint32_t srq = qps_[qp].TakesFrom();
  if (srq != kNobody && srqs_.ReachesLimit(srq)) Report(ObjectEvent::kSrqLimitReached, srq);
  return first;
}

bool Verbs::FindXrcQueue(uint32_t qp, const WorkRequest& work) {
  Qp& own = qps_[qp];
  if (own.xrc.role != XrcRole::kTarget) return true;
  own.xrc.srq = srqs_.Find(own.xrc.domain, work.srq_number);
  return own.xrc.srq != kNobody;
}

}  // namespace cm::sim
