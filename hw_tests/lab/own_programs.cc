#include "hw_tests/lab/own_programs.h"

#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "conformance/process/process.h"
#include "hw_tests/lab/own_modules.h"
#include "model/base/files.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";

// The path in the guest: /lib is a link to /usr/lib here as there, and a file's name is kept.
std::string PathInGuest(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::canonical(file.parent_path(), error);
  return (folder / file.filename()).relative_path().string();
}

// The libraries that it needs, directly or not. A script, or a static program, needs none. Its
// lines are "NAME => PATH (ADDRESS)".
std::vector<fs::path> NeededBy(const fs::path& file) {
  std::vector<fs::path> needed;
  const std::optional<cm::Ran> ran = cm::RunProgram({kLoader, "--list", file.string()});
  if (!ran || ran->exit_code != 0) return needed;
  std::istringstream words(ran->output);
  std::string before;
  for (std::string word; words >> word; before = std::exchange(word, {}))
    if (before == "=>" && word.starts_with('/')) needed.emplace_back(word);
  return needed;
}

class Collection {
 public:
  explicit Collection(const std::vector<std::string>& of_guest) {
    for (const std::string& name : of_guest) known_.insert(fs::path(name).lexically_normal());
  }

  // Why it cannot be read.
  std::optional<Problem> Add(const fs::path& file) {
    const std::string path = PathInGuest(file);
    if (known_.contains(path)) return std::nullopt;
    std::optional<std::string> bytes = cm::ReadFile(file);
    if (!bytes) return Problem{file.string() + ": cannot be read"};
    AddFolder(fs::path(path).parent_path());
    known_.insert(path);
    files_.push_back({path, std::move(*bytes), kProgram});
    return std::nullopt;
  }

  const std::vector<ArchiveFile>& files() const { return files_; }

 private:
  void AddFolder(const fs::path& folder) {
    if (folder.empty() || !known_.insert(folder).second) return;
    AddFolder(folder.parent_path());
    files_.push_back({folder.string(), "", kFolder});
  }

  std::set<fs::path> known_;  // what the guest has, or will have
  std::vector<ArchiveFile> files_;
};

}  // namespace

Outcome<Image> WithPrograms(const Image& image, const std::vector<fs::path>& files,
                            const fs::path& folder) {
  const std::optional<std::string> root = cm::ReadFile(image.root());
  const auto names = FilesOfArchive(root ? *root : std::string());
  if (!names) return Problem{image.root().string() + ": is no archive of a root file system"};
  Collection collection(*names);
  for (const fs::path& file : files) {
    if (auto problem = collection.Add(file)) return *problem;
    for (const fs::path& library : NeededBy(file))
      if (auto problem = collection.Add(library)) return *problem;
  }
  return WithFiles(image, *root, collection.files(), folder);
}

}  // namespace lab
