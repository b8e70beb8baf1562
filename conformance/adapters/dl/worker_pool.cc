#include "conformance/adapters/dl/worker_pool.h"

#include <utility>

namespace cm {

bool WorkerPool::Spawn(const std::function<void(int connection)>& serve) {
  std::unique_ptr<Worker> worker = Worker::Start(serve, late_);
  if (!worker) return false;
  workers_.push_back(std::move(worker));
  return true;
}

uint32_t WorkerPool::Post(size_t worker, Request request) {
  request.number = ++numbers_;
  static_cast<void>(workers_[worker]->Ask(request));  // Await notices if it is dead
  return request.number;
}

std::optional<Answer> WorkerPool::Await(size_t worker, uint32_t number, Duration within) {
  const Deadline deadline(within);
  for (;;) {
    if (const auto known = unread_.find(number); known != unread_.end()) {
      Answer answer = known->second;
      unread_.erase(known);
      return answer;
    }
    if (!alive(worker)) return std::nullopt;
    std::optional<Worker::Heard> heard = Worker::Hear(workers_, deadline);
    if (!heard) return std::nullopt;
    if (heard->answer) unread_[heard->answer->number] = *heard->answer;
  }
}

bool WorkerPool::EndAll() {
  bool reaped = true;
  for (const auto& worker : workers_) reaped = worker->End() && reaped;
  return reaped;
}

}  // namespace cm
