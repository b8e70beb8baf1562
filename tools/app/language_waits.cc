// A test program that waits with the libraries of languages, which use system calls of their own:
// threads of C11, futures and atomics of C++; and by functions that the C library makes of others.
#include <linux/futex.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <future>
#include <thread>

#include "tools/app/limited_waits.h"

namespace cm::app {
namespace {

using std::chrono::seconds;

int SleepInC() { return thrd_sleep(&kTwoSeconds, nullptr); }

int LockInC() {
  mtx_t mutex;
  mtx_init(&mutex, mtx_timed);
  mtx_lock(&mutex);
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  return mtx_timedlock(&mutex, &then);
}

int AwaitConditionInC() {
  mtx_t mutex;
  cnd_t condition;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  mtx_lock(&mutex);
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  return cnd_timedwait(&condition, &mutex, &then);
}

// Another thread sleeps, signals the condition, and has a result.
int AwaitThreadInC() {
  struct Both {
    mtx_t mutex;
    cnd_t condition;
    bool there = false;
  } both;
  mtx_init(&both.mutex, mtx_plain);
  cnd_init(&both.condition);
  const auto signals = [](void* given) {
    auto* const shared = static_cast<Both*>(given);
    thrd_sleep(&kTwoSeconds, nullptr);
    mtx_lock(&shared->mutex);
    shared->there = true;
    cnd_signal(&shared->condition);
    mtx_unlock(&shared->mutex);
    return 7;
  };
  thrd_t thread{};
  thrd_create(&thread, signals, &both);
  mtx_lock(&both.mutex);
  while (!both.there) cnd_wait(&both.condition, &both.mutex);
  mtx_unlock(&both.mutex);
  int result = 0;
  thrd_join(thread, &result);
  return result;
}

int AwaitFuture() {
  std::promise<int> promise;
  return promise.get_future().wait_for(seconds(2)) == std::future_status::timeout ? 1 : 0;
}

int GetFuture() {
  std::promise<int> promise;
  std::thread other([&] {
    std::this_thread::sleep_for(seconds(2));
    promise.set_value(3);
  });
  const int value = promise.get_future().get();
  other.join();
  return value;
}

// Four threads are woken one after the other.
int AwaitAtomic() {
  std::atomic<int> turn{0};
  std::atomic<int> woken{0};
  std::thread others[4];
  for (int i = 0; i < 4; ++i)
    others[i] = std::thread([&, i] {
      for (int now = turn; now <= i; now = turn) turn.wait(now);
      ++woken;
    });
  for (int i = 0; i < 4; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ++turn;
    turn.notify_all();
  }
  for (std::thread& other : others) other.join();
  return woken;
}

long Futex(uint32_t* word, int operation, const timespec* limit, uint32_t mask) {
  return syscall(SYS_futex, word, operation, 0, limit, nullptr, mask);
}

int AwaitFutex() {
  uint32_t word = 0;
  return Futex(&word, FUTEX_WAIT_PRIVATE, &kTwoSeconds, 0) < 0 ? errno : 0;
}

int AwaitFutexUntil() {
  uint32_t word = 0;
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  const int operation = FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME;
  return Futex(&word, operation, &then, FUTEX_BITSET_MATCH_ANY) < 0 ? errno : 0;
}

// 0 when a futex refuses these at once, as the kernel does, and a wake finds as many as wait.
int BeRefusedByAFutex() {
  alignas(8) uint32_t words[2] = {1, 0};
  auto* const odd = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(words) + 2);
  if (Futex(words, FUTEX_WAIT, nullptr, 0) == 0 || errno != EAGAIN) return 1;
  if (Futex(odd, FUTEX_WAIT, nullptr, 0) == 0 || errno != EINVAL) return 2;
  if (Futex(nullptr, FUTEX_WAIT, nullptr, 0) == 0 || errno != EFAULT) return 3;
  if (Futex(words + 1, FUTEX_WAIT_BITSET, nullptr, 0) == 0 || errno != EINVAL) return 4;
  std::thread other([&] { Futex(words + 1, FUTEX_WAIT, nullptr, 0); });
  sleep(2);
  if (syscall(SYS_futex, words + 1, FUTEX_WAKE, 5, nullptr, nullptr, 0) != 1) return 5;
  other.join();
  return 0;
}

int SleepBySystemCall() {
  timespec before{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &before);
  syscall(SYS_nanosleep, &kTwoSeconds, nullptr);
  timespec after{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &after);
  return static_cast<int>(after.tv_sec - before.tv_sec);
}

// 1 when the alarm comes again after its interval.
int AwaitAShortAlarm() {
  struct sigaction hears {};
  hears.sa_handler = [](int) {};
  sigaction(SIGALRM, &hears, nullptr);
  ualarm(999'999, 0);
  pause();
  ualarm(500'000, 500'001);
  pause();
  pause();
  const useconds_t left = ualarm(0, 0);
  return left > 499'000 && left <= 500'001 ? 1 : 0;
}

// A socket to which no bytes come.
int QuietSocket(int type) {
  int ends[2] = {-1, -1};
  socketpair(AF_UNIX, type, 0, ends);
  const timeval limit = {.tv_sec = 2, .tv_usec = 0};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return ends[0];
}

int Read() {
  char byte = 0;
  return read(QuietSocket(SOCK_STREAM), &byte, 1) < 0 ? errno : 0;
}

int ReadPieces() {
  char byte = 0;
  const iovec piece = {.iov_base = &byte, .iov_len = 1};
  return readv(QuietSocket(SOCK_STREAM), &piece, 1) < 0 ? errno : 0;
}

int ReceiveMany() {
  mmsghdr message{};
  return recvmmsg(QuietSocket(SOCK_DGRAM), &message, 1, 0, nullptr) < 0 ? errno : 0;
}

const LimitedWaits& Waits() {
  static const auto* const kAll = new LimitedWaits{
      {"c-sleep", &SleepInC},
      {"c-mutex", &LockInC},
      {"c-condition", &AwaitConditionInC},
      {"c-thread", &AwaitThreadInC},
      {"future", &AwaitFuture},
      {"promise", &GetFuture},
      {"atomic", &AwaitAtomic},
      {"futex", &AwaitFutex},
      {"futex-until", &AwaitFutexUntil},
      {"refusing-futex", &BeRefusedByAFutex},
      {"system-calls", &SleepBySystemCall},
      {"short-alarm", &AwaitAShortAlarm},
      {"read", &Read},
      {"pieces", &ReadPieces},
      {"many", &ReceiveMany},
  };
  return *kAll;
}

}  // namespace
}  // namespace cm::app

int main(int count, char** arguments) {
  cm::app::WaitAndEnd(cm::app::Waits(), count > 1 ? arguments[1] : "");
  return 2;
}
