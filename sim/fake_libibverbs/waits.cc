// Waits for descriptors with a limit. The limit is one more descriptor, which becomes readable at
// its instant, so that the wait itself is the system's and has no limit.
#undef _FORTIFY_SOURCE

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/gates.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/polling.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/turns.h"
#include "sim/uapi/poll_marks.h"
#include "sim/uapi/request.h"

namespace cm::sim::fake_libibverbs {
namespace {

// Of an epoll descriptor that is polled.
constexpr short kOfEpoll = POLLIN | uapi::MarkOf(uapi::SleepsIn::kEpoll);
constexpr int64_t kMillisecond = 1'000'000;

// Readable from an instant on.
class Alarm {
 public:
  explicit Alarm(int64_t instant)
      : fd_(MakeDescriptor(DescriptorKind::kTimer, {}, O_CLOEXEC | O_NONBLOCK,
                           {.op = uapi::Op::kPollTime, .more = static_cast<uint64_t>(instant)})) {}
  ~Alarm() {
    const int before = errno;
    if (fd_ >= 0) CloseDescriptor(fd_);
    errno = before;
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

// The next object's function of the name that the program has called: that of librspreload has
// `poll` and `select`, and none of the others.
using Poll = int(pollfd*, nfds_t, const timespec*, const sigset_t*);
using Select = int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);

int NextPpoll(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask) {
  static auto* const kReal = Next("ppoll", &ppoll);
  return kReal(files, count, limit, mask);
}

int NextPoll(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* /*none*/) {
  static auto* const kReal = Next("poll", &poll);
  const int64_t milliseconds =
      limit == nullptr ? -1 : (NanosecondsOf(*limit) + kMillisecond - 1) / kMillisecond;
  return kReal(files, count, static_cast<int>(std::min<int64_t>(milliseconds, INT_MAX)));
}

int NextPselect(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, const timespec* limit,
                const sigset_t* mask) {
  static auto* const kReal = Next("pselect", &pselect);
  return kReal(count, reads, writes, exceptions, limit, mask);
}

int NextSelect(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, const timespec* limit,
               const sigset_t* /*none*/) {
  static auto* const kReal = Next("select", &select);
  timeval within{};
  if (limit != nullptr)
    within = {.tv_sec = limit->tv_sec, .tv_usec = limit->tv_nsec / kMicrosecond};
  return kReal(count, reads, writes, exceptions, limit == nullptr ? nullptr : &within);
}

// Waits without a limit, and finds all that is ready when it is the thread's turn: what has woken
// it may have been only the first of that, and how much more there was then differs between runs.
// `wait` and `look` are calls of the system, of which the second does not wait.
template <typename Wait, typename Look>
int FoundAtTurn(Wait wait, Look look) {
  const InObject here;
  for (;;) {
    SpendComputation();
    const int woken = wait();
    const int error = errno;
    AwaitTurn();
    const int found = look();
    if (found != 0) return found;
    errno = error;
    if (woken <= 0) return woken;
  }
}

// Without a limit.
int PollLong(Poll* real, pollfd* files, nfds_t count, const sigset_t* mask) {
  constexpr timespec kNone = {};
  if (!TakeTurns()) return real(files, count, nullptr, mask);
  if (mask == nullptr)
    if (const int found = real(files, count, &kNone, mask); found != 0) return found;
  return FoundAtTurn([=] { return real(files, count, nullptr, mask); },
                     [=] { return real(files, count, &kNone, nullptr); });
}

// The sets of a select, which it replaces by what it has found.
class Sets {
 public:
  Sets(fd_set* reads, fd_set* writes, fd_set* exceptions) : all_{reads, writes, exceptions} {
    for (size_t i = 0; i < all_.size(); ++i)
      if (all_[i] != nullptr) wanted_[i] = *all_[i];
  }
  void WantAll() const {
    for (size_t i = 0; i < all_.size(); ++i)
      if (all_[i] != nullptr) *all_[i] = wanted_[i];
  }

 private:
  std::array<fd_set*, 3> all_;
  std::array<fd_set, 3> wanted_{};
};

// Without a limit. Sets that are longer than the type are left to the system. A failure changes
// none. source: man select(2)
int SelectLong(Select* real, int count, fd_set* reads, fd_set* writes, fd_set* exceptions,
               const sigset_t* mask) {
  constexpr timespec kNone = {};
  if (!TakeTurns() || count > FD_SETSIZE)
    return real(count, reads, writes, exceptions, nullptr, mask);
  const Sets sets(reads, writes, exceptions);
  const int found = FoundAtTurn(
      [&] {
        sets.WantAll();
        return real(count, reads, writes, exceptions, nullptr, mask);
      },
      [&] {
        sets.WantAll();
        return real(count, reads, writes, exceptions, &kNone, nullptr);
      });
  if (found < 0) sets.WantAll();
  return found;
}

// Polls without waiting.
int LookedAt(int found) {
  NotePoll(found != 0);
  return found;
}

int PollFor(Poll* real, pollfd* files, nfds_t count, const timespec& limit, const sigset_t* mask) {
  const std::optional<int64_t> now = IsDuration(limit) ? Now() : std::nullopt;
  const int64_t duration = NanosecondsOf(limit);
  if (!now) return real(files, count, &limit, mask);
  if (duration == 0) return LookedAt(real(files, count, &limit, mask));
  const InObject here;
  const Alarm alarm(*now + duration);
  if (alarm.fd() < 0) return real(files, count, &limit, mask);
  std::vector<pollfd> all(files, files + count);
  all.push_back({.fd = alarm.fd(), .events = POLLIN, .revents = 0});
  const int found = PollLong(real, all.data(), all.size(), mask);
  if (found < 0) return found;
  std::copy_n(all.begin(), count, files);
  return all.back().revents != 0 ? found - 1 : found;
}

int SelectFor(Select* real, int count, fd_set* reads, fd_set* writes, fd_set* exceptions,
              const timespec& limit, const sigset_t* mask) {
  const std::optional<int64_t> now = IsDuration(limit) ? Now() : std::nullopt;
  const int64_t duration = NanosecondsOf(limit);
  if (!now) return real(count, reads, writes, exceptions, &limit, mask);
  if (duration == 0) return LookedAt(real(count, reads, writes, exceptions, &limit, mask));
  const InObject here;
  const Alarm alarm(*now + duration);
  if (alarm.fd() < 0 || alarm.fd() >= FD_SETSIZE)
    return real(count, reads, writes, exceptions, &limit, mask);
  fd_set own{};
  fd_set* const with_alarm = reads == nullptr ? &own : reads;
  FD_SET(alarm.fd(), with_alarm);
  const int found =
      SelectLong(real, std::max(count, alarm.fd() + 1), with_alarm, writes, exceptions, mask);
  if (found < 0) {
    FD_CLR(alarm.fd(), with_alarm);
    return found;
  }
  const bool rings = FD_ISSET(alarm.fd(), with_alarm);
  FD_CLR(alarm.fd(), with_alarm);
  return rings ? found - 1 : found;
}

// Null: without a limit.
int PollGated(Poll* real, pollfd* files, nfds_t count, const timespec* limit,
              const sigset_t* mask) {
  GatedFiles gated(files, count);
  return gated.Tell(limit == nullptr ? PollLong(real, gated.data(), gated.size(), mask)
                                     : PollFor(real, gated.data(), gated.size(), *limit, mask));
}

int SelectGated(Select* real, int count, fd_set* reads, fd_set* writes, fd_set* exceptions,
                const timespec* limit, const sigset_t* mask) {
  GatedSet gated(count, writes);
  const int found = limit == nullptr
                        ? SelectLong(real, gated.count(), reads, writes, exceptions, mask)
                        : SelectFor(real, gated.count(), reads, writes, exceptions, *limit, mask);
  gated.Tell();
  return found;
}

// Without a limit. An epoll descriptor can itself be polled for ready entries. `real` is the call
// of the system.
template <typename Real>
int EpollLong(int set, epoll_event* events, int most, const sigset_t* mask, Real real) {
  static auto* const kLook = Next("epoll_wait", &epoll_wait);
  if (!TakeTurns()) return real();
  const auto look = [=] { return kLook(set, events, most, 0); };
  if (const int found = look(); found != 0) return found;
  pollfd ready = {.fd = set, .events = kOfEpoll, .revents = 0};
  return FoundAtTurn([&] { return NextPpoll(&ready, 1, nullptr, mask); }, look);
}

int EpollFor(int set, epoll_event* events, int most, const timespec& limit, const sigset_t* mask) {
  static auto* const kLook = Next("epoll_wait", &epoll_wait);
  static auto* const kReal = Next("epoll_pwait2", &epoll_pwait2);
  const std::optional<int64_t> now = IsDuration(limit) ? Now() : std::nullopt;
  const int64_t duration = NanosecondsOf(limit);
  if (!now) return kReal(set, events, most, &limit, mask);
  if (duration == 0) return LookedAt(kLook(set, events, most, 0));
  const InObject here;
  const Alarm alarm(*now + duration);
  if (alarm.fd() < 0) return kReal(set, events, most, &limit, mask);
  for (bool rings = false;;) {
    const int found = kLook(set, events, most, 0);
    if (found != 0 || rings) return found;
    std::array<pollfd, 2> both = {{{.fd = set, .events = kOfEpoll, .revents = 0},
                                   {.fd = alarm.fd(), .events = POLLIN, .revents = 0}}};
    if (PollLong(NextPpoll, both.data(), both.size(), mask) < 0) return -1;
    rings = both[1].revents != 0;
  }
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int ppoll(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask) {
  return PollGated(NextPpoll, files, count, limit, mask);
}

int poll(pollfd* files, nfds_t count, int milliseconds) {
  const timespec limit = TimeOf(std::max(milliseconds, 0) * kMillisecond);
  return PollGated(NextPoll, files, count, milliseconds < 0 ? nullptr : &limit, nullptr);
}

// The fortified variants of the two above, which the headers call where they know the array's size.
// Those of the C library call no other object's.
int __poll_chk(pollfd* files, nfds_t count, int milliseconds, size_t /*size*/) {
  const timespec limit = TimeOf(std::max(milliseconds, 0) * kMillisecond);
  return PollGated(NextPpoll, files, count, milliseconds < 0 ? nullptr : &limit, nullptr);
}

int __ppoll_chk(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask,
                size_t /*size*/) {
  return ppoll(files, count, limit, mask);
}

int pselect(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, const timespec* limit,
            const sigset_t* mask) {
  return SelectGated(NextPselect, count, reads, writes, exceptions, limit, mask);
}

// The time not waited is stored in `limit`, which may have more microseconds than a second. source:
// man select(2); glibc 2.36 select.c __select64
int select(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, timeval* limit) {
  if (limit == nullptr)
    return SelectGated(NextSelect, count, reads, writes, exceptions, nullptr, nullptr);
  constexpr int64_t kMicroseconds = kSecond / kMicrosecond;
  const timespec duration = {.tv_sec = limit->tv_sec + limit->tv_usec / kMicroseconds,
                             .tv_nsec = limit->tv_usec % kMicroseconds * kMicrosecond};
  const std::optional<int64_t> before = Now();
  const int found = SelectGated(NextSelect, count, reads, writes, exceptions, &duration, nullptr);
  const int error = errno;
  if (before && IsDuration(duration)) {
    const int64_t passed = Now().value_or(*before) - *before;
    const timespec left = TimeOf(std::max<int64_t>(NanosecondsOf(duration) - passed, 0));
    *limit = {.tv_sec = left.tv_sec, .tv_usec = left.tv_nsec / kMicrosecond};
  }
  errno = error;
  return found;
}

int epoll_pwait2(int set, epoll_event* events, int most, const timespec* limit,
                 const sigset_t* mask) {
  static auto* const kReal = Next("epoll_pwait2", &epoll_pwait2);
  if (limit == nullptr)
    return EpollLong(set, events, most, mask,
                     [=] { return kReal(set, events, most, nullptr, mask); });
  return EpollFor(set, events, most, *limit, mask);
}

int epoll_pwait(int set, epoll_event* events, int most, int milliseconds, const sigset_t* mask) {
  if (milliseconds >= 0)
    return EpollFor(set, events, most, TimeOf(milliseconds * kMillisecond), mask);
  static auto* const kReal = Next("epoll_pwait", &epoll_pwait);
  return EpollLong(set, events, most, mask,
                   [=] { return kReal(set, events, most, milliseconds, mask); });
}

int epoll_wait(int set, epoll_event* events, int most, int milliseconds) {
  return epoll_pwait(set, events, most, milliseconds, nullptr);
}
}
