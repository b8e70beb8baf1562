// The processor's counter in virtual time, a tick a nanosecond. The kernel makes rdtsc and rdtscp
// fault for a program that asks for it (PR_SET_TSC). Where a virtual machine does not pass that on,
// those in the code of the program are replaced by an instruction that faults, where it is certain
// that they are instructions: at the start, and in what is loaded later before its constructors
// run.
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/crash.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/padding.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr std::array<uint8_t, 2> kRdtsc = {0x0f, 0x31};
constexpr std::array<uint8_t, 3> kRdtscp = {0x0f, 0x01, 0xf9};
constexpr std::array<uint8_t, 2> kUd2 = {0x0f, 0x0b};
constexpr uint8_t kRet = 0xc3;
constexpr uintptr_t kVdsoSize = uintptr_t{1} << 14;

// Where rdtsc was replaced, in order, by the address of the object.
using Replaced = std::map<uintptr_t, std::vector<uintptr_t>>;

// What handles a fault; no signal while the counter is the processor's.
struct Traps {
  std::atomic<int> signal = 0;
  // Another one takes its place, and it stays: other threads may be reading it.
  std::atomic<const Replaced*> replaced = new Replaced;
  std::atomic<bool> probed = false;  // the fault of the probe has come
  struct sigaction programs {};      // the program's own handler
};

Traps& TheTraps() {
  static auto* const kTraps = new Traps;
  return *kTraps;
}

template <size_t kSize>
bool Stands(const uint8_t* code, const std::array<uint8_t, kSize>& instruction) {
  return std::equal(instruction.begin(), instruction.end(), code);
}

// Its end where there is none.
template <size_t kSize>
const uint8_t* Find(const uint8_t* code, const uint8_t* end,
                    const std::array<uint8_t, kSize>& instruction) {
  const void* const found =
      memmem(code, static_cast<size_t>(end - code), instruction.data(), instruction.size());
  return found == nullptr ? end : static_cast<const uint8_t*>(found);
}

// The kernel's code for reading its clock needs the real counter.
uint64_t RealCounter() {
  prctl(PR_SET_TSC, PR_TSC_ENABLE);
  const uint64_t value = __rdtsc();
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
  return value;
}

bool IsInVdso(uintptr_t at) {
  const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
  return vdso != 0 && at >= vdso && at - vdso < kVdsoSize;
}

bool IsReplaced(uintptr_t at) {
  const Replaced& replaced = *TheTraps().replaced;
  const auto after = replaced.upper_bound(at);
  return after != replaced.begin() && std::ranges::binary_search(std::prev(after)->second, at);
}

// The length of the instruction at an address that reads the counter; 0 for any other.
size_t LengthAt(int signal, uintptr_t at) {
  const uint8_t* const code = At(at);
  if (signal == SIGILL) return IsReplaced(at) ? kUd2.size() : 0;
  if (Stands(code, kRdtsc)) return kRdtsc.size();
  return Stands(code, kRdtscp) ? kRdtscp.size() : 0;
}

void HandOn(int signal, siginfo_t* info, void* context) {
  const struct sigaction& programs = TheTraps().programs;
  if ((programs.sa_flags & SA_SIGINFO) != 0) return programs.sa_sigaction(signal, info, context);
  if (programs.sa_handler == SIG_IGN && info->si_code <= 0) return;
  if (programs.sa_handler != SIG_DFL && programs.sa_handler != SIG_IGN)
    return programs.sa_handler(signal);
  // The instruction faults again, or the signal is sent again.
  static auto* const kReal = Next("sigaction", &sigaction);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  kReal(signal, &usual, nullptr);
  if (info->si_code <= 0) raise(signal);
}

// The two halves are joined soon after the instruction: shl $32, of any register.
bool JoinsHalves(const uint8_t* code, const uint8_t* end) {
  constexpr ptrdiff_t kNear = 32;
  for (const uint8_t* at = code; at + 4 <= std::min(code + kNear, end); ++at)
    if ((at[0] & 0xfe) == 0x48 && at[1] == 0xc1 && (at[2] & 0xf8) == 0xe0 && at[3] == 32)
      return true;
  return false;
}

// The two halves are moved to other registers soon after the instruction: mov %edx and mov %eax.
bool MovesHalves(const uint8_t* code, const uint8_t* end) {
  constexpr ptrdiff_t kNear = 12;
  bool high = false;
  bool low = false;
  for (const uint8_t* at = code; at + 2 <= std::min(code + kNear, end); ++at) {
    if (at[0] != 0x89) continue;
    high = high || (at[1] & 0xf8) == 0xd0;
    low = low || (at[1] & 0xf8) == 0xc0;
  }
  return high && low;
}

bool UsesBoth(const uint8_t* code, const uint8_t* end) {
  return JoinsHalves(code, end) || MovesHalves(code, end);
}

void Overwrite(uintptr_t at, std::span<const uint8_t> code) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = at / page * page;
  const size_t length = at + code.size() - first;
  if (mprotect(At(first), length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  std::ranges::copy(code, At(at));
  mprotect(At(first), length, PROT_READ | PROT_EXEC);
}

// The C library, its loader and this object read the counter of the processor.
bool IsTheSystems(std::string_view object) {
  return std::ranges::any_of(
      std::array{"libc.so", "ld-linux", "vdso", "libcmsim"},
      [&](const char* system) { return object.find(system) != std::string_view::npos; });
}

// Where the object reads the counter, by instructions that are certain.
std::vector<uintptr_t> ReadsOf(const dl_phdr_info& object) {
  std::vector<uintptr_t> reads;
  for (int i = 0; i < object.dlpi_phnum && !IsTheSystems(object.dlpi_name); ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uint8_t* const begin = At(object.dlpi_addr + segment.p_vaddr);
    const uint8_t* const end = begin + segment.p_filesz;
    // Megabytes, at each start of a program.
    for (const uint8_t* at = begin; (at = Find(at, end, kRdtsc)) != end; ++at)
      if (UsesBoth(at + kRdtsc.size(), end)) reads.push_back(std::bit_cast<uintptr_t>(at));
  }
  return reads;
}

int AddObject(dl_phdr_info* object, size_t /*size*/, void* to) {
  const Replaced& before = *TheTraps().replaced;
  const auto known = before.find(object->dlpi_addr);
  static_cast<Replaced*>(to)->emplace(object->dlpi_addr,
                                      known == before.end() ? ReadsOf(*object) : known->second);
  return 0;
}

// In all objects that are loaded now. A new one can be where an unloaded one was: both are noticed.
void ReplaceAll() {
  if (_r_debug.r_state != r_debug::RT_CONSISTENT) return;  // it begins to load or unload
  auto* const now = new Replaced;
  dl_iterate_phdr(&AddObject, now);
  const Replaced& before = *TheTraps().replaced.exchange(now);
  for (const auto& [object, reads] : *now) {
    if (before.contains(object)) continue;
    for (const uintptr_t at : reads) Overwrite(at, kUd2);
  }
}

// The loader calls an empty function, for debuggers, when it has loaded or unloaded objects: before
// constructors of the loaded ones run. Now it jumps to ReplaceAll: mov of 8 bytes to %rax, jmp
// *%rax. Where no padding follows the function, as in a loader without alignment, there is no room
// for it, and what is loaded later reads the processor's counter. source: glibc 2.36 dl-open.c
// dl_open_worker_begin
void NoteLoading() {
  constexpr size_t kLongestNop = 15;
  std::array<uint8_t, 12> jump = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  const uintptr_t notice = _r_debug.r_brk;
  if (notice == 0 || *At(notice) != kRet) return;
  const size_t rest = jump.size() - 1;
  if (!IsPadding({At(notice + 1), rest + kLongestNop}, rest)) return;
  const auto function = std::bit_cast<std::array<uint8_t, sizeof(uintptr_t)>>(&ReplaceAll);
  std::ranges::copy(function, &jump[2]);
  Overwrite(notice, jump);
}

void OnFault(int signal, siginfo_t* info, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<uintptr_t>(registers[REG_RIP]);
  const bool faulted =
      info->si_code > 0 && at != 0 && at != std::bit_cast<uintptr_t>(info->si_addr);
  const bool readable = signal == SIGILL || (info->si_code == SI_KERNEL && faulted);
  const size_t length = readable ? LengthAt(signal, at) : 0;
  if (length == 0) return HandOn(signal, info, context);
  TheTraps().probed = true;
  const uint64_t value =
      signal == SIGSEGV && IsInVdso(at) ? RealCounter() : kSinceBoot + ShownTime().value_or(0);
  registers[REG_RAX] = static_cast<greg_t>(value & UINT32_MAX);
  registers[REG_RDX] = static_cast<greg_t>(value >> 32);
  if (length == kRdtscp.size()) registers[REG_RCX] = 0;
  registers[REG_RIP] += static_cast<greg_t>(length);
}

void Handle(int signal) {
  static auto* const kReal = Next("sigaction", &sigaction);
  struct sigaction ours {};
  ours.sa_sigaction = &OnFault;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  kReal(signal, &ours, &TheTraps().programs);
  TheTraps().signal = signal;
}

void Unhandle() {
  static auto* const kReal = Next("sigaction", &sigaction);
  kReal(TheTraps().signal.exchange(0), &TheTraps().programs, nullptr);
}

// True when the kernel makes the instruction fault.
bool Faults() {
  Handle(SIGSEGV);
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0) {
    static_cast<void>(__rdtsc());
    if (TheTraps().probed) return true;
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
  }
  Unhandle();
  return false;
}

void TakeIt() {
  if (std::getenv("CMSIM_SOCKET") == nullptr || Faults()) return;
  Handle(SIGILL);
  ReplaceAll();
  NoteLoading();
}

__attribute__((constructor)) void TakeAtStart() { TakeCounter(); }

// The signal ends a program where it is blocked.
std::optional<sigset_t> WithoutOurs(int how, const sigset_t* signals) {
  const int ours = TheTraps().signal;
  if (ours == 0 || signals == nullptr || how == SIG_UNBLOCK) return std::nullopt;
  sigset_t rest = *signals;
  sigdelset(&rest, ours);
  return rest;
}

}  // namespace

void TakeCounter() {
  static std::atomic_flag taken;
  if (!taken.test_and_set()) TakeIt();
}

RealCounterMeanwhile::RealCounterMeanwhile() : faulted_(TheTraps().signal == SIGSEGV) {
  if (faulted_) prctl(PR_SET_TSC, PR_TSC_ENABLE);
}

RealCounterMeanwhile::~RealCounterMeanwhile() {
  if (faulted_) prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  static auto* const kReal = Next("sigaction", &sigaction);
  Traps& traps = TheTraps();
  struct sigaction old {};
  int result = 0;
  if (signal == 0 || signal != traps.signal) {
    result = kReal(signal, action, &old);
  } else {
    old = std::exchange(traps.programs, action != nullptr ? *action : traps.programs);
  }
  HideCrash(&old);
  if (result == 0 && before != nullptr) *before = old;
  return result;
}

// source: man signal(2): BSD semantics
sighandler_t signal(int signal, sighandler_t handler) noexcept {
  static auto* const kReal = Next("signal", &::signal);
  if (signal == 0 || signal != TheTraps().signal) {
    struct sigaction now {};
    const bool is_usual = sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
    const sighandler_t before = kReal(signal, handler);
    return is_usual && before != SIG_ERR ? SIG_DFL : before;
  }
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, &before);
  return before.sa_handler;
}

int sigprocmask(int how, const sigset_t* signals, sigset_t* before) noexcept {
  static auto* const kReal = Next("sigprocmask", &sigprocmask);
  const std::optional<sigset_t> rest = WithoutOurs(how, signals);
  return kReal(how, rest ? &*rest : signals, before);
}

int pthread_sigmask(int how, const sigset_t* signals, sigset_t* before) noexcept {
  static auto* const kReal = Next("pthread_sigmask", &pthread_sigmask);
  const std::optional<sigset_t> rest = WithoutOurs(how, signals);
  return kReal(how, rest ? &*rest : signals, before);
}
}
