#include "sim/fake_libibverbs/futexes.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "sim/fake_libibverbs/clock.h"
#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/limit.h"
#include "sim/fake_libibverbs/stacks.h"
#include "sim/fake_libibverbs/turns.h"

namespace cm::sim::fake_libibverbs {
namespace {

using uapi::Look;

// source: man futex(2); the second word and the mask stand in the fifth and sixth argument
struct Call {
  const uint32_t* word;
  int command;
  clockid_t clock;
  uint32_t value;
  const timespec* limit;  // may be null
  const uint32_t* other;
  uint32_t mask;
};

Call CallOf(const std::array<long, 6>& arguments) {
  const auto operation = static_cast<int>(arguments[1]);
  const int command = operation & FUTEX_CMD_MASK;
  const bool of_mask = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
  return {.word = std::bit_cast<const uint32_t*>(arguments[0]),
          .command = command,
          .clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC,
          .value = static_cast<uint32_t>(arguments[2]),
          .limit = std::bit_cast<const timespec*>(arguments[3]),
          .other = std::bit_cast<const uint32_t*>(arguments[4]),
          .mask = of_mask ? static_cast<uint32_t>(arguments[5]) : FUTEX_BITSET_MATCH_ANY};
}

struct Sleeper {
  const uint32_t* word;
  uint32_t mask;
  std::atomic<bool> woken = false;
};

// Never destroyed: threads of the program may outlive main().
struct Sleepers {
  std::mutex lock;
  std::list<Sleeper*> all;  // in the order of their arrival
};

thread_local Sleeper* sleeps = nullptr;  // the calling thread

Sleepers& TheSleepers() {
  static auto* const kSleepers = new Sleepers;
  return *kSleepers;
}

class Sleeping {
 public:
  explicit Sleeping(const Call& call) : sleeper_{.word = call.word, .mask = call.mask} {
    const std::lock_guard held(TheSleepers().lock);
    TheSleepers().all.push_back(&sleeper_);
    before_ = std::exchange(sleeps, &sleeper_);
  }
  ~Sleeping() {
    Leave();
    sleeps = before_;
  }
  Sleeping(const Sleeping&) = delete;
  Sleeping& operator=(const Sleeping&) = delete;

  // Read last: others may go on where the lock is given back, and wake it.
  bool woken() const {
    { const std::lock_guard held(TheSleepers().lock); }
    return sleeper_.woken;
  }

  // Of the calling thread.
  static void Leave() {
    const std::lock_guard held(TheSleepers().lock);
    TheSleepers().all.remove(std::exchange(sleeps, nullptr));
  }

 private:
  Sleeper sleeper_;
  Sleeper* before_ = nullptr;  // the one of the wait that a handler has interrupted
};

// Returns how many it has woken.
long WakeSleepers(const uint32_t* word, uint32_t mask, uint32_t most) {
  long woken = 0;
  const std::lock_guard held(TheSleepers().lock);
  for (Sleeper* const sleeper : TheSleepers().all) {
    if (woken == static_cast<long>(most)) break;
    if (sleeper->woken || sleeper->word != word || (sleeper->mask & mask) == 0) continue;
    sleeper->woken = true;
    ++woken;
  }
  return woken;
}

uint32_t ValueOf(const uint32_t* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

std::optional<Limit> LimitOf(const Call& call) {
  if (call.limit == nullptr) return std::nullopt;
  return call.command == FUTEX_WAIT ? Limit::In(*call.limit) : Limit(call.clock, *call.limit);
}

// Goes on when it is woken, and when the value is another one: a waker may be in another process,
// and then only that is seen. To go on without having been woken is permitted. source: man
// futex(2), FUTEX_WAIT
int Await(const Call& call) {
  const InObject here;
  if (ValueOf(call.word) != call.value) return EAGAIN;
  std::optional<Limit> limit = LimitOf(call);
  const Sleeping sleeping(call);
  for (Look look = Look::kFirst;; look = Look::kAgain) {
    if (sleeping.woken() || ValueOf(call.word) != call.value) return 0;
    const int error = limit ? limit->Await() : AwaitOthers(uapi::LooksFor::kFutex, look);
    if (error == EINTR && !limit && !SomeHandlerInterrupts()) continue;
    if (error != 0) return error;
  }
}

// What the system refuses, and what it must look at itself, is left to it.
bool IsWait(const Call& call) {
  if (call.command != FUTEX_WAIT && call.command != FUTEX_WAIT_BITSET) return false;
  const bool is_time = call.limit == nullptr || IsDuration(*call.limit);
  const bool is_word = call.word != nullptr && std::bit_cast<uintptr_t>(call.word) % 4 == 0;
  return is_time && is_word && call.mask != 0;
}

}  // namespace

void LeaveFutex(uintptr_t target) {
  if (sleeps != nullptr && IsLeft(sleeps, target)) Sleeping::Leave();
}

long CallFutex(const std::array<long, 6>& arguments) {
  const Call call = CallOf(arguments);
  if (!TakeTurns()) return SystemCall(SYS_futex, arguments);
  if (IsWait(call)) {
    const int error = Await(call);
    errno = error == 0 ? errno : error;
    return error == 0 ? 0 : -1;
  }
  SpendComputation();
  const long result = SystemCall(SYS_futex, arguments);
  if (result < 0) return result;
  switch (call.command) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      const long left = static_cast<long>(call.value) - result;
      if (left <= 0) return result;
      const long woken = WakeSleepers(call.word, call.mask, static_cast<uint32_t>(left));
      OfferTurn();
      return result + woken;
    }
    // All that wait may go on: they look again by themselves.
    case FUTEX_WAKE_OP:
      WakeSleepers(call.other, call.mask, UINT_MAX);
      [[fallthrough]];
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      return result + WakeSleepers(call.word, call.mask, UINT_MAX);
    default:
      return result;
  }
}

}  // namespace cm::sim::fake_libibverbs
