#include "sim/fake_libibverbs/gates.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "sim/fake_libibverbs/computation.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/fake_libibverbs/requests.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr size_t kMost = 1U << 16U;
constexpr uint64_t kFull = UINT64_MAX - 1;  // source: man eventfd(2)
constexpr short kOut = POLLOUT | POLLWRNORM;
constexpr uint32_t kOfSystem = EPOLLONESHOT | EPOLLEXCLUSIVE;

struct Gate {
  int fd = -1;
  uint32_t generation = 0;  // of the process that has made it
};

// Never destroyed: threads of the program may outlive main().
struct Table {
  std::mutex lock;
  std::map<int, Gate> gates;  // by socket
  // What the program has asked epoll for, by set and socket: that with EPOLLOUT, of TCP. Where the
  // socket has a gate, the set has it, too.
  std::map<std::pair<int, int>, epoll_event> wanted;
};

Table& TheTable() {
  static auto* const kTable = new Table;
  return *kTable;
}

// A fork waits for another thread that holds the lock: the child has no such thread. No thread
// holds the lock of own_descriptors.cc as well, so the order of the two does not matter.
__attribute__((constructor)) void HoldLockAtForks() {
  const auto unlock = [] { TheTable().lock.unlock(); };
  pthread_atfork([] { TheTable().lock.lock(); }, unlock, unlock);
}

// The number of the gate and 1, by socket; read without the lock.
std::array<std::atomic<int>, kMost> numbers{};
std::atomic<bool> any_gate = false;
std::atomic<bool> any_wanted = false;

bool GoesByGate(const epoll_event& event) {
  return (event.events & EPOLLOUT) != 0 && (event.events & kOfSystem) == 0;
}

int Control(int set, int operation, int fd, epoll_event* event) {
  static auto* const kReal = Next("epoll_ctl", &epoll_ctl);
  return kReal(set, operation, fd, event);
}

// Keeps errno.
void PutGate(int set, int operation, int gate, const epoll_event& wanted) {
  const int before = errno;
  epoll_event event = wanted;
  event.events &= EPOLLOUT | EPOLLET;
  Control(set, operation, gate, &event);
  errno = before;
}

int MakeGate(int socket, Table* table) {
  int gate = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (gate < 0) return -1;
  gate = MovedUp(gate);
  KeepFromProgram(gate, true);
  table->gates[socket] = {.fd = gate, .generation = Generation()};
  numbers[static_cast<size_t>(socket)] = gate + 1;
  any_gate = true;
  return gate;
}

// The caller holds the lock. Changes in the system's set what the program wants of a socket.
int Change(Table* table, int set, int operation, int socket, epoll_event* event) {
  const std::pair key{set, socket};
  const bool was_wanted = table->wanted.contains(key);
  const int gate = GateOf(socket);
  epoll_event shown = event == nullptr ? epoll_event{} : *event;
  const bool wants = operation != EPOLL_CTL_DEL && GoesByGate(shown);
  if (wants && gate >= 0) shown.events &= ~static_cast<uint32_t>(EPOLLOUT);
  const int result = Control(set, operation, socket, event == nullptr ? nullptr : &shown);
  if (result != 0) return result;
  if (gate >= 0 && wants)
    PutGate(set, was_wanted ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, gate, *event);
  else if (gate >= 0 && was_wanted)
    PutGate(set, EPOLL_CTL_DEL, gate, {});
  if (wants)
    table->wanted[key] = *event;
  else
    table->wanted.erase(key);
  any_wanted = !table->wanted.empty();
  return 0;
}

}  // namespace

bool AnyInSets() { return any_wanted; }

int PutSocketInSet(int set, int operation, int socket, epoll_event* event) {
  const InObject here;
  Table& table = TheTable();
  const std::lock_guard held(table.lock);
  return Change(&table, set, operation, socket, event);
}

int GateOf(int socket) {
  if (!any_gate || socket < 0 || static_cast<size_t>(socket) >= kMost) return -1;
  return numbers[static_cast<size_t>(socket)] - 1;
}

int CloseGate(int socket) {
  const InObject here;
  if (socket < 0 || static_cast<size_t>(socket) >= kMost) return -1;
  Table& table = TheTable();
  const std::lock_guard held(table.lock);
  int gate = GateOf(socket);
  const bool is_new = gate < 0;
  if (is_new) gate = MakeGate(socket, &table);
  if (gate < 0) return -1;
  static_cast<void>(!RealLibc().write(gate, &kFull, sizeof kFull));
  if (!is_new) return gate;
  for (const auto& [key, wanted] : table.wanted) {
    if (key.second != socket) continue;
    epoll_event rest = wanted;
    rest.events &= ~static_cast<uint32_t>(EPOLLOUT);
    // Otherwise it was closed by a raw system call, and the number is another one's.
    if (Control(key.first, EPOLL_CTL_MOD, socket, &rest) == 0)
      PutGate(key.first, EPOLL_CTL_ADD, gate, wanted);
  }
  return gate;
}

void OpenGate(int gate) {
  uint64_t count = 0;
  static_cast<void>(!RealLibc().read(gate, &count, sizeof count));
}

bool IsOpen(int gate) {
  pollfd room = {.fd = gate, .events = POLLOUT, .revents = 0};
  return RealLibc().poll(&room, 1, 0) != 0;
}

void ForgetGate(int fd) {
  if ((!any_gate && !any_wanted) || fd < 0) return;
  const InObject here;
  const int before = errno;
  Table& table = TheTable();
  const std::lock_guard held(table.lock);
  const auto found = table.gates.find(fd);
  const bool is_own = found != table.gates.end() && found->second.generation == Generation();
  for (auto at = table.wanted.begin(); at != table.wanted.end();) {
    const auto [set, socket] = at->first;
    // A parent's set still has it, as it has the socket.
    if (socket == fd && is_own) PutGate(set, EPOLL_CTL_DEL, found->second.fd, {});
    at = set == fd || socket == fd ? table.wanted.erase(at) : std::next(at);
  }
  if (found != table.gates.end()) {
    KeepFromProgram(found->second.fd, false);
    RealLibc().close(found->second.fd);
    numbers[static_cast<size_t>(fd)] = 0;
    table.gates.erase(found);
  }
  any_wanted = !table.wanted.empty();
  errno = before;
}

GatedFiles::GatedFiles(pollfd* files, nfds_t count) : files_(files), count_(count) {
  const InObject here;
  for (size_t i = 0; any_gate && i < count; ++i)
    if ((files[i].events & kOut) != 0 && GateOf(files[i].fd) >= 0) gated_.push_back(i);
  if (gated_.empty()) return;
  all_.assign(files, files + count);
  for (const size_t at : gated_) {
    all_[at].events = static_cast<short>(all_[at].events & ~kOut);
    all_.push_back({.fd = GateOf(files[at].fd), .events = POLLOUT, .revents = 0});
  }
}

int GatedFiles::Tell(int found) {
  if (gated_.empty() || found < 0) return found;
  for (size_t i = 0; i < count_; ++i) files_[i].revents = all_[i].revents;
  for (size_t i = 0; i < gated_.size(); ++i) {
    pollfd& file = files_[gated_[i]];
    if ((all_[count_ + i].revents & POLLOUT) == 0) continue;
    file.revents = static_cast<short>(file.revents | (file.events & kOut));
  }
  return static_cast<int>(
      std::count_if(files_, files_ + count_, [](const pollfd& file) { return file.revents != 0; }));
}

GatedSet::GatedSet(int count, fd_set* writes) : count_(count), writes_(writes) {
  if (!any_gate || writes == nullptr || count > FD_SETSIZE) return;
  const InObject here;
  for (int fd = 0; fd < count; ++fd) {
    const int gate = FD_ISSET(fd, writes) ? GateOf(fd) : -1;
    if (gate < 0 || gate >= FD_SETSIZE) continue;
    gated_.emplace_back(fd, gate);
    FD_CLR(fd, writes);
    FD_SET(gate, writes);
    count_ = std::max(count_, gate + 1);
  }
}

void GatedSet::Tell() {
  for (const auto& [socket, gate] : gated_) {
    if (!FD_ISSET(gate, writes_)) continue;
    FD_CLR(gate, writes_);
    FD_SET(socket, writes_);
  }
}

}  // namespace cm::sim::fake_libibverbs
