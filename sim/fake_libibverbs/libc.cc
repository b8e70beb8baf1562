#include "sim/fake_libibverbs/libc.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace cm::sim::fake_libibverbs {
namespace {

template <typename Function>
void Find(const char* name, Function** function) {
  *function = Next(name, *function);
}

constexpr int kBits = 64;
constexpr int kMostKept = 65'536;

// One bit each, without a lock: threads of the program may give way at locks.
std::array<std::atomic<uint64_t>, kMostKept / kBits> kept{};

Libc FindAll() {
  Libc found{};
  Find("open", &found.open);
  Find("openat", &found.openat);
  Find("fstat", &found.fstat);
  Find("read", &found.read);
  Find("write", &found.write);
  Find("close", &found.close);
  Find("poll", &found.poll);
  return found;
}

}  // namespace

void KeepFromProgram(int fd, bool keep) {
  if (fd < 0 || fd >= kMostKept) return;
  const uint64_t bit = uint64_t{1} << fd % kBits;
  if (keep)
    kept[fd / kBits] |= bit;
  else
    kept[fd / kBits] &= ~bit;
}

bool IsKeptFromProgram(int fd) {
  return fd >= 0 && fd < kMostKept && (kept[fd / kBits] >> fd % kBits & 1) != 0;
}

void* NextDefinition(const char* name) { return dlsym(RTLD_NEXT, name); }

const Libc& RealLibc() {
  static const Libc kFound = FindAll();
  return kFound;
}

}  // namespace cm::sim::fake_libibverbs
