// What a process that judges many conversations does with memory.
#ifndef CONFORMANCE_RUNNER_MEMORY_H_
#define CONFORMANCE_RUNNER_MEMORY_H_

namespace cm {

// Keeps what is freed, up to 64 MiB, for the rest of the process: each conversation frees what the
// next one needs again, and the C library would give it back to the kernel in between, which takes
// a tenth of the time of a run.
void KeepMemory();

}  // namespace cm

#endif  // CONFORMANCE_RUNNER_MEMORY_H_
