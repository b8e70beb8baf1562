// A program that runs on a simulated host.
#ifndef TOOLS_APP_PROGRAM_H_
#define TOOLS_APP_PROGRAM_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/process/process.h"

namespace cm::app {

struct ProgramToRun {
  uint8_t side = 0;                // side of the topology: its host
  std::vector<std::string> words;  // the program, looked up in PATH, and its arguments
};

// A child process and its output. The destructor kills it with all that it has started.
class Program {
 public:
  // `environment`: "NAME=value", added to our own. `process_ids` and `places`: as Launch has them.
  // Returns the reason when it cannot be started.
  static std::variant<Program, std::string> Start(
      const ProgramToRun& program, const std::vector<std::string>& environment, int process_ids,
      std::vector<std::pair<std::string, std::string>> places);

  pid_t process() const { return process_.pid(); }  // 0 when it has ended
  // Readable when output is pending, or has ended; -1 after that.
  int output() const { return output_.get(); }
  // The lines completed by about the next `most` bytes of output, and the last incomplete line when
  // the output has ended. A line longer than a megabyte comes in parts.
  std::vector<std::string> TakeLines(size_t most);

  // True when the process has ended; `status` is then as of wait(2).
  bool Ended();
  int status() const { return status_.value_or(0); }
  void Kill(int signal) const { process_.Signal(signal); }

 private:
  Program(cm::Process process, Descriptor output)
      : process_(std::move(process)), output_(std::move(output)) {}

  cm::Process process_;
  Descriptor output_;
  std::optional<int> status_;
  std::string said_;  // incomplete line
};

// "exit code 1", "killed by signal 11 (Segmentation fault)".
std::string HowItEnded(int status);

}  // namespace cm::app

#endif  // TOOLS_APP_PROGRAM_H_
