// The worker processes of one conversation, and what they have answered.
#ifndef CONFORMANCE_ADAPTERS_DL_CREW_H_
#define CONFORMANCE_ADAPTERS_DL_CREW_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/adapters/dl/messages.h"
#include "conformance/adapters/dl/worker.h"

namespace cm {

class Crew {
 public:
  explicit Crew(LateProcesses* late) : late_(late) {}

  // False when there can be no more processes. Workers are numbered from 0.
  bool Hire(const std::function<void(int connection)>& serve);
  size_t size() const { return workers_.size(); }
  bool alive(size_t worker) const { return workers_[worker]->alive(); }

  // Gives it a text to read; false when it is dead.
  bool Tell(size_t worker, std::string_view text) { return workers_[worker]->Tell(text); }
  // Asks without waiting; the number by which the answer is known.
  uint32_t Post(size_t worker, Request request);
  // Empty when no answer came in time, or none can come because the worker is dead.
  std::optional<Answer> Await(size_t worker, uint32_t number, Duration within);
  std::optional<Answer> Ask(size_t worker, const Request& request, Duration within) {
    return Await(worker, Post(worker, request), within);
  }
  // The answer is to be awaited again.
  void PutBack(const Answer& answer) { unread_[answer.number] = answer; }
  // How many answers are there that nobody has awaited yet.
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

#endif  // CONFORMANCE_ADAPTERS_DL_CREW_H_
