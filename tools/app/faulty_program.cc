// A test program that misbehaves as its argument says.
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

constexpr int kTimeout = 2000;  // milliseconds

// Resolves the address of a host, and waits for the event.
rdma_cm_event* Resolve(rdma_event_channel* channel, rdma_cm_id* id, const char* host) {
  rdma_addrinfo* found = nullptr;
  if (rdma_getaddrinfo(host, "7471", nullptr, &found) != 0) return nullptr;
  const int refused = rdma_resolve_addr(id, nullptr, found->ai_dst_addr, kTimeout);
  rdma_freeaddrinfo(found);
  rdma_cm_event* event = nullptr;
  return refused == 0 && rdma_get_cm_event(channel, &event) == 0 ? event : nullptr;
}

// A command for an id that does not exist. The header of the commands conflicts with that of the
// library. source: rdma_user_cm.h rdma_ucm_cmd_hdr, rdma_ucm_disconnect
void UseAGoneId(rdma_event_channel* channel) {
  constexpr uint32_t kDisconnect = 10;
  constexpr uint32_t kLengthOfBody = 4;
  const std::array<uint32_t, 3> command = {kDisconnect, kLengthOfBody, 77};
  if (write(channel->fd, command.data(), sizeof command) < 0) std::perror("write");
}

// A child process does what its parent could have done.
int LetAChildResolve(const char* host) {
  const pid_t child = fork();
  if (child == 0) {
    rdma_event_channel* channel = rdma_create_event_channel();
    rdma_cm_id* id = nullptr;
    if (channel == nullptr || rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) != 0) _exit(2);
    const rdma_cm_event* event = Resolve(channel, id, host);
    if (event == nullptr) _exit(3);
    std::printf("child hears %s\n", rdma_event_str(event->event));
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child ends with %d\n", WEXITSTATUS(status));
  return 0;
}

// A daemon: its parent has ended, and it has a session of its own.
void LeaveAProcess() {
  const pid_t child = fork();
  if (child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  setsid();
  if (fork() != 0) _exit(0);
  for (;;) pause();
}

constexpr int64_t kSecond = 1'000'000'000;

int64_t TimeOn(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

// Polls the clock until a timeout. Returns whether the timeout was kept; it may be slightly early
// because the clock stands while any thread runs.
template <typename Wait>
bool WaitsUntilItsLimit(clockid_t clock, Wait wait) {
  constexpr int64_t kLimit = kSecond / 10;
  const int64_t limit = TimeOn(clock) + kLimit;
  const timespec then = {.tv_sec = limit / kSecond, .tv_nsec = limit % kSecond};
  wait(&then);
  const int64_t now = TimeOn(clock);
  return now >= limit - kLimit / 2 && now < limit + 10 * kSecond;
}

void WaitWithLimits() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const bool semaphores =
      WaitsUntilItsLimit(CLOCK_REALTIME,
                         [&](const timespec* then) { sem_timedwait(&semaphore, then); }) &&
      WaitsUntilItsLimit(CLOCK_MONOTONIC, [&](const timespec* then) {
        sem_clockwait(&semaphore, CLOCK_MONOTONIC, then);
      });
  const bool conditions = WaitsUntilItsLimit(CLOCK_REALTIME,
                                             [&](const timespec* then) {
                                               pthread_cond_timedwait(&condition, &mutex, then);
                                             }) &&
                          WaitsUntilItsLimit(CLOCK_MONOTONIC, [&](const timespec* then) {
                            pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, then);
                          });
  std::printf("semaphores %d conditions %d\n", semaphores ? 1 : 0, conditions ? 1 : 0);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  rdma_event_channel* channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  if (channel == nullptr || rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP) != 0) return 1;
  rdma_cm_event* event = nullptr;
  if (what == "leaks") return 0;
  if (what == "crashes") return *static_cast<volatile int*>(nullptr);
  if (what == "leaves-a-process") LeaveAProcess();
  if (what == "stops") raise(SIGSTOP);
  if (what == "waits") {
    std::printf("waiting\n");
    return rdma_get_cm_event(channel, &event);
  }
  if (what == "uses-a-gone-id") UseAGoneId(channel);
  if (what == "spins") {
    const time_t before = time(nullptr);
    while (time(nullptr) < before + 3) continue;
    std::printf("spun\n");
  }
  if (what == "forks") LetAChildResolve(arguments[2]);
  if (what == "waits-with-limits") WaitWithLimits();
  if (what == "forgets-an-event") {
    if (Resolve(channel, id, arguments[2]) == nullptr) return 3;
    return 0;
  }
  if (what == "closes-its-channel-first") {
    rdma_destroy_event_channel(channel);
    return 0;
  }
  if (what == "acknowledges-twice" && (event = Resolve(channel, id, arguments[2])) != nullptr) {
    rdma_ack_cm_event(event);
    rdma_ack_cm_event(event);
  }
  if (what == "destroys-and-crashes" || what == "destroys-and-goes-on") {
    rdma_destroy_id(id);
    if (what == "destroys-and-goes-on") rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
    std::abort();
  }
  if (what == "leaves-queues") {
    rdma_destroy_id(id);
    int devices = 0;
    ibv_context** const opened = rdma_get_devices(&devices);
    if (devices == 0 || ibv_create_cq(opened[0], 4, nullptr, nullptr, 0) == nullptr) return 2;
    return 0;
  }
  if (what == "keeps-an-event") event = Resolve(channel, id, arguments[2]);
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  return 0;
}
