// Runs another program and collects its output.
#ifndef TOOLS_LINT_SUBPROCESS_H_
#define TOOLS_LINT_SUBPROCESS_H_

#include <optional>
#include <string>
#include <vector>

namespace lint {

struct Ended {
  int exit_code = 0;   // 128 + n when signal n ended it
  std::string output;  // both streams, as they came
};

// Empty when there is no such program on the PATH.
std::optional<Ended> RunProgram(const std::vector<std::string>& command);

}  // namespace lint

#endif  // TOOLS_LINT_SUBPROCESS_H_
