// Documents: the parts of a page that rules look at.
#ifndef TOOLS_LINT_MARKDOWN_H_
#define TOOLS_LINT_MARKDOWN_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/lint/source.h"

namespace lint {

struct PageLine {
  int number = 0;  // from 1
  std::string_view text;
};

// The lines outside of fenced blocks.
std::vector<PageLine> LinesOutsideFences(const Source& page);

// "The rules" of "## The rules"; empty for any other line.
std::string_view HeadingOf(std::string_view line);

// What stands between backticks, each piece by itself.
std::vector<std::string_view> CodeIn(std::string_view line);

// The line without that, and without the backticks.
std::string WithoutCode(std::string_view line);

}  // namespace lint

#endif  // TOOLS_LINT_MARKDOWN_H_
