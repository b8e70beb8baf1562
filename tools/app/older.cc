// A test program that is linked as with the C library of ten years ago: a thread that it starts
// goes on before the one that has started it, and it waits by a semaphore for it.
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <semaphore.h>
#include <time.h>

#include <cstdio>

#if defined(__x86_64__)
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver sem_wait, sem_wait@GLIBC_2.2.5");
__asm__(".symver sem_post, sem_post@GLIBC_2.2.5");
__asm__(".symver sem_timedwait, sem_timedwait@GLIBC_2.2.5");
__asm__(".symver clock_gettime, clock_gettime@GLIBC_2.2.5");
#endif

namespace {

struct State {
  bool begun = false;
  sem_t over;
};

void* Begin(void* given) {
  auto* const state = static_cast<State*>(given);
  state->begun = true;
  sem_post(&state->over);
  return nullptr;
}

}  // namespace

int main() {
  rdma_destroy_event_channel(rdma_create_event_channel());
  static State state;
  sem_init(&state.over, 0, 0);
  pthread_t thread{};
  pthread_create(&thread, nullptr, &Begin, &state);
  std::printf("begun %d\n", state.begun ? 1 : 0);
  sem_wait(&state.over);
  pthread_join(thread, nullptr);
  timespec limit{};
  clock_gettime(CLOCK_REALTIME, &limit);
  const time_t before = limit.tv_sec;
  limit.tv_sec += 2;
  const int result = sem_timedwait(&state.over, &limit);
  clock_gettime(CLOCK_REALTIME, &limit);
  std::printf("%d after %lds, %ld\n", result, static_cast<long>(limit.tv_sec - before),
              static_cast<long>(before));
  return 0;
}
