// What programs that wait with a time limit have in common.
#ifndef TOOLS_APP_LIMITED_WAITS_H_
#define TOOLS_APP_LIMITED_WAITS_H_

#include <rdma/rdma_cma.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>

namespace cm::app {

constexpr int64_t kSecond = 1'000'000'000;
constexpr timespec kTwoSeconds = {.tv_sec = 2, .tv_nsec = 0};

inline int64_t TimeOn(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

inline int64_t Now() { return TimeOn(CLOCK_MONOTONIC); }

inline timespec InTwoSeconds(clockid_t clock) {
  const int64_t then = TimeOn(clock) + 2 * kSecond;
  return {.tv_sec = then / kSecond, .tv_nsec = then % kSecond};
}

// 0 or an errno.
inline int SleepFor(const timespec& time) { return nanosleep(&time, nullptr) == 0 ? 0 : errno; }

// Each returns an errno, or something else of its own.
using LimitedWaits = std::map<std::string, int (*)()>;

// Waits in this way, prints what it returned and how long it took, and ends the program. Returns
// where there is no such way.
inline void WaitAndEnd(const LimitedWaits& waits, const std::string& how) {
  const auto found = waits.find(how);
  if (found == waits.end()) return;
  // The library's own threads and devices are there.
  rdma_destroy_event_channel(rdma_create_event_channel());
  const int64_t before = Now();
  const int result = found->second();
  std::printf("%s: %d after %ldms\n", how.c_str(), result,
              static_cast<long>((Now() - before) / (kSecond / 1000)));
  std::fflush(stdout);
  _exit(0);
}

}  // namespace cm::app

#endif  // TOOLS_APP_LIMITED_WAITS_H_
