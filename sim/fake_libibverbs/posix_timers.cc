// Timers of timer_create. Each is a timerfd and a thread that reads it, and that sends the signal
// or starts the thread of the program.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/own_descriptors.h"

namespace cm::sim::fake_libibverbs {
namespace {

// The descriptor is not the program's to close. It lives as long as its thread, and as a call that
// uses the timer.
struct PosixTimer {
  explicit PosixTimer(int descriptor) : fd(descriptor) { KeepDescriptor(fd); }
  ~PosixTimer() {
    ReleaseDescriptor(fd);
    close(fd);
  }
  PosixTimer(const PosixTimer&) = delete;
  PosixTimer& operator=(const PosixTimer&) = delete;

  const int fd;
  sigevent tells{};
  int overrun = 0;
  bool deleted = false;
};

using Shared = std::shared_ptr<PosixTimer>;

// Never destroyed: threads of the program may outlive main().
struct PosixTimers {
  std::mutex lock;
  std::vector<Shared> all;
};

PosixTimers& TheTimers() {
  static auto* const kTimers = new PosixTimers;
  return *kTimers;
}

// A child inherits none, and has no thread of them, which may hold the lock. Their descriptors are
// closed by own_descriptors.cc: none is destroyed. source: man timer_create(2)
__attribute__((constructor)) void ForgetInChildren() {
  TheTimers();
  pthread_atfork(nullptr, nullptr, [] { new (&TheTimers()) PosixTimers; });
}

// Null when it is a timer of the system.
Shared Own(timer_t timer) {
  const std::lock_guard held(TheTimers().lock);
  const std::vector<Shared>& all = TheTimers().all;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [timer](const Shared& one) { return one.get() == timer; });
  return found == all.end() ? nullptr : *found;
}

void SendSignal(const PosixTimer& timer) {
  siginfo_t info{};
  info.si_signo = timer.tells.sigev_signo;
  info.si_code = SI_TIMER;
  info.si_value = timer.tells.sigev_value;
  info.si_overrun = timer.overrun;
  if (timer.tells.sigev_notify == SIGEV_THREAD_ID)
    syscall(SYS_rt_tgsigqueueinfo, getpid(), timer.tells._sigev_un._tid, info.si_signo, &info);
  else
    syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
}

void* CallFunction(void* timer) {
  const std::unique_ptr<sigevent> tells(static_cast<sigevent*>(timer));
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  tells->sigev_notify_function(tells->sigev_value);
  return nullptr;
}

void StartThread(const PosixTimer& timer) {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread{};
  auto tells = std::make_unique<sigevent>(timer.tells);
  if (pthread_create(&thread, &detached, &CallFunction, tells.get()) == 0)
    static_cast<void>(tells.release());
  pthread_attr_destroy(&detached);
}

void Fire(const PosixTimer& timer) {
  if (timer.tells.sigev_notify == SIGEV_THREAD) return StartThread(timer);
  if (timer.tells.sigev_notify != SIGEV_NONE) SendSignal(timer);
}

// Until the timer is deleted.
void* Run(void* argument) {
  const std::unique_ptr<Shared> given(static_cast<Shared*>(argument));
  PosixTimer* const timer = given->get();
  for (;;) {
    uint64_t times = 0;
    if (read(timer->fd, &times, sizeof times) != sizeof times && errno != EINTR) break;
    const std::lock_guard held(TheTimers().lock);
    if (timer->deleted) break;
    if (times == 0) continue;
    timer->overrun = static_cast<int>(std::min<uint64_t>(times - 1, INT32_MAX));
    Fire(*timer);
  }
  return nullptr;
}

// The thread hears no signal: those of the timer are for the program.
int Start(const Shared& timer) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread{};
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto given = std::make_unique<Shared>(timer);
  const int error = pthread_create(&thread, &detached, &Run, given.get());
  if (error == 0) static_cast<void>(given.release());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&detached);
  return error;
}

// source: man timer_create(2)
sigevent EventOf(const sigevent* event, const void* timer) {
  if (event != nullptr) return *event;
  sigevent alarm{};
  alarm.sigev_notify = SIGEV_SIGNAL;
  alarm.sigev_signo = SIGALRM;
  alarm.sigev_value.sival_ptr = const_cast<void*>(timer);
  return alarm;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  static auto* const kReal = Next("timer_create", &timer_create);
  if (!SimulatedTime(clock)) return kReal(clock, event, timer);
  const int low = timerfd_create(clock, TFD_CLOEXEC);
  if (low < 0) return -1;
  auto made = std::make_shared<PosixTimer>(MoveDescriptorUp(low));
  made->tells = EventOf(event, made.get());
  if (const int error = Start(made); error != 0) {
    made.reset();
    errno = error;
    return -1;
  }
  const std::lock_guard held(TheTimers().lock);
  *timer = made.get();
  TheTimers().all.push_back(made);
  return 0;
}

int timer_settime(timer_t timer, int flags, const itimerspec* time, itimerspec* before) noexcept {
  static auto* const kReal = Next("timer_settime", &timer_settime);
  const Shared own = Own(timer);
  if (own == nullptr) return kReal(timer, flags, time, before);
  static_assert(TIMER_ABSTIME == TFD_TIMER_ABSTIME);
  return timerfd_settime(own->fd, flags, time, before);
}

int timer_gettime(timer_t timer, itimerspec* time) noexcept {
  static auto* const kReal = Next("timer_gettime", &timer_gettime);
  const Shared own = Own(timer);
  return own == nullptr ? kReal(timer, time) : timerfd_gettime(own->fd, time);
}

int timer_getoverrun(timer_t timer) noexcept {
  static auto* const kReal = Next("timer_getoverrun", &timer_getoverrun);
  const Shared own = Own(timer);
  return own == nullptr ? kReal(timer) : own->overrun;
}

// Its thread ends when it reads the timer for the last time.
int timer_delete(timer_t timer) noexcept {
  static auto* const kReal = Next("timer_delete", &timer_delete);
  const Shared own = Own(timer);
  if (own == nullptr) return kReal(timer);
  const itimerspec at_once = {.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 1}};
  {
    const std::lock_guard held(TheTimers().lock);
    std::erase(TheTimers().all, own);
    own->deleted = true;
  }
  return timerfd_settime(own->fd, 0, &at_once, nullptr);
}
}
