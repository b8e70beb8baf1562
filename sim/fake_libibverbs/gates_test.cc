#include "sim/fake_libibverbs/gates.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>

#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {

Backend* BackendOfEnvironment() { return nullptr; }

namespace {

// A socket in a set of epoll.
class InASet {
 public:
  InASet() : set_(epoll_create1(EPOLL_CLOEXEC)) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    EXPECT_EQ(Put(EPOLL_CTL_ADD), 0);
  }
  InASet(const InASet&) = delete;
  InASet& operator=(const InASet&) = delete;
  ~InASet() {
    ForgetGate(ends_[0]);
    for (const int fd : {ends_[0], ends_[1], set_}) close(fd);
  }
  int Put(int operation) {
    epoll_event event{};
    event.events = EPOLLOUT;
    return PutSocketInSet(set_, operation, ends_[0], &event);
  }
  int socket() const { return ends_[0]; }

 private:
  int set_;
  std::array<int, 2> ends_{};
};

TEST(Gates, AreTheChildsToUseWhateverAnotherThreadDidAtItsFork) {
  constexpr int kForks = 100;
  InASet one;
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) {
      one.Put(EPOLL_CTL_MOD);
      CloseGate(one.socket());
      ForgetGate(one.socket());
      KeepDescriptor(dup(one.socket()));
      CloseOwnDescriptor(OwnDescriptors().back());
    }
  });
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      const int result = one.Put(EPOLL_CTL_MOD);
      ForgetGate(one.socket());
      _exit(result == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "after " << i;
    if (status != 0) break;
  }
  over = true;
  other.join();
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs
