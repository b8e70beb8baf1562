#include "tools/lint/markdown.h"

#include <algorithm>

namespace lint {

std::vector<PageLine> LinesOutsideFences(const Source& page) {
  std::vector<PageLine> lines;
  bool fenced = false;
  for (size_t i = 0; i < page.lines().size(); ++i) {
    const std::string_view line = page.lines()[i];
    const bool is_fence = line.starts_with("```");
    if (is_fence) fenced = !fenced;
    if (!fenced && !is_fence) lines.push_back({static_cast<int>(i) + 1, line});
  }
  return lines;
}

std::string_view HeadingOf(std::string_view line) {
  const size_t hashes = line.find_first_not_of('#');
  if (hashes == 0 || hashes == line.npos || line[hashes] != ' ') return {};
  return line.substr(hashes + 1);
}

std::vector<std::string_view> CodeIn(std::string_view line) {
  std::vector<std::string_view> pieces;
  for (size_t open = line.find('`'); open != line.npos;) {
    const size_t close = line.find('`', open + 1);
    if (close == line.npos) break;
    pieces.push_back(line.substr(open + 1, close - open - 1));
    open = line.find('`', close + 1);
  }
  return pieces;
}

std::string WithoutCode(std::string_view line) {
  std::string text;
  bool code = false;
  for (const char c : line) {
    if (c == '`') code = !code;
    if (!code && c != '`') text += c;
  }
  return text;
}

}  // namespace lint
