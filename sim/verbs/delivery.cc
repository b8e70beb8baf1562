// Execution of work requests: messages consume receives, reads and writes access memory.
//
// A request is executed in one step, a short while after it has become the first of its queue;
// while its peer cannot accept it, it is retried. source: linux 6.1 rxe_req.c, rxe_resp.c,
// rxe_comp.c; IBA 9.7
#include <endian.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "sim/verbs/verbs.h"

namespace cm::sim {
namespace {

// The library sets none, which means the longest.
constexpr Duration kRnrTimer = Duration::Microseconds(655360);
constexpr uint8_t kForEver = 7;  // as an RNR retry count
// source: <infiniband/verbs.h> enum ibv_access_flags
constexpr uint32_t kRemoteWrite = 2, kRemoteRead = 4, kRemoteAtomic = 8;

// What comes of a request: done, to be retried, failed, or it stays in the queue.
struct Outcome {
  WcStatus status = WcStatus::kSuccess;
  std::optional<Duration> again;
  bool stays = false;
};

DataNote::What WhatOf(WcOpcode opcode) {
  if (opcode == kCompareAndSwap) return DataNote::What::kCompareAndSwap;
  if (opcode == kFetchAndAdd) return DataNote::What::kFetchAndAdd;
  if (opcode == WcOpcode::kRead) return DataNote::What::kRead;
  return opcode == WcOpcode::kWrite ? DataNote::What::kWrite : DataNote::What::kSend;
}

}  // namespace

// One attempt to execute a request of the queue pair `qp`.
class Verbs::Delivery {
 public:
  Delivery(const Context& c, Verbs* verbs, uint32_t qp, WorkRequest work)
      : c_(c), v_(*verbs), qp_(qp), own_(verbs->qps_[qp]), work_(std::move(work)) {}

  Outcome Execute() {
    const Outcome outcome = Carry();
    if (c_.fabric->watches_data) Note(outcome);
    return outcome;
  }

 private:
  Outcome Carry();
  void Note(const Outcome& outcome);
  bool Fetch();
  Outcome Datagram();
  void DatagramTo(uint32_t peer);
  // To the peer of the connection.
  Outcome Send();
  Outcome Write();
  Outcome WriteThere();
  Outcome Read();
  Outcome Atomic();
  // Here.
  Outcome OnWindow();

  Finished* FinishReceive(uint32_t peer, const WorkRequest& receive, WcStatus status,
                          uint32_t length = 0) {
    return v_.FinishReceive(peer, receive, status, work_.solicited, length);
  }
  Outcome Refuse(WcStatus status);
  Outcome NotReady();
  Outcome Overrun();
  Outcome Retry();

  Protection ProtectionOf(const Qp& qp) const { return {c_.fabric->CaOf(qp.device), qp.domain}; }
  // By a rule; the acknowledgement of what arrives is never lost.
  bool IsLost(uint8_t to) const {
    return c_.fabric->OfData(c_.agenda->Now(), own_.device, to).lost;
  }
  bool ReachesRemote(bool Region::*permits, uint32_t access);
  bool MayWrite(const Qp& qp, const std::vector<Piece>& pieces) const {
    return v_.regions_.MayWrite(ProtectionOf(qp), pieces);
  }
  bool Scatter(const std::vector<Piece>& pieces, const std::vector<uint8_t>& bytes,
               uint32_t skip = 0) {
    return v_.regions_.Scatter(c_.memory, pieces, bytes, skip);
  }
  const Region& Remote() const { return v_.regions_[work_.remote.region]; }
  const Qp& Peer() const { return v_.qps_[peer_]; }

  const Context& c_;
  Verbs& v_;
  const uint32_t qp_;
  Qp& own_;
  WorkRequest work_;
  uint32_t peer_ = kNobody;
  bool sent_ = false;
  // For observers.
  DataNote::Answer answer_ = DataNote::Answer::kNone;
  std::vector<uint8_t> result_;
};

void Verbs::Schedule(const Context& c, uint32_t qp, Duration after) {
  const Qp& own = qps_[qp];
  const Instant now = c.agenda->Now();
  if (IsLocal(own.sends.front().opcode)) {
    qps_[qp].due = now;
    return c.agenda->At(now, EventKind::kWorkDue, qp);
  }
  const bool known = !own.datagram || own.sends.front().group == Group{};
  const QpAddress& there = own.datagram ? own.sends.front().to : own.connection.peer;
  const Duration later = known ? c.fabric->OfData(now, own.device, there.device).later : Duration();
  // What is sent again has no place among what the device sends meanwhile.
  Duration leaves;
  if (const uint64_t bytes = own.sends.front().length(); after == Duration()) {
    const bool answers = own.sends.front().opcode == WcOpcode::kRead;
    const uint8_t to = known ? there.device : kNoDevice;
    leaves = answers ? c.fabric->Leaves(now, to, own.device, bytes)
                     : c.fabric->Leaves(now, own.device, to, bytes);
  }
  qps_[qp].due = now + after + leaves + Fabric::kLatency + later;
  c.agenda->At(qps_[qp].due, EventKind::kWorkDue, qp);
}

void Verbs::OnWorkDue(const Context& c, uint32_t qp) {
  if (!qps_.Live(qp) || qps_[qp].due != c.agenda->Now()) return;
  Qp& own = qps_[qp];
  own.due = Instant::Never();
  if (!own.Sends() || own.sends.empty()) return;
  const Outcome outcome = Delivery(c, this, qp, own.sends.front()).Execute();
  if (outcome.stays) return;
  if (outcome.again) return Schedule(c, qp, *outcome.again);
  if (!own.Sends() || own.sends.empty()) return;  // its own request changed its state
  const WorkRequest work = std::move(own.sends.front());
  own.sends.pop_front();
  own.retries_left = own.connection.retry_count;
  own.rnr_retries_left = own.connection.rnr_retry_count;
  const bool done = outcome.status == WcStatus::kSuccess;
  if (!done || work.signaled) FinishSend(qp, work, outcome.status);
  if (!done) return SetError(qp);
  // A request posted after the last one waits for RTS, and for a post there. source: linux 6.1
  // rxe_comp.c complete_ack, rxe_qp.c rxe_qp_from_attr
  if (own.state == QpState::kSqd && --own.draining == 0) return Report(ObjectEvent::kSqDrained, qp);
  if (!own.sends.empty()) Schedule(c, qp, {});
}

void Verbs::SendRest(const Context& c, uint32_t qp) {
  const Qp& own = qps_[qp];
  if (!own.datagram || !own.Sends()) return;
  const bool drains = own.state == QpState::kSqd;
  Fifo<WorkRequest> rest = own.sends;
  for (size_t left = drains ? own.draining : rest.size(); left > 0; --left) {
    Delivery(c, this, qp, rest.front()).Execute();
    rest.pop_front();
  }
}

// The memory is read before the peer receives the message.
bool Verbs::Delivery::Fetch() {
  const bool sends = work_.opcode == WcOpcode::kSend || work_.opcode == WcOpcode::kWrite;
  if (!sends || work_.is_inline) return true;
  return v_.regions_.MayRead(ProtectionOf(own_), work_.pieces) &&
         v_.regions_.Gather(c_.memory, work_.pieces, &work_.data);
}

Outcome Verbs::Delivery::Carry() {
  if (IsLocal(work_.opcode)) return OnWindow();
  if (!Fetch()) return {.status = WcStatus::kLocProt};
  sent_ = true;
  if (own_.datagram) return Datagram();
  const bool asks = work_.opcode == WcOpcode::kRead || IsAtomic(work_.opcode);
  // Nor are any requests after it. source: linux 6.1 rxe_req.c check_init_depth
  sent_ = !asks || own_.connection.initiator_depth != 0;
  if (!sent_) return {.stays = true};
  const QpAddress& there = own_.connection.peer;
  if (c_.fabric->Linked(own_.device, there.device)) peer_ = v_.FindQp(there);
  // A queue pair that reuses the number of another one does not know its connection.
  const bool takes = peer_ != kNobody && Peer().Receives() &&
                     Peer().connection.peer == QpAddress{own_.device, own_.number} &&
                     own_.xrc.Joins(Peer().xrc.role);
  if (!takes || IsLost(there.device)) return Retry();
  if (!v_.TurnTo(peer_, work_)) return Refuse(WcStatus::kRemInvReq);
  if (work_.opcode == WcOpcode::kSend) return Send();
  if (work_.opcode == WcOpcode::kWrite) return Write();
  return work_.opcode == WcOpcode::kRead ? Read() : Atomic();
}

// The peer fails as well.
Outcome Verbs::Delivery::Refuse(WcStatus status) {
  answer_ = status == WcStatus::kRemInvReq   ? DataNote::Answer::kInvalid
            : status == WcStatus::kRemAccess ? DataNote::Answer::kNoAccess
                                             : DataNote::Answer::kFailed;
  v_.SetError(peer_);
  return {.status = status};
}

// The peer has no receive for the message.
Outcome Verbs::Delivery::NotReady() {
  answer_ = DataNote::Answer::kNotReady;
  if (own_.connection.rnr_retry_count == kForEver) return {.again = kRnrTimer};
  if (own_.rnr_retries_left == 0) return {.status = WcStatus::kRnrRetryExc};
  --own_.rnr_retries_left;
  return {.again = kRnrTimer};
}

// The peer's completion queue is full: the peer fails, and acknowledges nothing.
// source: linux 6.1 rxe_resp.c rxe_responder
Outcome Verbs::Delivery::Overrun() {
  v_.SetError(peer_);
  return Retry();
}

// Not of datagrams to a group.
void Verbs::Delivery::Note(const Outcome& outcome) {
  const QpAddress& there = own_.datagram ? work_.to : own_.connection.peer;
  const bool to_group = own_.datagram && work_.group != Group{};
  if (!sent_ || to_group || there.device == own_.device || there.device == kNoDevice) return;
  auto note = std::make_shared<DataNote>();
  note->what = WhatOf(work_.opcode);
  note->datagram = own_.datagram;
  note->solicited = work_.solicited;
  const bool done = outcome.status == WcStatus::kSuccess && !outcome.again;
  note->answer = done ? DataNote::Answer::kAck : answer_;
  note->source_number = own_.number;
  note->number = there.number;
  const bool reads = work_.opcode == WcOpcode::kRead;
  note->bytes = reads || IsAtomic(work_.opcode) ? result_ : work_.data;
  note->remote_key =
      work_.window ? work_.window->key : work_.remote.region + 1;  // source: VerbsEnd::RemoteOf
  note->remote_address = work_.remote.offset;
  if (work_.remote.region < v_.regions_.all().size()) note->remote_address += Remote().address;
  note->length = work_.length();
  if (work_.immediate) note->immediate = be32toh(*work_.immediate);  // as the header has it
  if (IsAtomic(work_.opcode)) {
    AtomicOperands operands;
    std::memcpy(&operands, work_.data.data(), sizeof operands);
    note->compare_or_add = operands.compare_or_add;
    note->swap = operands.swap;
    note->bytes.clear();
    if (result_.size() == sizeof note->before)
      std::memcpy(&note->before, result_.data(), sizeof note->before);
  }
  const bool lost = IsLost(there.device) || !c_.fabric->Linked(own_.device, there.device);
  const Duration later = c_.fabric->OfData(c_.agenda->Now(), own_.device, there.device).later;
  c_.fabric->wire_notes.push_back(
      {.at = c_.agenda->Now(),
       .sent = Instant() + (c_.agenda->Now() - Instant() - Fabric::kLatency - later),
       .from = own_.device,
       .to = there.device,
       .lost = lost,
       .data = std::move(note)});
}

// After the ACK timeout of its path, which is also the connection's time in timewait. source: linux
// 6.1 cm.c cm_init_qp_rts_attr, cm_enter_timewait, rxe_qp.c rxe_qp_from_attr
Outcome Verbs::Delivery::Retry() {
  if (own_.retries_left == 0) return {.status = WcStatus::kRetryExc};
  --own_.retries_left;
  return {.again = c_.profile->timing.Timewait()};
}

// No completion reports the outcome.
Outcome Verbs::Delivery::Datagram() {
  if (work_.group == Group{}) {
    const bool linked = c_.fabric->Linked(own_.device, work_.to.device);
    const bool arrives = linked && !IsLost(work_.to.device);
    const uint32_t peer = arrives ? v_.FindQp(work_.to) : kNobody;
    if (peer != kNobody) DatagramTo(peer);
    return {};
  }
  for (uint32_t peer = 0; peer < v_.qps_.end(); ++peer) {
    if (peer == qp_ || !v_.qps_.Live(peer)) continue;
    const Qp& there = v_.qps_[peer];
    if (!c_.fabric->Linked(own_.device, there.device) || IsLost(there.device)) continue;
    if (std::ranges::count(there.groups, work_.group) != 0) DatagramTo(peer);
  }
  return {};
}

void Verbs::Delivery::DatagramTo(uint32_t peer) {
  const Qp& there = v_.qps_[peer];
  if (!there.datagram || !there.Receives()) return;
  Fifo<WorkRequest>* const receives = v_.ReceivesOf(peer);
  if (receives->empty()) return;
  const uint32_t length = work_.length() + kDatagramHeader;
  const WorkRequest& next = receives->front();
  if (length > next.length() || !MayWrite(there, next.pieces)) return;
  const WorkRequest receive = v_.TakeReceive(peer);
  if (!Scatter(receive.pieces, work_.header) ||
      !Scatter(receive.pieces, work_.data, kDatagramHeader)) {
    FinishReceive(peer, receive, WcStatus::kLocQpOp);
    return v_.SetError(peer);
  }
  Finished* const done = FinishReceive(peer, receive, WcStatus::kSuccess, length);
  if (done == nullptr) return v_.SetError(peer);
  done->immediate = work_.immediate;
  done->source_number = own_.number;
}

Outcome Verbs::Delivery::Send() {
  if (v_.ReceivesOf(peer_)->empty()) return NotReady();
  const WorkRequest receive = v_.TakeReceive(peer_);
  const auto fail = [&](WcStatus here, WcStatus there) {
    FinishReceive(peer_, receive, there);
    return Refuse(here);
  };
  const bool too_long = work_.length() > receive.length();
  if (too_long && c_.profile->dialect.long_messages_as_manual)
    return fail(WcStatus::kRemInvReq, WcStatus::kLocLen);
  if (too_long || !MayWrite(Peer(), receive.pieces) || !Scatter(receive.pieces, work_.data))
    return fail(WcStatus::kRemOp, WcStatus::kLocQpOp);
  const bool invalidates = work_.window.has_value();
  if (invalidates &&
      !v_.windows_.Invalidate(ProtectionOf(Peer()).device, work_.window->key, &v_.regions_)) {
    // The message is acknowledged all the same. source: linux 6.1 rxe_resp.c rxe_responder
    FinishReceive(peer_, receive, WcStatus::kRemInvReq);
    v_.SetError(peer_);
    return {};
  }
  Finished* const done = FinishReceive(peer_, receive, WcStatus::kSuccess, work_.length());
  if (done == nullptr) return Overrun();
  done->immediate = work_.immediate;
  if (invalidates) done->invalidated = work_.window->key;
  return {};
}

// source: linux 6.1 rxe_req.c rxe_do_local_ops
Outcome Verbs::Delivery::OnWindow() {
  Windows& windows = v_.windows_;
  const Protection by = ProtectionOf(own_);
  if (work_.opcode == kBindWindow) {
    const bool bound = windows.Bind(by, own_.number, work_.window->binding, &v_.regions_);
    return {.status = bound ? WcStatus::kSuccess : kWindowBindError};
  }
  const bool done = windows.Invalidate(by.device, work_.window->key, &v_.regions_);
  return {.status = done ? WcStatus::kSuccess : WcStatus::kLocQpOp};
}

// By the key of a region that permits it, or of a window with that access.
bool Verbs::Delivery::ReachesRemote(bool Region::*permits, uint32_t access) {
  const Protection by = ProtectionOf(Peer());
  if (work_.window) {
    return v_.windows_.Find(by, Peer().number, access, *work_.window, v_.regions_, &work_.remote) &&
           v_.regions_.Reaches(by, work_.remote);
  }
  return v_.regions_.Reaches(by, work_.remote) && Remote().*permits;
}

// source: linux 6.1 rxe_resp.c check_op_valid
Outcome Verbs::Delivery::Write() {
  if (!Peer().connection.remote_write) return Refuse(WcStatus::kRemInvReq);
  if (work_.immediate && v_.ReceivesOf(peer_)->empty()) return NotReady();
  const Outcome written = WriteThere();
  if (written.status != WcStatus::kSuccess || !work_.immediate) return written;
  const WorkRequest receive = v_.TakeReceive(peer_);
  Finished* const done = FinishReceive(peer_, receive, WcStatus::kSuccess, work_.length());
  if (done == nullptr) return Overrun();
  done->immediate = work_.immediate;
  done->by_write = true;
  return {};
}

// No bytes need no key. source: InfiniBand C9-88; RFC 5040, 5.1; linux 6.1 rxe_resp.c check_rkey
Outcome Verbs::Delivery::WriteThere() {
  if (work_.length() == 0) return {};
  if (!ReachesRemote(&Region::remote_write, kRemoteWrite)) return Refuse(WcStatus::kRemAccess);
  if (!Scatter({work_.remote}, work_.data)) return Refuse(WcStatus::kRemAccess);
  return {};
}

// source: linux 6.1 rxe_resp.c check_op_valid, check_resource, check_rkey
Outcome Verbs::Delivery::Read() {
  const Connection& there = Peer().connection;
  if (!there.remote_read || there.responder_resources == 0) return Refuse(WcStatus::kRemInvReq);
  if (work_.length() == 0) return {};
  std::vector<uint8_t> bytes;
  if (!ReachesRemote(&Region::remote_read, kRemoteRead) ||
      !v_.regions_.Gather(c_.memory, {work_.remote}, &bytes))
    return Refuse(WcStatus::kRemAccess);
  if (!MayWrite(own_, work_.pieces) || !Scatter(work_.pieces, bytes))
    return {.status = WcStatus::kLocProt};
  result_ = std::move(bytes);
  return {};
}

// The old value is returned, after it was replaced. source: linux 6.1 rxe_resp.c check_op_valid,
// check_rkey, atomic_reply; rxe_comp.c do_atomic
Outcome Verbs::Delivery::Atomic() {
  const Connection& there = Peer().connection;
  if (!there.remote_atomic || there.responder_resources == 0) return Refuse(WcStatus::kRemInvReq);
  std::vector<uint8_t> bytes;
  if (!ReachesRemote(&Region::remote_atomic, kRemoteAtomic) ||
      !v_.regions_.Gather(c_.memory, {work_.remote}, &bytes))
    return Refuse(WcStatus::kRemAccess);
  AtomicOperands operands;
  uint64_t before = 0;
  std::memcpy(&operands, work_.data.data(), sizeof operands);
  std::memcpy(&before, bytes.data(), sizeof before);
  uint64_t after = before + operands.compare_or_add;
  if (work_.opcode == kCompareAndSwap)
    after = before == operands.compare_or_add ? operands.swap : before;
  std::memcpy(bytes.data(), &after, sizeof after);
  if (!Scatter({work_.remote}, bytes)) return Refuse(WcStatus::kRemAccess);
  std::memcpy(bytes.data(), &before, sizeof before);
  if (!MayWrite(own_, work_.pieces) || !Scatter(work_.pieces, bytes))
    return {.status = WcStatus::kLocProt};
  result_ = std::move(bytes);
  return {};
}

}  // namespace cm::sim
