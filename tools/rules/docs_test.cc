// docs/ equals the generator's output.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/rules/documents.h"

namespace cm::ruledoc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kToMend = "To mend it: bazel run //tools/rules:rules_doc";
constexpr size_t kMostLines = 40;  // of a difference that is printed

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The lines that only one of the texts has: "-12: ..." of the first, "+12: ..." of the second, by a
// longest common subsequence.
std::vector<std::string> Difference(const std::string& before, const std::string& after) {
  const std::vector<std::string> a = LinesOf(before);
  const std::vector<std::string> b = LinesOf(after);
  // common[i][j]: length of the common subsequence of a from i on and b from j on.
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<std::string> lines;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back(fmt::format("-{}: {}", i + 1, a[i]));
      ++i;
    } else {
      lines.push_back(fmt::format("+{}: {}", j + 1, b[j]));
      ++j;
    }
  }
  return lines;
}

std::string Printed(const std::vector<std::string>& difference) {
  std::string text;
  for (size_t i = 0; i < std::min(difference.size(), kMostLines); ++i) text += difference[i] + "\n";
  if (difference.size() > kMostLines)
    text += fmt::format("... and {} more lines\n", difference.size() - kMostLines);
  return text;
}

TEST(Difference, HasTheLinesThatChanged) {
  EXPECT_EQ(Difference("a\nb\nc\n", "a\nB\nc\n"), (std::vector<std::string>{"-2: b", "+2: B"}));
  EXPECT_EQ(Difference("a\n", "a\nb\n"), std::vector<std::string>{"+2: b"});
  EXPECT_TRUE(Difference("a\n", "a\n").empty());
}

TEST(Docs, AreWhatTheTablesSay) {
  for (const Document& document : AllDocuments(".")) {
    const fs::path path = fs::path("docs") / document.path;
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in.is_open()) << path << " is missing. " << kToMend;
    const std::string checked_in{std::istreambuf_iterator<char>(in), {}};
    EXPECT_TRUE(checked_in == document.text)
        << path << " (-) is not what the tables say (+):\n"
        << Printed(Difference(checked_in, document.text)) << kToMend;
  }
}

TEST(Docs, HaveNoDiagramThatNobodyWrites) {
  std::set<std::string> written;
  for (const Document& document : AllDocuments(".")) written.insert(document.path);
  for (const fs::directory_entry& entry : fs::directory_iterator("docs/diagrams")) {
    const std::string path = "diagrams/" + entry.path().filename().string();
    EXPECT_TRUE(written.contains(path)) << "docs/" << path << ": delete it";
  }
}

}  // namespace
}  // namespace cm::ruledoc
