// Events that the kernel counts for one thread, outside of the kernel. source: man
// perf_event_open(2)
#ifndef SIM_FAKE_LIBIBVERBS_HARDWARE_COUNTER_H_
#define SIM_FAKE_LIBIBVERBS_HARDWARE_COUNTER_H_

#include <cstdint>

namespace cm::sim::fake_libibverbs {

// As OpenInstructionCounter, for an event of another type (PERF_TYPE_*).
int OpenEventCounter(uint32_t type, uint64_t event);

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_HARDWARE_COUNTER_H_
