// A program that runs on a simulated host.
#ifndef TOOLS_APP_PROGRAM_H_
#define TOOLS_APP_PROGRAM_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace cm::app {

struct ProgramToRun {
  uint8_t side = 0;                // side of the topology: its host
  std::vector<std::string> words;  // the program, looked up in PATH, and its arguments
};

// Empty, or the reason why no program of that name can be started: it is looked up as by execvp.
std::string WhyNotFound(const std::string& name);

// A child process and its output. The destructor kills it with all that it has started.
class Program {
 public:
  // `environment`: "NAME=value", added to our own. Returns the reason when it cannot be started.
  static std::variant<Program, std::string> Start(const ProgramToRun& program,
                                                  const std::vector<std::string>& environment);
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) = delete;
  ~Program();

  pid_t process() const { return process_; }
  // Readable when output is pending, or has ended; -1 after that.
  int output() const { return output_; }
  // The lines completed by about the next `most` bytes of output, and the last incomplete line when
  // the output has ended. A line longer than a megabyte comes in parts.
  std::vector<std::string> TakeLines(size_t most);

  // True when the process has ended; `status` is then as of wait(2).
  bool Ended();
  int status() const { return status_; }
  void Kill(int signal) const;

 private:
  Program(pid_t process, int output) : process_(process), output_(output) {}

  pid_t process_;
  int output_;
  bool ended_ = false;
  int status_ = 0;
  std::string said_;  // incomplete line
};

// "exit code 1", "killed by signal 11 (Segmentation fault)".
std::string HowItEnded(int status);

}  // namespace cm::app

#endif  // TOOLS_APP_PROGRAM_H_
