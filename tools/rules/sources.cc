#include "tools/rules/sources.h"

#include <fmt/format.h>

#include <regex>
#include <utility>

#include "model/base/files.h"

namespace cm::ruledoc {
namespace {

namespace fs = std::filesystem;

const std::string kAnchor = R"((?:[A-Z][0-9]+[a-z]?|[0-9]+(?:\.[0-9]+)?))";

std::vector<std::string> AllOf(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

// "# source: … and\n# 3.2" is one sentence.
std::string OnOneLine(std::string_view text) {
  return std::regex_replace(std::string(text), std::regex(R"(\n(#|//)? *)"), " ");
}

}  // namespace

std::set<std::string> AnchorsIn(std::string_view page) {
  const std::string text = "\n" + std::string(page);
  const std::vector<std::string> headings = AllOf(text, R"(\n#{2,3} ([0-9]+(?:\.[0-9]+)?)[. ])");
  std::set<std::string> anchors(headings.begin(), headings.end());
  if (anchors.empty())
    for (std::string& item : AllOf(text, R"(\n([0-9]+)\. )")) anchors.insert(std::move(item));
  for (std::string& row : AllOf(text, R"(\n\| ([A-Z][0-9]+[a-z]?|[0-9]+\.[0-9]+)\*? \|)"))
    anchors.insert(std::move(row));
  return anchors;
}

std::vector<Citation> CitationsIn(std::string_view text) {
  const std::string line = OnOneLine(text);
  const std::regex regex("(docs/sources/[a-z_]+\\.md)((?:(?: |, | and )" + kAnchor + "\\b)*)");
  std::vector<Citation> citations;
  for (std::sregex_iterator it(line.begin(), line.end(), regex), end; it != end; ++it)
    citations.push_back({.page = (*it)[1], .anchors = AllOf((*it)[2], "(" + kAnchor + ")")});
  return citations;
}

std::vector<std::string> BareNamesIn(std::string_view text) {
  return AllOf(" " + std::string(text), R"([^a-z_/](cm_protocol|api_quirks)\b)");
}

Sources ReadSources(const fs::path& folder) {
  Sources sources;
  for (const fs::path& path : FilesIn(folder, ".md"))
    sources.emplace(path.generic_string(), AnchorsIn(ReadFile(path).value_or("")));
  return sources;
}

std::string WhyUnresolved(const Citation& citation, const Sources& sources) {
  const auto page = sources.find(citation.page);
  if (page == sources.end()) return citation.page + " does not exist";
  for (const std::string& anchor : citation.anchors)
    if (!page->second.contains(anchor))
      return fmt::format("{} has no section or row {}", citation.page, anchor);
  return "";
}

}  // namespace cm::ruledoc
