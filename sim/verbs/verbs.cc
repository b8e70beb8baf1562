#include "sim/verbs/verbs.h"

#include <algorithm>

namespace cm::sim {

Verbs::Verbs(const Topology& topology) : next_number_(topology.devices.size(), kFirstNumber) {
  for (uint8_t port = 0; port < topology.devices.size(); ++port)
    cas_.push_back(topology.FirstPortOf(port));
}

uint32_t Verbs::Create(uint8_t device, bool datagram, uint32_t srq, const QpRoom& room,
                       uint64_t domain, const XrcPart& xrc) {
  if (srq != kNobody) srqs_.Join(srq);
  const uint32_t qp = qps_.Make();
  Qp& own = qps_[qp];
  own.datagram = datagram;
  own.device = device;
  own.number = next_number_[cas_[device]]++;
  own.srq = srq;
  own.domain = domain;
  own.room = room;
  own.xrc = xrc;
  return qp;
}

void Verbs::Destroy(uint32_t qp) {
  const uint32_t srq = qps_[qp].srq;
  qps_.Free(qp);
  if (srq != kNobody) srqs_.Leave(srq);
}

Errno Verbs::Modify(uint32_t qp, QpState state, bool connects, Errno resolves) {
  Qp& own = qps_[qp];
  const QpState now = own.state;
  connects |= own.datagram;  // it has no peer
  bool allowed = state == QpState::kErr || state == QpState::kReset;
  if (state == QpState::kInit) allowed = now == QpState::kReset || now == QpState::kInit;
  if (state == QpState::kRtr) allowed = connects && now == QpState::kInit;
  const bool sends = now == QpState::kRts || now == QpState::kSqd;
  if (state == QpState::kRts) allowed = connects && (sends || now == QpState::kRtr);
  if (state == QpState::kSqd) allowed = sends;
  if (!allowed) return Errno::kInval;
  if (state == QpState::kRtr && resolves != Errno::kNone) return resolves;
  own.state = state;
  if (state == QpState::kSqd && now == QpState::kRts) {
    // Requests posted in RTS have been sent as a rule; those that were not, without a call since,
    // stay. source: linux 6.1 rxe_req.c req_next_wqe
    own.draining = static_cast<uint32_t>(own.flights.size());
    if (own.draining == 0) Report(ObjectEvent::kSqDrained, qp);
  }
  if (state == QpState::kReset) {
    own.ForgetFlights();
    own.sends.clear();
    own.receives.clear();
    own.messages = own.packets = own.draining = 0;
  }
  if (state == QpState::kErr) SetError(qp);
  return Errno::kNone;
}

Errno Verbs::Initialize(uint32_t qp, bool datagram) {
  return datagram == qps_[qp].datagram ? Modify(qp, QpState::kInit) : Errno::kInval;
}

void Verbs::Connect(uint32_t qp, const Connection& connection) {
  qps_[qp].connection = connection;
  qps_[qp].retries_left = connection.retry_count;
  qps_[qp].rnr_retries_left = connection.rnr_retry_count;
}

void Verbs::ReportTo(uint32_t qp, uint32_t send_cq, uint32_t receive_cq) {
  qps_[qp].send_cq = send_cq;
  qps_[qp].receive_cq = receive_cq;
}

bool Verbs::Detach(uint32_t qp, const Group& group) {
  std::vector<Group>& groups = qps_[qp].groups;
  const auto found = std::ranges::find(groups, group);
  if (found == groups.end()) return false;
  groups.erase(found);
  return true;
}

uint32_t Verbs::FindQp(const QpAddress& address) const {
  for (const uint32_t qp : qps_.All())
    if (qps_[qp].device == address.device && qps_[qp].number == address.number) return qp;
  return kNobody;
}

// Receives of a shared queue never belong to the queue pair, so none of them is left with it.
void Verbs::SetError(uint32_t qp) {
  const Qp& own = qps_[qp];
  qps_[qp].state = QpState::kErr;
  Flush(qp);
  const bool of_program = own.receive_cq != kNobody;
  if (own.srq != kNobody && of_program) Report(ObjectEvent::kQpLastWqeReached, qp);
}

}  // namespace cm::sim
