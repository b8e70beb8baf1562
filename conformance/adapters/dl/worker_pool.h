// The worker processes of one conversation, and their answers.
#ifndef CONFORMANCE_ADAPTERS_DL_WORKER_POOL_H_
#define CONFORMANCE_ADAPTERS_DL_WORKER_POOL_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/worker.h"

namespace cm {

class WorkerPool {
 public:
  explicit WorkerPool(LateProcesses* late) : late_(late) {}

  // False when no process can be created. Workers are numbered from 0.
  bool Spawn(const std::function<void(int connection)>& serve);
  size_t size() const { return workers_.size(); }
  bool alive(size_t worker) const { return workers_[worker]->alive(); }

  // Sends it a text; false when it is dead.
  bool Tell(size_t worker, std::string_view text) { return workers_[worker]->Tell(text); }
  // Sends a request without waiting; returns the number of the answer.
  uint32_t Post(size_t worker, Request request);
  // Empty when no answer arrived in time, or none can arrive because the worker is dead.
  std::optional<Answer> Await(size_t worker, uint32_t number, Duration within);
  std::optional<Answer> Ask(size_t worker, const Request& request, Duration within) {
    return Await(worker, Post(worker, request), within);
  }
  // Puts an answer back to be awaited again.
  void PutBack(const Answer& answer) { unread_[answer.number] = answer; }
  // The number of received answers that were not awaited yet.
  size_t unread() const { return unread_.size(); }

  // Kills and reaps. False when the process could not be reaped in time.
  bool End(size_t worker) { return workers_[worker]->End(); }
  bool EndAll();

 private:
  LateProcesses* late_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<uint32_t, Answer> unread_;
  uint32_t numbers_ = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_WORKER_POOL_H_
