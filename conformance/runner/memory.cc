#include "conformance/runner/memory.h"

#include <malloc.h>

namespace cm {

void KeepMemory() {
  constexpr int kKept = 64 << 20;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, 1 << 20);
}

}  // namespace cm
