// Jumps of the program: what it has begun in the object and leaves ends.
#include <pthread.h>  // __jmp_buf_tag; <setjmp.h> gives all functions one name

#include <bit>
#include <cstdint>
#include <cstdlib>

#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/futexes.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

// The stack pointer that a jump restores. The C library keeps it disguised. source: glibc 2.36
// sysdeps/x86_64/jmpbuf-offsets.h JB_RSP, sysdeps/unix/sysv/linux/x86_64/pointer_guard.h
uintptr_t StackOf(const __jmp_buf_tag* place) {
  constexpr int kStack = 6;
  constexpr int kRotated = 17;
  uintptr_t guard = 0;
  asm("mov %%fs:0x30, %0" : "=r"(guard));
  return std::rotr(std::bit_cast<uintptr_t>(place->__jmpbuf[kStack]), kRotated) ^ guard;
}

using Jump = void(__jmp_buf_tag*, int);

[[noreturn]] void Leave(Jump* real, __jmp_buf_tag* place, int value) {
  const uintptr_t target = StackOf(place);
  LeaveFutex(target);
  LeaveRequest(target);
  LeaveObject(target);
  real(place, value);
  std::abort();
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

void longjmp(__jmp_buf_tag* place, int value) noexcept {
  static auto* const kReal = Next<Jump>("longjmp", nullptr);
  Leave(kReal, place, value);
}

void _longjmp(__jmp_buf_tag* place, int value) noexcept {
  static auto* const kReal = Next<Jump>("_longjmp", nullptr);
  Leave(kReal, place, value);
}

void siglongjmp(__jmp_buf_tag* place, int value) noexcept {
  static auto* const kReal = Next<Jump>("siglongjmp", nullptr);
  Leave(kReal, place, value);
}

// The one of programs that are built with _FORTIFY_SOURCE.
void __longjmp_chk(__jmp_buf_tag* place, int value) noexcept {
  static auto* const kReal = Next<Jump>("__longjmp_chk", nullptr);
  Leave(kReal, place, value);
}

}  // extern "C"
