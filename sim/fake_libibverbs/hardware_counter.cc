#include "sim/fake_libibverbs/hardware_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>

#include "sim/fake_libibverbs/instruction_counter.h"

namespace cm::sim::fake_libibverbs {

// Threads that the calling thread starts are not counted with it. It is always on the processor
// with its thread, or fails: it shares no counter of the processor with others in turn.
int OpenEventCounter(uint32_t type, uint64_t event) {
  constexpr int kCallingThread = 0;
  constexpr int kAnyProcessor = -1;
  constexpr int kNoGroup = -1;
  perf_event_attr attributes{};
  attributes.type = type;
  attributes.size = sizeof attributes;
  attributes.config = event;
  attributes.pinned = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const int64_t counter = syscall(SYS_perf_event_open, &attributes, kCallingThread, kAnyProcessor,
                                  kNoGroup, PERF_FLAG_FD_CLOEXEC);
  return counter < 0 ? -errno : static_cast<int>(counter);
}

int OpenInstructionCounter() {
  return OpenEventCounter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

// By a system call: the program may have a `read` of its own. One that failed has an end of file.
std::optional<uint64_t> ReadInstructionCounter(int counter) {
  uint64_t count = 0;
  errno = 0;
  if (syscall(SYS_read, counter, &count, sizeof count) != sizeof count) return std::nullopt;
  return count;
}

}  // namespace cm::sim::fake_libibverbs
