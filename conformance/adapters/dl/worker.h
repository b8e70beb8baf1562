// A child process in which a library may crash, hang or be killed.
#ifndef CONFORMANCE_ADAPTERS_DL_WORKER_H_
#define CONFORMANCE_ADAPTERS_DL_WORKER_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/adapters/dl/messages.h"
#include "conformance/process/process.h"
#include "conformance/process/real_time.h"
#include "model/base/duration.h"

namespace cm {

// Processes that did not end in time: a kernel may need minutes to destroy a process's objects.
// They are reaped when they do end.
class LateProcesses {
 public:
  void Add(pid_t process);
  // Reaps those that have ended by now; returns how many are left.
  size_t Reap();

 private:
  std::mutex mutex_;
  std::vector<pid_t> processes_;
};

class Worker {
 public:
  // `serve` runs in the child, on its end of the connection; the child ends when it returns, or
  // with the thread that called this. Null when no process can be created.
  static std::unique_ptr<Worker> Start(const std::function<void(int connection)>& serve,
                                       LateProcesses* late);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // False once it is dead or was killed.
  bool Ask(const Request& request);
  bool Tell(std::string_view text);
  bool alive() const { return connection_.get() >= 0; }
  // Kills its process group. False when the process could not be reaped within 10 s.
  bool End();

  // The first answer of any worker; empty when none arrived until then. A worker that has died is
  // marked dead, and has no answer.
  struct Heard {
    size_t worker = 0;
    std::optional<Answer> answer;  // empty: it died
  };
  static std::optional<Heard> Hear(const std::vector<std::unique_ptr<Worker>>& workers,
                                   const Deadline& deadline);

 private:
  Worker(Process process, Descriptor connection, LateProcesses* late)
      : process_(std::move(process)), connection_(std::move(connection)), late_(late) {}
  Heard Listen(size_t self);

  Process process_;
  Descriptor connection_;
  LateProcesses* late_;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_WORKER_H_
