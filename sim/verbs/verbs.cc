#include "sim/verbs/verbs.h"

namespace cm::sim {

Verbs::Verbs(const Topology& topology) : next_number_(topology.devices.size(), kFirstNumber) {
  for (uint8_t port = 0; port < topology.devices.size(); ++port)
    cas_.push_back(topology.FirstPortOf(port));
}

uint32_t Verbs::Create(uint8_t device, bool datagram, uint32_t srq, const QpRoom& room,
                       uint64_t domain) {
  return qps_.Add({.live = true,
                   .datagram = datagram,
                   .device = device,
                   .number = next_number_[cas_[device]]++,
                   .srq = srq,
                   .domain = domain,
                   .room = room});
}

// source: linux 6.1 verbs.c qp_state_table, ib_resolve_eth_dmac
Errno Verbs::Modify(uint32_t qp, QpState state, bool connects, Errno resolves) {
  const QpState now = qps_[qp].state;
  connects |= qps_[qp].datagram;  // it has no peer
  bool allowed = state == QpState::kErr || state == QpState::kReset;
  if (state == QpState::kInit) allowed = now == QpState::kReset || now == QpState::kInit;
  if (state == QpState::kRtr) allowed = connects && now == QpState::kInit;
  const bool sends = now == QpState::kRts || now == QpState::kSqd;
  if (state == QpState::kRts) allowed = connects && (sends || now == QpState::kRtr);
  if (state == QpState::kSqd) allowed = sends;
  if (!allowed) return Errno::kInval;
  if (state == QpState::kRtr && resolves != Errno::kNone) return resolves;
  qps_[qp].state = state;
  if (state == QpState::kSqd && now == QpState::kRts) {
    // Requests posted in RTS have been sent as a rule; those that were not, without a call since,
    // stay. source: linux 6.1 rxe_req.c req_next_wqe
    const bool leaves = qps_[qp].due != Instant::Never();
    qps_[qp].draining = leaves ? static_cast<uint32_t>(qps_[qp].sends.size()) : 0;
    if (qps_[qp].draining == 0) Drained(qp);
  }
  if (state == QpState::kErr) SetError(qp);
  return Errno::kNone;
}

Errno Verbs::Initialize(uint32_t qp, bool datagram) {
  return datagram == qps_[qp].datagram ? Modify(qp, QpState::kInit) : Errno::kInval;
}

}  // namespace cm::sim
