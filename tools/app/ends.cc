// A test program that accepts a connection and ends without closing it, as its arguments say, or
// awaits the end of one: what to do, and the address of the passive side.
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tools/app/talks.h"

namespace cm::app {
namespace {

constexpr size_t kMoreThanRoom = size_t{5} << 20U;

// Leaves its socket to the system.
void AcceptAndEnd(const char* host) {
  Accepted(host);
  usleep(kPause);
}

void AcceptAndExit(const char* host) {
  Accepted(host);
  usleep(kPause);
  _exit(0);
}

void AcceptAndDie(const char* host) {
  Accepted(host);
  usleep(kPause);
  raise(SIGKILL);
}

// A child accepts and waits, until it is killed.
void KillAnAccepter(const char* host) {
  std::array<int, 2> ends{};
  static_cast<void>(!pipe(ends.data()));
  const pid_t child = fork();
  if (child == 0) {
    Accepted(host);
    static_cast<void>(!write(ends[1], "x", 1));
    pause();
  }
  char byte = 0;
  static_cast<void>(!read(ends[0], &byte, 1));
  usleep(kPause);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// The socket is closed when the process becomes another program.
void AcceptAndExecute(const char* host) {
  fcntl(Accepted(host), F_SETFD, FD_CLOEXEC);
  usleep(kPause);
  execlp("sleep", "sleep", "2", nullptr);
}

void AcceptAndQuickExit(const char* host) {
  Accepted(host);
  usleep(kPause);
  std::quick_exit(0);
}

// No program is there, or what is there is none. A set of epoll waits for room in the socket, which
// closes at exec, before and after.
void AcceptAndFailToExecute(const char* host) {
  const int fd = Accepted(host);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  const int set = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLOUT;
  epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
  const std::vector<char> bytes(kMoreThanRoom);
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = write(fd, bytes.data() + sent, bytes.size() - sent);
    if (size > 0) sent += static_cast<size_t>(size);
    if (size > 0) continue;
    std::array<char*, 1> none{};
    execlp("no-such-program", "no-such-program", nullptr);
    execl("/", "/", nullptr);
    fexecve(fd, none.data(), environ);
    if (epoll_wait(set, &event, 1, 1'000) != 1) return;
  }
  usleep(kPause);
}

// A child has the socket, and closes it when it ends.
void AcceptAndLeaveToAChild(const char* host) {
  Accepted(host);
  const pid_t child = fork();
  if (child == 0) {
    usleep(3 * kPause);
    _exit(0);
  }
  usleep(kPause);
  _exit(0);
}

void AwaitTheEnd(const char* host) {
  const int fd = Connected(host);
  const int64_t before = Now();
  std::array<char, 65'536> bytes{};
  size_t all = 0;
  ssize_t size = 0;
  while ((size = read(fd, bytes.data(), bytes.size())) > 0) all += static_cast<size_t>(size);
  std::printf("%zu bytes after %ld ms\n", all, (Now() - before) / 1'000);
}

}  // namespace
}  // namespace cm::app

int main(int count, char** words) {
  using namespace cm::app;
  const std::map<std::string, void (*)(const char*)> all = {
      {"end", AcceptAndEnd},         {"exit", AcceptAndExit},
      {"die", AcceptAndDie},         {"kill", KillAnAccepter},
      {"execute", AcceptAndExecute}, {"leave", AcceptAndLeaveToAChild},
      {"quick", AcceptAndQuickExit}, {"fail", AcceptAndFailToExecute},
      {"await-end", AwaitTheEnd}};
  if (count != 3 || all.count(words[1]) == 0) return 2;
  // A program of RDMA: so it loads the object.
  rdma_destroy_event_channel(rdma_create_event_channel());
  all.at(words[1])(words[2]);
  return 0;
}
