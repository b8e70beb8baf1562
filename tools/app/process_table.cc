#include "tools/app/process_table.h"

#include <algorithm>
#include <utility>

#include "model/base/check.h"
#include "sim/uapi/request.h"
#include "tools/app/sleeps.h"
#include "tools/app/threads.h"

namespace cm::app {

Process* ProcessTable::Add(std::unique_ptr<Process> process) {
  CM_CHECK(process->number == processes_.size());
  processes_.push_back(std::move(process));
  return processes_.back().get();
}

std::vector<pid_t> ProcessTable::Programs() const {
  std::vector<pid_t> programs;
  for (const auto& process : processes_)
    if (process->program) programs.push_back(process->pid);
  return programs;
}

std::vector<pid_t> ProcessTable::Running() const {
  std::vector<pid_t> running;
  const auto add = [&running](pid_t root) {
    // A child that is a process here has children in its parent's tree.
    for (const pid_t pid : TreeOf(root))
      if (std::ranges::count(running, pid) == 0) running.push_back(pid);
  };
  for (const auto& process : processes_)
    if (!process->gone) add(process->pid);
  for (const pid_t orphan : orphans_->Alive(Programs())) add(orphan);
  return running;
}

bool ProcessTable::AllGone() const {
  return std::ranges::all_of(processes_, [](const auto& process) { return process->gone; });
}

bool ProcessTable::OneMayRun() const {
  return std::ranges::any_of(processes_, [](const auto& process) {
    return !process->gone &&
           (process->threads.empty() || std::ranges::any_of(process->threads, [](const auto& one) {
              return !one->sleeps && !one->waits && !one->spins;
            }));
  });
}

bool ProcessTable::OneStartsAProcess() const {
  return std::ranges::any_of(processes_, [](const auto& process) {
    return std::ranges::any_of(process->threads, [](const auto& thread) {
      return thread->waits && Is(thread->request, sim::uapi::SleepKind::kStarts);
    });
  });
}

bool ProcessTable::Asks(pid_t number) const {
  return std::ranges::any_of(processes_, [number](const auto& process) {
    return std::ranges::any_of(process->threads, [number](const auto& thread) {
      return thread->number == number && (thread->waits || thread->spins);
    });
  });
}

bool ProcessTable::HaveInMemory() const {
  return std::ranges::any_of(processes_, [](const auto& process) {
    return std::ranges::any_of(process->threads,
                               [](const auto& one) { return one->connection.HasInMemory(); });
  });
}

void ProcessTable::LetAllLook() {
  for (const auto& process : processes_)
    for (const auto& thread : process->threads) thread->may_go_on = thread->spins;
}

}  // namespace cm::app
