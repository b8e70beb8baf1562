// The exceptions from the rules, with their reasons: the list in exceptions.txt.
#ifndef TOOLS_LINT_EXCEPTIONS_H_
#define TOOLS_LINT_EXCEPTIONS_H_

#include <string>
#include <vector>

#include "tools/lint/rules.h"

namespace lint {

inline constexpr std::string_view kExceptionsPath = "tools/lint/exceptions.txt";

struct Exception {
  std::string rule;
  std::string path;
  std::string reason;
  int line = 0;  // in the list
};

// One a line: rule, path of a file or of a folder with its "/", reason; "#" starts a comment.
std::vector<Exception> ParseExceptions(const Source& list);

// The findings without the excused ones, and a finding for every entry of the list that has no
// reason or excuses nothing any more.
std::vector<Finding> Excuse(const std::vector<Finding>& findings, const Source& list);

// The findings of a workspace, with its own list of exceptions applied.
std::vector<Finding> Lint(const Tree& tree);

}  // namespace lint

#endif  // TOOLS_LINT_EXCEPTIONS_H_
