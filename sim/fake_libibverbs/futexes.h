// Futexes that a program waits for and wakes by system calls of its own, as libraries of languages
// do: std::future and std::atomic of C++, mutexes of Rust.
#ifndef SIM_FAKE_LIBIBVERBS_FUTEXES_H_
#define SIM_FAKE_LIBIBVERBS_FUTEXES_H_

#include <array>
#include <cstdint>

namespace cm::sim::fake_libibverbs {

// The system call futex, with its arguments. Limits are met in virtual time, and a thread that is
// woken takes its turn. Returns -1 and errno where the call fails.
long CallFutex(const std::array<long, 6>& arguments);

// A jump to the stack pointer `target` has left the calling thread's wait for a futex, if it waits.
void LeaveFutex(uintptr_t target);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_FUTEXES_H_
