// Receives what programs send and print; says how far their threads may go ahead, and what each
// waits for.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/vocabulary/protocol.h"
#include "tools/app/serving.h"
#include "tools/app/sleeps.h"

namespace cm::app {
namespace {

using sim::uapi::Op;
using sim::uapi::Request;

// A thread goes ahead at least this much, and at most by this part of the time in which programs
// have only polled.
constexpr Duration kSlice = Duration::Microseconds(10);
constexpr int64_t kShare = 16;

// At most this many bytes of a program's output are passed on before another program is served.
constexpr size_t kOutputAtOnce = size_t{1} << 16;

std::string_view Named(sim::uapi::LooksFor what) {
  switch (what) {
    case sim::uapi::LooksFor::kOthers:
      return "another thread";
    case sim::uapi::LooksFor::kMutex:
      return "another thread: a mutex";
    case sim::uapi::LooksFor::kCondition:
      return "another thread: a condition";
    case sim::uapi::LooksFor::kSemaphore:
      return "another thread: a semaphore";
    case sim::uapi::LooksFor::kLock:
      return "another thread: a lock";
  }
  return "another thread";
}

bool Earlier(Instant one, const std::optional<Instant>& other) { return !other || one < *other; }

}  // namespace

bool Serving::OneAloneRuns() {
  constexpr uint32_t kMost = 16;
  if (look_closely_ || ++served_alone_ % kMost == 0) return false;
  size_t running = 0;
  for (const auto& process : processes_) {
    if (!process->gone && process->threads.empty()) return false;
    for (const auto& thread : process->threads)
      if (!thread->waits && !thread->spins) ++running;
  }
  return running <= 1;
}

bool Serving::HaveInMemory() const {
  return std::ranges::any_of(processes_, [](const auto& process) {
    return std::ranges::any_of(process->threads,
                               [](const auto& one) { return one->connection.HasInMemory(); });
  });
}

// Descriptors are not looked at where only one thread runs, and has asked in memory.
bool Serving::Serve(Duration patience) {
  if (AllStillAsk()) return false;
  const uint32_t bell = lines_->bell();
  const auto rings = [&] { return lines_->bell() != bell; };
  if (patience > Duration() && !HaveInMemory() && !processor_.LetOthersRun(rings))
    lines_->Await(bell, patience);
  if (processor_.HasBecomeCrowded()) processor_.Move(Running());
  lines_->LetTakeTurns(processor_.takes_turns());
  if (OneAloneRuns() && ServeMemory()) return true;
  return ServeDescriptors();
}

bool Serving::ServeMemory() {
  bool any = false;
  for (size_t i = 0; i < processes_.size(); ++i) {
    std::vector<std::unique_ptr<Thread>>& threads = processes_[i]->threads;
    for (size_t at = 0; at < threads.size(); ++at) {
      Thread* const thread = threads[at].get();
      if (!thread->connection.HasInMemory()) continue;
      any = true;
      HearAll(thread);
      if (thread->connection.damaged()) Lose(processes_[i].get(), thread);
    }
  }
  return any;
}

bool Serving::ServeDescriptors() {
  struct Source {
    Process* process;
    Thread* thread;
  };
  std::vector<pollfd> descriptors;
  std::vector<Source> sources;
  const auto add = [&](int descriptor, Process* process, Thread* thread) {
    descriptors.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
    sources.push_back({process, thread});
  };
  for (const auto& process : processes_) {
    if (process->program && process->program->output() >= 0)
      add(process->program->output(), process.get(), nullptr);
    if (process->listening >= 0) add(process->listening, process.get(), nullptr);
    for (const auto& thread : process->threads)
      add(thread->connection.socket(), process.get(), thread.get());
  }
  if (poll(descriptors.data(), descriptors.size(), 0) <= 0) return ServeMemory();
  bool any = false;
  // What has ended, first: what it had is free for those that have waited for its end.
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (sources[i].thread == nullptr || (descriptors[i].revents & POLLHUP) == 0) continue;
    any = true;
    ServeThread(std::exchange(sources[i].thread, nullptr));
    descriptors[i].revents = 0;
  }
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i].revents == 0) continue;
    Process* const process = sources[i].process;
    if (sources[i].thread == nullptr && process->program &&
        descriptors[i].fd == process->program->output()) {
      PassOutputOn(process, kOutputAtOnce);  // that it prints is no request
      continue;
    }
    any = true;
    if (sources[i].thread != nullptr) {
      ServeThread(sources[i].thread);
    } else if (const int socket = accept4(process->listening, nullptr, nullptr, SOCK_CLOEXEC);
               socket >= 0) {
      process->threads.push_back(std::make_unique<Thread>(
          socket, sim::uapi::Asker{process->number, process->threads_ever++}));
    }
  }
  return ServeMemory() || any;
}

void Serving::PassOutputOn(Process* process, size_t most) {
  if (!process->program) return;
  for (const std::string& line : process->program->TakeLines(most)) {
    printed_ += line.size();
    hears_(process->name, line);
  }
}

void Serving::HearAll(Thread* thread) {
  while (std::optional<sim::uapi::Message> message = thread->connection.Next())
    Heard(thread, std::move(*message));
}

void Serving::ServeThread(Thread* thread) {
  const int error = thread->connection.Read();
  HearAll(thread);
  if (thread->connection.damaged() || (error != 0 && error != EINTR && error != EAGAIN))
    Lose(Owner(thread), thread);
}

std::vector<std::string> Serving::WhoWaits() const {
  std::vector<std::string> lines;
  for (const auto& process : processes_) {
    if (process->gone) continue;
    size_t nth = 0;
    for (const ThreadState& state : ThreadsOf(process->pid))
      lines.push_back(
          fmt::format("{} thread {}: {}", process->name, ++nth, WaitsFor(*process, state)));
  }
  return lines;
}

std::string Serving::WaitsFor(const Process& process, const ThreadState& thread) const {
  std::string does = "sleeps in " + NameOfCall(process.pid, thread);
  if (thread.state == 'R') does = "runs, and sends no request";
  if (IsStopped(thread)) does = "is stopped, and no process sends it SIGCONT";
  if (running_on_ > 0 && (thread.call == SYS_write || thread.call == SYS_writev))
    does = "writes without end, and sends no request";
  const auto found = std::ranges::find(process.threads, thread.thread,
                                       [](const auto& one) { return one->number; });
  if (found == process.threads.end()) return does;
  const Thread& known = **found;
  if (known.waits && Spends(known.request))
    return known.polls.empty() ? "runs" : fmt::format("polls: {}", known.polls);
  if (known.waits && known.request.op == sim::uapi::Op::kSleep)
    return fmt::format("sleeps until {}", ToString(UntilOf(known.request)));
  if (known.waits) return fmt::format("waits for {}", machine_.WaitsFor(known.asker));
  if (known.ready && known.request.op == sim::uapi::Op::kCarry)
    does =
        fmt::format("waits for another host, over its own socket, until {}", ToString(known.since));
  else if (known.spins)
    does = fmt::format("waits for {}", Named(sim::uapi::WhatItLooksFor(known.request.on)));
  if (!known.last.empty()) does += fmt::format(", after {}", known.last);
  if (known.fetched == 0) return does;
  // The library waits in rdma_destroy_id: its request has been answered.
  for (const auto& [address, event] : process.belongings.held())
    if (event.id == known.destroyed)
      does += fmt::format(
          "; it waits until {} of id {} is acknowledged, which rdma_get_cm_event returned at {}",
          ToString(static_cast<EventType>(event.type)), event.id, ToString(event.at));
  return does;
}

Instant Serving::Ahead() const {
  return world_->Now() + std::max(kSlice, (world_->Now() - spoken_) / kShare);
}

void Serving::LimitTime(Instant until) {
  if (until.nanoseconds() < time_->until()) time_->SetUntil(until.nanoseconds());
}

std::optional<Instant> Serving::NextWaking() const {
  std::optional<Instant> first;
  const auto consider = [&first](Instant at) {
    if (Earlier(at, first)) first = at;
  };
  if (const auto arrives = sockets_.NextAt()) consider(*arrives);
  for (const auto& process : processes_) {
    for (const auto& thread : process->threads) {
      if (thread->ready && thread->since > world_->Now()) consider(thread->since);
      const bool sleeps = thread->waits || (thread->spins && !thread->ready);
      const Request& request = thread->request;
      if (!sleeps || request.op != Op::kSleep || Yields(request) || Spends(request)) continue;
      if (request.more < sim::uapi::kNever) consider(UntilOf(request));
    }
    for (const auto& [name, watched] : process->watches) {
      if (watched.readable.op != Op::kPollTime || watched.readable.more >= sim::uapi::kNever)
        continue;
      if (watched.level == nullptr || watched.is_readable) continue;
      consider(UntilOf(watched.readable));
    }
  }
  return first;
}

std::optional<Instant> Serving::NextSpent() const {
  std::optional<Instant> first;
  for (const auto& process : processes_) {
    for (const auto& thread : process->threads) {
      std::optional<Instant> at;
      if (thread->waits && Spends(thread->request)) at = UntilOf(thread->request);
      if (thread->spins && !thread->ready && Yields(thread->request)) at = Ahead();
      if (at && Earlier(*at, first)) first = at;
    }
  }
  return first;
}

}  // namespace cm::app
