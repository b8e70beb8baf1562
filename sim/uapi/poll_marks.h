// The call of a program that sleeps in poll(2) in its place.
#ifndef SIM_UAPI_POLL_MARKS_H_
#define SIM_UAPI_POLL_MARKS_H_

#include <cstdint>

namespace cm::sim::uapi {

enum class SleepsIn : uint8_t { kPoll, kRead, kReceive, kAccept, kEpoll };

// In the events that are wanted of the first descriptor: bits that the system does not look at.
// source: linux 6.1 eventpoll.h
inline constexpr unsigned kMarkShift = 10;
inline constexpr short MarkOf(SleepsIn call) {
  return static_cast<short>(static_cast<unsigned>(call) << kMarkShift);
}
inline constexpr SleepsIn MarkIn(short events) {
  return static_cast<SleepsIn>((static_cast<unsigned>(events) >> kMarkShift) & 7U);
}

}  // namespace cm::sim::uapi

#endif  // SIM_UAPI_POLL_MARKS_H_
