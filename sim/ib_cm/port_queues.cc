#include "sim/ib_cm/port_queues.h"

namespace cm::sim {

void PortQueues::Enqueue(IbId* id, IbIndex ib) {
  if (queues_.size() <= id->device) queues_.resize(id->device + 1);
  Leave(id, ib);
  id->queued = true;
  queues_[id->device].backlog.push_back(ib);
}

void PortQueues::Remove(IbId* id, IbIndex ib) {
  PortQueue& port = queues_[id->device];
  if (id->counted) --port.outstanding;
  if (id->queued) port.backlog.EraseIf([ib](IbIndex queued) { return queued == ib; });
  id->counted = id->queued = false;
}

IbIndex PortQueues::TakeNext(uint32_t limit) {
  for (PortQueue& port : queues_) {
    if (port.backlog.empty() || port.outstanding >= limit) continue;
    const IbIndex ib = port.backlog.front();
    port.backlog.pop_front();
    ++port.outstanding;
    return ib;
  }
  return {};
}

}  // namespace cm::sim
