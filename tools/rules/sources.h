// Citations of the pages of docs/sources: "docs/sources/cm_protocol.md R24, 3.2".
//
//   1. An anchor is the number of a heading ("### 3.2 Formulas"), the name of a table's row ("|
//   R24* |",
//      "| 0.9 |"), or, on a page without numbered headings, the number of a list item ("19. ").
//   2. A citation is the path of a page and the anchors behind it, separated by commas or "and".
#ifndef TOOLS_RULES_SOURCES_H_
#define TOOLS_RULES_SOURCES_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cm::ruledoc {

// The anchors that the text of a page offers.
std::set<std::string> AnchorsIn(std::string_view page);

struct Citation {
  std::string page;                  // "docs/sources/cm_protocol.md"
  std::vector<std::string> anchors;  // empty: the page as a whole
};

// The citations of a text; the lines of a comment are read as one.
std::vector<Citation> CitationsIn(std::string_view text);

// Names of those pages that stand in a text without the path of the page.
std::vector<std::string> BareNamesIn(std::string_view text);

// Anchors of each page of a folder, by the path of the page.
using Sources = std::map<std::string, std::set<std::string>>;
Sources ReadSources(const std::filesystem::path& folder);

// Why a citation leads nowhere; empty if it resolves.
std::string WhyUnresolved(const Citation& citation, const Sources& sources);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_SOURCES_H_
