// Work that a kernel's CM does in order: received messages, and ends of timewait.
//
// It is busy only while it tries, for a second, to resolve the source address of a request; its
// work waits until then, in order. Retransmission and giving up of messages are done elsewhere and
// do not wait, nor do messages of other classes. COMM_EST notifications wait in Linux and not here.
// source: linux 6.1 cm.c cm_recv_handler, cm_enter_timewait, cm_establish, cm_send_handler; mad.c
// timeout_sends, ib_mad_recv_done; addr.c rdma_addr_find_l2_eth_by_grh; observed 6.1-rxe
#ifndef SIM_IB_CM_WORK_QUEUES_H_
#define SIM_IB_CM_WORK_QUEUES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/duration.h"
#include "sim/core/fifo.h"
#include "sim/core/slab.h"
#include "sim/fabric/mad.h"
#include "sim/ib_cm/context.h"
#include "sim/ib_cm/ib_id.h"

namespace cm::sim {

struct Work {
  IbIndex ib;          // end of this id's timewait, if set
  uint32_t cid = 0;    // unique number of the id
  uint8_t device = 0;  // the receiving device
  Mad mad;
  friend bool operator==(const Work&, const Work&) = default;
};

// The work queue of a kernel whose CM is busy.
struct WorkQueue {
  uint8_t kernel = 0;
  Instant free_at;
  Fifo<Work> waiting;
  friend bool operator==(const WorkQueue&, const WorkQueue&) = default;
};

class WorkQueues {
 public:
  // The CM of the device's kernel is busy from now on; an event kWorkGoesOn will end that.
  void Occupy(const IbContext& c, uint8_t device);
  // It is busy no longer, and what waits is dropped.
  void Release(const IbContext& c, uint8_t kernel);

  // They queue a received message or the end of an id's timewait if the kernel is busy; else false.
  bool QueueMessage(uint8_t kernel, uint8_t device, const Mad& mad);
  bool QueueTimewait(IbIndex ib, const IbId& id);
  // Takes the next work of a kernel that has become free. Empty if it is busy, and at the end, when
  // it is released.
  std::optional<Work> TakeNext(const IbContext& c, uint8_t kernel);

  const std::vector<WorkQueue>& queues() const { return queues_; }
  friend bool operator==(const WorkQueues&, const WorkQueues&) = default;

 private:
  WorkQueue* Find(uint8_t kernel);

  std::vector<WorkQueue> queues_;  // mostly none
};

}  // namespace cm::sim

#endif  // SIM_IB_CM_WORK_QUEUES_H_
