#include "tools/app/turns.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace cm::app {
namespace {

constexpr uint64_t kRanks = 3;

}  // namespace

bool Turns::LetOneGoOn() {
  if (kernels_->sockets.Flush()) {
    SocketsHaveWoken();
    return true;
  }
  limits_->Renew();
  // What those have done that were answered, and sleep without another request, others may see.
  bool any = false;
  for (const auto& process : processes_->all())
    for (const auto& thread : process->threads) any |= std::exchange(thread->answered, false);
  if (any) processes_->LetAllLook();
  std::vector<Candidate> candidates = Candidates();
  // Where one alone could go on, there is nothing to decide.
  if (candidates.size() > 1) Rank(&candidates);
  return std::ranges::any_of(candidates, [this](const Candidate& one) { return LetGoOn(one); });
}

void Turns::Rank(std::vector<Candidate>* candidates) {
  if (!order_->Decides()) return;  // the first is the first
  for (const Candidate& one : *candidates) {
    std::optional<uint64_t>& rank = one.watched != nullptr ? one.watched->rank : one.thread->rank;
    if (rank) continue;
    const std::string name = DecisionName(*one.process, one.thread);
    // By what the thread has done, so that it is the same whatever others decide.
    rank = one.watched != nullptr ? order_->Below(kRanks, name)
                                  : order_->BelowAt(kRanks, name, one.thread->calls);
  }
  std::ranges::stable_sort(*candidates, {}, [](const Candidate& one) {
    return one.watched != nullptr ? *one.watched->rank : *one.thread->rank;
  });
}

// First those that have what they wait for, then those that look whether they have.
std::vector<Turns::Candidate> Turns::Candidates() {
  std::vector<Candidate> found;
  for (const auto& process : processes_->all()) {
    if (process->gone) continue;
    for (const auto& thread : process->threads)
      if (responder_->MayGoOn(*thread)) found.push_back({process.get(), thread.get(), nullptr});
    for (Watched* const watched : pipes_->Changing(process.get()))
      found.push_back({process.get(), nullptr, watched});
  }
  for (const auto& process : processes_->all())
    for (const auto& thread : process->threads)
      if (thread->may_go_on && !thread->ready && !responder_->MayGoOn(*thread))
        found.push_back({process.get(), thread.get(), nullptr});
  return found;
}

bool Turns::LetGoOn(const Candidate& candidate) {
  if (candidate.watched != nullptr) {
    if (!pipes_->BringUp(candidate.process, candidate.watched)) return false;
    processes_->LetAllLook();
    return true;
  }
  return responder_->GoOn(candidate.process, candidate.thread) ||
         responder_->LookAgain(candidate.process, candidate.thread);
}

void Turns::HasHappened() {
  kernels_->shared_time->Set(kernels_->Now().nanoseconds());
  kernels_->shared_time->NoteHappened();
  if (kernels_->sockets.Happen()) SocketsHaveWoken();
  processes_->LetAllLook();
}

void Turns::SocketsHaveWoken() {
  detector_->HasWoken();
  detector_->MayHaveWoken();
}

}  // namespace cm::app
