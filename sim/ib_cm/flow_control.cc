// The number of outstanding requests of a port, where the kernel limits it.
//
// Excess requests wait in order, without a timer. A request that must be retransmitted goes to the
// end while others wait. source: linux 7.2 mad.c retry_send
#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {

// A REP uses an agent of its own. source: linux 7.2 cm.c cm_alloc_priv_msg_rep
bool IbCm::TakesTurns(const Context& c, const IbId& id) const {
  return c.profile->limits.max_outstanding > 0 && id.message_kind != MadKind::kRep;
}

void IbCm::TransmitInTurn(const Context& c, uint32_t ib) {
  IbId& id = ids_[ib];
  if (!TakesTurns(c, id)) return Transmit(c, ib);
  if (ports_.size() <= id.device) ports_.resize(id.device + 1);
  PortQueue& port = ports_[id.device];
  if (id.counted && port.backlog.empty()) return Transmit(c, ib);
  LeaveTurn(&id);
  id.mad_timer = Instant::Never();
  id.queued = true;
  port.backlog.push_back(ib);
  GoOn(c);
}

void IbCm::LeaveTurn(IbId* id) {
  if (!id->counted && !id->queued) return;
  PortQueue& port = ports_[id->device];
  if (id->counted) --port.outstanding;
  if (id->queued) port.backlog.EraseIf([&](uint32_t ib) { return &ids_[ib] == id; });
  id->counted = id->queued = false;
}

// Called after everything that may have made room.
void IbCm::GoOn(const Context& c) {
  for (PortQueue& port : ports_) {
    while (!port.backlog.empty() && port.outstanding < c.profile->limits.max_outstanding) {
      const uint32_t ib = port.backlog.front();
      port.backlog.pop_front();
      ++port.outstanding;
      ids_[ib].queued = false;
      ids_[ib].counted = true;
      Transmit(c, ib);
    }
  }
}

}  // namespace cm::sim
