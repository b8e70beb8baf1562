// File descriptors that close themselves, and what is passed to child processes by them.
#ifndef CONFORMANCE_PROCESS_DESCRIPTOR_H_
#define CONFORMANCE_PROCESS_DESCRIPTOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cm {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  void Close();

 private:
  int fd_ = -1;
};

// An anonymous file in memory that contains `bytes`, and the path by which a program that inherits
// it opens it. Its number is above those that a shell script uses.
Descriptor MemoryFile(std::string_view bytes);
std::string InheritedPath(const Descriptor& descriptor);
std::string ReadFromStart(const Descriptor& descriptor);

// Both ends of a connection; neither is inherited unless listed. Empty, with errno, on failure.
using Ends = std::pair<Descriptor, Descriptor>;
std::optional<Ends> SocketPair(int type);
std::optional<Ends> Pipe();  // read end, write end

}  // namespace cm

#endif  // CONFORMANCE_PROCESS_DESCRIPTOR_H_
