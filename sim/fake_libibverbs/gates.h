// Whether a TCP socket has room for more bytes to another host, for poll, select and epoll. The
// system's socket always has: the bytes are the broker's until they arrive.
//
// 1. From the first time on that it has none, a socket has a gate: an eventfd that is writable
//    while there is room. It takes the socket's place wherever the program waits for POLLOUT.
// 2. EPOLLONESHOT and EPOLLEXCLUSIVE are left to the system, whose socket has room.
// 3. In a set of epoll the socket and its gate are two entries: EPOLLIN and EPOLLOUT at a time come
//    as two events with the same data, not as one.
#ifndef SIM_FAKE_LIBIBVERBS_GATES_H_
#define SIM_FAKE_LIBIBVERBS_GATES_H_

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace cm::sim::fake_libibverbs {

// The gate of the socket, which is closed now; -1 where there is none.
int CloseGate(int socket);
void OpenGate(int gate);
bool IsOpen(int gate);
// -1 without one.
int GateOf(int socket);
// The descriptor is about to be closed: a socket, or a set of epoll.
void ForgetGate(int fd);

// A set of epoll has a socket of TCP with EPOLLOUT.
bool AnyInSets();
// As epoll_ctl(2), for a socket of TCP.
int PutSocketInSet(int set, int operation, int socket, epoll_event* event);

// What a program polls, with the gates of its sockets.
class GatedFiles {
 public:
  GatedFiles(pollfd* files, nfds_t count);
  pollfd* data() { return gated_.empty() ? files_ : all_.data(); }
  nfds_t size() const { return gated_.empty() ? count_ : all_.size(); }
  // After a poll that has returned `found`. Returns what the program's would have.
  int Tell(int found);

 private:
  pollfd* files_;
  nfds_t count_;
  std::vector<pollfd> all_;    // empty without gates
  std::vector<size_t> gated_;  // the places of those whose gates stand behind all
};

// The same for a set of select.
class GatedSet {
 public:
  GatedSet(int count, fd_set* writes);
  int count() const { return count_; }
  // After the select, which changes no set when it fails.
  void Tell();

 private:
  int count_;
  fd_set* writes_;
  std::vector<std::pair<int, int>> gated_;  // socket and gate
};

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_GATES_H_
