// Work that a kernel's CM does in order: received messages, and ends of timewait.
//
// It is busy only while it tries, for a second, to resolve the source address of a request; its
// work waits until then, in order. Retransmission and giving up of messages are done elsewhere and
// do not wait, nor do messages of other classes. COMM_EST notifications wait in Linux and not here.
// source: linux 6.1 cm.c cm_recv_handler, cm_enter_timewait, cm_establish, cm_send_handler; mad.c
// timeout_sends, ib_mad_recv_done; addr.c rdma_addr_find_l2_eth_by_grh; observed 6.1-rxe
#include <algorithm>

#include "sim/ib_cm/ib_cm.h"

namespace cm::sim {
namespace {

constexpr Duration kLooksFor = Duration::Seconds(1);

}  // namespace

WorkQueue* IbCm::BusyQueue(uint8_t kernel) {
  const auto found = std::ranges::find(busy_, kernel, &WorkQueue::kernel);
  return found == busy_.end() ? nullptr : &*found;
}

void IbCm::Occupy(const Context& c, uint8_t device) {
  const uint8_t kernel = c.fabric->KernelOf(device);
  WorkQueue* queue = BusyQueue(kernel);
  if (queue == nullptr) queue = &busy_.emplace_back(WorkQueue{.kernel = kernel});
  queue->free_at = TimerAt(c, kLooksFor);
  c.agenda->At(queue->free_at, EventKind::kWorkGoesOn, kernel);
  for (uint8_t own = 0; own < c.fabric->device_count(); ++own) {
    Hears& hears = c.fabric->device(own).hears;
    if (c.fabric->KernelOf(own) == kernel && hears == Hears::kAtOnce) hears = Hears::kLater;
  }
}

void IbCm::Leave(const Context& c, uint8_t kernel) {
  std::erase_if(busy_, [kernel](const WorkQueue& queue) { return queue.kernel == kernel; });
  for (uint8_t own = 0; own < c.fabric->device_count(); ++own) {
    Hears& hears = c.fabric->device(own).hears;
    if (c.fabric->KernelOf(own) == kernel && hears == Hears::kLater) hears = Hears::kAtOnce;
  }
}

void IbCm::Postpone(const Context& c, uint8_t device, const Mad& mad) {
  WorkQueue* const queue = BusyQueue(c.fabric->KernelOf(device));
  if (mad.kind == MadKind::kOther || queue == nullptr) return Receive(c, device, mad);
  queue->waiting.push_back({.device = device, .mad = mad});
}

bool IbCm::TimewaitWaits(const IbId& id, uint32_t ib) {
  WorkQueue* const queue = BusyQueue(id.kernel);
  if (queue == nullptr) return false;
  queue->waiting.push_back({.ib = ib, .cid = id.local_cid});
  return true;
}

void IbCm::Do(const Context& c, const Work& work) {
  if (work.ib == kNobody) return Receive(c, work.device, work.mad);
  if (!ids_.Live(work.ib) || ids_[work.ib].local_cid != work.cid) return;
  IbId& id = ids_[work.ib];
  if (id.state == IbState::kTimewait) EndTimewait(c, &id);
}

void IbCm::OnWorkGoesOn(const Context& c, uint8_t kernel) {
  WorkQueue* const queue = BusyQueue(kernel);
  if (queue == nullptr || queue->free_at != c.agenda->Now()) return;
  while (!queue->waiting.empty()) {
    const Work work = queue->waiting.front();
    queue->waiting.pop_front();
    Do(c, work);
    if (queue->free_at != c.agenda->Now()) return;  // busy again
  }
  Leave(c, kernel);
}

}  // namespace cm::sim
