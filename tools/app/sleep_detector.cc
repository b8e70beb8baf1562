#include "tools/app/sleep_detector.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <string>

#include "sim/uapi/request.h"

namespace cm::app {

// Reading all of /proc takes longer than most of what programs do between two requests.
bool SleepDetector::RunsForSure() {
  constexpr int kMost = 16;
  if (++sure_ % kMost == 0) return false;
  return std::ranges::any_of(processes_->all(), [](const auto& process) {
    return std::ranges::any_of(process->threads, [&process](const auto& thread) {
      return !thread->waits && !thread->spins && !thread->sleeps && thread->number != 0 &&
             StateOf(process->pid, thread->number) == 'R';
    });
  });
}

// When all slept, and the system has created no process or thread since, those of programs are the
// known ones.
bool SleepDetector::AllSleep() {
  if (AllStillAsk()) return true;
  all_ask_ = false;
  if (RunsForSure()) return false;
  const uint64_t created = LastCreated();
  const bool known = created != 0 && created == created_;
  if (known && !look_closely_ && AllAsk()) {
    timed_ = false;
    running_on_ = 0;
    all_ask_ = NothingIsPending();
    return all_ask_;
  }
  if (!known) {
    running_ = processes_->Running();
    processor_->TakeAlong(running_);
    listed_.clear();
  }
  const Sleep sleep = SleepOf(
      running_, &restless_, &running_on_, [this](pid_t thread) { return processes_->Asks(thread); },
      &listed_);
  if (sleep == Sleep::kNone) return false;
  // A process or a thread that starts between the looks.
  // Where all ask, none can.
  const bool more = known ? sleep != Sleep::kAsking && LastCreated() != created
                          : processes_->Running() != running_ || !AreAll(listed_);
  if (more) return false;
  look_closely_ = false;
  created_ = running_on_ == 0 ? created : 0;
  NoteStrangers(running_);
  timed_ = sleep == Sleep::kTimed;
  for (const auto& process : processes_->all())
    for (const auto& thread : process->threads) thread->sleeps = true;
  return NothingIsPending();
}

bool SleepDetector::IsQuiet() {
  if (AllSleep()) {
    endless_->HaveSlept();
    return true;
  }
  if (!endless_->Detect()) return false;
  timed_ = false;
  running_on_ = std::max<size_t>(running_on_, 1);
  return true;
}

bool SleepDetector::MustBeSeenToSleep() {
  const auto is_armed = [](const auto& one) {
    const Watched& watched = one.second;
    return watched.readable.op == sim::uapi::Op::kPollTime &&
           watched.readable.more < sim::uapi::kNever;
  };
  const bool any = all_ask_ && std::ranges::any_of(processes_->all(), [&](const auto& process) {
                     return std::ranges::any_of(process->watches, is_armed);
                   });
  look_closely_ = look_closely_ || any;
  return any;
}

bool SleepDetector::NothingIsPending() const {
  if (processes_->HaveInMemory()) return false;
  std::vector<pollfd> descriptors;
  for (const auto& process : processes_->all()) {
    if (process->program && process->program->output() >= 0)
      descriptors.push_back({process->program->output(), POLLIN, 0});
    if (process->listening >= 0) descriptors.push_back({process->listening, POLLIN, 0});
    for (const auto& thread : process->threads)
      descriptors.push_back({thread->connection.socket(), POLLIN, 0});
  }
  return poll(descriptors.data(), descriptors.size(), 0) == 0;
}

bool SleepDetector::AllAsk() const {
  std::vector<pid_t> asking;
  for (const auto& process : processes_->all())
    for (const auto& thread : process->threads)
      if (thread->waits || thread->spins) asking.push_back(thread->number);
  std::ranges::sort(asking);
  return std::ranges::all_of(listed_, [&](const auto& one) {
    return std::ranges::all_of(one.second, [&](const ThreadState& thread) {
      return std::ranges::binary_search(asking, thread.thread);
    });
  });
}

// Programs that are linked statically or change their user, and those that were started by a system
// call without the environment. A process that asks is none of them.
void SleepDetector::NoteStrangers(std::span<const pid_t> running) {
  for (const pid_t number : running) {
    const bool asks = std::ranges::any_of(processes_->all(), [number](const auto& process) {
      return process->pid == number && !process->gone &&
             std::ranges::any_of(process->threads,
                                 [](const auto& thread) { return thread->waits || thread->spins; });
    });
    const std::string program = asks ? std::string() : strangers_.Sees(number);
    if (!program.empty())
      complaints_->misbehaviour.push_back(fmt::format(
          "a process runs {} without the simulated devices, and would use those of this system",
          program));
  }
}

}  // namespace cm::app
