// Signals that the program sends: they wake threads that wait for their machine, which has to hear
// of it.
//
// A thread that has sent a request may not sleep yet. A signal that comes between would be handled,
// and would not wake it: so one is sent when all others have been seen to sleep.
#include <pthread.h>
#include <signal.h>

#include <cerrno>

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

// Signal 0 only asks whether a process is there.
template <typename Send>
int Sent(int signal, Send send) {
  if (signal != 0 && TakeTurns()) {
    NoteSignal();
    AwaitTurn();
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
  return Sent(signal, [=] { return kReal(process, signal); });
}

int killpg(pid_t group, int signal) noexcept {
  static auto* const kReal = Next("killpg", &killpg);
  return Sent(signal, [=] { return kReal(group, signal); });
}

int tgkill(pid_t process, pid_t thread, int signal) {
  static auto* const kReal = Next("tgkill", &tgkill);
  return Sent(signal, [=] { return kReal(process, thread, signal); });
}

int sigqueue(pid_t process, int signal, sigval value) noexcept {
  static auto* const kReal = Next("sigqueue", &sigqueue);
  return Sent(signal, [=] { return kReal(process, signal, value); });
}

int pthread_kill(pthread_t thread, int signal) noexcept {
  static auto* const kReal = Next("pthread_kill", &pthread_kill);
  return Sent(signal, [=] { return kReal(thread, signal); });
}

int pthread_sigqueue(pthread_t thread, int signal, sigval value) noexcept {
  static auto* const kReal = Next("pthread_sigqueue", &pthread_sigqueue);
  return Sent(signal, [=] { return kReal(thread, signal, value); });
}
}
