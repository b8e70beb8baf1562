#include "sim/fake_libibverbs/turns.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "sim/fake_libibverbs/cancellation.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::SleepKind;
using uapi::SleepsIn;

constexpr uint32_t kOfferOneIn = 4;
// What fork, exec and the loader take, in nanoseconds.
constexpr int64_t kStart = 400'000;

std::atomic<bool> taken{false};
std::atomic<uint32_t> begun{0};  // threads that the program has started
// State of the thread's drawing; never 0. source: Marsaglia, Xorshift RNGs (2003)
thread_local uint32_t drawn = 1;
thread_local uint64_t touches = 0;

bool Draws() {
  static const bool kDraws = [] {
    const char* const seed = std::getenv("CMSIM_SEED");
    return seed != nullptr && std::strtoull(seed, nullptr, 10) != 0;
  }();
  return kDraws;
}

bool DrawsOffer() {
  drawn ^= drawn << 13U;
  drawn ^= drawn >> 17U;
  drawn ^= drawn << 5U;
  return drawn % kOfferOneIn == 0;
}

// Signals do not end it.
void SleepFor(SleepKind kind, int64_t until = 1) {
  const int before = errno;
  {
    const WithoutCancellation whole;
    const uapi::Request request = {
        .op = uapi::Op::kSleep, .on = uapi::SleepOf(kind), .more = static_cast<uint64_t>(until)};
    while (Ask(request).value == -EINTR) continue;
  }
  errno = before;
}

}  // namespace

void UseTurns() { taken = true; }

bool TakeTurns() { return taken && !Inside() && TheBackend() != nullptr; }

uint32_t NextThread() { return ++begun; }

void BeginThread(uint32_t number) {
  drawn = 0x9e3779b9U * number | 1U;
  SleepFor(SleepKind::kBegins);
}

void AwaitTurn() {
  if (TakeTurns()) SleepFor(SleepKind::kTurn);
}

void SpendStart() {
  if (!TakeTurns()) return;
  const int64_t now = Ask({.op = uapi::Op::kNow}).value;
  if (now >= 0) SleepFor(SleepKind::kStarts, now + kStart);
}

void OfferTurn() {
  ++touches;
  if (begun > 0 && Draws() && TakeTurns() && DrawsOffer()) SleepFor(SleepKind::kOffers);
}

uint64_t Touches() { return touches; }

int AwaitOthers(uapi::LooksFor what, uapi::Look look) {
  const uapi::Answer answer = Ask({.op = uapi::Op::kSleep,
                                   .on = uapi::SleepOf(SleepKind::kLooks, what, look),
                                   .more = uapi::kNever});
  return answer.value == -EINTR ? EINTR : 0;
}

namespace {

// The call is refused by what has another use.
bool Takes(int fd, SleepsIn call) {
  int listens = 0;
  socklen_t length = sizeof listens;
  const bool is_socket =
      syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0;
  return call == SleepsIn::kAccept ? is_socket && listens != 0 : listens == 0;
}

bool WouldWait(int fd, SleepsIn call) {
  if (!TakeTurns()) return false;
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) != 0 || (flags & O_ACCMODE) == O_WRONLY) return false;
  if (!Takes(fd, call)) return false;
  pollfd readable = {.fd = fd, .events = POLLIN, .revents = 0};
  return RealLibc().poll(&readable, 1, 0) == 0;
}

}  // namespace

bool AwaitReadable(int fd, SleepsIn call) {
  const InObject here;
  const int before = errno;
  while (WouldWait(fd, call)) {
    SpendComputation();
    pollfd readable = {
        .fd = fd, .events = static_cast<short>(POLLIN | uapi::MarkOf(call)), .revents = 0};
    const int found = RealLibc().poll(&readable, 1, -1);
    AwaitTurn();
    if (found >= 0 || !SomeHandlerInterrupts()) continue;
    errno = EINTR;
    return false;
  }
  errno = before;
  return true;
}

bool SomeHandlerInterrupts() {
  const int before = errno;
  bool any = false;
  for (int signal = 1; signal <= SIGRTMAX && !any; ++signal) {
    struct sigaction set {};
    if (sigaction(signal, nullptr, &set) != 0) continue;  // one of the C library's own
    const bool handles = set.sa_handler != SIG_DFL && set.sa_handler != SIG_IGN;
    any = handles && (set.sa_flags & SA_RESTART) == 0;
  }
  errno = before;
  return any;
}

// Between two attempts the thread is outside of requests: what a handler has left for then is done.
uapi::Answer AskUntilAnswered(const uapi::Request& request) {
  for (;;) {
    uapi::Answer answer = Ask(request);
    if (answer.value != -EINTR || !TakeTurns() || SomeHandlerInterrupts()) return answer;
  }
}

}  // namespace cm::sim::fake_libibverbs
