// Queues: what is posted, what is polled, what is flushed.
// source: linux 6.1 rxe_verbs.c rxe_post_send, rdma-core 44 providers/rxe/rxe.c
#include <algorithm>
#include <span>
#include <utility>

#include "sim/verbs/verbs.h"

namespace cm::sim {
namespace {

bool ForReceives(const WorkRequest& work) { return work.opcode == WcOpcode::kReceive; }

}  // namespace

bool Verbs::Shared(uint32_t srq) const {
  for (uint32_t qp = 0; qp < qps_.end(); ++qp)
    if (qps_.Live(qp) && qps_[qp].srq == srq) return true;
  return false;
}

// EBUSY, which nobody hears, while a queue pair takes from it.
void Verbs::DestroySrq(uint32_t srq) {
  srqs_[srq].orphaned = true;
  if (!Shared(srq)) srqs_.Free(srq);
}

void Verbs::Destroy(uint32_t qp) {
  const uint32_t srq = qps_[qp].srq;
  qps_.Free(qp);
  if (srq != kNobody && srqs_[srq].orphaned && !Shared(srq)) srqs_.Free(srq);
}

Errno Verbs::Take(Fifo<WorkRequest>* queue, WorkRequest work) {
  if (!work.unlimited && queue->size() >= QueueLimits::kWork) return Errno::kNoMem;
  if (!work.unlimited && work.pieces.size() > QueueLimits::kSges) return Errno::kInval;
  queue->push_back(std::move(work));
  return Errno::kNone;
}

Errno Verbs::PostToSrq(uint32_t srq, WorkRequest work) {
  return Take(&srqs_[srq].receives, std::move(work));
}

Errno Verbs::PostReceive(uint32_t qp, WorkRequest work) {
  if (qps_[qp].srq != kNobody) return Errno::kInval;
  // Nobody tells the kernel: what is posted in ERR lies there until it is moved there once more.
  return Take(&qps_[qp].receives, std::move(work));
}

Errno Verbs::PostSend(Wires w, uint32_t qp, WorkRequest work) {
  Qp& own = qps_[qp];
  if (!work.unlimited) {
    if (work.pieces.size() > QueueLimits::kSges) return Errno::kInval;
    if (work.is_inline && work.length() > QueueLimits::kInline) return Errno::kInval;
    if (own.sends.size() >= QueueLimits::kWork) return Errno::kNoMem;
  }
  if (own.state != QpState::kRts && own.state != QpState::kErr) return Errno::kInval;
  if (work.is_inline && !work.pieces.empty()) work.data = Gather(w.memory, work.pieces);
  own.sends.push_back(std::move(work));
  if (own.state == QpState::kErr)
    Flush(qp);
  else if (own.due == Instant::Never())
    Schedule(w, qp, {});
  return Errno::kNone;
}

std::optional<Completion> Verbs::Poll(uint32_t qp, Fifo<Finished>* done) const {
  if (done->empty()) return std::nullopt;
  const bool newest = defect_ == Defect::kCompletionsReversed;
  const Finished finished = newest ? done->back() : done->front();
  if (newest)
    done->pop_back();
  else
    done->pop_front();
  Completion completion = finished.completion;
  const bool fills =
      completion.opcode == WcOpcode::kReceive || completion.opcode == WcOpcode::kRead;
  if (completion.status != WcStatus::kSuccess || !fills) return completion;
  std::vector<uint8_t> bytes = Gather(nullptr, finished.pieces);
  if (bytes.size() > completion.length) bytes.resize(completion.length);
  // What stands in front of a datagram is of its route.
  const size_t from = qps_[qp].datagram && bytes.size() > kDatagramHeader ? kDatagramHeader : 0;
  BytesDigest digest;
  digest.Add(std::span<const uint8_t>(bytes).subspan(from));
  completion.bytes = digest.value();
  return completion;
}

// A completion queue that is full loses what comes.
Finished* Verbs::Finish(Fifo<Finished>* done, const WorkRequest& work, WcStatus status,
                        uint32_t length) {
  if (!work.unlimited && done->size() >= QueueLimits::kWork) return nullptr;
  Finished finished{.completion = {.status = status, .context = work.context},
                    .pieces = work.pieces,
                    .wr_id = work.wr_id,
                    .order = {++finished_.value}};
  if (status == WcStatus::kSuccess) {
    finished.completion.opcode = work.opcode;
    const bool counts = ForReceives(work) || work.opcode == WcOpcode::kRead;
    finished.completion.length = counts ? length : 0;
  }
  done->push_back(std::move(finished));
  return &done->back();
}

Finished Verbs::Take(Fifo<Finished>* done) {
  Finished first = std::move(done->front());
  done->pop_front();
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
  for (const WorkRequest& work : own.sends) Finish(&own.sent, work, WcStatus::kWrFlush, 0);
  if (defect_ == Defect::kFlushTwice && !own.sends.empty())
    Finish(&own.sent, own.sends.back(), WcStatus::kWrFlush, 0);
  own.sends.clear();
  if (defect_ != Defect::kFlushForgetsReceives)
    for (const WorkRequest& work : own.receives) Finish(&own.received, work, WcStatus::kWrFlush, 0);
  own.receives.clear();
}

}  // namespace cm::sim
