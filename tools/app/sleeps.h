// Requests of threads that sleep.
#ifndef TOOLS_APP_SLEEPS_H_
#define TOOLS_APP_SLEEPS_H_

#include <cstdint>

#include "model/base/duration.h"
#include "sim/uapi/bytes.h"
#include "sim/uapi/request.h"

namespace cm::app {

inline bool Is(const sim::uapi::Request& request, sim::uapi::SleepKind kind) {
  return request.op == sim::uapi::Op::kSleep && sim::uapi::KindOfSleep(request.on) == kind;
}

// A thread that yields sends a sleep of length zero.
inline bool Yields(const sim::uapi::Request& request) {
  return request.op == sim::uapi::Op::kSleep && request.more == 0;
}

inline bool Spends(const sim::uapi::Request& request) {
  return Is(request, sim::uapi::SleepKind::kSpends) || Is(request, sim::uapi::SleepKind::kStarts);
}

// It is not answered.
inline bool IsTold(const sim::uapi::Request& request) {
  return request.op == sim::uapi::Op::kHold || request.op == sim::uapi::Op::kAcknowledge;
}

inline bool PollsMemory(const sim::uapi::Request& request) {
  return Yields(request) || Is(request, sim::uapi::SleepKind::kLooks);
}

// The thread waits in connect(2) for its peer's host: a signal ends that.
inline bool Connects(const sim::uapi::Request& request) {
  if (request.op != sim::uapi::Op::kCarry) return false;
  const auto record = sim::uapi::As<sim::uapi::CarryRecord>(request.bytes);
  return record.what == static_cast<uint32_t>(sim::uapi::Carry::kConnects);
}

inline Instant UntilOf(const sim::uapi::Request& request) {
  return Instant::FromNanoseconds(static_cast<int64_t>(request.more));
}

}  // namespace cm::app

#endif  // TOOLS_APP_SLEEPS_H_
