#include "tools/app/endless_runs.h"

#include <sys/types.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "tools/app/threads.h"

namespace cm::app {
namespace {

// Programs that send no request while one of them always runs count as endless after this much CPU
// time of theirs: on a busy machine they may get none for long. They are asked for it whenever we
// have looked for so much CPU time of our own; if they have printed much by then, that is theirs.
constexpr Duration kOwnPatience = Duration::Seconds(1);
constexpr Duration kShortPatience = Duration::Milliseconds(20);
constexpr Duration kLookAtLeast = Duration::Milliseconds(20);
constexpr uint64_t kMuchOutput = uint64_t{1} << 16;     // bytes
constexpr Duration kTick = Duration::Milliseconds(10);  // source: man proc(5), sysconf(_SC_CLK_TCK)
// Those that wait in the system, and get no CPU time, count as endless after so much of ours.
constexpr Duration kLongPatience = Duration::Seconds(30);

Duration OwnTime() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return Duration::Seconds(now.tv_sec) + Duration::Nanoseconds(now.tv_nsec);
}

}  // namespace

void EndlessRuns::HaveSlept() {
  detected_ = false;
  silence_.reset();
}

bool EndlessRuns::Detect() {
  if (!IsLong()) return false;
  detected_ = true;
  return true;
}

uint64_t EndlessRuns::TicksOfPrograms() const {
  uint64_t ticks = 0;
  for (const pid_t process : processes_->Running()) ticks += TicksWithChildren(process);
  return ticks;
}

// No request for long, of programs that run whenever we look.
bool EndlessRuns::IsLong() {
  const Duration now = OwnTime();
  if (!silence_) silence_ = Silence{.since = now, .looked = now, .ticks = {}, .spent = {}};
  if (silence_->in_vain) return true;
  const Duration looking = now - silence_->looked;
  if (looking < kLookAtLeast) return false;
  silence_->looked = now;
  const uint64_t ticks = TicksOfPrograms();
  // One that has ended is counted no more.
  const uint64_t before = std::min(std::exchange(silence_->ticks, ticks).value_or(ticks), ticks);
  const bool prints = std::exchange(printed_, 0) >= kMuchOutput;
  silence_->spent = silence_->spent + std::max(kTick * static_cast<int64_t>(ticks - before),
                                               prints ? looking : Duration());
  silence_->in_vain = silence_->spent >= (detected_ ? kShortPatience : kOwnPatience) ||
                      now - silence_->since >= kLongPatience;
  return silence_->in_vain;
}

}  // namespace cm::app
