// The stack of a program that crashes, by the unwinder of the compiler: no memory is allocated, and
// no debugger is needed.
#include "sim/fake_libibverbs/crash.h"

#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "model/base/sanitized.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

struct Frames {
  std::array<uintptr_t, 48> at{};
  size_t count = 0;
};

_Unwind_Reason_Code Add(_Unwind_Context* context, void* to) {
  auto* const frames = static_cast<Frames*>(to);
  if (frames->count == frames->at.size()) return _URC_END_OF_STACK;
  frames->at[frames->count++] = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

std::string_view LastPart(const char* path) {
  const std::string_view text(path == nullptr ? "" : path);
  return text.substr(text.rfind('/') + 1);
}

void Say(const char* text, int size) {
  static_cast<void>(RealLibc().write(STDERR_FILENO, text, static_cast<size_t>(size)));
}

// "#0 main+0x1a in faulty_program+0x1234"; the last number is one for addr2line.
void SayFrame(size_t number, uintptr_t at) {
  std::array<char, 512> line{};
  Dl_info found{};
  if (dladdr(At(at), &found) == 0 || found.dli_fname == nullptr) return;
  const std::string_view object = LastPart(found.dli_fname);
  const auto in_object = static_cast<unsigned long>(at - std::bit_cast<uintptr_t>(found.dli_fbase));
  const auto in_function =
      static_cast<unsigned long>(at - std::bit_cast<uintptr_t>(found.dli_saddr));
  const int size =
      found.dli_sname == nullptr
          ? std::snprintf(line.data(), line.size(), "  #%zu %.*s+0x%lx\n", number,
                          static_cast<int>(object.size()), object.data(), in_object)
          : std::snprintf(line.data(), line.size(), "  #%zu %.200s+0x%lx in %.*s+0x%lx\n", number,
                          found.dli_sname, in_function, static_cast<int>(object.size()),
                          object.data(), in_object);
  Say(line.data(), std::min(size, static_cast<int>(line.size()) - 1));
}

// Before the program can change it, and where it is the usual one.
__attribute__((constructor)) void TakeSignals() {
  if (std::getenv("CMSIM_SOCKET") == nullptr || kAddressSanitized || kThreadSanitized) return;
  for (const int signal : kSignals) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_sigaction = &ShowStackAndEnd;
    ours.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND | SA_ONSTACK);
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace

void ShowStackAndEnd(int signal, siginfo_t* /*info*/, void* /*context*/) {
  Frames frames;
  _Unwind_Backtrace(&Add, &frames);
  std::array<char, 64> head{};
  Say(head.data(),
      std::snprintf(head.data(), head.size(), "signal %d; the stack of the thread:\n", signal));
  // The first is this function.
  for (size_t i = 1; i < frames.count; ++i) SayFrame(i - 1, frames.at[i]);
  static auto* const kReal = Next("sigaction", &sigaction);
  static auto* const kRaise = Next("raise", &raise);  // ours would ask the machine
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  kReal(signal, &usual, nullptr);
  kRaise(signal);
}

void HideCrash(struct sigaction* action) {
  if ((action->sa_flags & SA_SIGINFO) == 0 || action->sa_sigaction != &ShowStackAndEnd) return;
  *action = {};
  action->sa_handler = SIG_DFL;
}

}  // namespace cm::sim::fake_libibverbs
