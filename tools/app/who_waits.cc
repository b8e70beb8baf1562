// What each thread waits for, when a run ends before its programs.
#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>

#include "model/vocabulary/protocol.h"
#include "tools/app/serving.h"
#include "tools/app/sleeps.h"

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
  }
  return "another thread";
}

}  // namespace

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
  std::string does = "sleeps in " + NameOfCall(thread.call);
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
  if (known.spins)
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

}  // namespace cm::app
