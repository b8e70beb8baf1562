#include "sim/fake_libibverbs/own_descriptors.h"

#include <fcntl.h>
#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "sim/fake_libibverbs/libc.h"

namespace cm::sim::fake_libibverbs {
namespace {

struct Own {
  std::mutex lock;
  std::vector<int> open;
};

Own& TheOwn() {
  static auto* const kOwn = new Own;
  return *kOwn;
}

// The caller holds the lock.
void Forget(int fd) {
  std::vector<int>& open = TheOwn().open;
  open.erase(std::remove(open.begin(), open.end(), fd), open.end());
  KeepFromProgram(fd, false);
}

__attribute__((constructor)) void CloseInChildren() {
  pthread_atfork([] { TheOwn().lock.lock(); }, [] { TheOwn().lock.unlock(); },
                 [] {
                   for (const int fd : TheOwn().open) {
                     KeepFromProgram(fd, false);
                     RealLibc().close(fd);
                   }
                   TheOwn().open.clear();
                   TheOwn().lock.unlock();
                 });
}

}  // namespace

int MovedUp(int fd) {
  constexpr int kHigh = 512;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, kHigh);
  if (moved < 0) return fd;
  RealLibc().close(fd);  // it was never the program's
  return moved;
}

void KeepDescriptor(int fd) {
  const std::lock_guard held(TheOwn().lock);
  TheOwn().open.push_back(fd);
  KeepFromProgram(fd, true);
}

void CloseOwnDescriptor(int fd) {
  const std::lock_guard held(TheOwn().lock);
  Forget(fd);
  RealLibc().close(fd);
}

void ReleaseDescriptor(int fd) {
  const std::lock_guard held(TheOwn().lock);
  Forget(fd);
}

std::vector<int> OwnDescriptors() {
  const std::lock_guard held(TheOwn().lock);
  return TheOwn().open;
}

}  // namespace cm::sim::fake_libibverbs
