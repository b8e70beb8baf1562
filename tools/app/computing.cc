// A test program that computes, as its argument says: 30 million instructions.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>

namespace {

constexpr uint64_t kInstructions = 30'000'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr uint16_t kPort = 7471;

int64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

// With a synthetic counter, which stands otherwise; see sim/fake_libibverbs/synthetic_counter.cc.
void Compute() {
  static const auto kRetire =
      reinterpret_cast<void (*)(uint64_t)>(dlsym(RTLD_DEFAULT, "cmsim_retire"));
  if (kRetire != nullptr) kRetire(kInstructions);
}

// With the processor's. A round is more than one instruction.
void Loop() {
  for (volatile uint64_t i = 0; i < kInstructions;) i = i + 1;
}

void Print(const char* what, int64_t since) {
  std::printf("%s %ldns\n", what, static_cast<long>(Now() - since));
  std::fflush(stdout);
}

int Took(void (*computes)()) {
  const int64_t before = Now();
  computes();
  Print("took", before);
  return 0;
}

void* ComputeInThread(void* /*none*/) {
  Took(&Compute);
  return nullptr;
}

// A thread computes; the time of the first one goes on with it, and it has not computed itself.
int InThread() {
  pthread_t thread{};
  pthread_create(&thread, nullptr, &ComputeInThread, nullptr);
  pthread_join(thread, nullptr);
  const int64_t before = Now();
  Print("the first one", before);
  return 0;
}

// A child computes, and its parent hears of it.
int InChild() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    Took(&Compute);
    Compute();
    _exit(write(ends[1], "", 1) == 1 ? 0 : 1);
  }
  const int64_t before = Now();
  char byte = 0;
  if (read(ends[0], &byte, 1) != 1) return 1;
  Print("heard after", before);
  waitpid(child, nullptr, 0);
  return 0;
}

struct Guarded {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int64_t locked_at = 0;
};

void* ComputeLocked(void* guarded) {
  auto* const whole = static_cast<Guarded*>(guarded);
  pthread_mutex_lock(&whole->mutex);
  whole->locked_at = Now();
  sched_yield();
  Compute();
  pthread_mutex_unlock(&whole->mutex);
  sleep(1);
  return nullptr;
}

// A thread computes while it has a lock.
int Locked() {
  Guarded guarded;
  pthread_t thread{};
  pthread_create(&thread, nullptr, &ComputeLocked, &guarded);
  while (guarded.locked_at == 0) sched_yield();
  pthread_mutex_lock(&guarded.mutex);
  Print("locked for", guarded.locked_at);
  pthread_mutex_unlock(&guarded.mutex);
  pthread_join(thread, nullptr);
  return 0;
}

// Has other files behind all descriptors, closes them one by one, and then all at once.
int Closed() {
  for (int fd = STDERR_FILENO + 1; fd < 100; ++fd) dup2(STDERR_FILENO, fd);
  for (int fd = STDERR_FILENO + 1; fd < 600; ++fd) close(fd);
  close_range(STDERR_FILENO + 1, UINT_MAX, 0);
  return Took(&Compute);
}

// Computes and becomes a program that does.
int Replaced(const char* self) {
  Compute();
  execl(self, self, "clock", static_cast<char*>(nullptr));
  return 1;
}

int Asleep() {
  const int64_t before = Now();
  Compute();
  usleep(20'000);
  Print("woke after", before);
  return 0;
}

rdma_cm_event* Next(rdma_event_channel* channel) {
  rdma_cm_event* event = nullptr;
  return rdma_get_cm_event(channel, &event) == 0 ? event : nullptr;
}

// Takes longer to begin than its client.
int Listen() {
  for (int i = 0; i < 3; ++i) Compute();
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_id* listener = nullptr;
  rdma_create_id(channel, &listener, nullptr, RDMA_PS_TCP);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  rdma_bind_addr(listener, reinterpret_cast<sockaddr*>(&address));
  rdma_listen(listener, 1);
  rdma_cm_event* const event = Next(channel);
  Print("asked at", 0);
  rdma_cm_id* const id = event->id;
  rdma_reject(id, nullptr, 0);
  rdma_ack_cm_event(event);
  rdma_destroy_id(id);
  rdma_destroy_id(listener);
  rdma_destroy_event_channel(channel);
  return 0;
}

int Connect(const char* host) {
  rdma_event_channel* const channel = rdma_create_event_channel();
  rdma_cm_id* id = nullptr;
  rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, host, &address.sin_addr);
  rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&address), 1'000);
  rdma_ack_cm_event(Next(channel));
  rdma_resolve_route(id, 1'000);
  rdma_ack_cm_event(Next(channel));
  Print("computes at", 0);
  Compute();
  rdma_conn_param parameters{};
  parameters.qp_num = 1;
  rdma_connect(id, &parameters);
  rdma_ack_cm_event(Next(channel));
  rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  static const std::map<std::string, int (*)()> kSimple = {
      {"clock", [] { return Took(&Compute); }},
      {"loop", [] { return Took(&Loop); }},
      {"thread", &InThread},
      {"child", &InChild},
      {"lock", &Locked},
      {"closed", &Closed},
      {"asleep", &Asleep},
      {"listen", &Listen},
  };
  if (const auto found = kSimple.find(how); found != kSimple.end()) return found->second();
  if (how == "replaced") return Replaced(argv[0]);
  if (how == "connect" && argc > 2) return Connect(argv[2]);
  std::fprintf(stderr, "usage: computing HOW\n");
  return 2;
}
