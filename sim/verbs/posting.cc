// Posting, polling and flushing of queues. source: linux 6.1 rxe_verbs.c rxe_post_send, rdma-core
// 44 providers/rxe/rxe.c
#include <algorithm>
#include <span>
#include <utility>

#include "sim/verbs/verbs.h"

namespace cm::sim {
namespace {

bool ForReceives(const WorkRequest& work) { return work.opcode == WcOpcode::kReceive; }

}  // namespace

std::vector<uint8_t> RouteHeader(const std::array<uint8_t, 16>& from,
                                 const std::array<uint8_t, 16>& to, uint32_t length) {
  std::vector<uint8_t> header(kDatagramHeader);
  header[0] = 0x60;  // version 6
  header[4] = static_cast<uint8_t>(length >> 8);
  header[5] = static_cast<uint8_t>(length);
  header[6] = 0x1b;  // a transport header of InfiniBand follows
  header[7] = 64;
  std::ranges::copy(from, header.begin() + 8);
  std::ranges::copy(to, header.begin() + 24);
  return header;
}

bool Verbs::Shared(uint32_t srq) const {
  for (uint32_t qp = 0; qp < qps_.end(); ++qp)
    if (qps_.Live(qp) && qps_[qp].srq == srq) return true;
  return false;
}

// EBUSY, which the library ignores, while a queue pair uses it.
void Verbs::DestroySrq(uint32_t srq) {
  srqs_[srq].orphaned = true;
  if (!Shared(srq)) srqs_.Free(srq);
}

void Verbs::Destroy(uint32_t qp) {
  const uint32_t srq = qps_[qp].srq;
  qps_.Free(qp);
  if (srq != kNobody && srqs_[srq].orphaned && !Shared(srq)) srqs_.Free(srq);
}

Errno Verbs::Take(Fifo<WorkRequest>* queue, const Room& room, WorkRequest work) {
  if (queue->size() >= room.work) return Errno::kNoMem;
  if (work.pieces.size() + work.empty_pieces > room.pieces) return Errno::kInval;
  queue->push_back(std::move(work));
  return Errno::kNone;
}

Errno Verbs::PostToSrq(uint32_t srq, WorkRequest work) {
  return Take(&srqs_[srq].receives, srqs_[srq].room, std::move(work));
}

Errno Verbs::PostReceive(uint32_t qp, WorkRequest work) {
  if (qps_[qp].srq != kNobody) return Errno::kInval;
  // The kernel is not notified: a request posted in ERR stays until the queue pair is moved to ERR
  // once more.
  return Take(&qps_[qp].receives, qps_[qp].room.receives, std::move(work));
}

Errno Verbs::PostSend(Wires w, uint32_t qp, WorkRequest work) {
  Qp& own = qps_[qp];
  if (work.pieces.size() + work.empty_pieces > own.room.sends.pieces) return Errno::kInval;
  if (work.is_inline && work.length() > own.room.inlined) return Errno::kInval;
  if (own.sends.size() >= own.room.sends.work) return Errno::kNoMem;
  const bool takes = own.state == QpState::kRts || own.state == QpState::kErr;
  if (!takes && own.state != QpState::kSqd) return Errno::kInval;
  if (work.is_inline && !work.pieces.empty()) Gather(w.memory, work.pieces, &work.data);
  own.sends.push_back(std::move(work));
  if (own.state == QpState::kErr)
    Flush(qp);
  else if (own.due == Instant::Never() && own.state == QpState::kRts)
    Schedule(w, qp, {});
  return Errno::kNone;
}

std::optional<Completion> Verbs::Poll(uint32_t qp, Fifo<Finished>* done) const {
  if (done->empty()) return std::nullopt;
  const Finished finished = done->front();
  done->pop_front();
  Completion completion = finished.completion;
  const bool fills =
      completion.opcode == WcOpcode::kReceive || completion.opcode == WcOpcode::kRead;
  if (completion.status != WcStatus::kSuccess || !fills) return completion;
  std::vector<uint8_t> bytes;
  Gather(nullptr, finished.pieces, &bytes);
  if (bytes.size() > completion.length) bytes.resize(completion.length);
  // The GRH of a datagram has the addresses of its path.
  const size_t from = qps_[qp].datagram && bytes.size() > kDatagramHeader ? kDatagramHeader : 0;
  BytesDigest digest;
  digest.Add(std::span<const uint8_t>(bytes).subspan(from));
  completion.bytes = digest.value();
  return completion;
}

// A full completion queue loses completions. source: linux 6.1 rxe_cq.c rxe_cq_post
Finished* Verbs::Finish(const Qp& qp, uint32_t cq, Fifo<Finished>* own, const WorkRequest& work,
                        WcStatus status, uint32_t length) {
  const bool shared = cq != kNobody;
  const bool full =
      shared ? cqs_[cq].done.size() >= cqs_[cq].holds : own->size() >= QueueLimits::kWork;
  if (full) {
    if (shared) news_.push_back({.what = ObjectEvent::kCqErr, .object = cq});
    return nullptr;
  }
  Finished finished{.completion = {.status = status, .context = work.context},
                    .pieces = work.pieces,
                    .wr_id = work.wr_id,
                    .order = {++finished_.value}};
  if (status == WcStatus::kSuccess) {
    finished.completion.opcode = work.opcode;
    const bool counts =
        ForReceives(work) || work.opcode == WcOpcode::kRead || IsAtomic(work.opcode);
    finished.completion.length = counts ? length : 0;
  }
  if (shared) {
    cqs_[cq].done.push_back(
        {.finished = std::move(finished), .qp_number = qp.number, .datagram = qp.datagram});
    return &cqs_[cq].done.back().finished;
  }
  own->push_back(std::move(finished));
  return &own->back();
}

// The next receive of a queue pair; there must be one. source: linux 6.1 rxe_resp.c get_srq_wqe
WorkRequest Verbs::TakeReceive(uint32_t qp) {
  const uint32_t number = qps_[qp].srq;
  Fifo<WorkRequest>* const receives = ReceivesOf(qp);
  WorkRequest first = std::move(receives->front());
  receives->pop_front();
  if (number == kNobody) return first;
  Srq& srq = srqs_[number];
  if (receives->size() >= srq.limit) return first;
  srq.limit = 0;
  news_.push_back({.what = ObjectEvent::kSrqLimitReached, .object = number});
  return first;
}

Cq::Entry Verbs::Take(uint32_t cq) {
  Cq::Entry first = std::move(cqs_[cq].done.front());
  cqs_[cq].done.pop_front();
  return first;
}

bool Verbs::Detach(uint32_t qp, const Group& group) {
  std::vector<Group>& groups = qps_[qp].groups;
  const auto found = std::ranges::find(groups, group);
  if (found == groups.end()) return false;
  groups.erase(found);
  return true;
}

// Each request once, in the order of posting. Receives of a shared queue stay there.
void Verbs::Flush(uint32_t qp) {
  Qp& own = qps_[qp];
  own.due = Instant::Never();
  for (const WorkRequest& work : own.sends) FinishSend(qp, work, WcStatus::kWrFlush, 0);
  own.sends.clear();
  for (const WorkRequest& work : own.receives) FinishReceive(qp, work, WcStatus::kWrFlush, 0);
  own.receives.clear();
}

}  // namespace cm::sim
