#include "sim/ib_cm/work_queues.h"

#include <algorithm>
#include <utility>

namespace cm::sim {
namespace {

constexpr Duration kLooksFor = Duration::Seconds(1);

// Messages to the kernel's devices are processed as `to` says where that was `from`.
void SetHears(const IbContext& c, uint8_t kernel, Hears from, Hears to) {
  for (uint8_t own = 0; own < c.fabric->device_count(); ++own) {
    Hears& hears = c.fabric->device(own).hears;
    if (c.fabric->KernelOf(own) == kernel && hears == from) hears = to;
  }
}

}  // namespace

WorkQueue* WorkQueues::Find(uint8_t kernel) {
  const auto found = std::ranges::find(queues_, kernel, &WorkQueue::kernel);
  return found == queues_.end() ? nullptr : &*found;
}

void WorkQueues::Occupy(const IbContext& c, uint8_t device) {
  const uint8_t kernel = c.fabric->KernelOf(device);
  WorkQueue* queue = Find(kernel);
  if (queue == nullptr) queue = &queues_.emplace_back(WorkQueue{.kernel = kernel});
  queue->free_at = c.TimerAt(kLooksFor);
  c.agenda->At(queue->free_at, EventKind::kWorkGoesOn, kernel);
  SetHears(c, kernel, Hears::kAtOnce, Hears::kLater);
}

void WorkQueues::Release(const IbContext& c, uint8_t kernel) {
  std::erase_if(queues_, [kernel](const WorkQueue& queue) { return queue.kernel == kernel; });
  SetHears(c, kernel, Hears::kLater, Hears::kAtOnce);
}

bool WorkQueues::QueueMessage(uint8_t kernel, uint8_t device, const Mad& mad) {
  WorkQueue* const queue = Find(kernel);
  if (queue == nullptr) return false;
  queue->waiting.push_back({.device = device, .mad = mad});
  return true;
}

bool WorkQueues::QueueTimewait(IbIndex ib, const IbId& id) {
  WorkQueue* const queue = Find(id.kernel);
  if (queue == nullptr) return false;
  queue->waiting.push_back({.ib = ib, .cid = id.local_cid});
  return true;
}

std::optional<Work> WorkQueues::TakeNext(const IbContext& c, uint8_t kernel) {
  WorkQueue* const queue = Find(kernel);
  if (queue == nullptr || queue->free_at != c.agenda->Now()) return std::nullopt;
  if (queue->waiting.empty()) {
    Release(c, kernel);
    return std::nullopt;
  }
  Work work = std::move(queue->waiting.front());
  queue->waiting.pop_front();
  return work;
}

}  // namespace cm::sim
