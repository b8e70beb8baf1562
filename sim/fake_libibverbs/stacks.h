// What a jump (longjmp) out of a handler of a signal leaves. A thread that waits in the object is
// not there any more, and nothing that it has on its stack is destroyed. So programs end waits that
// have no limit.
#ifndef SIM_FAKE_LIBIBVERBS_STACKS_H_
#define SIM_FAKE_LIBIBVERBS_STACKS_H_

#include <signal.h>

#include <cstdint>

namespace cm::sim::fake_libibverbs {

// Whether what stands at `here`, on the stack of the calling thread, is left by a jump to `target`:
// stacks grow downwards. A handler may run on a stack of its own, and jump within that.
inline bool IsLeft(const void* here, uintptr_t target) {
  stack_t own{};
  if (sigaltstack(nullptr, &own) != 0) return false;
  const auto begin = reinterpret_cast<uintptr_t>(own.ss_sp);
  const bool stays = (own.ss_flags & SS_ONSTACK) != 0 && target - begin < own.ss_size;
  return !stays && reinterpret_cast<uintptr_t>(here) < target;
}

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_STACKS_H_
