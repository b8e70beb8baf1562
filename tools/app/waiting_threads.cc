#include "tools/app/waiting_threads.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "model/vocabulary/protocol.h"
#include "sim/uapi/request.h"
#include "tools/app/process.h"
#include "tools/app/sleeps.h"
#include "tools/app/threads.h"

namespace cm::app {
namespace {

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
    case sim::uapi::LooksFor::kFutex:
      return "another thread: a futex";
  }
  return "another thread";
}

// What the system shows of a thread.
std::string Does(const Process& process, const ThreadState& thread, bool one_runs_on) {
  if (one_runs_on && (thread.call == SYS_write || thread.call == SYS_writev))
    return "writes without end, and sends no request";
  if (IsStopped(thread)) return "is stopped, and no process sends it SIGCONT";
  if (thread.state == 'R') return "runs, and sends no request";
  return "sleeps in " + NameOfCall(process.pid, thread);
}

std::string WaitsFor(const Process& process, const Thread& known, std::string does,
                     const sim::uapi::Machine& machine) {
  if (known.waits && Spends(known.request))
    return known.polls.empty() ? "runs" : fmt::format("polls: {}", known.polls);
  if (known.waits && known.request.op == sim::uapi::Op::kSleep)
    return fmt::format("sleeps until {}", ToString(UntilOf(known.request)));
  if (known.waits) return fmt::format("waits for {}", machine.WaitsFor(known.asker));
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

}  // namespace

std::vector<std::string> WaitingThreads(const ProcessTable& processes,
                                        const sim::uapi::Machine& machine, bool one_runs_on) {
  std::vector<std::string> lines;
  for (const auto& process : processes.all()) {
    if (process->gone) continue;
    size_t nth = 0;
    for (const ThreadState& state : ThreadsOf(process->pid)) {
      std::string does = Does(*process, state, one_runs_on);
      const auto known = std::ranges::find(process->threads, state.thread,
                                           [](const auto& one) { return one->number; });
      if (known != process->threads.end())
        does = WaitsFor(*process, **known, std::move(does), machine);
      lines.push_back(fmt::format("{} thread {}: {}", process->name, ++nth, does));
    }
  }
  return lines;
}

}  // namespace cm::app
