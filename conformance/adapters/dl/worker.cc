#include "conformance/adapters/dl/worker.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace cm {
namespace {

constexpr Duration kReapWithin = Duration::Seconds(10);

// Whether the process has ended, killed or not.
bool Reaped(pid_t process) {
  const pid_t reaped = waitpid(process, nullptr, WNOHANG);
  return reaped == process || (reaped < 0 && errno == ECHILD);
}

}  // namespace

void LateProcesses::Add(pid_t process) {
  const std::lock_guard lock(mutex_);
  processes_.push_back(process);
}

size_t LateProcesses::Reap() {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, Reaped);
  return processes_.size();
}

std::unique_ptr<Worker> Worker::Start(const std::function<void(int connection)>& serve,
                                      LateProcesses* late) {
  std::optional<Ends> ends = SocketPair(SOCK_SEQPACKET);
  if (!ends) return nullptr;
  std::optional<Process> process = Process::Fork([&] {
    ends->first.Close();
    serve(ends->second.get());
  });
  if (!process) return nullptr;
  return std::unique_ptr<Worker>(new Worker(std::move(*process), std::move(ends->first), late));
}

Worker::~Worker() { End(); }

bool Worker::Ask(const Request& request) { return alive() && Send(connection_.get(), request); }

bool Worker::Tell(std::string_view text) { return alive() && SendText(connection_.get(), text); }

bool Worker::End() {
  if (process_.pid() == 0) return true;
  process_.Signal(SIGKILL);
  connection_.Close();
  const bool reaped = process_.Wait(kReapWithin).has_value();
  if (!reaped) late_->Add(process_.Release());
  return reaped;
}

Worker::Heard Worker::Listen(size_t self) {
  std::optional<Answer> answer = ReceiveAnswer(connection_.get());
  if (!answer) connection_.Close();
  return {.worker = self, .answer = std::move(answer)};
}

std::optional<Worker::Heard> Worker::Hear(const std::vector<std::unique_ptr<Worker>>& workers,
                                          const Deadline& deadline) {
  std::vector<pollfd> watched;
  for (const auto& worker : workers) {  // poll ignores negative descriptors
    watched.push_back({.fd = worker->connection_.get(), .events = POLLIN, .revents = 0});
    const int watch = worker->alive() ? worker->process_.watch() : -1;
    watched.push_back({.fd = watch, .events = POLLIN, .revents = 0});
  }
  for (;;) {
    const int ready = poll(watched.data(), watched.size(), deadline.milliseconds_left());
    if (ready > 0) break;
    if (ready == 0 && deadline.milliseconds_left() == 0) return std::nullopt;
    if (ready < 0 && errno != EINTR) return std::nullopt;
  }
  // Answers that a worker sent before it died come first.
  for (size_t i = 0; i < workers.size(); ++i)
    if (watched[2 * i].revents != 0) return workers[i]->Listen(i);
  for (size_t i = 0; i < workers.size(); ++i)
    if (watched[2 * i + 1].revents != 0) return workers[i]->Listen(i);
  return std::nullopt;
}

}  // namespace cm
