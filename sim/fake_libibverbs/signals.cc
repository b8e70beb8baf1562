// Signals that the program sends: they wake threads that wait for their machine, which has to hear
// of it.
//
// A thread that has sent a request may not sleep yet. A signal that comes between would be handled,
// and would not wake it: so one is sent when all others have been seen to sleep.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "sim/fake_libibverbs/carrying.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"

namespace cm::sim::fake_libibverbs {
namespace {

void NoteSignal() {
  const int before = errno;
  if (!Inside() && TheBackend() != nullptr) TheBackend()->NoteSignal();
  errno = before;
}

// By what this process can know: others may have handlers.
bool MayEnd(pid_t process, int signal) {
  if (process != getpid()) return true;
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

// Signal 0 only asks whether a process is there.
template <typename Send>
int Sent(pid_t process, int signal, Send send) {
  if (signal != 0 && TakeTurns()) {
    SpendComputation();
    NoteSignal();
    AwaitTurn();
    if (MayEnd(process, signal)) CarryMayEnd(process, signal);
  }
  const int result = send();
  if (result == 0) NoteSignal();
  return result;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int kill(pid_t process, int signal) noexcept {
  static auto* const kReal = Next("kill", &kill);
  return Sent(process, signal, [=] { return kReal(process, signal); });
}

// That of the C library calls no other object's.
int raise(int signal) noexcept {
  static auto* const kReal = Next("raise", &raise);
  if (TakeTurns() && MayEnd(getpid(), signal)) CarryMayEnd(getpid(), signal);
  return kReal(signal);
}

int killpg(pid_t group, int signal) noexcept {
  static auto* const kReal = Next("killpg", &killpg);
  return Sent(-group, signal, [=] { return kReal(group, signal); });
}

int tgkill(pid_t process, pid_t thread, int signal) {
  static auto* const kReal = Next("tgkill", &tgkill);
  return Sent(process, signal, [=] { return kReal(process, thread, signal); });
}

int sigqueue(pid_t process, int signal, sigval value) noexcept {
  static auto* const kReal = Next("sigqueue", &sigqueue);
  return Sent(process, signal, [=] { return kReal(process, signal, value); });
}

int pthread_kill(pthread_t thread, int signal) noexcept {
  static auto* const kReal = Next("pthread_kill", &pthread_kill);
  return Sent(getpid(), signal, [=] { return kReal(thread, signal); });
}

int pthread_sigqueue(pthread_t thread, int signal, sigval value) noexcept {
  static auto* const kReal = Next("pthread_sigqueue", &pthread_sigqueue);
  return Sent(getpid(), signal, [=] { return kReal(thread, signal, value); });
}
}
