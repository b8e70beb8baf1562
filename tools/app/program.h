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
  uint8_t side = 0;                // of the topology: the host that it runs on
  std::vector<std::string> words;  // the program, found as a shell finds it, and its arguments
};

// Empty, or why no program of that name can be started: it is looked up as execvp does.
std::string WhyNotFound(const std::string& name);

// A child process with what it says. It is killed with everything it has started when this goes.
class Program {
 public:
  // `environment`: "NAME=value", on top of our own. Otherwise why it cannot be started.
  static std::variant<Program, std::string> Start(const ProgramToRun& program,
                                                  const std::vector<std::string>& environment);
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) = delete;
  ~Program();

  pid_t process() const { return process_; }
  // Readable when it has said something, or can say nothing more; -1 after that.
  int output() const { return output_; }
  // The lines that it has completed since, out of its next `most` bytes or somewhat more; with what
  // it said last when it can say nothing more. A line of more than a megabyte comes in parts.
  std::vector<std::string> TakeLines(size_t most);

  // Whether it has ended; once it has, how, as wait(2) has it.
  bool Ended();
  int status() const { return status_; }
  void Kill(int signal) const;

 private:
  Program(pid_t process, int output) : process_(process), output_(output) {}

  pid_t process_;
  int output_;
  bool ended_ = false;
  int status_ = 0;
  std::string said_;  // and has not completed
};

// "exit code 1", "killed by signal 11 (Segmentation fault)".
std::string HowItEnded(int status);

}  // namespace cm::app

#endif  // TOOLS_APP_PROGRAM_H_
