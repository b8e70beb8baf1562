#include "sim/rdma_cm/event_files.h"

#include <utility>

namespace cm::sim {

void EventFiles::Push(FileIndex file, QueuedEvent event) {
  files_[file].queue.push_back(std::move(event));
}

std::optional<QueuedEvent> EventFiles::Take(FileIndex file) {
  Fifo<QueuedEvent>& queue = files_[file].queue;
  if (queue.empty()) return std::nullopt;
  QueuedEvent first = std::move(queue.front());
  queue.pop_front();
  return first;
}

void EventFiles::Move(CmIdIndex id, FileIndex from, FileIndex to) {
  const auto goes = [&](const QueuedEvent& queued) { return queued.on == id; };
  std::vector<QueuedEvent> moved;
  for (const QueuedEvent& queued : files_[from].queue)
    if (goes(queued)) moved.push_back(queued);
  files_[from].queue.EraseIf(goes);
  for (QueuedEvent& queued : moved) Push(to, std::move(queued));
}

std::vector<CmIdIndex> EventFiles::DropEventsOf(CmIdIndex id, FileIndex file) {
  std::vector<CmIdIndex> requests;
  files_[file].queue.EraseIf([&](const QueuedEvent& queued) {
    if (queued.on != id) return false;
    if (queued.request.valid()) requests.push_back(queued.request);
    return true;
  });
  return requests;
}

void EventFiles::DropEventsOf(MembershipIndex membership, FileIndex file) {
  files_[file].queue.EraseIf(
      [&](const QueuedEvent& queued) { return queued.membership == membership; });
}

void EventFiles::ForgetRequest(CmIdIndex request) {
  for (const FileIndex file : files_.All()) {
    for (QueuedEvent& queued : files_[file].queue) {
      if (queued.request != request) continue;
      queued.request = {};
      queued.event.id = kNobody;
    }
  }
}

}  // namespace cm::sim
