// Execution of work requests: messages consume receives, reads and writes access memory.
//
// A request is executed in one step, a short while after it has become the first of its queue;
// while its peer cannot accept it, it is retried. source: linux 6.1 rxe_req.c, rxe_resp.c,
// rxe_comp.c; IBA 9.7
#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/verbs/verbs.h"

namespace cm::sim {
namespace {

constexpr Duration kLatency = Duration::Microseconds(10);
// The library sets none, which means the longest.
constexpr Duration kRnrTimer = Duration::Microseconds(655360);
constexpr uint8_t kForEver = 7;  // as an RNR retry count

// source: linux 6.1 rxe_recv.c check_type_state
bool Receives(const Qp& qp) {
  return qp.state == QpState::kRtr || qp.state == QpState::kRts || qp.state == QpState::kSqd;
}

}  // namespace

void Verbs::Schedule(Wires w, uint32_t qp, Duration after) {
  qps_[qp].due = w.agenda->Now() + after + kLatency;
  w.agenda->At(qps_[qp].due, EventKind::kWorkDue, qp);
}

// Receives of a shared queue never belong to the queue pair, so none of them is left with it.
void Verbs::SetError(uint32_t qp) {
  const Qp& own = qps_[qp];
  qps_[qp].state = QpState::kErr;
  Flush(qp);
  const bool of_program = own.receive_cq != kNobody;
  if (own.srq != kNobody && of_program)
    news_.push_back({.what = ObjectEvent::kQpLastWqeReached, .object = qp});
}

uint32_t Verbs::FindQp(const QpAddress& address) const {
  for (uint32_t qp = 0; qp < qps_.end(); ++qp)
    if (qps_.Live(qp) && qps_[qp].device == address.device && qps_[qp].number == address.number)
      return qp;
  return kNobody;
}

Fifo<WorkRequest>* Verbs::ReceivesOf(uint32_t qp) {
  const uint32_t srq = qps_[qp].srq;
  return srq == kNobody ? &qps_[qp].receives : &srqs_[srq].receives;
}

void Verbs::OnWorkDue(Wires w, uint32_t qp) {
  if (!qps_.Live(qp) || qps_[qp].due != w.agenda->Now()) return;
  qps_[qp].due = Instant::Never();
  if (!CarriesOut(qps_[qp]) || qps_[qp].sends.empty()) return;
  WorkRequest work = qps_[qp].sends.front();
  const Carried carried = Carry(w, qp, &work);
  Qp& own = qps_[qp];
  if (carried.stays) return;
  if (carried.again) return Schedule(w, qp, *carried.again);
  if (!CarriesOut(own) || own.sends.empty()) return;  // its own request changed its state
  own.sends.pop_front();
  own.retries_left = own.connection.retry_count;
  own.rnr_retries_left = own.connection.rnr_retry_count;
  if (carried.status != WcStatus::kSuccess || work.signaled)
    FinishSend(qp, work, carried.status, work.length());
  if (carried.status != WcStatus::kSuccess) return SetError(qp);
  if (own.state == QpState::kSqd && --own.draining == 0) return Drained(qp);
  if (!own.sends.empty()) Schedule(w, qp, {});
}

// A request posted then waits for RTS, and for a post there. source: linux 6.1 rxe_comp.c
// complete_ack, rxe_qp.c rxe_qp_from_attr
void Verbs::Drained(uint32_t qp) {
  news_.push_back({.what = ObjectEvent::kSqDrained, .object = qp});
}

// After the ACK timeout of its path, which is also the connection's time in timewait. source: linux
// 6.1 cm.c cm_init_qp_rts_attr, cm_enter_timewait, rxe_qp.c rxe_qp_from_attr
Verbs::Carried Verbs::Retry(Wires w, uint32_t qp) {
  Qp& own = qps_[qp];
  if (own.retries_left == 0) return {.status = WcStatus::kRetryExc};
  --own.retries_left;
  return {.again = w.profile->timing.Timewait()};
}

void Verbs::SendRest(Wires w, uint32_t qp) {
  if (!qps_[qp].datagram || !CarriesOut(qps_[qp])) return;
  const bool drains = qps_[qp].state == QpState::kSqd;
  Fifo<WorkRequest> rest = qps_[qp].sends;
  for (size_t left = drains ? qps_[qp].draining : rest.size(); left > 0; --left) {
    Carry(w, qp, &rest.front());
    rest.pop_front();
  }
}

// The memory is read before the peer receives the message.
bool Verbs::Fetch(Wires w, uint32_t qp, WorkRequest* work) const {
  const bool sends = work->opcode == WcOpcode::kSend || work->opcode == WcOpcode::kWrite;
  if (!sends || work->is_inline) return true;
  return MayRead(qps_[qp], work->pieces) && Gather(w.memory, work->pieces, &work->data);
}

Verbs::Carried Verbs::Carry(Wires w, uint32_t qp, WorkRequest* request) {
  if (!Fetch(w, qp, request)) return {.status = WcStatus::kLocProt};
  const WorkRequest& work = *request;
  const Qp& own = qps_[qp];
  if (own.datagram) return CarryDatagram(w, qp, work);
  const bool asks = work.opcode == WcOpcode::kRead || IsAtomic(work.opcode);
  // Nor are any requests after it. source: linux 6.1 rxe_req.c check_init_depth
  if (asks && own.connection.initiator_depth == 0) return {.stays = true};
  const QpAddress& there = own.connection.peer;
  const uint32_t peer = w.fabric->Linked(own.device, there.device) ? FindQp(there) : kNobody;
  // A queue pair that reuses the number of another one does not know its connection.
  const bool takes =
      peer != kNobody && qps_[peer].connection.peer == OwnAddress(qp) && Receives(qps_[peer]);
  if (!takes) return Retry(w, qp);
  if (work.opcode == WcOpcode::kSend) return CarryMessage(w, qp, peer, work);
  if (work.opcode == WcOpcode::kWrite) return CarryWrite(w, qp, peer, work);
  return work.opcode == WcOpcode::kRead ? CarryRead(w, qp, peer, work)
                                        : CarryAtomic(w, qp, peer, work);
}

// Its peer fails as well.
Verbs::Carried Verbs::Refuse(uint32_t peer, WcStatus status) {
  SetError(peer);
  return {.status = status};
}

// Its peer has no receive for the message.
Verbs::Carried Verbs::NotReady(uint32_t qp) {
  Qp& own = qps_[qp];
  if (own.connection.rnr_retry_count == kForEver) return {.again = kRnrTimer};
  if (own.rnr_retries_left == 0) return {.status = WcStatus::kRnrRetryExc};
  --own.rnr_retries_left;
  return {.again = kRnrTimer};
}

Verbs::Carried Verbs::CarryMessage(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work) {
  if (ReceivesOf(peer)->empty()) return NotReady(qp);
  const WorkRequest receive = TakeReceive(peer);
  const auto fail = [&](WcStatus here, WcStatus there) {
    FinishReceive(peer, receive, there, 0);
    SetError(peer);
    return Carried{.status = here};
  };
  const bool too_long = work.length() > receive.length();
  if (too_long && w.profile->dialect.long_messages_as_manual)
    return fail(WcStatus::kRemInvReq, WcStatus::kLocLen);
  if (too_long || !MayWrite(qps_[peer], receive.pieces) ||
      !Scatter(w.memory, receive.pieces, work.data))
    return fail(WcStatus::kRemOp, WcStatus::kLocQpOp);
  Finished* const done = FinishReceive(peer, receive, WcStatus::kSuccess, work.length());
  if (done == nullptr) return Overrun(w, qp, peer);
  done->immediate = work.immediate;
  return {};
}

// Its peer's completion queue is full: the peer fails, and acknowledges nothing.
// source: linux 6.1 rxe_resp.c rxe_responder
Verbs::Carried Verbs::Overrun(Wires w, uint32_t qp, uint32_t peer) {
  SetError(peer);
  return Retry(w, qp);
}

// No completion reports the outcome.
Verbs::Carried Verbs::CarryDatagram(Wires w, uint32_t qp, const WorkRequest& work) {
  const uint8_t from = qps_[qp].device;
  if (work.group == Group{}) {
    const bool linked = w.fabric->Linked(from, work.to.device);
    const uint32_t peer = linked ? FindQp(work.to) : kNobody;
    if (peer != kNobody) Deliver(w, qp, peer, work);
    return {};
  }
  for (uint32_t peer = 0; peer < qps_.end(); ++peer) {
    if (peer == qp || !qps_.Live(peer) || !w.fabric->Linked(from, qps_[peer].device)) continue;
    if (std::ranges::count(qps_[peer].groups, work.group) != 0) Deliver(w, qp, peer, work);
  }
  return {};
}

void Verbs::Deliver(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work) {
  if (!qps_[peer].datagram || !Receives(qps_[peer])) return;
  Fifo<WorkRequest>* const receives = ReceivesOf(peer);
  if (receives->empty()) return;
  const uint32_t length = work.length() + kDatagramHeader;
  const WorkRequest& next = receives->front();
  if (length > next.length() || !MayWrite(qps_[peer], next.pieces)) return;
  const WorkRequest receive = TakeReceive(peer);
  if (!Scatter(w.memory, receive.pieces, work.header) ||
      !Scatter(w.memory, receive.pieces, work.data, kDatagramHeader)) {
    FinishReceive(peer, receive, WcStatus::kLocQpOp, 0);
    return SetError(peer);
  }
  Finished* const done = FinishReceive(peer, receive, WcStatus::kSuccess, length);
  if (done == nullptr) return SetError(peer);
  done->immediate = work.immediate;
  done->source_number = qps_[qp].number;
}

// source: linux 6.1 rxe_resp.c check_op_valid
Verbs::Carried Verbs::CarryWrite(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work) {
  if (!qps_[peer].connection.remote_write) return Refuse(peer, WcStatus::kRemInvReq);
  if (work.immediate && ReceivesOf(peer)->empty()) return NotReady(qp);
  const Carried carried = WriteThere(w, peer, work);
  if (carried.status != WcStatus::kSuccess || !work.immediate) return carried;
  const WorkRequest receive = TakeReceive(peer);
  Finished* const done = FinishReceive(peer, receive, WcStatus::kSuccess, work.length());
  if (done == nullptr) return Overrun(w, qp, peer);
  done->immediate = work.immediate;
  done->by_write = true;
  return carried;
}

Verbs::Carried Verbs::WriteThere(Wires w, uint32_t peer, const WorkRequest& work) {
  if (work.length() == 0 && work.immediate) return {};  // it needs no key
  const bool reaches = Reaches(qps_[peer], work.remote);
  if (!reaches || !regions_[work.remote.region].remote_write)
    return Refuse(peer, WcStatus::kRemAccess);
  if (!Scatter(w.memory, {work.remote}, work.data)) return Refuse(peer, WcStatus::kRemAccess);
  return {};
}

// source: linux 6.1 rxe_resp.c check_op_valid, check_resource, check_rkey
Verbs::Carried Verbs::CarryRead(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work) {
  const Connection& there = qps_[peer].connection;
  if (!there.remote_read || there.responder_resources == 0)
    return Refuse(peer, WcStatus::kRemInvReq);
  const bool reaches = Reaches(qps_[peer], work.remote);
  std::vector<uint8_t> bytes;
  if (!reaches || !regions_[work.remote.region].remote_read ||
      !Gather(w.memory, {work.remote}, &bytes))
    return Refuse(peer, WcStatus::kRemAccess);
  if (!MayWrite(qps_[qp], work.pieces) || !Scatter(w.memory, work.pieces, bytes))
    return {.status = WcStatus::kLocProt};
  return {};
}

// The old value is returned, after it was replaced. source: linux 6.1 rxe_resp.c check_op_valid,
// check_rkey, atomic_reply; rxe_comp.c do_atomic
Verbs::Carried Verbs::CarryAtomic(Wires w, uint32_t qp, uint32_t peer, const WorkRequest& work) {
  const Connection& there = qps_[peer].connection;
  if (!there.remote_atomic || there.responder_resources == 0)
    return Refuse(peer, WcStatus::kRemInvReq);
  const bool reaches = Reaches(qps_[peer], work.remote);
  std::vector<uint8_t> bytes;
  if (!reaches || !regions_[work.remote.region].remote_atomic ||
      !Gather(w.memory, {work.remote}, &bytes))
    return Refuse(peer, WcStatus::kRemAccess);
  AtomicOperands operands;
  uint64_t before = 0;
  std::memcpy(&operands, work.data.data(), sizeof operands);
  std::memcpy(&before, bytes.data(), sizeof before);
  uint64_t after = before + operands.compare_or_add;
  if (work.opcode == kCompareAndSwap)
    after = before == operands.compare_or_add ? operands.swap : before;
  std::memcpy(bytes.data(), &after, sizeof after);
  if (!Scatter(w.memory, {work.remote}, bytes)) return Refuse(peer, WcStatus::kRemAccess);
  std::memcpy(bytes.data(), &before, sizeof before);
  if (!MayWrite(qps_[qp], work.pieces) || !Scatter(w.memory, work.pieces, bytes))
    return {.status = WcStatus::kLocProt};
  return {};
}

}  // namespace cm::sim
