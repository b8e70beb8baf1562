#include "sim/fake_libibverbs/descriptors.h"

#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_user_cm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/own_descriptors.h"
#include "sim/uapi/layout.h"

namespace cm::sim::fake_libibverbs {
namespace {

// Never destroyed: threads of the program may outlive main().
struct Table {
  std::mutex lock;
  std::map<uint64_t, Descriptor> by_inode;
  dev_t device = 0;              // the same for all pipes
  std::atomic<size_t> size = 0;  // read without the lock: most programs write to other files, too
};

Table& TheTable() {
  static Table* const kTable = new Table;
  return *kTable;
}

// The pipes of descriptors by number, as MakeDescriptor gave them; 0 for others.
constexpr unsigned kNumbers = 1024;
std::array<std::atomic<uint64_t>, kNumbers> names{};

uint64_t NameAt(int fd) {
  return fd >= 0 && static_cast<unsigned>(fd) < kNumbers ? names[fd].load() : 0;
}

bool IsCommand(const void* bytes, size_t count) {
  rdma_ucm_cmd_hdr header{};
  if (bytes == nullptr || count < sizeof header) return false;
  std::memcpy(&header, bytes, sizeof header);
  return header.cmd <= uapi::kWriteCmEventCommand && header.in + sizeof header == count;
}

// True when the other end of the pipe is closed.
bool IsLastGone(int write_end) {
  pollfd end = {.fd = write_end, .events = 0, .revents = 0};
  return RealLibc().poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0;
}

// `readable`: null for one that is not watched yet.
int Make(DescriptorKind kind, Handle file, int flags, const uapi::Request* readable, Reader reads) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return -errno;
  struct stat status {};
  RealLibc().fstat(ends[0], &status);
  if ((flags & O_NONBLOCK) == 0) fcntl(ends[0], F_SETFL, 0);
  if ((flags & O_CLOEXEC) == 0) fcntl(ends[0], F_SETFD, 0);
  const Descriptor descriptor = {.kind = kind,
                                 .file = file,
                                 .generation = Generation(),
                                 .write_end = ends[1],
                                 .name = status.st_ino,
                                 .reads = reads,
                                 .is_watched = readable != nullptr};
  Table& table = TheTable();
  {
    const std::lock_guard held(table.lock);
    table.device = status.st_dev;
    table.by_inode[descriptor.name] = descriptor;
    table.size = table.by_inode.size();
  }
  if (static_cast<unsigned>(ends[0]) < kNumbers) names[ends[0]] = descriptor.name;
  Backend* const backend = TheBackend();
  if (backend != nullptr && readable != nullptr)
    backend->Watch(descriptor.name, descriptor.write_end, *readable);
  return ends[0];
}

}  // namespace

int MakeDescriptor(DescriptorKind kind, Handle file, int flags, const uapi::Request& readable,
                   Reader reads) {
  return Make(kind, file, flags, &readable, reads);
}

int MakeUnwatchedDescriptor(DescriptorKind kind, Handle file, int flags, Reader reads) {
  return Make(kind, file, flags, nullptr, reads);
}

void WatchDescriptor(uint64_t name, const uapi::Request& readable) {
  Backend* const backend = TheBackend();
  if (backend == nullptr) return;
  int write_end = -1;  // the machine has it
  {
    Table& table = TheTable();
    const std::lock_guard held(table.lock);
    const auto found = table.by_inode.find(name);
    if (found == table.by_inode.end()) return;
    if (!std::exchange(found->second.is_watched, true)) write_end = found->second.write_end;
  }
  backend->Watch(name, write_end, readable);
}

std::optional<Descriptor> FindDescriptor(int fd) {
  Table& table = TheTable();
  if (table.size == 0) return std::nullopt;
  const int before = errno;
  struct stat status {};
  const bool there = RealLibc().fstat(fd, &status) == 0;
  errno = before;
  if (!there || !S_ISFIFO(status.st_mode)) return std::nullopt;
  const std::lock_guard held(table.lock);
  const auto found = table.by_inode.find(status.st_ino);
  if (found == table.by_inode.end() || status.st_dev != table.device) return std::nullopt;
  return found->second;
}

std::optional<Descriptor> FindWritten(int fd, const void* bytes, size_t count) {
  const uint64_t name = NameAt(fd);
  if (name == 0 || !IsCommand(bytes, count)) return FindDescriptor(fd);
  Table& table = TheTable();
  const std::lock_guard held(table.lock);
  const auto found = table.by_inode.find(name);
  if (found == table.by_inode.end()) return std::nullopt;
  return found->second;
}

void ForgetNumbers(unsigned first, unsigned last) {
  for (unsigned fd = first; fd <= std::min(last, kNumbers - 1); ++fd) names[fd] = 0;
}

int MoveDescriptorUp(int fd) {
  ForgetNumbers(static_cast<unsigned>(fd), static_cast<unsigned>(fd));
  return MovedUp(fd);
}

bool IsNonBlocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

bool IsWriteEnd(int fd) {
  const std::optional<Descriptor> found = FindDescriptor(fd);
  return found && found->write_end == fd;
}

int CloseDescriptor(int fd) {
  if (IsKeptFromProgram(fd)) {
    errno = EBADF;
    return -1;
  }
  const std::optional<Descriptor> found = FindDescriptor(fd);
  ForgetNumbers(static_cast<unsigned>(fd), static_cast<unsigned>(fd));
  const int result = RealLibc().close(fd);
  if (!found || result != 0 || !IsLastGone(found->write_end)) return result;
  Table& table = TheTable();
  {
    // Two threads may close two duplicates concurrently; one of them is the last.
    const std::lock_guard held(table.lock);
    if (table.by_inode.erase(found->name) == 0) return result;
    table.size = table.by_inode.size();
  }
  // A descriptor inherited by a fork belongs to the process that opened it.
  if (found->generation == Generation()) {
    Backend* backend = TheBackend();
    if (backend != nullptr && found->is_watched) backend->Unwatch(found->name);
    if (found->kind == DescriptorKind::kFile) AskAbout(uapi::Op::kClose, found->file);
  }
  RealLibc().close(found->write_end);
  return result;
}

}  // namespace cm::sim::fake_libibverbs
