#include "tools/app/one_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "conformance/process/real_time.h"
#include "tools/app/threads.h"

namespace cm::app {
namespace {

// One that has been answered runs in the first, and mostly asks at its end.
constexpr int kTurns = 3;
// A turn that is longer is one of a program that computes, or of other work.
constexpr Duration kLong = Duration::Milliseconds(1);
constexpr Duration kMost = Duration::Milliseconds(5);
constexpr Duration kWindow = Duration::Milliseconds(200);
constexpr int kShare = 4;
constexpr Duration kPause = Duration::Milliseconds(100);
constexpr Duration kLongestPause = Duration::Milliseconds(1'600);

using Words = std::array<uint64_t, sizeof(cpu_set_t) / sizeof(uint64_t)>;

bool StaysOn(pid_t thread, int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return sched_setaffinity(thread, sizeof one, &one) == 0;
}

}  // namespace

OneProcessor::OneProcessor() : since_(RealNow()), pause_(kPause) {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  own_ = sched_getcpu();
  bound_ = takes_turns_ = own_ >= 0 && own_ < CPU_SETSIZE && StaysOn(0, own_);
}

OneProcessor::~OneProcessor() {
  if (bound_) sched_setaffinity(0, sizeof before_, &before_);
}

std::string OneProcessor::Variable() const {
  Words words{};
  std::memcpy(words.data(), &before_, sizeof before_);
  size_t count = words.size();
  while (count > 1 && words[count - 1] == 0) --count;
  return fmt::format("CMSIM_PROCESSORS={:x}", fmt::join(words.begin(), words.begin() + count, ","));
}

bool OneProcessor::LetOthersRun(const std::function<bool()>& has_come) {
  if (!bound_) return false;
  Instant before = RealNow();
  takes_turns_ = takes_turns_ || before >= resumes_;
  for (int turn = 0; turn < kTurns && takes_turns_; ++turn) {
    sched_yield();
    const Instant after = RealNow();
    Note(before, after);
    if (has_come()) return true;
    before = after;
  }
  return false;
}

void OneProcessor::Note(Instant before, Instant after) {
  if (after - before < kLong) return;
  if (after - since_ > kWindow) {
    since_ = before;
    lost_ = {};
  }
  lost_ = lost_ + (after - before);
  if (lost_ < kMost || lost_ * kShare < after - since_) return;
  crowded_ = true;
  takes_turns_ = false;
  resumes_ = after + pause_;
  pause_ = std::min(pause_ * 2, kLongestPause);
  lost_ = {};
}

void OneProcessor::Move(std::span<const pid_t> processes) {
  std::vector<int> others;
  for (int one = 0; one < CPU_SETSIZE; ++one)
    if (one != own_ && CPU_ISSET(one, &before_)) others.push_back(one);
  if (!bound_ || others.empty()) return;
  // Two runs that crowd each other are not to move together.
  const auto drawn = static_cast<size_t>(RealNow().nanoseconds());
  if ((drawn / others.size()) % 2 == 0) return;
  const int next = others[drawn % others.size()];
  if (!StaysOn(0, next)) return;
  own_ = next;
  TakeAlong(processes);
}

void OneProcessor::TakeAlong(std::span<const pid_t> processes) const {
  if (!bound_) return;
  for (const pid_t process : processes)
    for (const ThreadState& thread : ThreadsOf(process)) StaysOn(thread.thread, own_);
}

}  // namespace cm::app
