// clang-format changes no C++ file of ours.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/process/process.h"
#include "tools/lint/rules.h"
#include "tools/lint/tree.h"

namespace lint {
namespace {

// The version of Debian 12. Other versions differ in details, so their output is no finding.
constexpr std::string_view kVersion = "version 14.";

struct Formatter {
  std::string name;
  std::string version;
};

// A clang-format of the right version, else any, else none.
std::optional<Formatter> FindFormatter() {
  std::optional<Formatter> found;
  for (const std::string name : {"clang-format-14", "clang-format"}) {
    const std::optional<cm::Ran> ended = cm::RunProgram({name, "--version"});
    if (!ended.has_value()) continue;
    found = {name, ended->output};
    if (ended->output.find(kVersion) != std::string::npos) break;
  }
  return found;
}

// The files of "file:line:column: error: ..." lines, each once, with a space before each.
std::string FilesOf(const std::string& output) {
  std::istringstream in(output);
  std::string files;
  std::string last;
  for (std::string line; std::getline(in, line);) {
    const std::string file = line.substr(0, line.find(':'));
    if (line.find(": error: ") == std::string::npos || file == last) continue;
    files += " " + file;
    last = file;
  }
  return files;
}

TEST(Workspace, IsFormatted) {
  const std::optional<Formatter> formatter = FindFormatter();
  ASSERT_TRUE(formatter.has_value()) << "clang-format is missing: run tools/setup.sh";
  if (formatter->version.find(kVersion) == std::string::npos) {
    GTEST_SKIP() << "judged by " << kVersion << " only, and this is " << formatter->version;
  }
  const std::filesystem::path root = WorkspaceOfTest();
  std::filesystem::current_path(root);

  const Tree tree = Tree::At(root);
  std::vector<std::string> command = {formatter->name, "--dry-run", "-Werror"};
  for (const Source& source : tree.sources()) {
    if (IsOurCpp(source)) command.push_back(source.path());
  }
  const std::optional<cm::Ran> ended = cm::RunProgram(command);
  ASSERT_TRUE(ended.has_value());
  const std::string files = FilesOf(ended->output);
  EXPECT_TRUE(files.empty()) << "To mend it: " << formatter->name << " -i" << files;
  EXPECT_TRUE(ended->exit_code == 0 || !files.empty()) << ended->output;
}

}  // namespace
}  // namespace lint
