#include "tools/lint/exceptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace lint {

std::vector<Exception> ParseExceptions(const Source& list) {
  std::vector<Exception> exceptions;
  for (size_t i = 0; i < list.lines().size(); ++i) {
    std::istringstream in{std::string(list.lines()[i])};
    Exception exception;
    if (!(in >> exception.rule) || exception.rule.starts_with('#')) continue;
    in >> exception.path >> std::ws;
    std::getline(in, exception.reason);
    exception.line = static_cast<int>(i) + 1;
    exceptions.push_back(exception);
  }
  return exceptions;
}

std::vector<Finding> Excuse(const std::vector<Finding>& findings, const Source& list) {
  std::vector<Finding> left = findings;
  for (const Exception& exception : ParseExceptions(list)) {
    const size_t excused = std::erase_if(left, [&](const Finding& finding) {
      return finding.rule == exception.rule &&
             (finding.path == exception.path ||
              (exception.path.ends_with('/') && finding.path.starts_with(exception.path)));
    });
    if (excused == 0) {
      left.push_back({list.path(), exception.line, "exception",
                      fmt::format("{} does not break `{}` any more: delete the line",
                                  exception.path, exception.rule)});
    }
    if (exception.reason.empty()) {
      left.push_back({list.path(), exception.line, "exception", "gives no reason"});
    }
  }
  return left;
}

std::vector<Finding> Lint(const Tree& tree) {
  const std::vector<Finding> findings = CheckAll(tree);
  const Source* list = tree.Find(kExceptionsPath);
  return list == nullptr ? findings : Excuse(findings, *list);
}

}  // namespace lint
