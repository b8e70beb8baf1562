// A test program that ends a wait without a limit by a jump out of a signal's handler, as old
// programs do, and goes on.
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "tools/app/limited_waits.h"

namespace cm::app {
namespace {

sigjmp_buf place;
bool by_another_name = false;

void Leave(int /*signal*/) {
  if (by_another_name) longjmp(place, 1);  // NOLINT(cert-err52-cpp): the mask stays
  siglongjmp(place, 1);
}

// A jump that the handler does not leave.
void LeaveNothing(int /*signal*/) {
  sigjmp_buf own;
  if (sigsetjmp(own, 1) == 0) siglongjmp(own, 1);
}

void Handle(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGALRM, &action, nullptr);
}

// A channel, an id and an answer of their own: requests and answers belong together.
bool GoesOn() {
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  int on = 1;
  const bool made =
      rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) == 0 &&
      rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &on, sizeof on) == 0 &&
      rdma_destroy_id(id) == 0;
  rdma_destroy_event_channel(channel);
  int cancel = -1;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
  return made && cancel == PTHREAD_CANCEL_ENABLE;
}

// A second after the wait has begun it is left, and another one comes.
template <typename Wait>
int LeaveIt(Wait wait, int flags = 0) {
  Handle(&Leave, flags);
  if (sigsetjmp(place, 1) == 0) {
    alarm(1);
    wait();
    return 1;
  }
  sleep(1);
  return GoesOn() ? 0 : 2;
}

void AwaitEvent() {
  rdma_cm_event* event = nullptr;
  rdma_get_cm_event(rdma_create_event_channel(), &event);
}

int LeaveAnEvent() { return LeaveIt(&AwaitEvent); }

int LeaveAPoll() {
  return LeaveIt([] { poll(nullptr, 0, -1); });
}

int LeaveARead() {
  return LeaveIt([] {
    std::array<int, 2> ends{};
    char byte = 0;
    if (pipe(ends.data()) == 0 && read(ends[0], &byte, 1) == 1) std::abort();
  });
}

int LeaveASleep() {
  return LeaveIt([] { sleep(100); });
}

int LeaveASemaphore() {
  return LeaveIt([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    sem_wait(&semaphore);
  });
}

int LeaveAMutex() {
  return LeaveIt([] {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
  });
}

// Nothing is left to be woken: the wait is so deep on the stack that no other one is there after
// it.
int LeaveAFutex() {
  static uint32_t word = 0;
  const int result = LeaveIt([] {
    std::array<char, 1 << 16> above;
    asm volatile("" : : "r"(above.data()) : "memory");
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
    asm volatile("" : : "r"(above.data()) : "memory");
  });
  const long woken = syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  return woken == 0 ? result : 3;
}

int LeaveByAnotherName() {
  by_another_name = true;
  return LeaveIt(&AwaitEvent, SA_NODEFER);
}

// The handler has a stack above that of the thread, or below it.
int LeaveFromAnotherStack() {
  static std::array<char, 1 << 16> below;
  const stack_t stack = {.ss_sp = below.data(), .ss_flags = 0, .ss_size = below.size()};
  sigaltstack(&stack, nullptr);
  return LeaveIt(&AwaitEvent, SA_ONSTACK);
}

int LeaveAsThread() {
  pthread_t thread{};
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        std::array<char, 1 << 16> above{};
        const stack_t stack = {.ss_sp = above.data(), .ss_flags = 0, .ss_size = above.size()};
        sigaltstack(&stack, nullptr);
        const intptr_t result = LeaveIt(&AwaitEvent, SA_ONSTACK);
        const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
        sigaltstack(&none, nullptr);
        return reinterpret_cast<void*>(result);  // NOLINT(performance-no-int-to-ptr): a number
      },
      nullptr);
  // The alarm is the thread's.
  sigset_t alarms{};
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, nullptr);
  void* result = nullptr;
  pthread_join(thread, &result);
  return static_cast<int>(reinterpret_cast<intptr_t>(result));
}

// The wait is interrupted, and is not left.
int LeaveNothingAtAll() {
  Handle(&LeaveNothing, 0);
  alarm(1);
  const unsigned left = sleep(100);
  sleep(1);
  return left == 99 && GoesOn() ? 0 : 1;
}

const LimitedWaits& Waits() {
  static const auto* const kAll = new LimitedWaits{
      {"event", &LeaveAnEvent},
      {"poll", &LeaveAPoll},
      {"read", &LeaveARead},
      {"sleep", &LeaveASleep},
      {"semaphore", &LeaveASemaphore},
      {"futex", &LeaveAFutex},
      {"mutex", &LeaveAMutex},
      {"name", &LeaveByAnotherName},
      {"stack", &LeaveFromAnotherStack},
      {"thread", &LeaveAsThread},
      {"nothing", &LeaveNothingAtAll},
  };
  return *kAll;
}

}  // namespace
}  // namespace cm::app

int main(int count, char** arguments) {
  cm::app::WaitAndEnd(cm::app::Waits(), count > 1 ? arguments[1] : "");
  return 2;
}
