// The functions of the C library through which programs use the rdma_cm device file, and the
// function of libnl through which librdmacm looks up its device number.

// The fortified variants in the headers would define the same functions a second time.
#undef _FORTIFY_SOURCE

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <optional>

#include "sim/fake_libibverbs/carrying.h"
#include "sim/fake_libibverbs/commands.h"
#include "sim/fake_libibverbs/descriptors.h"
#include "sim/fake_libibverbs/host_path.h"
#include "sim/fake_libibverbs/libc.h"
#include "sim/fake_libibverbs/made_files.h"
#include "sim/fake_libibverbs/polling.h"
#include "sim/fake_libibverbs/requests.h"
#include "sim/fake_libibverbs/sockets.h"
#include "sim/fake_libibverbs/turns.h"

namespace cm::sim::fake_libibverbs {
namespace {

constexpr const char* kNode = "/dev/infiniband/rdma_cm";
constexpr int kNetlinkRdma = 20;  // source: linux 6.1 netlink.h NETLINK_RDMA
constexpr int kNetlinkFailure = -1;

bool IsNode(const char* path) {
  return path != nullptr && std::strcmp(path, kNode) == 0 && TheBackend() != nullptr;
}

// The descriptor of that number becomes another one of the file of `fd`, if it is open.
void IsReplaced(int number, int fd) {
  if (fd == number || fcntl(fd, F_GETFD) < 0) return;
  if (CarryEnd != nullptr) CarryEnd(number);
  ForgetNumbers(static_cast<unsigned>(number), static_cast<unsigned>(number));
}

int OpenNode(int flags) {
  const uapi::Answer answer = Ask({.op = uapi::Op::kOpen});
  int fd = static_cast<int>(answer.value);
  if (answer.value >= 0) {
    const Handle file = {.number = static_cast<uint32_t>(answer.value)};
    fd = MakeDescriptor(DescriptorKind::kFile, file, flags,
                        {.op = uapi::Op::kPollFile, .on = file.number});
    if (fd < 0) AskAbout(uapi::Op::kClose, file);
  }
  if (fd >= 0) return fd;
  errno = -fd;
  return -1;
}

}  // namespace
}  // namespace cm::sim::fake_libibverbs

using namespace cm::sim::fake_libibverbs;  // what follows is C

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (IsMade(path)) return OpenMadeFile(path, flags);
  return IsNode(path) ? OpenNode(flags) : RealLibc().open(HostPath(path).get(), flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return open(path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (IsMade(path)) return OpenMadeFile(path, flags);
  return IsNode(path) ? OpenNode(flags)
                      : RealLibc().openat(directory, HostPath(path).get(), flags, mode);
}

int openat64(int directory, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return openat(directory, path, flags, mode);
}

// The fortified variants, which the headers call where the flags are no constant.
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }
int __openat_2(int directory, const char* path, int flags) {
  return openat(directory, path, flags);
}
int __openat64_2(int directory, const char* path, int flags) {
  return openat(directory, path, flags);
}

int fstat(int fd, struct stat* status) noexcept {
  const int result = RealLibc().fstat(fd, status);
  if (result != 0) return result;
  const std::optional<Descriptor> found = FindDescriptor(fd);
  if (!found || found->kind != DescriptorKind::kFile) return result;
  status->st_mode = (status->st_mode & ~static_cast<mode_t>(S_IFMT)) | S_IFCHR;
  return result;
}

// The same struct. source: glibc 2.36 sysdeps/unix/sysv/linux/x86/bits/struct_stat.h
int fstat64(int fd, struct stat64* status) noexcept {
  static_assert(sizeof(struct stat64) == sizeof(struct stat));
  return fstat(fd, reinterpret_cast<struct stat*>(status));
}

ssize_t write(int fd, const void* bytes, size_t count) {
  const std::optional<Descriptor> found = FindWritten(fd, bytes, count);
  const iovec piece = {.iov_base = const_cast<void*>(bytes), .iov_len = count};
  if (!found && CarryBytes != nullptr) {
    if (const auto carried = CarryBytes(fd, &piece, 1, 0)) return *carried;
    return SentBySystem(fd, RealLibc().write(fd, bytes, count));
  }
  // Only the fake libibverbs writes to the pipe of a file.
  if (!found || found->kind != DescriptorKind::kFile || fd == found->write_end)
    return RealLibc().write(fd, bytes, count);
  return WriteCommand(*found, fd, bytes, count);
}

// The file has no read operation. source: linux 6.1 ucma.c ucma_fops
ssize_t read(int fd, void* bytes, size_t count) {
  const std::optional<Descriptor> found = FindDescriptor(fd);
  if (found && found->kind == DescriptorKind::kFile) {
    errno = EINVAL;
    return -1;
  }
  if (found && found->reads != nullptr) return found->reads(fd, *found, bytes, count);
  if (BecomesReadable != nullptr && !BecomesReadable(fd)) return -1;
  if (!AwaitReadable(fd, cm::sim::uapi::SleepsIn::kRead)) return -1;
  const ssize_t size = RealLibc().read(fd, bytes, count);
  NotePoll(size >= 0 || errno != EAGAIN);
  return size;
}

// The fortified variants, which the headers call where they know the array's size but not how much
// is read.
ssize_t __read_chk(int fd, void* bytes, size_t count, size_t /*room*/) {
  return read(fd, bytes, count);
}

int close(int fd) {
  if (CarryEnd != nullptr) CarryEnd(fd);
  return CloseDescriptor(fd);
}

int dup2(int fd, int number) noexcept {
  static auto* const kReal = Next("dup2", &dup2);
  IsReplaced(number, fd);
  return kReal(fd, number);
}

int dup3(int fd, int number, int flags) noexcept {
  static auto* const kReal = Next("dup3", &dup3);
  IsReplaced(number, fd);
  return kReal(fd, number, flags);
}

// The kernel under the program must reveal nothing about RDMA.
int nl_connect(void* socket, int protocol) {
  using Connect = int (*)(void*, int);
  if (protocol == kNetlinkRdma) return kNetlinkFailure;
  static const auto kReal = reinterpret_cast<Connect>(NextDefinition("nl_connect"));
  return kReal == nullptr ? kNetlinkFailure : kReal(socket, protocol);
}
}
