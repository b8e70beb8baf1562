// Signals that the program sends: they wake threads that wait for their machine, which has to hear
// of it.
#include <pthread.h>
#include <signal.h>

#include <cerrno>

#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

int Sent(int result) {
  const int before = errno;
  if (result == 0 && !Inside() && TheBackend() != nullptr) TheBackend()->NoteSignal();
  errno = before;
  return result;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int kill(pid_t process, int signal) noexcept {
  static auto* const kReal = Next("kill", &kill);
  return Sent(kReal(process, signal));
}

int killpg(pid_t group, int signal) noexcept {
  static auto* const kReal = Next("killpg", &killpg);
  return Sent(kReal(group, signal));
}

int tgkill(pid_t process, pid_t thread, int signal) {
  static auto* const kReal = Next("tgkill", &tgkill);
  return Sent(kReal(process, thread, signal));
}

int sigqueue(pid_t process, int signal, sigval value) noexcept {
  static auto* const kReal = Next("sigqueue", &sigqueue);
  return Sent(kReal(process, signal, value));
}

int pthread_kill(pthread_t thread, int signal) noexcept {
  static auto* const kReal = Next("pthread_kill", &pthread_kill);
  return Sent(kReal(thread, signal));
}

int pthread_sigqueue(pthread_t thread, int signal, sigval value) noexcept {
  static auto* const kReal = Next("pthread_sigqueue", &pthread_sigqueue);
  return Sent(kReal(thread, signal, value));
}
}
