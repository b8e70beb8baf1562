// Runs the commands of the README and of HACKING.md and compares the output; carries out the
// conversations of the documents.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/base/sanitized.h"
#include "tools/cmcheck/cmcheck_process.h"

namespace cm {
namespace {

// A command of a ```sh block, and the ```text block that follows it.
struct Shown {
  std::vector<std::string> arguments;  // of cmcheck
  int exit_code = 0;
  std::vector<std::string> output;  // parts of lines, in any order
};

std::string Comment(const std::string& line) {
  const size_t hash = line.find(" # ");
  return hash == std::string::npos ? "" : line.substr(hash + 3);
}

int ExitCodeIn(const std::string& comment) {
  const size_t at = comment.find("exit ");
  return at == std::string::npos ? 0 : comment[at + 5] - '0';
}

// Commands of ```sh blocks. Those of ```shell blocks need QEMU or a network of their own, take
// minutes, or are refused by sanitizers: they are not for a test to run.
void AddCommand(const std::string& line, std::vector<Shown>* all) {
  const std::string comment = Comment(line);
  if (!line.starts_with("tools/run")) return;
  const bool with_sample = line.find("libsample") != std::string::npos;
  if (with_sample && (kAddressSanitized || kThreadSanitized)) return;  // they refuse RTLD_DEEPBIND
  std::istringstream words(line.substr(0, line.find(" # ")));
  Shown shown{.arguments = {}, .exit_code = ExitCodeIn(comment), .output = {}};
  std::string word;
  words >> word;  // tools/run itself
  while (words >> word) shown.arguments.push_back(word);
  all->push_back(std::move(shown));
}

std::vector<Shown> ReadPage(const std::string& page) {
  std::ifstream in(DataFile(page));
  std::vector<Shown> all;
  std::string block;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```"))
      block = block.empty() ? line.substr(3) : "";
    else if (block == "sh")
      AddCommand(line, &all);
    else if (block == "text" && !all.empty())
      all.back().output.push_back(line);
  }
  return all;
}

// The number of commands, and of lines of their output, that were compared.
std::pair<size_t, size_t> CarryOut(const std::string& file) {
  const CmcheckFolder folder;
  const std::filesystem::path root = DataFile(file).parent_path();
  std::filesystem::create_directory_symlink(root / "conformance", folder.path() / "conformance");
  std::filesystem::create_directory_symlink(root / "model", folder.path() / "model");
  std::filesystem::create_directory_symlink(root, folder.path() / "bazel-bin");
  const std::vector<Shown> page = ReadPage(file);
  size_t compared = 0;
  for (const Shown& shown : page) {
    std::string command = "cmcheck";
    for (const std::string& argument : shown.arguments) command += " " + argument;
    SCOPED_TRACE(command);
    const Ended ended = folder.Cmcheck(shown.arguments);
    EXPECT_EQ(ended.exit_code, shown.exit_code) << ended.error;
    for (const std::string& line : shown.output) {
      ++compared;
      EXPECT_NE(ended.output.find(line), std::string::npos) << line;
    }
  }
  return {page.size(), compared};
}

TEST(TheFrontPage, ShowsWhatItsCommandsDo) {
  const auto [commands, lines] = CarryOut("README.md");
  EXPECT_GE(commands, 8u);
  EXPECT_GE(lines, 10u);
}

TEST(ThePageForChanges, HasCommandsThatDoWhatItSays) {
  EXPECT_GE(CarryOut("HACKING.md").first, 5u);
}

// The ```conv blocks of a document.
std::vector<std::string> ConversationsIn(const std::string& document) {
  std::ifstream in(DataFile(document));
  std::vector<std::string> all;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```conv") all.emplace_back();
    if (inside && line != "```") all.back() += line + "\n";
    inside = line == "```conv" || (inside && line != "```");
  }
  return all;
}

TEST(TheFindings, ShowConversationsThatCanBeCarriedOut) {
  const CmcheckFolder folder;
  const std::vector<std::string> all = ConversationsIn("docs/findings.md");
  EXPECT_FALSE(all.empty());
  for (const std::string& text : all) {
    folder.Write("shown.conv", text);
    const Ended ended = folder.Cmcheck({"replay", "shown.conv", "--quiet"});
    EXPECT_EQ(ended.exit_code, 0) << text << ended.error;
  }
}

// So that they can be run as printed.
TEST(TheHelp, NamesFilesThatAreThere) {
  const CmcheckFolder folder;
  size_t named = 0;
  for (const std::string verb : {"run", "list", "compare", "replay", "shrink", "explain", "rewrite",
                                 "check-pcap", "sharpness", "lab", "pcap", "app"}) {
    std::istringstream words(folder.Cmcheck({verb, "--help"}).output);
    for (std::string word; words >> word;) {
      const bool file = word.starts_with("conformance/") || word.starts_with("model/");
      if (!file || word.find('*') != word.npos) continue;
      ++named;
      EXPECT_TRUE(std::filesystem::exists(DataFile(word))) << verb << ": " << word;
    }
  }
  EXPECT_GE(named, 4u);
}

}  // namespace
}  // namespace cm
