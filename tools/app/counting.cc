// A shared object that reads the processor's counter when it is loaded, and when it is called.
#include <x86intrin.h>

#include <cstdint>

namespace {

uint64_t at_load = 0;

__attribute__((constructor)) void Load() { at_load = __rdtsc(); }

}  // namespace

extern "C" {

uint64_t CountAtLoad() { return at_load; }
uint64_t CountNow() { return __rdtsc(); }
}
