// What a queue pair holds, and what it has under way.
#include <vector>

#include "model/base/digest.h"
#include "sim/world/fingerprint_parts.h"

namespace cm::sim::parts {
namespace {

void Put(Digest* d, const Piece& piece) {
  d->U32(piece.region);
  d->U32(piece.offset);
  d->U32(piece.length);
}

void Put(Digest* d, const std::vector<Piece>& pieces) {
  d->U32(static_cast<uint32_t>(pieces.size()));
  for (const Piece& piece : pieces) Put(d, piece);
}

void Put(Digest* d, const QpAddress& address) {
  d->U8(address.device);
  d->U32(address.number);
}

void Put(Digest* d, const WorkRequest& work) {
  d->U8(static_cast<uint8_t>(work.opcode));
  d->U16(work.context);
  d->U8(work.signaled ? 1 : 0);
  d->U8(work.is_inline ? 1 : 0);
  d->U8(work.solicited ? 1 : 0);
  d->U8(work.fenced ? 1 : 0);
  d->U32(work.srq_number);
  Put(d, work.pieces);
  d->Bytes(work.data);
  Put(d, work.remote);
  Put(d, work.to);
}

}  // namespace

void Put(Digest* d, const Fifo<WorkRequest>& queue) {
  d->U32(static_cast<uint32_t>(queue.size()));
  for (const WorkRequest& work : queue) Put(d, work);
}

namespace {

void Put(Digest* d, const OwnCq& cq) {
  d->U8(static_cast<uint8_t>(cq.events.armed));
  d->U32(cq.events.unread);
  d->U32(static_cast<uint32_t>(cq.done.size()));
  for (const Finished& one : cq.done) {
    d->U8(static_cast<uint8_t>(one.completion.status));
    d->U8(static_cast<uint8_t>(one.completion.opcode));
    d->U16(one.completion.context);
    d->U32(one.completion.length);
    d->U32(one.completion.bytes);
    Put(d, one.pieces);
  }
}

void Put(Digest* d, const Connection& connection) {
  Put(d, connection.peer);
  d->U8(connection.retry_count);
  d->U8(connection.rnr_retry_count);
  d->U8(connection.remote_read ? 1 : 0);
  d->U8(connection.remote_write ? 1 : 0);
  d->U8(connection.remote_atomic ? 1 : 0);
  d->U8(connection.initiator_depth);
  d->U8(connection.responder_resources);
}

}  // namespace

uint64_t HashOf(const Qp& qp, const SharedQueues& srqs, Instant now) {
  Digest d;
  d.U8(qp.datagram ? 1 : 0);
  d.U8(qp.device);
  d.U32(qp.number);
  d.U8(static_cast<uint8_t>(qp.state));
  Put(&d, qp.connection);
  d.U32(static_cast<uint32_t>(qp.flights.size()));
  for (const Flight& flight : qp.flights) {
    const bool under_way = flight.arrives > now;
    PutTime(&d, under_way ? flight.arrives : now, now);
    PutTime(&d, flight.answered, now);
    d.U8(flight.executed ? 1 : 0);
    d.U8(static_cast<uint8_t>(flight.status));
    d.Bytes(flight.result);
  }
  d.U32(qp.arrived);
  d.U32(qp.draining);
  for (const bool state : {qp.not_ready, qp.refused, qp.told}) d.U8(state ? 1 : 0);
  PutTime(&d, qp.again, now);
  d.U8(qp.retries_left);
  d.U8(qp.rnr_retries_left);
  Put(&d, qp.sends);
  Put(&d, qp.receives);
  d.U8(qp.srq != kNobody ? 1 : 0);
  if (qp.srq != kNobody) Put(&d, srqs[qp.srq].receives);
  d.U8(static_cast<uint8_t>(qp.xrc.role));
  d.U32(qp.xrc.domain);
  Put(&d, qp.sent);
  Put(&d, qp.received);
  return d.Value();
}

}  // namespace cm::sim::parts
