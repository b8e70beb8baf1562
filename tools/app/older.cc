// A test program that is linked as with the C library of ten years ago: a thread that it starts
// goes on before the one that has started it, and it waits by a semaphore for it. It looks up
// device files.
#include <fcntl.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <time.h>

#include <cstdio>

#if defined(__x86_64__)
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver sem_wait, sem_wait@GLIBC_2.2.5");
__asm__(".symver sem_post, sem_post@GLIBC_2.2.5");
__asm__(".symver sem_timedwait, sem_timedwait@GLIBC_2.2.5");
__asm__(".symver clock_gettime, clock_gettime@GLIBC_2.2.5");
__asm__(".symver __xstat, __xstat@GLIBC_2.2.5");
__asm__(".symver __xstat64, __xstat64@GLIBC_2.2.5");
__asm__(".symver __lxstat, __lxstat@GLIBC_2.2.5");
__asm__(".symver __lxstat64, __lxstat64@GLIBC_2.2.5");
__asm__(".symver __fxstat, __fxstat@GLIBC_2.2.5");
__asm__(".symver __fxstat64, __fxstat64@GLIBC_2.2.5");
__asm__(".symver __fxstatat, __fxstatat@GLIBC_2.4");
__asm__(".symver __fxstatat64, __fxstatat64@GLIBC_2.4");
#endif

// No header has them any more.
extern "C" {
int __xstat(int version, const char* path, struct stat* status);
int __xstat64(int version, const char* path, struct stat64* status);
int __lxstat(int version, const char* path, struct stat* status);
int __lxstat64(int version, const char* path, struct stat64* status);
int __fxstat(int version, int fd, struct stat* status);
int __fxstat64(int version, int fd, struct stat64* status);
int __fxstatat(int version, int folder, const char* path, struct stat* status, int flags);
int __fxstatat64(int version, int folder, const char* path, struct stat64* status, int flags);
}

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

template <typename Status, typename Call>
int IsDevice(Call call) {
  Status status{};
  return call(&status) == 0 && S_ISCHR(status.st_mode) ? 1 : 0;
}

// How many of the functions see a device file: one that only the simulated host has, and one that
// is open.
template <typename Status, typename OfPath, typename OfFile, typename OfFolder>
int CountDevices(OfPath stat_it, OfPath lstat_it, OfFile fstat_it, OfFolder fstatat_it, int fd) {
  constexpr int kVersion = 1;
  constexpr const char* kFile = "/dev/infiniband/uverbs0";
  return IsDevice<Status>([&](Status* status) { return stat_it(kVersion, kFile, status); }) +
         IsDevice<Status>([&](Status* status) { return lstat_it(kVersion, kFile, status); }) +
         IsDevice<Status>([&](Status* status) { return fstat_it(kVersion, fd, status); }) +
         IsDevice<Status>(
             [&](Status* status) { return fstatat_it(kVersion, AT_FDCWD, kFile, status, 0); });
}

}  // namespace

int main() {
  rdma_event_channel* const channel = rdma_create_event_channel();
  const int devices =
      CountDevices<struct stat>(&__xstat, &__lxstat, &__fxstat, &__fxstatat, channel->fd) +
      CountDevices<struct stat64>(&__xstat64, &__lxstat64, &__fxstat64, &__fxstatat64, channel->fd);
  std::printf("%d devices\n", devices);
  rdma_destroy_event_channel(channel);
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
