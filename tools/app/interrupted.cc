// A test program whose waits are interrupted by handlers of signals, as its argument says.
#include <arpa/inet.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <x86intrin.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "tools/app/limited_waits.h"

namespace cm::app {
namespace {

constexpr timespec kTenSeconds = {.tv_sec = 10, .tv_nsec = 0};

volatile sig_atomic_t rings = 0;

void Ring(int /*signal*/) { rings = rings + 1; }

void Handle(void (*handler)(int), int flags, int signal = SIGALRM) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

// Another thread does this after two seconds.
pthread_t Later(void* (*act)(void*), void* argument) {
  pthread_t thread{};
  pthread_create(&thread, nullptr, act, argument);
  return thread;
}

// The type of the event that no address is found; it comes after so many milliseconds, and the wait
// ends after two seconds. Or a negative errno.
int AwaitNoAddress(int timeout) {
  const int64_t end = Now() + 2 * kSecond;
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  sockaddr_in nowhere{};
  nowhere.sin_family = AF_INET;
  nowhere.sin_port = htons(7471);
  inet_pton(AF_INET, "10.0.1.99", &nowhere.sin_addr);
  rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
  rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&nowhere), timeout);
  rdma_cm_event* event = nullptr;
  const int type = rdma_get_cm_event(channel, &event) == 0 ? event->event : -errno;
  if (event != nullptr) rdma_ack_cm_event(event);
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  const int64_t rest = end - Now();
  if (rest > 0) SleepFor({.tv_sec = rest / kSecond, .tv_nsec = rest % kSecond});
  return type;
}

// The handler has SA_RESTART: the wait goes on.
int AwaitAnEvent() {
  Handle(&Ring, SA_RESTART);
  alarm(1);
  const int type = AwaitNoAddress(1500);
  return rings == 1 ? type : -1;
}

int AwaitASemaphore() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  Handle(&Ring, SA_RESTART);
  alarm(1);
  const auto post = [](void* /*none*/) -> void* {
    SleepFor(kTwoSeconds);
    sem_post(&semaphore);
    return nullptr;
  };
  Later(post, nullptr);
  return sem_wait(&semaphore) == 0 ? 0 : errno;
}

int AwaitAFutex() {
  static std::atomic<uint32_t> word{0};
  Handle(&Ring, SA_RESTART);
  alarm(1);
  const auto wake = [](void* /*none*/) -> void* {
    SleepFor(kTwoSeconds);
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    return nullptr;
  };
  Later(wake, nullptr);
  return syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0) == 0 ? 0 : errno;
}

int ReadATimer() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec time = {.it_interval = {}, .it_value = kTwoSeconds};
  timerfd_settime(timer, 0, &time, nullptr);
  Handle(&Ring, SA_RESTART);
  alarm(1);
  uint64_t times = 0;
  return read(timer, &times, sizeof times) == sizeof times ? static_cast<int>(times) : -errno;
}

// The handler sets the next alarm.
int SleepBetweenAlarms() {
  const auto ring_again = [](int) {
    rings = rings + 1;
    if (rings < 2) alarm(1);
  };
  Handle(ring_again, SA_RESTART);
  alarm(1);
  while (rings < 2) SleepFor(kTenSeconds);
  return rings;
}

// The same while a wait goes on.
int AwaitAnEventBetweenAlarms() {
  const auto ring_again = [](int) {
    rings = rings + 1;
    if (rings < 3) ualarm(500'000, 0);
  };
  Handle(ring_again, SA_RESTART);
  ualarm(500'000, 0);
  const int type = AwaitNoAddress(1800);
  return type == RDMA_CM_EVENT_ADDR_ERROR ? rings : -1;
}

// Whether the set is as before after the signal: the descriptor is found later.
int SelectAgain() {
  static std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return errno;
  Handle(&Ring, 0);
  alarm(1);
  const auto write_one = [](void* /*none*/) -> void* {
    SleepFor(kTwoSeconds);
    static_cast<void>(!write(ends[1], "", 1));
    return nullptr;
  };
  Later(write_one, nullptr);
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(ends[0], &reads);
  int found = 0;
  do {
    found = select(ends[0] + 1, &reads, nullptr, nullptr, nullptr);
  } while (found < 0 && errno == EINTR);
  return found == 1 && FD_ISSET(ends[0], &reads) ? rings : -1;
}

int ReadUntilARealTimeSignal() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  Handle(&Ring, 0, SIGRTMIN);
  static const pthread_t kReader = pthread_self();
  const auto send = [](void* /*none*/) -> void* {
    SleepFor(kTwoSeconds);
    pthread_kill(kReader, SIGRTMIN);
    return nullptr;
  };
  Later(send, nullptr);
  char byte = 0;
  return read(ends[0], &byte, 1) < 0 ? errno : 0;
}

void CloseAll() {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
}

// As daemons do, in the middle of the first of two alarms.
int PauseWithAllClosed() {
  Handle(&Ring, 0);
  for (int i = 0; i < 2; ++i) {
    alarm(1);
    CloseAll();
    pause();
  }
  return rings;
}

int PauseForATimerWithAllClosed() {
  Handle(&Ring, 0);
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, nullptr, &timer) != 0) return -1;
  CloseAll();
  const itimerspec time = {.it_interval = {}, .it_value = kTwoSeconds};
  timer_settime(timer, 0, &time, nullptr);
  pause();
  timer_delete(timer);
  return rings;
}

// Milliseconds by the processor's counter, from before the wait to the handler.
int CountInAHandler() {
  static volatile uint64_t then = 0;
  Handle([](int) { then = __rdtsc(); }, 0);
  const uint64_t before = __rdtsc();
  alarm(2);
  SleepFor(kTenSeconds);
  return static_cast<int>(static_cast<int64_t>(then - before) / (kSecond / 1000));
}

const LimitedWaits& Waits() {
  static const auto* const kAll = new LimitedWaits{
      {"event", &AwaitAnEvent},
      {"semaphore", &AwaitASemaphore},
      {"futex", &AwaitAFutex},
      {"timer", &ReadATimer},
      {"alarms", &SleepBetweenAlarms},
      {"alarms-and-event", &AwaitAnEventBetweenAlarms},
      {"select", &SelectAgain},
      {"real-time-signal", &ReadUntilARealTimeSignal},
      {"closed-alarm", &PauseWithAllClosed},
      {"closed-timer", &PauseForATimerWithAllClosed},
      {"counter", &CountInAHandler},
  };
  return *kAll;
}

}  // namespace
}  // namespace cm::app

int main(int count, char** arguments) {
  cm::app::WaitAndEnd(cm::app::Waits(), count > 1 ? arguments[1] : "");
  return 2;
}
