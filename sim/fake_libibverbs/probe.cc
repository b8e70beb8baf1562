// A program for the test of the preloaded object; it knows nothing of the fake libibverbs. With an
// argument it sets timers.
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

// As in allocators that return memory after a while: they read the clock under their lock.
[[gnu::noinline]] void* operator new(std::size_t size) {
  static thread_local bool locked = false;
  if (std::exchange(locked, true)) {
    std::puts("who looks at the clock allocates memory");
    std::abort();
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  locked = false;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace {

int Fail(const char* what) {
  std::printf("%s: %s\n", what, std::strerror(errno));
  return 1;
}

constexpr int kNumbers = 1024;

// Descriptors that can only be read, of the numbers that shells and daemons choose.
int LowReadEnds() {
  int count = 0;
  for (int fd = 0; fd < kNumbers / 2; ++fd) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) ++count;
  }
  return count;
}

int OpenInAChild() {
  const pid_t child = fork();
  if (child == 0) {
    int count = 0;
    for (int fd = 0; fd < kNumbers; ++fd)
      if (fcntl(fd, F_GETFD) >= 0) ++count;
    _exit(count);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int SetTimers() {
  sleep(1);  // the first request makes the thread's connection
  const int ends = LowReadEnds();
  const int before = OpenInAChild();
  constexpr timeval kLong = {.tv_sec = 5000, .tv_usec = 0};
  const itimerval rarely = {.it_interval = kLong, .it_value = kLong};
  if (setitimer(ITIMER_REAL, &rarely, nullptr) != 0) return Fail("setitimer");
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, nullptr, &timer) != 0) return Fail("timer_create");
  std::printf("low read ends: %d more\n", LowReadEnds() - ends);
  std::printf("open in a child: %d more\n", OpenInAChild() - before);
  return 0;
}

}  // namespace

int main(int count, char** /*arguments*/) {
  if (count > 1) return SetTimers();
  operator delete(operator new(1));
  rdma_event_channel* channel = rdma_create_event_channel();
  if (channel == nullptr) return Fail("rdma_create_event_channel");
  rdma_cm_id* id = nullptr;
  if (rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) != 0) return Fail("rdma_create_id");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (rdma_bind_addr(id, reinterpret_cast<sockaddr*>(&address)) != 0) return Fail("rdma_bind_addr");
  std::printf("device %s\n", id->verbs == nullptr ? "none" : id->verbs->device->name);
  pollfd readable = {.fd = channel->fd, .events = POLLIN, .revents = 0};
  std::printf("readable %d\n", poll(&readable, 1, 0));
  const time_t before = time(nullptr);
  const unsigned int rest = sleep(3600);
  std::printf("slept %ld, left %u\n", static_cast<long>(time(nullptr) - before), rest);
  std::printf("readable %d\n", poll(&readable, 1, 0));
  if (rdma_destroy_id(id) != 0) return Fail("rdma_destroy_id");
  rdma_destroy_event_channel(channel);
  return 0;
}
