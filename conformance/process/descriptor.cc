#include "conformance/process/descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace cm {
namespace {

constexpr int kFirstInherited = 20;

}  // namespace

void Descriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Descriptor MemoryFile(std::string_view bytes) {
  const Descriptor low(memfd_create("cmcheck", MFD_CLOEXEC));
  Descriptor file(fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstInherited));
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written <= 0) return {};
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return file;
}

std::string InheritedPath(const Descriptor& descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor.get());
}

std::string ReadFromStart(const Descriptor& descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n =
        pread(descriptor.get(), buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(n));
  }
}

std::optional<Ends> SocketPair(int type) {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  return Ends(ends[0], ends[1]);
}

std::optional<Ends> Pipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Ends(ends[0], ends[1]);
}

}  // namespace cm
