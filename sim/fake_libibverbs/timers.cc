// Timers that programs set: descriptors of timerfd, and the signal of alarm and setitimer. Both are
// pipes that become readable at an instant of the machine; the system sends the signal when the
// pipe does (O_ASYNC).
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/fake_libibverbs/polling.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::kNever;
using uapi::Op;

// Instants count from the beginning of the world.
struct Timer {
  clockid_t clock = CLOCK_REALTIME;
  int64_t interval = 0;
  uint64_t next = kNever;
};

// By inode of the pipe. An entry of a closed pipe stays until another pipe has its inode.
struct Timers {
  std::recursive_mutex lock;  // a handler may come while its thread holds it
  std::map<uint64_t, Timer> by_name;
};

Timers& TheTimers() {
  static auto* const kTimers = new Timers;
  return *kTimers;
}

// From now on the pipe becomes readable at that instant, and again after each interval, in
// microseconds. The caller holds the timer's lock: giving it back may let another thread go on, and
// of two that set one timer the machine must hear the later one last.
void Watch(uint64_t name, uint64_t next, uint32_t interval = 0) {
  if (Backend* backend = TheBackend())
    backend->Watch(name, -1, {.op = Op::kPollTime, .on = interval, .more = next});
}

// After the answer the pipe is in its right state.
void BringUp(uint64_t next) { Ask({.op = Op::kPollTime, .more = next}); }

// The first expiration after `now`, whether earlier ones were read or not.
uint64_t NextOf(const Timer& timer, int64_t now) {
  if (timer.next > static_cast<uint64_t>(now)) return timer.next;
  if (timer.interval == 0) return kNever;
  return now + timer.interval - (now - timer.next) % timer.interval;
}

int64_t Left(const Timer& timer, int64_t now) {
  const uint64_t next = NextOf(timer, now);
  return next == kNever ? 0 : static_cast<int64_t>(next) - now;
}

// Takes the number of expirations and resets it to zero.
std::optional<uint64_t> TakeExpirations(uint64_t name, int64_t now) {
  uint64_t times = 1;
  uint64_t next = kNever;
  {
    const std::lock_guard held(TheTimers().lock);
    Timer& timer = TheTimers().by_name[name];
    if (timer.next > static_cast<uint64_t>(now)) return std::nullopt;
    if (timer.interval > 0) {
      times += (static_cast<uint64_t>(now) - timer.next) / timer.interval;
      next = timer.next + times * timer.interval;
    }
    timer.next = next;
    do {
      next = timer.next;
      Watch(name, next);
    } while (next != timer.next);  // a handler has set it meanwhile
  }
  BringUp(next);
  return times;
}

ssize_t ReadTimer(int fd, const Descriptor& descriptor, void* bytes, size_t count) {
  for (;;) {
    const std::optional<int64_t> now = Now();
    if (!now || count < sizeof(uint64_t)) break;
    if (const auto times = TakeExpirations(descriptor.name, *now)) {
      std::memcpy(bytes, &*times, sizeof *times);
      return sizeof *times;
    }
    if (IsNonBlocking(fd)) {
      NotePoll(false);
      errno = EAGAIN;
      return -1;
    }
    pollfd readable = {.fd = fd, .events = POLLIN, .revents = 0};
    const int found = RealLibc().poll(&readable, 1, -1);
    AwaitTurn();
    if (found < 0 && SomeHandlerInterrupts()) return -1;
  }
  errno = EINVAL;
  return -1;
}

timespec SpecOf(const timeval& time) {
  return {.tv_sec = time.tv_sec, .tv_nsec = time.tv_usec * kMicrosecond};
}

// The timer of alarm and its signal. A child inherits none. The descriptor is not the program's to
// close.
class Signal {
 public:
  // Sends no request. Returns what was left of the previous timer.
  itimerval Set(const itimerval& time, int64_t now) {
    const std::lock_guard held(lock_);
    if (generation_ != Generation()) {
      timer_ = {};
      generation_ = Generation();
      fd_ = -1;
    }
    const Timer before = timer_;
    const int64_t value = NanosecondsOf(SpecOf(time.it_value));
    timer_.interval = NanosecondsOf(SpecOf(time.it_interval));
    timer_.next = value == 0 ? kNever : now + value;
    return {.it_interval = In(before.interval), .it_value = In(Left(before, now))};
  }

  // As it was set last.
  void Start() {
    uint64_t next = kNever;
    {
      const std::lock_guard held(lock_);
      if (fd_ < 0) Prepare();
      do {
        next = timer_.next;
        Watch(name_, next, IntervalOf(timer_));
      } while (next != timer_.next);  // a handler has set it meanwhile
    }
    BringUp(next);
  }

 private:
  static timeval In(int64_t nanoseconds) {
    return {.tv_sec = nanoseconds / kSecond, .tv_usec = nanoseconds % kSecond / kMicrosecond};
  }

  // In microseconds; the request has room for 4294 seconds.
  static uint32_t IntervalOf(const Timer& timer) {
    return static_cast<uint32_t>(std::min<int64_t>(timer.interval / kMicrosecond, UINT32_MAX));
  }

  void Prepare() {
    const int made = MakeDescriptor(DescriptorKind::kTimer, {}, O_CLOEXEC | O_NONBLOCK,
                                    {.op = Op::kPollTime, .more = kNever});
    if (made < 0) return;
    const int fd = MoveDescriptorUp(made);
    const uint64_t name = FindDescriptor(fd)->name;
    fcntl(fd, F_SETOWN, getpid());
    fcntl(fd, F_SETSIG, SIGALRM);
    fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
    // A handler that has come meanwhile has one already.
    if (fd_ >= 0) {
      CloseDescriptor(fd);
      return;
    }
    name_ = name;
    fd_ = fd;
    KeepDescriptor(fd);
  }

  std::recursive_mutex lock_;  // a handler may come while its thread holds it
  Timer timer_;
  uint32_t generation_ = 0;
  int fd_ = -1;
  uint64_t name_ = 0;
};

Signal& TheSignal() {
  static auto* const kSignal = new Signal;
  return *kSignal;
}

// Empty where the descriptor is none of these timers.
std::optional<uint64_t> NameOfTimer(int fd) {
  const std::optional<Descriptor> found = FindDescriptor(fd);
  if (!found || found->reads != &ReadTimer) return std::nullopt;
  return found->name;
}

itimerspec Shown(const Timer& timer, int64_t now) {
  return {.it_interval = TimeOf(timer.interval), .it_value = TimeOf(Left(timer, now))};
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int timerfd_create(int clock, int flags) noexcept {
  static auto* const kReal = Next("timerfd_create", &timerfd_create);
  if (!SimulatedTime(clock)) return kReal(clock, flags);
  static_assert(TFD_CLOEXEC == O_CLOEXEC && TFD_NONBLOCK == O_NONBLOCK);
  const int fd = MakeDescriptor(DescriptorKind::kTimer, {}, flags,
                                {.op = Op::kPollTime, .more = kNever}, &ReadTimer);
  if (fd < 0) {
    errno = -fd;
    return -1;
  }
  const std::lock_guard held(TheTimers().lock);
  TheTimers().by_name[FindDescriptor(fd)->name] = {.clock = clock};
  return fd;
}

int timerfd_settime(int fd, int flags, const itimerspec* time, itimerspec* before) noexcept {
  static auto* const kReal = Next("timerfd_settime", &timerfd_settime);
  const std::optional<uint64_t> name = NameOfTimer(fd);
  const std::optional<int64_t> now = name ? Now() : std::nullopt;
  if (!now || !IsDuration(time->it_value) || !IsDuration(time->it_interval))
    return kReal(fd, flags, time, before);
  uint64_t next = kNever;
  {
    const std::lock_guard held(TheTimers().lock);
    Timer& timer = TheTimers().by_name[*name];
    if (before != nullptr) *before = Shown(timer, *now);
    const int64_t value = NanosecondsOf(time->it_value);
    // Converts an instant of the timer's clock to the world's time.
    const int64_t beginning = BeginningOn(timer.clock).value_or(0);
    if (value != 0) next = (flags & TFD_TIMER_ABSTIME) != 0 ? value - beginning : *now + value;
    timer.next = next = static_cast<int64_t>(next) < 0 ? 0 : next;
    timer.interval = NanosecondsOf(time->it_interval);
    do {
      next = timer.next;
      Watch(*name, next);
    } while (next != timer.next);  // a handler has set it meanwhile
  }
  BringUp(next);
  return 0;
}

int timerfd_gettime(int fd, itimerspec* time) noexcept {
  static auto* const kReal = Next("timerfd_gettime", &timerfd_gettime);
  const std::optional<uint64_t> name = NameOfTimer(fd);
  const std::optional<int64_t> now = name ? Now() : std::nullopt;
  if (!now) return kReal(fd, time);
  const std::lock_guard held(TheTimers().lock);
  *time = Shown(TheTimers().by_name[*name], *now);
  return 0;
}

// It starts outside of requests: a handler may set it that has come during one.
int setitimer(__itimer_which_t which, const itimerval* time, itimerval* before) noexcept {
  static auto* const kReal = Next("setitimer", &setitimer);
  const std::optional<int64_t> now = which == ITIMER_REAL ? ShownTime() : std::nullopt;
  if (!now || !IsDuration(SpecOf(time->it_value)) || !IsDuration(SpecOf(time->it_interval)))
    return kReal(which, time, before);
  const itimerval left = TheSignal().Set(*time, *now);
  CallOutside([] { TheSignal().Start(); });
  if (before != nullptr) *before = left;
  return 0;
}

// Microseconds of both, and of what it returns. source: man ualarm(3)
useconds_t ualarm(useconds_t microseconds, useconds_t interval) noexcept {
  constexpr useconds_t kMost = 1'000'000;
  const auto of = [](useconds_t time) {
    return timeval{.tv_sec = time / kMost, .tv_usec = time % kMost};
  };
  const itimerval time = {.it_interval = of(interval), .it_value = of(microseconds)};
  itimerval before{};
  setitimer(ITIMER_REAL, &time, &before);
  return before.it_value.tv_sec * kMost + before.it_value.tv_usec;
}

unsigned int alarm(unsigned int seconds) noexcept {
  const itimerval time = {.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  itimerval before{};
  setitimer(ITIMER_REAL, &time, &before);
  return before.it_value.tv_sec + (before.it_value.tv_usec > 0 ? 1 : 0);
}
}
