// A test program that polls, or waits with a time limit, as its argument says.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "tools/app/limited_waits.h"

namespace cm::app {
namespace {

// Looks for an event that comes after half a minute, and gives up after a tenth of a second.
void PollAChannel(const char* host) {
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
  fcntl(channel->fd, F_SETFL, O_NONBLOCK);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(7471);
  inet_pton(AF_INET, host, &address.sin_addr);
  rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&address), 30'000);
  const int64_t before = Now();
  rdma_cm_event* event = nullptr;
  while (rdma_get_cm_event(channel, &event) != 0 && Now() - before < kSecond / 10) continue;
  std::printf("%s after %ldus\n", event == nullptr ? "no event" : "an event",
              static_cast<long>((Now() - before) / 1000));
  if (event != nullptr) rdma_ack_cm_event(event);
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
}

// Reads the clock for ten milliseconds, while another thread sleeps.
void PollTheClock(int seconds) {
  pthread_t sleeper{};
  const auto sleeps = [](void* argument) -> void* {
    sleep(*static_cast<int*>(argument));
    return nullptr;
  };
  pthread_create(&sleeper, nullptr, sleeps, &seconds);
  const int64_t before = Now();
  while (Now() - before < kSecond / 100) continue;
  std::printf("polled for %ldus\n", static_cast<long>((Now() - before) / 1000));
  std::fflush(stdout);
  _exit(0);
}

void PollAQueue() {
  int count = 0;
  ibv_context** const devices = rdma_get_devices(&count);
  ibv_cq* const queue = ibv_create_cq(devices[0], 8, nullptr, nullptr, 0);
  ibv_wc completion{};
  for (;;) ibv_poll_cq(queue, 1, &completion);
}

int Receive() {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return errno;
  const timeval limit = {.tv_sec = 2, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte = 0;
  return recv(fd, &byte, 1, 0) < 0 ? errno : 0;
}

int AwaitASignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return sigtimedwait(&signals, nullptr, &kTwoSeconds) < 0 ? errno : 0;
}

// Of eight bytes, with room for one message.
mqd_t MakeAQueue(int flags) {
  const std::string name = "/deadlines." + std::to_string(getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 8;
  const mqd_t queue = mq_open(name.c_str(), flags | O_CREAT, 0600, &attributes);
  if (queue >= 0) mq_unlink(name.c_str());
  return queue;
}

int ReceiveFromAQueue() {
  const mqd_t queue = MakeAQueue(O_RDWR);
  if (queue < 0) return errno;
  char bytes[8];
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  if (mq_timedreceive(queue, bytes, sizeof bytes, nullptr, &then) >= 0 || errno != ETIMEDOUT)
    return errno;
  mq_send(queue, bytes, sizeof bytes, 0);
  return mq_timedsend(queue, bytes, sizeof bytes, 0, &then) < 0 ? errno : 0;
}

// 0 when an empty queue refuses these at once, whatever the limit.
int BeRefusedByAQueue() {
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  char bytes[9];
  const auto receive = [&](int flags, size_t size) {
    return mq_timedreceive(MakeAQueue(flags), bytes, size, nullptr, &then) < 0 ? errno : 0;
  };
  if (receive(O_RDWR | O_NONBLOCK, 8) != EAGAIN) return 1;
  if (receive(O_RDWR, 4) != EMSGSIZE) return 2;
  if (receive(O_WRONLY, 8) != EBADF) return 3;
  const bool sent = mq_timedsend(MakeAQueue(O_RDWR), bytes, 9, 0, &then) == 0;
  return sent || errno != EMSGSIZE ? 4 : 0;
}

int AwaitASemaphoreOfASet() {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  if (set < 0) return errno;
  sembuf takes = {.sem_num = 0, .sem_op = -1, .sem_flg = 0};
  const int error = semtimedop(set, &takes, 1, &kTwoSeconds) < 0 ? errno : 0;
  semctl(set, 0, IPC_RMID);
  return error;
}

int LockAMutex() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  return pthread_mutex_timedlock(&mutex, &then);
}

int LockAMutexByAClock() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const timespec then = InTwoSeconds(CLOCK_MONOTONIC);
  return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &then);
}

// The mutex is unlocked by another thread after a second.
int GetAMutex() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static volatile bool locked = false;
  pthread_t other{};
  const auto locks = [](void* /*argument*/) -> void* {
    pthread_mutex_lock(&mutex);
    locked = true;
    sleep(2);
    pthread_mutex_unlock(&mutex);
    return nullptr;
  };
  pthread_create(&other, nullptr, locks, nullptr);
  while (!locked) sched_yield();
  timespec then = InTwoSeconds(CLOCK_REALTIME);
  then.tv_sec += 3;
  return pthread_mutex_timedlock(&mutex, &then);
}

int ReadLock() {
  static int error = 0;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&lock);
  pthread_t other{};
  const auto locks = [](void* argument) -> void* {
    const timespec then = InTwoSeconds(CLOCK_REALTIME);
    error = pthread_rwlock_timedrdlock(static_cast<pthread_rwlock_t*>(argument), &then);
    return nullptr;
  };
  pthread_create(&other, nullptr, locks, &lock);
  pthread_join(other, nullptr);
  return error;
}

int WriteLock() {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&lock);
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  return pthread_rwlock_timedwrlock(&lock, &then);
}

int JoinAThread() {
  pthread_t other{};
  const auto sleeps = [](void* /*argument*/) -> void* {
    sleep(100);
    return nullptr;
  };
  pthread_create(&other, nullptr, sleeps, nullptr);
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  return pthread_timedjoin_np(other, nullptr, &then);
}

int AwaitASemaphore() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  return sem_timedwait(&semaphore, &then) < 0 ? errno : 0;
}

int AwaitACondition() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const timespec then = InTwoSeconds(CLOCK_REALTIME);
  return pthread_cond_timedwait(&condition, &mutex, &then);
}

// The condition is signalled by another thread after two seconds.
int HearOfACondition() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_t other{};
  const auto signals = [](void* /*argument*/) -> void* {
    sleep(2);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return nullptr;
  };
  pthread_mutex_lock(&mutex);
  pthread_create(&other, nullptr, signals, nullptr);
  timespec then = InTwoSeconds(CLOCK_REALTIME);
  then.tv_sec += 3;
  return pthread_cond_timedwait(&condition, &mutex, &then);
}

// Two threads wait for each other in turn, and send no request between.
int WaitInTurn() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  static int turns = 0;
  const auto take = [](void* parity) -> void* {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 50; ++i) {
      while (turns % 2 != (parity == nullptr ? 0 : 1)) pthread_cond_wait(&condition, &mutex);
      ++turns;
      pthread_cond_signal(&condition);
    }
    pthread_mutex_unlock(&mutex);
    return nullptr;
  };
  pthread_t other{};
  pthread_create(&other, nullptr, take, &turns);
  take(nullptr);
  pthread_join(other, nullptr);
  sleep(2);
  return turns;
}

constexpr itimerspec kOnce = {.it_interval = {}, .it_value = kTwoSeconds};
volatile sig_atomic_t value = 0;

// The signal carries a value.
int AwaitATimer() {
  struct sigaction hears {};
  hears.sa_sigaction = [](int, siginfo_t* what, void*) { value = what->si_value.sival_int; };
  hears.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR2, &hears, nullptr);
  sigevent tells{};
  tells.sigev_notify = SIGEV_SIGNAL;
  tells.sigev_signo = SIGUSR2;
  tells.sigev_value.sival_int = 41;
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &tells, &timer) != 0) return errno;
  timer_settime(timer, 0, &kOnce, nullptr);
  pause();
  timer_delete(timer);
  return value;
}

// A timer that is set by default sends SIGALRM.
int AwaitAnAlarm() {
  struct sigaction hears {};
  hears.sa_handler = [](int) { value = 42; };
  sigaction(SIGALRM, &hears, nullptr);
  timer_t timer{};
  if (timer_create(CLOCK_REALTIME, nullptr, &timer) != 0) return errno;
  timer_settime(timer, 0, &kOnce, nullptr);
  pause();
  return value;
}

// A thread is started by the timer, twice: after one second and after another one.
int AwaitThreads() {
  sigevent tells{};
  tells.sigev_notify = SIGEV_THREAD;
  tells.sigev_notify_function = [](sigval) {
    std::printf("a thread\n");
    value = value + 1;
  };
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &tells, &timer) != 0) return errno;
  constexpr timespec kOneSecond = {.tv_sec = 1, .tv_nsec = 0};
  const itimerspec twice = {.it_interval = kOneSecond, .it_value = kOneSecond};
  timer_settime(timer, 0, &twice, nullptr);
  const timespec rest = {.tv_sec = 2, .tv_nsec = kSecond / 2};
  nanosleep(&rest, nullptr);
  itimerspec left{};
  timer_gettime(timer, &left);
  timer_delete(timer);
  sleep(1);
  return value == 2 && left.it_value.tv_nsec > kSecond / 4 ? 43 : 0;
}

// The processor's counter has passed by two seconds of its clock; the signals of faults are
// blocked.
int ReadTheCounter() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  const uint64_t before = __rdtsc();
  const int64_t since = Now();
  sleep(2);
  const uint64_t ticks = __rdtsc() - before;
  return static_cast<int>(ticks / 1'000) - static_cast<int>((Now() - since) / 1'000);
}

// As compilers do around a call: its halves stay in two registers for a while.
uint64_t ReadInHalves() {
  uint32_t low = 0;
  uint32_t high = 0;
  asm volatile("rdtsc; movl %%edx, %1; movl %%eax, %0; .fill 40, 1, 0x90"
               : "=&r"(low), "=&r"(high)
               :
               : "eax", "edx");
  return uint64_t{high} << 32 | low;
}

int ReadTheHalves() {
  const uint64_t before = ReadInHalves();
  const int64_t since = Now();
  sleep(2);
  const uint64_t ticks = ReadInHalves() - before;
  return static_cast<int>(ticks / 1'000) - static_cast<int>((Now() - since) / 1'000);
}

// The object reads the counter when it is loaded, and later; it is loaded again where it was.
int CountInALoadedObject() {
  for (int i = 0; i < 2; ++i) {
    void* const object = dlopen("./tools/app/libcounting.so", RTLD_NOW);
    if (object == nullptr) return 1;
    const auto at_load = reinterpret_cast<uint64_t (*)()>(dlsym(object, "CountAtLoad"));
    const auto now = reinterpret_cast<uint64_t (*)()>(dlsym(object, "CountNow"));
    sleep(1);
    if ((now() - at_load()) / (kSecond / 1000) != 1000) return 2;
    dlclose(object);
  }
  // Where signals are blocked by the system itself, as inside the C library, it can be loaded, too.
  uint64_t all = ~uint64_t{};
  uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  void* const object = dlopen("libutil.so.1", RTLD_NOW);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof all);
  return object == nullptr ? 3 : 0;
}

// Short messages one after the other, and an answer: the second one of each is not kept back. All
// together take a millisecond. Returns how many were kept back.
int ExchangeShortMessages() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  socklen_t length = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  static_cast<void>(bind(listener, reinterpret_cast<sockaddr*>(&address), length));
  listen(listener, 1);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  static_cast<void>(connect(client, reinterpret_cast<sockaddr*>(&address), length));
  const int server = accept(listener, nullptr, nullptr);
  int late = 0;
  for (int round = 0; round < 100; ++round) {
    char byte = 0;
    const auto& [from, to] = round % 2 == 0 ? std::pair(client, server) : std::pair(server, client);
    for (int i = 0; i < 2; ++i) static_cast<void>(!write(from, &byte, 1));
    for (int i = 0; i < 2; ++i) {
      pollfd readable = {.fd = to, .events = POLLIN, .revents = 0};
      late += static_cast<int>(poll(&readable, 1, 1000) == 0);
      static_cast<void>(!read(to, &byte, 1));
    }
  }
  usleep(1'999'000);
  return late;
}

// A program's own handler of faults still hears of them.
int HandleAFault() {
  for (const int signal : {SIGSEGV, SIGILL}) {
    struct sigaction hears {};
    hears.sa_handler = [](int heard) { _exit(heard == SIGSEGV ? 7 : 8); };
    sigaction(signal, &hears, nullptr);
    const pid_t child = fork();
    if (child == 0 && signal == SIGSEGV) *static_cast<volatile int*>(nullptr) = 1;
    if (child == 0) __builtin_trap();
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != (signal == SIGSEGV ? 7 : 8)) return status;
  }
  sleep(2);
  return static_cast<int>(__rdtsc() == 0);
}

const LimitedWaits& Waits() {
  static const auto* const kAll = new LimitedWaits{
      {"receive", &Receive},
      {"signal", &AwaitASignal},
      {"queue", &ReceiveFromAQueue},
      {"refusing-queue", &BeRefusedByAQueue},
      {"set", &AwaitASemaphoreOfASet},
      {"mutex", &LockAMutex},
      {"mutex-by-a-clock", &LockAMutexByAClock},
      {"unlocked", &GetAMutex},
      {"read-lock", &ReadLock},
      {"write-lock", &WriteLock},
      {"join", &JoinAThread},
      {"semaphore", &AwaitASemaphore},
      {"condition", &AwaitACondition},
      {"signalled", &HearOfACondition},
      {"turns", &WaitInTurn},
      {"timer", &AwaitATimer},
      {"alarm", &AwaitAnAlarm},
      {"threads", &AwaitThreads},
      {"counter", &ReadTheCounter},
      {"halves", &ReadTheHalves},
      {"loaded", &CountInALoadedObject},
      {"messages", &ExchangeShortMessages},
      {"fault", &HandleAFault},
  };
  return *kAll;
}

}  // namespace
}  // namespace cm::app

int main(int count, char** arguments) {
  using namespace cm::app;
  const std::string how = count > 1 ? arguments[1] : "";
  if (how == "channel") PollAChannel(arguments[2]);
  if (how == "clock") PollTheClock(std::atoi(arguments[2]));
  if (how == "completions") PollAQueue();
  WaitAndEnd(Waits(), how);
  return 0;
}
