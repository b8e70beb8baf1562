#include "sim/fake_libibverbs/libc.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
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

long SystemCall(long number, const std::array<long, 6>& arguments) {
#if defined(__x86_64__)
  // source: System V ABI for AMD64, A.2.1
  constexpr long kLastError = 4095;
  long result = number;
  __asm__ volatile(
      "movq %[fourth], %%r10\n"
      "movq %[fifth], %%r8\n"
      "movq %[sixth], %%r9\n"
      "syscall"
      : "+a"(result)
      : "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), [fourth] "m"(arguments[3]),
        [fifth] "m"(arguments[4]), [sixth] "m"(arguments[5])
      : "rcx", "r8", "r9", "r10", "r11", "memory");
  if (result >= 0 || result < -kLastError) return result;
  errno = static_cast<int>(-result);
  return -1;
#else
  return syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                 arguments[5]);
#endif
}

void* NextDefinition(const char* name) { return dlsym(RTLD_NEXT, name); }

const Libc& RealLibc() {
  static const Libc kFound = FindAll();
  return kFound;
}

}  // namespace cm::sim::fake_libibverbs
