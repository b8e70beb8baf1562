// Child processes that end when this process does.
//
// 1. A Process has a process group of its own, so that we handle the terminal's Ctrl-C, and gets a
//    signal from the kernel when this process has ended, for whatever reason: no handler has to
//    clean up.
// 2. The destructor kills the whole group and waits for its leader. When Wait has reaped the leader
//    it does nothing: what the program has left in its group lives on.
#ifndef CONFORMANCE_PROCESS_PROCESS_H_
#define CONFORMANCE_PROCESS_PROCESS_H_

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/process/descriptor.h"
#include "model/base/duration.h"

namespace cm {

// The path of a program as execvp would find it in `search_path`; otherwise the errno. source: man
// execvp(3)
std::variant<std::string, int> FindProgram(const std::string& name, const std::string& search_path);

// The value of PATH, or the default of a system without one.
std::string SearchPath();

struct Launch {
  std::vector<std::string> arguments;    // the first is the program, searched in its own PATH
  std::vector<std::string> environment;  // NAME=VALUE, added to ours
  std::vector<int> inherited = {};       // descriptors to keep, at the same number
  int input = -1;                        // becomes 0; -1: /dev/null
  int output = -1;                       // becomes 1; -1: /dev/null
  int error = -1;                        // becomes 2; -1: as output
  std::string folder = {};               // where it runs; empty: where we do
  int death_signal = SIGKILL;            // sent when this process ends
  bool fixed_addresses = false;          // programs order things by addresses, too
  int process_ids = -1;                  // a PidNamespace's descriptor; -1: our namespace
  // Folders that it sees in place of others, {folder, in whose place}, one after the other. Only
  // with process ids of its own.
  std::vector<std::pair<std::string, std::string>> places = {};
};

class Process {
 public:
  // The program, once it runs, or the reason why it does not, in one line.
  static std::variant<Process, std::string> Start(const Launch& launch);
  // A copy of this process, without core dumps, that runs `body` and ends. It is killed when the
  // calling thread ends. Empty, with errno, when there is no process.
  static std::optional<Process> Fork(const std::function<void()>& body);

  Process() = default;
  Process(Process&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), watch_(std::move(other.watch_)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(watch_, other.watch_);
    return *this;
  }
  ~Process() { Kill(); }

  pid_t pid() const { return pid_; }  // 0: none, or reaped
  // Readable when it has ended; -1 on kernels without such descriptors.
  int watch() const { return watch_.get(); }

  // The wait status if it has ended; waits at most about `limit`. 0 when there is none, or it was
  // reaped.
  std::optional<int> Wait(Duration limit);
  void Signal(int signal) const;  // to the whole group
  void Kill();
  // Forgets it, without killing or reaping it.
  pid_t Release() { return std::exchange(pid_, 0); }

 private:
  explicit Process(pid_t pid);

  pid_t pid_ = 0;
  Descriptor watch_;
};

// The exit code that a shell reports for a wait status: 128 + n when signal n ended the process.
int ExitCodeOf(int status);

// Runs a program to its end, and collects its output, both streams as they come. Empty when it
// cannot be started.
struct Ran {
  int exit_code = 0;
  std::string output;
};
std::optional<Ran> RunProgram(const std::vector<std::string>& command);

}  // namespace cm

#endif  // CONFORMANCE_PROCESS_PROCESS_H_
