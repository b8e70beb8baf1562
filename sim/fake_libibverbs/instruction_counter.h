// Counters of the instructions that threads retire outside of the kernel.
//
// Two libraries define these functions: that of the processor's counters, and one for tests.
#ifndef SIM_FAKE_LIBIBVERBS_INSTRUCTION_COUNTER_H_
#define SIM_FAKE_LIBIBVERBS_INSTRUCTION_COUNTER_H_

#include <cstdint>
#include <optional>

namespace cm::sim::fake_libibverbs {

// A descriptor of a new counter of the calling thread, which an exec closes; or a negative errno.
int OpenInstructionCounter();

// Empty when it does not count any more, and errno is set where the system says why.
std::optional<uint64_t> ReadInstructionCounter(int counter);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_INSTRUCTION_COUNTER_H_
