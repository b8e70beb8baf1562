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
// Time stands for long after so much CPU time of programs at one instant; they are asked for it
// after so many turns.
constexpr Duration kStandingPatience = Duration::Seconds(2);
constexpr uint64_t kTurns = 256;

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

bool EndlessRuns::TimeStands(Instant now) {
  if (now != standing_.at || standing_.turns == 0)
    standing_ = {
        .at = now, .patience = standing_.stands ? kShortPatience : kStandingPatience, .ticks = {}};
  if (++standing_.turns % kTurns != 0) return false;
  standing_.spent = standing_.spent + SpentSince(&standing_.ticks);
  standing_.stands = standing_.spent >= standing_.patience;
  return standing_.stands;
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

// CPU time of programs since they were last looked at.
Duration EndlessRuns::SpentSince(std::optional<uint64_t>* ticks) const {
  const uint64_t now = TicksOfPrograms();
  // One that has ended is counted no more.
  const uint64_t before = std::min(std::exchange(*ticks, now).value_or(now), now);
  return kTick * static_cast<int64_t>(now - before);
}

// No request for long, of programs that run whenever we look.
bool EndlessRuns::IsLong() {
  const Duration now = OwnTime();
  if (!silence_) silence_ = Silence{.since = now, .looked = now, .ticks = {}, .spent = {}};
  if (silence_->in_vain) return true;
  const Duration looking = now - silence_->looked;
  if (looking < kLookAtLeast) return false;
  silence_->looked = now;
  const Duration spent = SpentSince(&silence_->ticks);
  const bool prints = std::exchange(printed_, 0) >= kMuchOutput;
  silence_->spent = silence_->spent + std::max(spent, prints ? looking : Duration());
  silence_->in_vain = silence_->spent >= (detected_ ? kShortPatience : kOwnPatience) ||
                      now - silence_->since >= kLongPatience;
  return silence_->in_vain;
}

}  // namespace cm::app
