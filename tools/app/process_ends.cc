#include "tools/app/process_ends.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "model/vocabulary/protocol.h"
#include "tools/app/program.h"
#include "tools/app/threads.h"

namespace cm::app {
namespace {

std::string Leaves(const sim::Usage& before, const sim::Usage& after) {
  std::vector<std::string> left;
  const auto count = [&left](uint32_t had, uint32_t has, std::string_view what) {
    if (had > has)
      left.push_back(fmt::format("{} {}{}", had - has, what, had - has > 1 ? "s" : ""));
  };
  count(before.kernel_ids, after.kernel_ids, "rdma_cm id");
  count(before.queue_pairs, after.queue_pairs, "queue pair");
  count(before.receive_queues, after.receive_queues, "shared receive queue");
  count(before.regions, after.regions, "memory region");
  return fmt::format("{}", fmt::join(left, ", "));
}

}  // namespace

bool ProcessEnds::NoteEnds() {
  if (detector_->all_ask()) return false;
  bool any = false;
  for (const auto& process : processes_->all()) {
    if (process->gone || !HasEnded(process.get())) continue;
    Remove(process.get());
    any = true;
  }
  orphans_->Reap(processes_->Programs());
  return any;
}

bool ProcessEnds::HasEnded(Process* process) {
  return process->program ? process->program->Ended() : IsGone(process->pid);
}

void ProcessEnds::NoteEndsOfSilent() {
  for (const auto& process : processes_->all()) {
    const bool silent = process->threads.empty() && process->threads_ever > 0;
    if (silent && !process->gone && HasEnded(process.get())) Remove(process.get());
  }
}

void ProcessEnds::Remove(Process* process) {
  output_->PassAllOn(process);
  process->gone = true;
  process->threads.clear();
  process->watches.Clear();
  process->completion_watches.Clear();
  const sim::Usage before = kernels_->world->InUse();
  kernels_->machine.RemoveProcess(process->number);
  kernels_->foresight.Forget(process->number);
  if (Recorder* const recorder = trace_->recorder())
    recorder->Ended(kernels_->Now(), process->side, process->number);
  kernels_->socket_ends.HasEnded(*process);
  kernels_->shared_time->NoteHappened();
  processes_->LetAllLook();
  if (!process->program) return;  // its status and leftovers belong to its parent
  trace_->Say(kernels_->Now(), process->name, HowItEnded(process->program->status()));
  if (!process->host_has_crashed) NoteWhatIsLeft(*process, before);
}

// `before`: what all processes had in use before its end.
void ProcessEnds::NoteWhatIsLeft(const Process& process, const sim::Usage& before) {
  std::vector<std::string>& misbehaviour = complaints_->misbehaviour;
  const int status = process.program->status();
  if (!WIFEXITED(status)) {
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool crashes = signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS;
    misbehaviour.push_back(fmt::format("{} is {}{}", process.name, HowItEnded(status),
                                       crashes ? process.belongings.BeforeCrash() : ""));
    return;
  }
  const std::string left = Leaves(before, kernels_->world->InUse());
  if (!left.empty()) misbehaviour.push_back(fmt::format("{} leaves {}", process.name, left));
  const std::string open = process.belongings.Open();
  if (!open.empty())
    complaints_->left_open.push_back(
        fmt::format("{} leaves {} open, which its exit closes", process.name, open));
  for (const auto& [address, event] : process.belongings.held())
    misbehaviour.push_back(
        fmt::format("{} has not acknowledged {} of id {}, which it fetched at {}", process.name,
                    ToString(static_cast<EventType>(event.type)), event.id, ToString(event.at)));
}

const Process* ProcessEnds::FirstOf(pid_t orphan) const {
  const std::string socket = EnvironmentOf(orphan, "CMSIM_SOCKET");
  const auto found = std::ranges::find_if(processes_->all(), [&](const auto& process) {
    return process->listening >= 0 && folder_->SocketPath(process->number) == socket;
  });
  return found == processes_->all().end() ? nullptr : found->get();
}

void ProcessEnds::NoteLeftBehind() {
  for (const pid_t orphan : orphans_->Alive(processes_->Programs())) {
    const Process* const first = FirstOf(orphan);
    complaints_->misbehaviour.push_back(fmt::format("{} has left a process behind: {}",
                                                    first == nullptr ? "some program" : first->name,
                                                    NameOfProcess(orphan)));
  }
}

void ProcessEnds::HostCrashes(uint8_t side) {
  detector_->MayHaveWoken();
  const Topology& topology = kernels_->world->topology();
  kernels_->sockets.HostCrashes(topology.KernelOf(side));
  for (const auto& process : processes_->all()) {
    if (process->gone || topology.KernelOf(process->side) != topology.KernelOf(side)) continue;
    process->host_has_crashed = true;
    if (process->program) process->program->Kill(SIGKILL);
    if (!process->program) kill(process->pid, SIGKILL);
  }
  for (const pid_t orphan : orphans_->Alive(processes_->Programs())) {
    const Process* const first = FirstOf(orphan);
    if (first != nullptr && topology.KernelOf(first->side) == topology.KernelOf(side))
      kill(orphan, SIGKILL);
  }
}

void ProcessEnds::KillAll() {
  for (const auto& process : processes_->all()) {
    if (process->gone || !process->program) continue;
    process->program->Kill(SIGKILL);
    output_->PassAllOn(process.get());
  }
  orphans_->EndAll(processes_->Programs());
}

}  // namespace cm::app
