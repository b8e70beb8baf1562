// Child processes that end when this process does.
//
// 1. A Process gets a process group of its own, so that we handle the terminal's Ctrl-C, and a
//    signal from the kernel when this process has ended, for whatever reason: no handler has to
//    clean up.
// 2. The destructor kills the whole group and waits for its leader.
#ifndef HW_TESTS_LAB_PROCESS_H_
#define HW_TESTS_LAB_PROCESS_H_

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw_tests/lab/problem.h"

namespace lab {

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

// Both ends of a connection; neither is inherited unless listed.
std::optional<std::pair<Descriptor, Descriptor>> SocketPair();
std::optional<std::pair<Descriptor, Descriptor>> Pipe();  // read end, write end

// The path of a program as the shell would find it in `search_path`, or empty.
std::optional<std::string> FindProgram(const std::string& name, const std::string& search_path);

// The value of PATH, or the default of a system without one.
std::string SearchPath();

struct Launch {
  std::vector<std::string> arguments;    // the first is the program's path
  std::vector<std::string> environment;  // NAME=VALUE, added to ours
  std::vector<int> inherited;            // descriptors to keep, at the same number
  int output = -1;                       // becomes 1 and 2; -1: /dev/null
  int death_signal = SIGKILL;            // sent when this process ends
};

class Process {
 public:
  static Outcome<Process> Start(const Launch& launch);

  Process() = default;
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Process() { Kill(); }

  pid_t pid() const { return pid_; }

  // The wait status if it has ended; waits at most `limit`.
  std::optional<int> Wait(std::chrono::milliseconds limit);
  void Signal(int signal);  // to the whole group
  void Kill();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}

  pid_t pid_ = 0;  // 0: none, or reaped
};

}  // namespace lab

#endif  // HW_TESTS_LAB_PROCESS_H_
