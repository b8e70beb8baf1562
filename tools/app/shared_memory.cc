// A test program whose processes wait for each other by a condition in shared memory, as its
// argument says.
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>

namespace {

struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int value = 0;
};

Shared* Make() {
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const made = new (memory) Shared;
  pthread_mutexattr_t of_mutex;
  pthread_mutexattr_init(&of_mutex);
  pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&made->mutex, &of_mutex);
  pthread_condattr_t of_condition;
  pthread_condattr_init(&of_condition);
  pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&made->changed, &of_condition);
  return made;
}

timespec In(int seconds) {
  timespec then{};
  clock_gettime(CLOCK_REALTIME, &then);
  then.tv_sec += seconds;
  return then;
}

// Until the value is not what it was, at most for this long; 0: for ever. Returns 0 or an errno.
int Await(Shared* shared, int wanted, int seconds) {
  const timespec limit = In(seconds);
  pthread_mutex_lock(&shared->mutex);
  int error = 0;
  while (shared->value != wanted && error == 0)
    error = seconds == 0 ? pthread_cond_wait(&shared->changed, &shared->mutex)
                         : pthread_cond_timedwait(&shared->changed, &shared->mutex, &limit);
  pthread_mutex_unlock(&shared->mutex);
  return error;
}

void Set(Shared* shared, int value) {
  pthread_mutex_lock(&shared->mutex);
  shared->value = value;
  pthread_cond_broadcast(&shared->changed);
  pthread_mutex_unlock(&shared->mutex);
}

// The child sets the value after two seconds.
int AwaitAChild(Shared* shared, int seconds) {
  if (fork() == 0) {
    sleep(2);
    Set(shared, 1);
    _exit(0);
  }
  const int error = Await(shared, 1, seconds);
  wait(nullptr);
  return error;
}

// Both wait in turn, and each for the other one.
int TakeTurns(Shared* shared) {
  constexpr int kTurns = 10;
  const bool child = fork() == 0;
  int error = 0;
  for (int turn = child ? 1 : 0; turn < kTurns && error == 0; turn += 2) {
    error = Await(shared, turn, child ? 0 : 60);
    usleep(200'000);
    Set(shared, turn + 1);
  }
  if (child) _exit(error);
  wait(nullptr);
  return error;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  // The library's own threads and devices are there.
  rdma_destroy_event_channel(rdma_create_event_channel());
  Shared* const shared = Make();
  const time_t before = std::time(nullptr);
  int result = 0;
  if (what == "limit") result = Await(shared, 1, 2);
  if (what == "child") result = AwaitAChild(shared, 60);
  if (what == "child-for-ever") result = AwaitAChild(shared, 0);
  if (what == "turns") result = TakeTurns(shared);
  std::printf("%s: %d after %lds\n", what.c_str(), result,
              static_cast<long>(std::time(nullptr) - before));
  return 0;
}
