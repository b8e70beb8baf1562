// The outstanding requests of a port, where the kernel limits their number: excess requests wait in
// order, without a timer. A request that must be retransmitted goes to the end while others wait.
// source: linux 7.2 mad.c retry_send
#ifndef SIM_IB_CM_PORT_QUEUES_H_
#define SIM_IB_CM_PORT_QUEUES_H_

#include <cstdint>
#include <vector>

#include "sim/core/fifo.h"
#include "sim/ib_cm/ib_id.h"

namespace cm::sim {

struct PortQueue {
  uint32_t outstanding = 0;
  Fifo<IbIndex> backlog;  // ids
  friend bool operator==(const PortQueue&, const PortQueue&) = default;
};

class PortQueues {
 public:
  // Whether the id's message counts as outstanding, and no other message waits.
  bool MayRepeat(const IbId& id) const { return id.counted && queues_[id.device].backlog.empty(); }
  // Queues the id's message behind all others of its port.
  void Enqueue(IbId* id, IbIndex ib);
  // The id's message is neither outstanding nor queued any more.
  void Leave(IbId* id, IbIndex ib) {
    if (id->counted || id->queued) Remove(id, ib);
  }
  // Takes the next queued id of a port with fewer than `limit` outstanding messages, which thereby
  // become one more; invalid when there is none.
  IbIndex TakeNext(uint32_t limit);

  // By device, up to the last one where a message was queued.
  const std::vector<PortQueue>& queues() const { return queues_; }
  friend bool operator==(const PortQueues&, const PortQueues&) = default;

 private:
  void Remove(IbId* id, IbIndex ib);

  std::vector<PortQueue> queues_;
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_PORT_QUEUES_H_
