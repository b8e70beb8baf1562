// A test program that waits in the way its argument says.
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

constexpr uint16_t kPort = 7471;
constexpr int kTimeout = 2000;  // milliseconds

int64_t Milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

template <typename Wait>
void Measure(const char* what, Wait wait) {
  const int64_t before = Milliseconds();
  const long result = wait();
  std::printf("%s %ld after %ldms\n", what, result, static_cast<long>(Milliseconds() - before));
}

// A thread's limit is over while the one that signals has the mutex: the signal is for the other
// that waits.
long SignalTooLateForOne() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  static timespec limit{};
  clock_gettime(CLOCK_REALTIME, &limit);
  ++limit.tv_sec;
  const auto with_limit = [](void* late) -> void* {
    pthread_mutex_lock(&mutex);
    *static_cast<long*>(late) = pthread_cond_timedwait(&condition, &mutex, &limit);
    pthread_mutex_unlock(&mutex);
    return nullptr;
  };
  const auto without = [](void* /*argument*/) -> void* {
    usleep(100'000);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return nullptr;
  };
  std::array<pthread_t, 2> others{};
  long late = 0;
  pthread_create(&others[0], nullptr, with_limit, &late);
  pthread_create(&others[1], nullptr, without, nullptr);
  usleep(500'000);
  pthread_mutex_lock(&mutex);
  usleep(1'500'000);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  for (const pthread_t other : others) pthread_join(other, nullptr);
  return late == ETIMEDOUT ? 1 : 0;
}

void WaitWithLimits(int fd) {
  Measure("poll", [=] {
    pollfd readable = {.fd = fd, .events = POLLIN, .revents = 0};
    return poll(&readable, 1, 50);
  });
  Measure("select", [=] {
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(fd, &reads);
    timeval limit = {.tv_sec = 1, .tv_usec = 500'000};
    return select(fd + 1, &reads, nullptr, nullptr, &limit);
  });
  Measure("epoll", [=] {
    const int set = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    const int found = epoll_wait(set, &event, 1, 20);
    close(set);
    return found;
  });
}

sockaddr_in AddressOf(const char* host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

// Polls until the event is there, without waiting.
int LookForAnEvent(rdma_event_channel* channel, const char* host) {
  rdma_cm_id* id = nullptr;
  sockaddr_in address = AddressOf(host);
  if (rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) != 0) return 2;
  if (rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&address), kTimeout) != 0)
    return 3;
  pollfd readable = {.fd = channel->fd, .events = POLLIN, .revents = 0};
  while (poll(&readable, 1, 0) == 0) continue;
  rdma_cm_event* event = nullptr;
  if (rdma_get_cm_event(channel, &event) != 0) return 4;
  std::printf("found %s\n", rdma_event_str(event->event));
  rdma_ack_cm_event(event);
  return rdma_destroy_id(id);
}

// A timer that expires after two seconds, and then every second.
void ReadATimer() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec time = {.it_interval = {.tv_sec = 1, .tv_nsec = 0},
                           .it_value = {.tv_sec = 2, .tv_nsec = 0}};
  timerfd_settime(timer, 0, &time, nullptr);
  const auto expirations = [timer] {
    uint64_t times = 0;
    return read(timer, &times, sizeof times) == sizeof times ? static_cast<long>(times) : -1;
  };
  Measure("expired", expirations);
  sleep(3);
  Measure("expired", expirations);
  Measure("expired", expirations);
  close(timer);
}

// With a repeating signal.
void BeInterrupted(rdma_event_channel* channel) {
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  sigaction(SIGALRM, &nothing, nullptr);
  const itimerval time = {.it_interval = {.tv_sec = 1, .tv_usec = 0},
                          .it_value = {.tv_sec = 0, .tv_usec = 500'000}};
  setitimer(ITIMER_REAL, &time, nullptr);
  for (int i = 0; i < 2; ++i)
    Measure("interrupted", [channel] {
      rdma_cm_event* event = nullptr;
      return rdma_get_cm_event(channel, &event) == -1 && errno == EINTR;
    });
  std::printf("left %u\n", alarm(0));
}

volatile sig_atomic_t rung = 0;

// Polls memory until it changes, without a system call.
void LookAtMemory() {
  struct sigaction ring {};
  ring.sa_handler = [](int) { rung = 1; };
  sigaction(SIGALRM, &ring, nullptr);
  const itimerval time = {.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 50'000}};
  setitimer(ITIMER_REAL, &time, nullptr);
  while (rung == 0) continue;
  std::printf("rung\n");
}

// Reads all asynchronous events of the first device, until it is removed.
void HearOfADevice() {
  int count = 0;
  ibv_context** const devices = rdma_get_devices(&count);
  pollfd told = {.fd = devices[0]->async_fd, .events = POLLIN, .revents = 0};
  ibv_async_event event{};
  while (poll(&told, 1, -1) == 1 && ibv_get_async_event(devices[0], &event) == 0) {
    std::printf("%s\n", ibv_event_type_str(event.event_type));
    ibv_ack_async_event(&event);
  }
  std::printf("%s\n", std::strerror(errno));
  rdma_free_devices(devices);
}

int Accept() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = AddressOf("0.0.0.0");
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 2;
  listen(listener, 1);
  std::array<char, 6> text{};
  const int peer = accept(listener, nullptr, nullptr);
  if (read(peer, text.data(), text.size() - 1) < 0) return 3;
  socklen_t length = sizeof address;
  std::array<char, INET_ADDRSTRLEN> from{};
  getpeername(peer, reinterpret_cast<sockaddr*>(&address), &length);
  inet_ntop(AF_INET, &address.sin_addr, from.data(), from.size());
  std::printf("heard %s from %s\n", text.data(), from.data());
  return 0;
}

int Call(const char* host) {
  const int peer = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = AddressOf(host);
  if (connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::printf("connect: %s\n", std::strerror(errno));
    return 2;
  }
  return write(peer, "hello", 5) == 5 ? 0 : 3;
}

// A child that writes to two pipes, and computes in between for long enough that the system lets
// the parent go on.
std::array<int, 2> PipesOfAChild() {
  std::array<std::array<int, 2>, 2> pipes{};
  for (auto& ends : pipes) static_cast<void>(!pipe(ends.data()));
  if (fork() == 0) {
    usleep(1'000);
    for (const auto& ends : pipes) {
      static_cast<void>(!write(ends[1], "a", 1));
      for (volatile int i = 0; i < 15'000'000;) i = i + 1;
      static_cast<void>(!write(ends[1], "b", 1));
    }
    _exit(0);
  }
  return {pipes[0][0], pipes[1][0]};
}

// Whatever the system wakes it for first, it finds all that has come when it is its turn.
void FindAll() {
  const auto ready = [](auto wait) {
    const std::array<int, 2> pipes = PipesOfAChild();
    const int found = wait(pipes[0], pipes[1]);
    std::array<char, 3> bytes{};
    return 10 * found + static_cast<int>(read(pipes[0], bytes.data(), bytes.size()));
  };
  const int polled = ready([](int one, int other) {
    std::array<pollfd, 2> both = {{{.fd = one, .events = POLLIN, .revents = 0},
                                   {.fd = other, .events = POLLIN, .revents = 0}}};
    return poll(both.data(), both.size(), -1);
  });
  const int selected = ready([](int one, int other) {
    fd_set both;
    FD_ZERO(&both);
    FD_SET(one, &both);
    FD_SET(other, &both);
    return select(std::max(one, other) + 1, &both, nullptr, nullptr, nullptr);
  });
  const int listed = ready([](int one, int other) {
    const int set = epoll_create1(0);
    std::array<epoll_event, 2> found{};
    for (const int fd : {one, other}) {
      found[0].events = EPOLLIN;
      epoll_ctl(set, EPOLL_CTL_ADD, fd, found.data());
    }
    return epoll_wait(set, found.data(), 2, -1);
  });
  const int reads = ready([](int, int) { return 0; });
  std::printf("poll %d, select %d, epoll %d, read %d\n", polled, selected, listed, reads);
}

// Calls that fail at once, though nothing can be read.
void BeRefused() {
  std::array<int, 2> ends{};
  static_cast<void>(!pipe(ends.data()));
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  listen(listener, 1);
  const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  char byte = 0;
  const auto error = [](long result) { return result < 0 ? std::strerror(errno) : "taken"; };
  std::printf("%s\n", error(accept(ends[0], nullptr, nullptr)));
  std::printf("%s\n", error(accept4(datagrams, nullptr, nullptr, 0)));
  std::printf("%s\n", error(recv(listener, &byte, 1, 0)));
  std::printf("%s\n", error(read(ends[1], &byte, 1)));
  std::printf("%s\n", error(recv(datagrams, &byte, 1, MSG_ERRQUEUE)));
}

void ReadForEver() {
  std::array<int, 2> ends{};
  static_cast<void>(!pipe(ends.data()));
  char byte = 0;
  static_cast<void>(!read(ends[0], &byte, 1));
}

// Computes for some hundredths of a second, as the last of all that want the processor.
void ComputeIdly(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  const sched_param none{};
  if (sched_setaffinity(0, sizeof one, &one) != 0) std::exit(8);
  if (sched_setscheduler(0, SCHED_IDLE, &none) != 0) std::exit(7);
  for (volatile int i = 0; i < 15'000'000;) i = i + 1;
  std::printf("computed\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string how = count > 1 ? arguments[1] : "";
  rdma_event_channel* channel = rdma_create_event_channel();
  if (channel == nullptr) return 1;
  int result = 0;
  if (how == "limited") WaitWithLimits(channel->fd);
  if (how == "looks") result = LookForAnEvent(channel, arguments[2]);
  if (how == "timer") ReadATimer();
  if (how == "alarm") BeInterrupted(channel);
  if (how == "memory") LookAtMemory();
  if (how == "all") FindAll();
  if (how == "refused") BeRefused();
  if (how == "read") ReadForEver();
  if (how == "too-late") Measure("one is late", SignalTooLateForOne);
  if (how == "device") HearOfADevice();
  if (how == "idle") ComputeIdly(std::atoi(arguments[2]));
  if (how == "accept") result = Accept();
  if (how == "call") result = Call(arguments[2]);
  rdma_destroy_event_channel(channel);
  return result;
}
