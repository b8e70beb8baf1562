#include "tools/app/time_limits.h"

#include <algorithm>
#include <cstdint>

#include "sim/uapi/request.h"
#include "tools/app/sleeps.h"

namespace cm::app {
namespace {

using sim::uapi::Op;
using sim::uapi::Request;

// A thread goes ahead at least this much, and at most by this part of the time in which programs
// have only polled.
constexpr Duration kSlice = Duration::Microseconds(10);
constexpr int64_t kShare = 16;

bool Earlier(Instant one, const std::optional<Instant>& other) { return !other || one < *other; }

}  // namespace

Instant TimeLimits::Ahead() const {
  return kernels_->Now() + std::max(kSlice, (kernels_->Now() - spoken_) / kShare);
}

void TimeLimits::Limit(Instant until) {
  if (until.nanoseconds() < kernels_->shared_time->until())
    kernels_->shared_time->SetUntil(until.nanoseconds());
}

void TimeLimits::Renew() {
  kernels_->shared_time->SetUntil(Ahead().nanoseconds());
  for (const auto& next : {kernels_->world->NextAt(), NextWaking(), expected_})
    if (next) Limit(*next);
}

std::optional<Instant> TimeLimits::NextWaking() const {
  std::optional<Instant> first;
  const auto consider = [&first](Instant at) {
    if (Earlier(at, first)) first = at;
  };
  if (const auto arrives = kernels_->sockets.NextAt()) consider(*arrives);
  for (const auto& process : processes_->all()) {
    for (const auto& thread : process->threads) {
      if (thread->ready && thread->since > kernels_->Now()) consider(thread->since);
      const bool sleeps = thread->waits || (thread->spins && !thread->ready);
      const Request& request = thread->request;
      if (!sleeps || request.op != Op::kSleep || Yields(request) || Spends(request)) continue;
      if (request.more < sim::uapi::kNever) consider(UntilOf(request));
    }
    for (const auto& [number, watched] : process->watches) {
      if (watched.readable.op != Op::kPollTime || watched.readable.more >= sim::uapi::kNever)
        continue;
      if (watched.level == nullptr || watched.is_readable) continue;
      consider(UntilOf(watched.readable));
    }
  }
  return first;
}

std::optional<Instant> TimeLimits::NextSpent() const {
  std::optional<Instant> first;
  for (const auto& process : processes_->all()) {
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
