// A request where it arrives: messages consume receives, reads and writes access memory.
//
// source: linux 6.1 rxe_req.c, rxe_resp.c, rxe_comp.c; IBA 9.7
#include "sim/verbs/delivery.h"

#include <endian.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace cm::sim {
namespace {

using What = Reception::What;

DataNote::What WhatOf(WcOpcode opcode) {
  if (opcode == kCompareAndSwap) return DataNote::What::kCompareAndSwap;
  if (opcode == kFetchAndAdd) return DataNote::What::kFetchAndAdd;
  if (opcode == WcOpcode::kRead) return DataNote::What::kRead;
  return opcode == WcOpcode::kWrite ? DataNote::What::kWrite : DataNote::What::kSend;
}

}  // namespace

// The memory is read before the peer receives the message.
bool Verbs::Delivery::Fetch() {
  const bool sends = work_.opcode == WcOpcode::kSend || work_.opcode == WcOpcode::kWrite;
  if (!sends || work_.is_inline) return true;
  return v_.regions_.MayRead(ProtectionOf(own_), work_.pieces) &&
         v_.regions_.Gather(c_.memory, work_.pieces, &work_.data);
}

// A queue pair that reuses the number of another one does not know its connection.
bool Verbs::Delivery::FindsPeer() {
  const QpAddress& there = own_.connection.peer;
  if (!c_.fabric->Linked(own_.device, there.device) || IsLost(there.device)) return false;
  peer_ = v_.FindQp(there);
  return peer_ != kNobody && Peer().Receives() &&
         Peer().connection.peer == QpAddress{own_.device, own_.number} &&
         own_.xrc.Joins(Peer().xrc.role);
}

Reception Verbs::Delivery::Execute(Flight* flight) {
  if (IsLocal(work_.opcode))
    return flight->executed ? Reception{What::kDone, flight->status} : OnWindow();
  if (!Fetch()) return {What::kDone, WcStatus::kLocProt};
  flight->sent = true;
  if (own_.datagram) return Datagram();
  if (!FindsPeer()) return {.what = What::kUnheard};
  if (flight->executed && work_.opcode != WcOpcode::kRead) {
    const bool done = flight->status == WcStatus::kSuccess;
    answer_ = done ? DataNote::Answer::kAck : DataNote::Answer::kNotReady;
    return {What::kAnswered, flight->status};
  }
  if (!v_.FindXrcQueue(peer_, work_)) return Refuse(WcStatus::kRemInvReq);
  Reception reception;
  if (work_.opcode == WcOpcode::kSend)
    reception = Send();
  else if (work_.opcode == WcOpcode::kWrite)
    reception = Write();
  else if (work_.opcode == WcOpcode::kRead)
    reception = Read(flight);
  else
    reception = Atomic(flight);
  const bool done = reception.what == What::kAnswered && reception.status == WcStatus::kSuccess;
  if (done) answer_ = DataNote::Answer::kAck;
  return reception;
}

bool Verbs::Delivery::ComesTooEarly(Flight* flight, bool says) {
  flight->sent = Fetch();
  if (!flight->sent || !says || !FindsPeer()) return false;
  answer_ = DataNote::Answer::kOutOfSequence;
  return true;
}

// The peer fails as well.
Reception Verbs::Delivery::Refuse(WcStatus status) {
  answer_ = status == WcStatus::kRemInvReq   ? DataNote::Answer::kInvalid
            : status == WcStatus::kRemAccess ? DataNote::Answer::kNoAccess
                                             : DataNote::Answer::kFailed;
  v_.SetError(peer_);
  return {.status = status};
}

Reception Verbs::Delivery::NotReady() {
  answer_ = DataNote::Answer::kNotReady;
  return {.what = What::kNotReady};
}

// The peer's completion queue is full: the peer fails, and acknowledges nothing.
// source: linux 6.1 rxe_resp.c rxe_responder
Reception Verbs::Delivery::Overrun() {
  v_.SetError(peer_);
  return {.what = What::kUnheard};
}

// Not of datagrams to a group.
void Verbs::Delivery::Note(const Flight& flight, Instant answered) const {
  const QpAddress& there = own_.datagram ? work_.to : own_.connection.peer;
  const bool to_group = own_.datagram && work_.group != Group{};
  const bool crosses = there.device != own_.device && there.device != kNoDevice;
  if (!c_.fabric->watches_data || !flight.sent || to_group || !crosses) return;
  auto note = std::make_shared<DataNote>();
  note->what = WhatOf(work_.opcode);
  note->datagram = own_.datagram;
  note->solicited = work_.solicited;
  note->answer = answer_;
  note->message = flight.message;
  note->first_packet = flight.first_packet;
  if (answer_ == DataNote::Answer::kOutOfSequence) {
    note->missing_message = own_.flights.begin()[own_.arrived].message;
    note->missing_packet = own_.flights.begin()[own_.arrived].first_packet;
  }
  note->source_number = own_.number;
  note->number = there.number;
  const bool reads = work_.opcode == WcOpcode::kRead;
  note->bytes = reads || IsAtomic(work_.opcode) ? flight.result : work_.data;
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
    if (flight.result.size() == sizeof note->before)
      std::memcpy(&note->before, flight.result.data(), sizeof note->before);
  }
  const bool lost = IsLost(there.device) || !c_.fabric->Linked(own_.device, there.device);
  c_.fabric->wire_notes.push_back({.at = c_.agenda->Now(),
                                   .sent = flight.left,
                                   .answered = answered,
                                   .from = own_.device,
                                   .to = there.device,
                                   .lost = lost,
                                   .data = std::move(note)});
}

// No completion reports the reception.
Reception Verbs::Delivery::Datagram() {
  if (work_.group == Group{}) {
    const bool linked = c_.fabric->Linked(own_.device, work_.to.device);
    const bool arrives = linked && !IsLost(work_.to.device);
    const uint32_t peer = arrives ? v_.FindQp(work_.to) : kNobody;
    if (peer != kNobody) DatagramTo(peer);
    return {.what = What::kDone};
  }
  for (const uint32_t peer : v_.qps_.All()) {
    if (peer == qp_) continue;
    const Qp& there = v_.qps_[peer];
    if (!c_.fabric->Linked(own_.device, there.device) || IsLost(there.device)) continue;
    if (std::ranges::count(there.groups, work_.group) != 0) DatagramTo(peer);
  }
  return {.what = What::kDone};
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

Reception Verbs::Delivery::Send() {
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
Reception Verbs::Delivery::OnWindow() {
  Windows& windows = v_.windows_;
  const Protection by = ProtectionOf(own_);
  if (work_.opcode == kBindWindow) {
    const bool bound = windows.Bind(by, own_.number, work_.window->binding, &v_.regions_);
    return {What::kDone, bound ? WcStatus::kSuccess : kWindowBindError};
  }
  const bool done = windows.Invalidate(by.device, work_.window->key, &v_.regions_);
  return {What::kDone, done ? WcStatus::kSuccess : WcStatus::kLocQpOp};
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
Reception Verbs::Delivery::Write() {
  if (!Peer().connection.remote_write) return Refuse(WcStatus::kRemInvReq);
  if (work_.immediate && v_.ReceivesOf(peer_)->empty()) return NotReady();
  const Reception written = WriteThere();
  if (written.status != WcStatus::kSuccess || !work_.immediate) return written;
  const WorkRequest receive = v_.TakeReceive(peer_);
  Finished* const done = FinishReceive(peer_, receive, WcStatus::kSuccess, work_.length());
  if (done == nullptr) return Overrun();
  done->immediate = work_.immediate;
  done->by_write = true;
  return {};
}

// No bytes need no key. source: InfiniBand C9-88; RFC 5040, 5.1; linux 6.1 rxe_resp.c check_rkey
Reception Verbs::Delivery::WriteThere() {
  if (work_.length() == 0) return {};
  if (!ReachesRemote(&Region::remote_write, kRemoteWrite)) return Refuse(WcStatus::kRemAccess);
  if (!Scatter({work_.remote}, work_.data)) return Refuse(WcStatus::kRemAccess);
  return {};
}

// source: linux 6.1 rxe_resp.c check_op_valid, check_resource, check_rkey
Reception Verbs::Delivery::Read(Flight* flight) {
  const Connection& there = Peer().connection;
  if (!there.remote_read || there.responder_resources == 0) return Refuse(WcStatus::kRemInvReq);
  if (work_.length() == 0) return {};
  std::vector<uint8_t> bytes;
  if (!ReachesRemote(&Region::remote_read, kRemoteRead) ||
      !v_.regions_.Gather(c_.memory, {work_.remote}, &bytes))
    return Refuse(WcStatus::kRemAccess);
  flight->result = std::move(bytes);
  return {};
}

// The old value is returned, after it was replaced. source: linux 6.1 rxe_resp.c check_op_valid,
// check_rkey, atomic_reply; rxe_comp.c do_atomic
Reception Verbs::Delivery::Atomic(Flight* flight) {
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
  flight->result = std::move(bytes);
  return {};
}

}  // namespace cm::sim
